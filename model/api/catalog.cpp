// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "base/profile.h"
#include "rqscope/patches.h"
#include "rqscope/simulation.h"
#include "topology/machine_file.h"
#include "workload/json_document.h"

namespace rqscope::api {

namespace fs = std::filesystem;

namespace {

/// Title and description of a scenario, without reading its machine.
Named scenarioEntry(const fs::path& folder, const fs::path& file) {
  Named entry;
  entry.name = file.lexically_relative(folder).replace_extension().generic_string();
  entry.title = entry.name;
  auto text = readTextFile(file.string());
  if (!text) return entry;
  const auto document = parseJson(file.string(), std::move(text).value());
  if (!document) return entry;
  if (const JsonMember* m = document.value().root.find("title")) entry.title = m->value.string;
  if (const JsonMember* m = document.value().root.find("description")) entry.description = m->value.string;
  return entry;
}

}  // namespace

std::vector<Named> builtinScenarios() {
  std::vector<Named> out;
  std::error_code error;
  const fs::path folder = fs::path(resourceDirectory()) / "scenarios";
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json") out.push_back(scenarioEntry(folder, it->path()));
  // The default first, then the others by name, those of subfolders last.
  const auto rank = [](const Named& n) {
    return std::tuple{n.name != "juno", n.name.find('/') != std::string::npos, n.name};
  };
  std::sort(out.begin(), out.end(), [&](const Named& a, const Named& b) { return rank(a) < rank(b); });
  return out;
}

std::vector<Named> builtinMachines() {
  const std::string folder = resourceDirectory() + "/topologies";
  std::vector<Named> out;
  for (const std::string& name : builtinMachineNames(folder)) {
    const auto hardware = loadMachine(name, folder);
    out.push_back({name, name, hardware ? hardware.value().description : ""});
  }
  return out;
}

std::vector<Named> kernels() {
  std::vector<Named> out;
  for (const std::string_view name : kernelProfileNames()) {
    const auto profile = kernelProfile(name);
    std::string about;
    switch (profile.value().queue) {
      case QueueKind::Cfs:
        about = "CFS: vruntime tree, sleeper credit, buddies";
        break;
      case QueueKind::Eevdf:
        about = "EEVDF: lag and deadlines, delayed dequeue";
        break;
      case QueueKind::FlatEevdf:
        about = "EEVDF with the tasks of all groups in one tree";
        break;
    }
    out.push_back({std::string{name}, std::string{name}, about});
  }
  return out;
}

std::vector<PatchChoice> patchChoices(const std::string& kernel) {
  std::vector<PatchChoice> out;
  const auto profile = kernelProfile(kernel);
  if (!profile) return out;
  for (const PatchInfo& patch : patches()) {
    PatchChoice choice;
    choice.name = patch.name;
    choice.commit = patch.commit;
    choice.summary = patch.summary;
    choice.isKnown = hasPatch(profile.value(), patch.name);
    choice.isOnByDefault = choice.isKnown && isPatchOn(profile.value(), patch.name);
    for (const auto& version : profilesWithPatchOn(patch.name)) choice.onIn.emplace_back(version);
    out.push_back(std::move(choice));
  }
  return out;
}

std::vector<Named> patchesOf(const std::string& kernel) {
  std::vector<Named> out;
  const auto profile = kernelProfile(kernel);
  if (!profile) return out;
  for (const PatchInfo& patch : patches()) {
    const std::string state = !hasPatch(profile.value(), patch.name)   ? "not for"
                              : isPatchOn(profile.value(), patch.name) ? "on in"
                                                                       : "off in";
    const auto defaults = profilesWithPatchOn(patch.name);
    const std::string on = defaults.empty() ? "no profile" : fmt::format("{}", fmt::join(defaults, ", "));
    out.push_back(
        {std::string{patch.name}, fmt::format("{} ({})", patch.name, patch.commit),
         fmt::format("{} ({}); {} {}; on by default in {}", patch.summary, patch.commit, state, kernel, on)});
  }
  return out;
}

std::vector<std::pair<std::string, bool>> featuresOf(const std::string& kernel) {
  std::vector<std::pair<std::string, bool>> out;
  const auto profile = kernelProfile(kernel);
  if (!profile) return out;
  for (const auto& [name, on] : featureStates(profile.value())) out.emplace_back(std::string{name}, on);
  return out;
}

}  // namespace rqscope::api
