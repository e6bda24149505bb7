// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/machine_import.h"

#include <unistd.h>

#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "topology/hwloc_xml.h"
#include "topology/json_fields.h"
#include "topology/lisa_reader.h"
#include "topology/lscpu_reader.h"
#include "topology/machine_file.h"
#include "topology/machine_layout.h"
#include "topology/stoppable_load.h"
#include "topology/sysfs_reader.h"
#include "topology/topology_record.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr const char* kKnownKinds =
    "machine files, topology records, hwloc XML, dumps of /sys (directory or tar), lscpu -J, lscpu -e -J, "
    "LISA "
    "platform files, sched_verbose text and the compact notation can be opened";

Diagnostic problem(const std::string& file, std::string message, std::string hint = {}) {
  return {Severity::Error, {file, 0, 0}, std::move(message), std::move(hint)};
}

/// The text with bytes that are no UTF-8 replaced: records and scenarios carry it as JSON.
std::string asUtf8(const std::string& text) {
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

Result<ImportedMachine> wrapped(Result<Hardware> hardware, const char* kind) {
  if (!hardware.ok()) return hardware.diagnostics();
  ImportedMachine out;
  out.hardware = std::move(hardware).value();
  out.hardware.name = asUtf8(out.hardware.name);
  out.hardware.description = asUtf8(out.hardware.description);
  for (HardwareCpu& cpu : out.hardware.cpus) cpu.kind = asUtf8(cpu.kind);
  out.kind = kind;
  return out;
}

Result<ImportedMachine> fromTree(const Result<FileTree>& tree, const std::string& file,
                                 const std::stop_token& stop) {
  if (!tree.ok()) return tree.diagnostics();
  auto dump = domainDumpFromTree(tree.value());
  if (dump && !tree.value().hasUnder("sys/devices/system/cpu"))
    return wrapped(hardwareFromDump(*dump, file), "dump of sched domains");
  auto out = wrapped(hardwareFromSysfs(tree.value(), file, stop), "dump of /sys");
  if (out.ok()) out.value().domains = std::move(dump);
  return out;
}

Diagnostic rtAppProblem(const std::string& file) {
  return problem(file, "this is an rt-app file, which does not describe a machine",
                 "rqscope FILE opens it as a workload; --machine names the machine");
}

Result<ImportedMachine> fromJson(std::string_view text, const std::string& file) {
  auto document = parseJsonText(text, file);
  // rt-app's own files end lists with a comma or repeat keys: what they are shows all the same.
  if (!document.ok() && text.find("\"tasks\"") != std::string_view::npos) return rtAppProblem(file);
  if (!document.ok()) return document.diagnostics();
  const json& top = document.value();
  if (!top.is_object()) return problem(file, "this JSON describes no machine", kKnownKinds);
  const auto schema = top.find("schema");
  if (schema != top.end() && *schema == kTopologyRecordSchema)
    return wrapped(hardwareFromRecord(top, file), "topology record");
  if (schema != top.end()) return wrapped(readMachineJson(text, file), "machine file");
  if (top.contains("lscpu")) return wrapped(hardwareFromLscpuSummary(top, file), "lscpu -J");
  if (top.contains("cpus")) return wrapped(hardwareFromLscpuTable(top, file), "lscpu -e -J");
  if (const auto machine = top.find("machine"); top.contains("rqscope-scenario")) {
    if (machine != top.end() && machine->is_string())
      return problem(file, fmt::format("this is a scenario, its machine is {}", machine->get<std::string>()),
                     "rqscope topology NAME shows that machine");
    return problem(file, "this is a scenario", "rqscope run FILE runs it on its machine");
  }
  if (top.contains("tasks")) return rtAppProblem(file);
  return problem(file, "this JSON describes no machine", kKnownKinds);
}

Diagnostic traceProblem(const std::string& file) {
  return problem(file, "this is a trace, which does not describe a machine",
                 "rqscope FILE opens its tasks as a workload; --machine names the machine");
}

Result<ImportedMachine> fromVerbose(std::string_view text, const std::string& file) {
  auto dump = readSchedVerbose(text, file);
  if (!dump.ok()) return dump.diagnostics();
  auto out = wrapped(hardwareFromDump(dump.value(), file), "sched_verbose boot text");
  if (out.ok()) out.value().domains = std::move(dump).value();
  return out;
}

/// Archive and compression formats by their first bytes.
bool looksLikeArchive(std::string_view bytes) {
  static constexpr std::array<std::string_view, 6> kMagic = {std::string_view("\x1f\x8b", 2),
                                                             "BZh",
                                                             std::string_view("\xfd\x37\x7a\x58\x5a", 5),
                                                             std::string_view("\x28\xb5\x2f\xfd", 4),
                                                             std::string_view("PK\x03\x04", 4),
                                                             "070701"};
  for (const std::string_view magic : kMagic)
    if (bytes.starts_with(magic)) return true;
  return bytes.size() > 262 && bytes.substr(257, 5) == "ustar";
}

}  // namespace

Result<ImportedMachine> importMachineText(std::string_view text, const std::string& file) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return problem(file, "the file is empty");
  const std::string_view body = text.substr(start);
  if (looksLikeTrace(body.substr(0, 4096))) return traceProblem(file);
  if (body.substr(0, 4096).find('\0') != std::string_view::npos)
    return problem(file, "this is binary data of no known kind", kKnownKinds);
  // Boot text starts with a time stamp, "[    0.412345]", JSON lists never hold a machine.
  if (body.front() == '[' && looksLikeSchedVerbose(body)) return fromVerbose(text, file);
  const bool isComment = body.starts_with("//") || body.starts_with("/*");
  if (body.front() == '{' || body.front() == '[' || isComment) return fromJson(text, file);
  if (body.front() == '<') return wrapped(readHwlocXml(text, file), "hwloc XML");
  if (looksLikeCompactMachine(body)) return wrapped(parseCompactMachine(body, file), "compact notation");
  if (looksLikeSchedVerbose(body)) return fromVerbose(text, file);
  if (body.starts_with("Machine (") || body.starts_with("System (") || body.starts_with("Machine\n"))
    return problem(file, "this is lstopo's text output, which leaves out what the scheduler needs",
                   "lstopo --of xml writes a file that can be opened");
  if (looksLikeLisaPlatform(body)) return wrapped(readLisaPlatform(text, file), "LISA platform file");
  return problem(file, "this file is of no known kind", kKnownKinds);
}

Result<ImportedMachine> importMachine(const std::string& path) {
  return importMachine(path, std::stop_token());
}

Result<ImportedMachine> importMachine(const std::string& path, const std::stop_token& stop) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) return problem(path, "there is no such file or directory");
  if (std::filesystem::is_directory(path, ec))
    return fromTree(FileTree::fromDirectory(path, stop), path, stop);
  auto bytes = readWholeFile(path);
  if (!bytes.ok()) return bytes.diagnostics();
  if (looksLikeArchive(bytes.value())) {
    auto tree = FileTree::fromArchive(path, stop);
    if (!tree.ok() && looksLikeTrace(startOfCompressed(path))) return traceProblem(path);
    return fromTree(std::move(tree), path, stop);
  }
  return importMachineText(bytes.value(), path);
}

Result<ImportedMachine> importThisComputer() {
  auto out = importMachine("/");
  if (!out.ok()) return out;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  out.value().hardware.name = host[0] == '\0' ? "this computer" : host.data();
  out.value().hardware.source = "this computer's /sys";
  out.value().kind = "this computer";
  return out;
}

}  // namespace rqscope
