// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <filesystem>

#include "scenario/scenario_reader.h"
#include "topology/machine_file.h"
#include "topology/machine_layout.h"

namespace rqscope {

namespace {

constexpr std::int64_t kMaxCapacity = 1024;
constexpr std::int64_t kMaxThroughput = 1 << 20;

/// An inline machine is given to the machine reader with blanks before it, so that its positions are right.
std::string withPosition(const JsonDocument& document, const JsonValue& value) {
  std::string text(static_cast<std::size_t>(value.line - 1), '\n');
  text.append(static_cast<std::size_t>(value.column - 1), ' ');
  return text.append(document.source(value));
}

/// The machine reader names places by path ("cpus[0].node: ..."): gives them line and column.
std::vector<Diagnostic> placed(std::vector<Diagnostic> diagnostics, const JsonValue& machine) {
  for (Diagnostic& d : diagnostics) {
    if (d.where.line != 0) continue;
    const auto [line, column] = locateJsonPath(machine, d.message.substr(0, d.message.find(':')));
    d.where.line = line;
    d.where.column = column;
  }
  return diagnostics;
}

/// { "0,3-5" : 490 }: one number for each list of CPUs.
void readPerCpu(ObjectReader& reader, std::string_view key, std::int64_t max, Hardware& hardware,
                std::vector<std::pair<CpuMask, std::uint32_t>>& out, std::uint32_t HardwareCpu::*field,
                JsonLint& lint) {
  const JsonMember* section = reader.member(key, JsonValue::Kind::Object);
  if (section == nullptr) return;
  for (const JsonMember& member : section->value.members) {
    auto cpus = CpuMask::parseList(member.key);
    if (!cpus || cpus.value().isEmpty()) {
      lint.error(member, fmt::format("\"{}\" is no list of CPUs", member.key), "write \"0-3,6\" : 512");
      continue;
    }
    const auto value =
        readInteger(member.value, fmt::format("the {} of CPUs {}", key, member.key), 1, max, lint);
    if (!value) continue;
    bool found = true;
    cpus.value().forEach([&](CpuId cpu) {
      bool here = false;
      for (HardwareCpu& c : hardware.cpus)
        if (c.id == cpu) {
          c.*field = static_cast<std::uint32_t>(*value);
          here = true;
        }
      found = found && here;
    });
    if (!found && !hardware.cpus.empty())
      lint.error(member, fmt::format("the machine has no CPUs {}", member.key),
                 fmt::format("it has {}", hardware.onlineCpus().list()));
    out.emplace_back(cpus.value(), static_cast<std::uint32_t>(*value));
  }
}

}  // namespace

std::optional<Hardware> findMachine(const ScenarioInput& input, const std::string& name,
                                    const SourcePosition& where, JsonLint& lint) {
  const auto adopt = [&](Result<Hardware> result) -> std::optional<Hardware> {
    if (result) return std::move(result).value();
    for (Diagnostic d : result.diagnostics()) {
      if (d.where.line == 0 && (d.where.file.empty() || where.line != 0)) d.where = where;
      lint.addAll({std::move(d)});
    }
    return std::nullopt;
  };
  if (looksLikeCompactMachine(name)) {
    auto compact = parseCompactMachine(name, where.file);
    // Columns count in the notation; in a file it stands behind its quote.
    for (Diagnostic& d : compact.diagnostics())
      d.where = {where.file, where.line, where.line == 0 ? 0 : where.column + d.where.column};
    return adopt(std::move(compact));
  }
  std::string path = name;
  // A relative path is looked up beside the scenario first, unless it comes from the command line.
  const bool isPath = name.find('/') != std::string::npos || name.find('.') != std::string::npos;
  if (isPath && name.front() != '/' && where.line != 0) {
    const std::string beside = folderOf(input.document.file) + name;
    std::error_code error;
    if (std::filesystem::exists(beside, error)) path = beside;
  }
  return adopt(loadMachine(path, input.resourceDirectory + "/topologies"));
}

void readMachineSection(const ScenarioInput& input, ObjectReader& reader, Scenario& scenario,
                        JsonLint& lint) {
  const JsonMember* machine =
      reader.required("machine", "write \"machine\" : \"juno-r2\", a file name or a compact notation");
  std::optional<Hardware> hardware;
  if (input.overrides.machine) {
    scenario.machine = *input.overrides.machine;
    hardware = findMachine(input, scenario.machine, optionPosition("--machine", scenario.machine), lint);
  } else if (machine != nullptr && machine->value.is(JsonValue::Kind::String)) {
    scenario.machine = machine->value.string;
    hardware =
        findMachine(input, scenario.machine, {lint.file(), machine->value.line, machine->value.column}, lint);
  } else if (machine != nullptr && machine->value.is(JsonValue::Kind::Object)) {
    scenario.machineText = input.document.source(machine->value);
    auto inlined = readMachineJson(withPosition(input.document, machine->value), lint.file());
    if (inlined)
      hardware = std::move(inlined).value();
    else
      lint.addAll(placed(inlined.diagnostics(), machine->value));
  } else if (machine != nullptr) {
    lint.error(machine->value, fmt::format("\"machine\" is {}", kindWords(machine->value.kind)),
               "write a name in quotes or a machine { ... }");
  }
  if (hardware) scenario.hardware = std::move(*hardware);
  if (input.overrides.machine) {  // They describe the scenario's own machine.
    reader.member("capacity");
    reader.member("throughput");
    return;
  }
  readPerCpu(reader, "capacity", kMaxCapacity, scenario.hardware, scenario.capacity, &HardwareCpu::capacity,
             lint);
  readPerCpu(reader, "throughput", kMaxThroughput, scenario.hardware, scenario.throughput,
             &HardwareCpu::throughput, lint);
}

}  // namespace rqscope
