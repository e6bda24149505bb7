// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "workload/program.h"

namespace rqscope {

/// What an operation of the script does at its time.
enum class OperationKind : std::uint8_t {
  Pin,         ///< task, cpus: sched_setaffinity() from outside
  Unpin,       ///< task: all CPUs
  Nice,        ///< task, value
  Policy,      ///< task, policy
  Slice,       ///< task, value = ns; 0 = default
  Wake,        ///< task: ends its sleep or wait (from `cpu`, or the task's own CPU)
  Fork,        ///< task = thread name of the workload: starts one more, placed from `cpu`
  Kill,        ///< task: exits when it next runs
  MoveGroup,   ///< task, group: sched_move_task()
  Online,      ///< cpu
  Offline,     ///< cpu
  Weight,      ///< group, value = cpu.weight 1..10000
  Quota,       ///< group, value = quota ns (-1: none), periodNs
  Frequency,   ///< cpu(s), value = arch_scale_freq_capacity 1..1024
  Capacity,    ///< cpu(s), value = capacity left after pressure (hw_pressure), 1..1024
  Throughput,  ///< cpu(s), value = what it really does, 1024 = reference
  Mark         ///< nothing: a mark in the script
};

/// One timed operation. Tasks are named: "C", "lbw-2", or "*" for all that live.
struct Operation {
  std::uint64_t atNs = 0;
  OperationKind kind = OperationKind::Mark;
  std::string task;
  std::string group;  ///< path of a workload group; "/" = root
  CpuMask cpus;       ///< Pin: the affinity; Frequency, Capacity, Throughput: the CPUs
  CpuId cpu;          ///< Wake, Fork: from where; Online, Offline: which
  ProgramPolicy policy = ProgramPolicy::Other;
  std::int64_t value = 0;
  std::uint64_t periodNs = 100000000;
  SourcePosition where;
  /// Not before so many events have happened: places a branch's operation exactly. Readers leave it 0.
  std::uint64_t afterEvent = 0;
};

}  // namespace rqscope
