// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/juno_record.h"
#include "evaluate/record_problem.h"

#include <filesystem>
#include <fstream>

#include "topology/sched_topology.h"

namespace rqscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

Result<json> readJson(const fs::path& path) {
  std::ifstream in(path);
  if (!in) return Diagnostic{Severity::Error, {path.string(), 0, 0}, "the file cannot be read", ""};
  json value = json::parse(in, nullptr, false);
  if (value.is_discarded()) return Diagnostic{Severity::Error, {path.string(), 0, 0}, "this is not JSON", ""};
  return value;
}

/// topology.json in one of the folders above the record.
fs::path findTopology(const fs::path& record) {
  for (fs::path folder = fs::absolute(record).parent_path();; folder = folder.parent_path()) {
    if (fs::exists(folder / "topology.json")) return folder / "topology.json";
    if (folder == folder.parent_path()) return {};
  }
}

/// The records' label: "612" is kernel 6.12, "612old" the same without the shr_bound patch.
struct KernelLabel {
  std::string version;
  bool isBefore = false;
};

KernelLabel kernelLabel(const json& run) {
  std::string text = run.at("kernel").get<std::string>();
  KernelLabel label;
  if (text.ends_with("old")) {
    label.isBefore = true;
    text.resize(text.size() - 3);
  }
  if (text.find('.') == std::string::npos && text.size() > 1) text.insert(1, ".");
  label.version = text;
  return label;
}

Result<KernelProfile> profileOf(const KernelLabel& label) {
  auto profile = kernelProfile(label.version);
  if (!profile || !label.isBefore) return profile;
  return withPatch(profile.value(), "migrate_util_shr_bound", false);
}

}  // namespace

Result<JunoRecord> openJunoRecord(const std::string& path) {
  auto run = readJson(path);
  if (!run) return run.error();
  const fs::path topologyFile = findTopology(path);
  if (topologyFile.empty())
    return Diagnostic{Severity::Error,
                      {path, 0, 0},
                      "the machine of this run is not known",
                      "put topology.json in a folder above it"};
  auto machine = readJson(topologyFile);
  if (!machine) return machine.error();
  try {  // nlohmann reports a missing or wrong member by exception
    const KernelLabel label = kernelLabel(run.value());
    auto profile = profileOf(label);
    if (!profile) return profile.error();
    for (const auto& [name, value] : machine.value().items())
      if (name.ends_with(" " + label.version))
        return JunoRecord{std::move(run.value()), value, profile.value(), label.isBefore};
    return Diagnostic{
        Severity::Error, {topologyFile.string(), 0, 0}, "no machine of kernel " + label.version, ""};
  } catch (const json::exception& e) {
    return recordProblem(path, e);
  }
}

std::uint32_t sdFlagsOfNames(const json& names, KernelVersion version) {
  std::uint32_t flags = 0;
  for (std::uint32_t bit = 1; bit <= kSdNuma; bit <<= 1)
    for (const std::string& known : sdFlagNames(bit, version))
      for (const json& name : names)
        if (name.is_string() && name.get<std::string>() == known) flags |= bit;
  return flags;
}

std::string_view withoutPrefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace rqscope
