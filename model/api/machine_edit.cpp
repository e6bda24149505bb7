// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/machine_edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/layout_builder.h"
#include "api/machine_base.h"
#include "api/problems.h"
#include "api/simulation_impl.h"
#include "scenario/scenario.h"
#include "topology/machine_file.h"
#include "topology/stoppable_build.h"
#include "topology/stoppable_load.h"

namespace rqscope::api {

namespace {

constexpr std::int32_t kLocalDistance = 10, kMaxDistance = 255;
constexpr std::int32_t kMaxCapacity = 1024, kMaxThroughput = 1 << 20;

EditFault fault(std::string field, std::string message, std::string hint) {
  EditFault out;
  out.field = std::move(field);
  out.message = std::move(message);
  out.hint = std::move(hint);
  return out;
}

void checkCpu(const EditCpu& cpu, std::vector<EditFault>& out) {
  const auto check = [&](const char* field, std::int32_t value, std::int32_t max) {
    if (value >= 1 && value <= max) return;
    EditFault wrong = fault(field, fmt::format("{} {} of CPU {}", field, value, cpu.id),
                            fmt::format("a number from 1 to {}", max));
    wrong.cpu = cpu.id;
    out.push_back(std::move(wrong));
  };
  check("capacity", cpu.capacity, kMaxCapacity);
  check("throughput", cpu.throughput, kMaxThroughput);
}

void checkDistances(const EditMachine& machine, std::vector<EditFault>& out) {
  for (std::size_t row = 0; row < machine.nodes.size(); ++row)
    for (std::size_t column = 0; column < machine.nodes[row].distances.size(); ++column) {
      const std::int32_t value = machine.nodes[row].distances[column];
      if (value >= kLocalDistance && value <= kMaxDistance) continue;
      EditFault wrong = fault("distances",
                              fmt::format("distance {} from node {} to node {}", value, machine.nodes[row].id,
                                          machine.nodes[column].id),
                              "distances run from 10 (local) to 255");
      wrong.row = static_cast<std::int32_t>(row);
      wrong.column = static_cast<std::int32_t>(column);
      out.push_back(std::move(wrong));
    }
}

}  // namespace

EditMachine editableOf(Hardware hardware) {
  EditMachine out;
  out.name = hardware.name;
  out.description = hardware.description;
  out.source = hardware.source;
  for (std::size_t row = 0; row < hardware.nodes.size(); ++row) {
    EditNode node;
    node.id = hardware.nodes[row].id.value;
    node.hasCpus = !hardware.nodes[row].cpus.isEmpty();
    for (std::size_t column = 0; column < hardware.nodes.size(); ++column)
      node.distances.push_back(hardware.distance(row, column));
    out.nodes.push_back(std::move(node));
  }
  for (const HardwareCpu& cpu : hardware.cpus)
    out.cpus.push_back({cpu.id.value, cpu.online, hardware.isolated.test(cpu.id),
                        static_cast<std::int32_t>(cpu.capacity), static_cast<std::int32_t>(cpu.throughput),
                        cpu.kind, cpu.package, cpu.node.value, cpu.core});
  out.counts = countsOf(hardware);
  out.isRegular = isRegular(hardware, out.counts);
  out.base = std::make_shared<const MachineBase>(MachineBase{std::move(hardware)});
  return out;
}

Hardware hardwareOf(const EditMachine& machine) {
  Hardware out = machine.base->hardware;
  out.name = machine.name;
  out.description = machine.description;
  out.source = machine.source;
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) out.nodes[i].distance = machine.nodes[i].distances;
  out.isolated = {};
  for (std::size_t i = 0; i < machine.cpus.size(); ++i) {
    const EditCpu& from = machine.cpus[i];
    HardwareCpu& cpu = out.cpus[i];
    cpu.online = from.online;
    cpu.capacity = static_cast<std::uint32_t>(from.capacity);
    cpu.throughput = static_cast<std::uint32_t>(from.throughput);
    cpu.kind = from.kind;
    if (from.isolated) out.isolated.set(cpu.id);
  }
  return out;
}

EditOpened editMachine(const std::string& machine, const std::stop_token& stop) {
  EditOpened out;
  auto hardware = loadMachine(machine, resourceDirectory() + "/topologies", stop);
  out.problems = problemsOf(hardware.diagnostics());
  if (hardware && !stop.stop_requested()) out.machine = editableOf(std::move(hardware).value());
  return out;
}

EditOpened editScenarioMachine(const std::string& fileName, const std::string& text,
                               const Overrides& overrides) {
  EditOpened out;
  auto scenario = readScenario(fileName, text, resourceDirectory(), overridesOf(overrides));
  out.problems = problemsOf(scenario.diagnostics());
  if (scenario) out.machine = editableOf(std::move(scenario).value().hardware);
  return out;
}

CpuListRead readCpuList(const EditMachine& machine, const std::string& text, const std::string& field) {
  CpuListRead out;
  const auto mask = CpuMask::parseList(text);
  if (!mask) {
    out.faults.push_back(fault(field, mask.error().message, "a list such as \"0-3,6\""));
    return out;
  }
  CpuMask unknown = mask.value();
  for (const EditCpu& cpu : machine.cpus)
    if (mask.value().test(CpuId{cpu.id})) {
      out.cpus.push_back(cpu.id);
      unknown.clear(CpuId{cpu.id});
    }
  if (!unknown.isEmpty())
    out.faults.push_back(
        fault(field, fmt::format("the machine has no CPU {}", unknown.list()),
              machine.cpus.empty()
                  ? ""
                  : fmt::format("its CPUs are {} to {}", machine.cpus.front().id, machine.cpus.back().id)));
  return out;
}

std::vector<EditFault> faultsOf(const EditMachine& machine) {
  std::vector<EditFault> out;
  for (const EditCpu& cpu : machine.cpus) checkCpu(cpu, out);
  if (std::none_of(machine.cpus.begin(), machine.cpus.end(), [](const EditCpu& cpu) { return cpu.online; }))
    out.push_back(fault("online", "no CPU is online", "at least one CPU must run"));
  checkDistances(machine, out);
  return out;
}

MachinePreview previewMachine(const EditMachine& machine, const std::string& kernel,
                              const std::stop_token& stop) {
  MachinePreview out;
  out.faults = faultsOf(machine);
  if (!out.faults.empty()) return out;
  const auto profile = kernelProfile(kernel);
  if (!profile) {
    out.faults.push_back(fault("", profile.error().message, profile.error().hint));
    return out;
  }
  const auto topology = buildSchedTopology(hardwareOf(machine), profile.value(), stop);
  for (const Diagnostic& d : topology.diagnostics())
    if (d.severity == Severity::Error) out.faults.push_back(fault("", d.message, d.hint));
  if (topology)
    out.layout = std::make_shared<const MachineLayout>(buildLayout(*topology.value(), profile.value()));
  return out;
}

}  // namespace rqscope::api
