// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/layout_builder.h"
#include "api/problems.h"
#include "rqscope/topology.h"
#include "topology/machine_file.h"
#include "topology/topology_record.h"

namespace rqscope::api {

MachineTopology machineTopology(const std::string& machine, const std::string& kernel) {
  MachineTopology out;
  const auto profile = kernelProfile(kernel);
  if (!profile) {
    out.problems = problemsOf(profile.diagnostics());
    return out;
  }
  const auto hardware = loadMachine(machine, resourceDirectory() + "/topologies");
  const auto add = [&](const std::vector<Diagnostic>& found) {
    for (Problem& problem : problemsOf(found)) {
      if (problem.file.empty()) problem.file = machine;
      out.problems.push_back(std::move(problem));
    }
  };
  add(hardware.diagnostics());
  if (!hardware) return out;
  const auto topology = buildSchedTopology(hardware.value(), profile.value());
  add(topology.diagnostics());
  if (!topology) return out;
  out.layout = std::make_shared<const MachineLayout>(buildLayout(*topology.value(), profile.value()));
  out.recordJson = topologyRecord(*topology.value(), profile.value()).dump();
  return out;
}

}  // namespace rqscope::api
