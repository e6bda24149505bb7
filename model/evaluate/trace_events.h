// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace rqscope {

/// One line of a trace's text, as far as it says what threads and CPUs did.
struct RecordedEvent {
  enum class Kind : std::uint8_t {
    Switch,        ///< sched_switch: `task` leaves, `next` comes
    Choice,        ///< select_task_rq_fair(): `to` is chosen for `task`
    Wakeup,        ///< sched_wakeup: `task` is queued on `to`
    WakeupNew,     ///< sched_wakeup_new: the same of a forked task
    Fork,          ///< sched_process_fork: `task` is the child
    Migrate,       ///< sched_migrate_task: `task` from `from` to `to`
    Statistics,    ///< the end of update_sd_lb_stats() of a call for CPU `to`: it was that CPU's turn
    BalanceBegin,  ///< sched_balance_rq() for CPU `to` begins
    BalanceEnd,
    NewidleEnd  ///< sched_balance_newidle() returns
  };
  Kind kind = Kind::Switch;
  std::int64_t us = 0;  ///< since the start of the workload
  int cpu = -1;         ///< where it happened
  int writer = 0;       ///< thread that was current there; 0: idle
  bool isInterrupt = false;
  int task = 0, next = 0;                    ///< threads by pid
  int from = -1, to = -1;                    ///< CPUs
  int priority = 0;                          ///< Switch: of the next; below 100 it is not of the fair class
  unsigned flags = 0;                        ///< Choice: wake flags; BalanceBegin: idle type
  int level = -1;                            ///< BalanceBegin, BalanceEnd
  std::uint32_t intervalMs = 0, failed = 0;  ///< BalanceBegin, BalanceEnd: of the domain
  char state = 'R';                          ///< Switch: of the one that leaves
  std::string name;                          ///< Switch: of the next; Wakeup, Fork, Migrate: of the task
};

/// The scheduling events of one trace, in order, and the mark at which the workload begins.
struct TraceText {
  std::vector<RecordedEvent> events;
  int startCpu = 0;
  int controllerPid = 0;
};

/// Wake flags of RecordedEvent::Choice. Kernel: WF_FORK, WF_TTWU, WF_SYNC of 6.12.
inline constexpr unsigned kTraceWakeFork = 0x4, kTraceWakeSync = 0x10;
/// Threads with a priority value below this one are real-time threads or stoppers.
inline constexpr int kFirstFairPriority = 100;

/// Reads the text of /sys/kernel/tracing/trace, plain or gzipped, with a mark "wl start".
Result<TraceText> readTraceText(const std::string& path);

}  // namespace rqscope
