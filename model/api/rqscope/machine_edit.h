// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rqscope/layout.h"
#include "rqscope/simulation.h"

namespace rqscope::api {

/// A regular machine by counts, each per part of the kind before it.
struct MachineCounts {
  std::int32_t packages = 1;
  std::int32_t nodes = 1;     ///< NUMA nodes per package
  std::int32_t llcs = 1;      ///< last-level caches per node
  std::int32_t clusters = 0;  ///< per LLC, sharing a level 2 cache; 0: every core has its own
  std::int32_t cores = 1;     ///< per cluster, or per LLC when there are no clusters
  std::int32_t threads = 1;   ///< per core
  bool operator==(const MachineCounts&) const = default;
};

struct EditCpu {
  std::int32_t id = 0;
  bool online = true;
  bool isolated = false;           ///< isolcpus=
  std::int32_t capacity = 1024;    ///< told to the scheduler, 1 to 1024
  std::int32_t throughput = 1024;  ///< what it really does
  std::string kind;
  std::int32_t package = 0, node = 0, core = 0;  ///< place; follows from the counts
  bool operator==(const EditCpu&) const = default;
};

struct EditNode {
  std::int32_t id = 0;
  bool hasCpus = true;
  std::vector<std::int32_t> distances;  ///< to each node, in the order of EditMachine::nodes
  bool operator==(const EditNode&) const = default;
};

/// What the editor does not change: caches, masks, rules.
struct MachineBase;

/// A machine while it is edited: a value. Copies share what stands still.
struct EditMachine {
  std::string name, description, source;
  MachineCounts counts;
  bool isRegular = false;  ///< the counts say all of the structure; false: they say the greatest parts
  std::vector<EditNode> nodes;
  std::vector<EditCpu> cpus;  ///< ascending by id
  std::shared_ptr<const MachineBase> base;
  bool operator==(const EditMachine&) const = default;
};

/// What is wrong with one field of an edited machine.
struct EditFault {
  std::string field;      ///< "counts", "distances", "capacity", "throughput", "online", "" (as a whole)
  std::int32_t cpu = -1;  ///< for fields of a CPU
  std::int32_t row = -1, column = -1;  ///< for distances
  std::string message, hint;
};

/// A machine to edit, or why there is none.
struct EditOpened {
  std::optional<EditMachine> machine;
  std::vector<Problem> problems;
};

/// `machine`: built-in name, file, folder or compact notation. Ends soon, with a problem, once `stop` is
/// requested.
EditOpened editMachine(const std::string& machine, const std::stop_token& stop = {});
/// The machine of a scenario text, with the scenario's own capacities and throughputs.
EditOpened editScenarioMachine(const std::string& fileName, const std::string& text,
                               const Overrides& overrides);

/// The regular machine of these counts. CPUs, distances and cache sizes of `from` are kept as far as they
/// fit. Faults of the field "counts", or the machine.
struct CountedMachine {
  std::optional<EditMachine> machine;
  std::vector<EditFault> faults;
};
CountedMachine withCounts(const EditMachine& from, const MachineCounts& counts);

/// Ids of a list such as "0-3,6" that must be CPUs of the machine; faults of `field` otherwise.
struct CpuListRead {
  std::vector<std::int32_t> cpus;
  std::vector<EditFault> faults;
};
CpuListRead readCpuList(const EditMachine& machine, const std::string& text, const std::string& field);

/// What can be said without building: each fault with its field.
std::vector<EditFault> faultsOf(const EditMachine& machine);

/// What the kernel `kernel` builds for the machine: nothing and the faults when it cannot. May take a second
/// for 1,024 CPUs; safe on any thread, and ends soon, with a fault, once `stop` is requested.
struct MachinePreview {
  std::shared_ptr<const MachineLayout> layout;
  std::vector<EditFault> faults;
};
MachinePreview previewMachine(const EditMachine& machine, const std::string& kernel,
                              const std::stop_token& stop = {});

enum class MachineFormat : std::uint8_t {
  MachineFile,   ///< "rqscope-machine/1", as in resources/topologies
  Record,        ///< "linux-sched-topology/1", as records of real kernels
  HwlocXml,      ///< what lstopo reads
  SchedVerbose,  ///< what a kernel prints when it attaches the domains
};

/// A text, or why there is none (then it is empty).
struct MachineText {
  std::string text;
  std::vector<Problem> problems;
};
MachineText machineText(const EditMachine& machine, const std::string& kernel, MachineFormat format,
                        const std::stop_token& stop = {});

/// The scenario text with this machine in place of its own, as an inline machine. The scenario's "capacity"
/// and "throughput" are emptied, since the machine has them.
MachineText scenarioWithMachine(const std::string& fileName, const std::string& text,
                                const EditMachine& machine);

}  // namespace rqscope::api
