// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rqscope {

/// What the hardware charges beside the work itself. All zero: only the scheduler's decisions show.
struct CostModel {
  std::uint64_t contextSwitchNs = 0;  ///< CPU time of the task that is switched in
  std::uint64_t migrationNs = 0;      ///< CPU time after a move to another CPU, fork included (cold caches)
  std::uint64_t wakeupNs = 0;         ///< CPU time of the running task that wakes another
  std::uint64_t idleWakeupNs =
      0;  ///< an idle CPU stays idle so long after another CPU gave it a task (IPI, idle exit)
  std::uint64_t newidleCpuNs = 0;  ///< CPU time of a newidle pass for each CPU of its domain; measured by it
  std::uint64_t sharedQueueLockNs = 0;  ///< how long the lock of a shared wakequeue is held each time
  std::uint64_t ipiNs = 0;              ///< CPU time of a CPU that gives another one a task
  std::uint64_t selectNs = 0;   ///< from a waker's look at an idle CPU until others see that it is taken
  std::uint64_t rqLockNs = 0;   ///< how long a wakeup and a switch hold the lock of a CPU's queue
  std::uint64_t smtBusyNs = 0;  ///< added to each us of work while another thread of the core runs too
  std::uint64_t exitMoveNs =
      0;  ///< CPU time of the move that sched_move_task() makes at exit, unless it bails
  // Cold caches by distance, beside migrationNs.
  std::uint64_t migrationCoreNs = 0;    ///< to the other thread of the core
  std::uint64_t migrationLlcNs = 0;     ///< to another core of the last-level cache
  std::uint64_t migrationNodeNs = 0;    ///< to another last-level cache of the package
  std::uint64_t migrationSocketNs = 0;  ///< to another package
  // Transfer of a cache line by distance, on the lines that the model counts accesses of.
  std::uint64_t lineCoreNs = 0;
  std::uint64_t lineLlcNs = 0;
  std::uint64_t lineNodeNs = 0;
  std::uint64_t lineSocketNs = 0;
  std::uint64_t lineAtomicNs = 0;     ///< an atomic operation beside the transfer
  std::uint64_t lineContendedNs = 0;  ///< a request for a line that is busy keeps it busy so much longer
  std::uint64_t searchCpuNs = 0;      ///< CPU time of a waker for each CPU that it looks at for an idle one
  std::uint64_t groupWeightNs = 0;    ///< CPU time of update_cfs_group() beside the line it reads
  bool operator==(const CostModel&) const = default;

  bool hasLines() const { return (lineCoreNs | lineLlcNs | lineNodeNs | lineSocketNs | lineAtomicNs) != 0; }
  bool hasDistances() const {
    return hasLines() || smtBusyNs != 0 ||
           (migrationCoreNs | migrationLlcNs | migrationNodeNs | migrationSocketNs) != 0;
  }
};

/// One parameter of the cost model: its key in a scenario, all in ns, 0 (off) by default.
struct CostParameter {
  std::string_view key;
  std::uint64_t CostModel::*field;
  std::uint64_t typicalNs;  ///< what a two-socket server of 2019..2023 shows
  std::string_view source;  ///< of the typical value
};

inline constexpr std::array<CostParameter, 23> kCostParameters{{
    {"context_switch", &CostModel::contextSwitchNs, 1000,
     "lmbench lat_ctx with 2 tasks and no footprint: 1..2 us"},
    {"migration", &CostModel::migrationNs, 0, "by distance below; this one adds to each"},
    {"wakeup", &CostModel::wakeupNs, 500, "try_to_wake_up() without misses"},
    {"idle_wakeup", &CostModel::idleWakeupNs, 2000,
     "exit latency of C1 that cpuidle names for Intel's servers: 2 us"},
    {"ipi", &CostModel::ipiNs, 200, "write of the interrupt command register of an x2APIC: 100..300 ns"},
    {"select", &CostModel::selectNs, 400,
     "set_task_cpu() up to ttwu_pending: about five lines of other cores (task, its last queue, the chosen "
     "one)"},
    {"exit_move", &CostModel::exitMoveNs, 2500,
     "eff6c8ce8d4d: 43.5 ms less 18.5 ms for 10,001 exits with and without it, at 2.3 GHz"},
    {"migration_core", &CostModel::migrationCoreNs, 0, "both threads share the caches"},
    {"migration_llc", &CostModel::migrationLlcNs, 1500, "32 lines from the last-level cache"},
    {"migration_node", &CostModel::migrationNodeNs, 3000, "32 lines from another cache of the package"},
    {"migration_socket", &CostModel::migrationSocketNs, 4000, "32 lines from the other package"},
    {"line_core", &CostModel::lineCoreNs, 5,
     "core-to-core measurements (Chips and Cheese, 2023): threads of a core 4..6 ns"},
    {"line_llc", &CostModel::lineLlcNs, 55,
     "the same: cores of one mesh 45..65 ns, of one small ring 20..30 ns"},
    {"line_node", &CostModel::lineNodeNs, 80, "the same: other die or cluster of a package 60..110 ns"},
    {"line_socket", &CostModel::lineSocketNs, 130, "the same: other socket 110..145 ns"},
    {"line_atomic", &CostModel::lineAtomicNs, 5, "locked add on an own line: 18..20 cycles"},
    {"line_contended", &CostModel::lineContendedNs, 0, "depends on the machine's caching agents"},
    {"search_cpu", &CostModel::searchCpuNs, 55,
     "as line_llc: idle_cpu() of a busy CPU reads rq->curr, a line which that CPU writes at each switch"},
    {"group_weight", &CostModel::groupWeightNs, 30,
     "one 64-bit division: 35..88 cycles on Skylake (Agner Fog's tables), and reads of own lines"},
    {"newidle_cpu", &CostModel::newidleCpuNs, 0, "depends on the machine: statistics of one CPU, 20..100 ns"},
    {"shared_queue_lock", &CostModel::sharedQueueLockNs, 0, "depends on what the lock guards"},
    {"rq_lock", &CostModel::rqLockNs, 300, "half of a wakeup's or a switch's own cost is done under it"},
    {"smt_busy", &CostModel::smtBusyNs, 600,
     "two threads of a core do 1.25 times what one does (reviews of Zen 3: 1.2 to 1.3)"},
}};

}  // namespace rqscope
