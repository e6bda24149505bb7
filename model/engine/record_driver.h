// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/simulator.h"

namespace rqscope {

/// Where a thread stands in its program when it is let go.
struct ThreadPosition {
  std::int32_t event = 0;   ///< of its second phase: the next one, or the one in which it waits
  std::uint64_t runNs = 0;  ///< left of the piece before it
  WaitKind wait = WaitKind::None;
  std::int32_t waitObject = -1;
  std::uint64_t wakeNs = 0;      ///< Timer: machine time
  CpuId timerCpu;                ///< Timer: whose interrupt ends the sleep; none: where the thread is
  std::uint64_t ownTimerNs = 0;  ///< when its first own timer was due last, or will be; 0: it never was
};

/// Makes a run do what a record of a real kernel shows, where the model would decide by itself: who wakes and
/// sleeps when, who runs where, who is moved. Clocks, ticks, averages, virtual times and the statistics of
/// balancing go on as always, so the state after a while is the one that the model's own arithmetic gives for
/// the recorded history. Threads do not run their programs until letGo(). The plan must have no costs, no
/// programs started at time 0 and no end.
/// Every task is bound to the CPU on which the record has it, so that no decision of the model's moves it.
class RecordDriver {
 public:
  explicit RecordDriver(Simulator& simulator) : m_sim(simulator), m(simulator.m_state.machine) {}

  /// Lets ticks happen up to `timeNs` (machine time); nobody is switched.
  void advance(std::uint64_t timeNs);
  /// A thread that slept since long before the record began: it has no load left.
  TaskId addSleeper(std::int32_t program, CpuId cpu, int nice);
  /// Kernel: the tail of clone(), with the CPU that select_task_rq() chose. Without a parent it comes from
  /// outside.
  TaskId fork(std::int32_t program, TaskId parent, CpuId cpu);
  /// Wakes the task, if it sleeps, on `cpu`. The model chooses too, as far as that leaves traces in the state
  /// (wakees, recent CPU); true when it chose the same of the CPUs in `allowed`.
  bool wake(TaskId task, CpuId wakerCpu, CpuId cpu, const CpuMask& allowed, bool isSync);
  void sleep(TaskId task) { m.task(task).state = TaskState::Sleeping; }  ///< leaves at the next switch
  void end(TaskId task);                                                 ///< likewise, for ever
  /// Switches the CPU to `next` (none: idle). True when the model would have picked it. If not, the virtual
  /// times are moved by what the record shows of them: `next` is eligible, and when `isSliceOver` the one
  /// that leaves is past its deadline.
  bool switchTo(CpuId cpu, TaskId next, bool isSliceOver);
  void migrate(TaskId task, CpuId cpu);
  void setNice(TaskId task, int nice);
  /// Before sched_balance_rq() the CPU's averages are brought up to date. Kernel:
  /// sched_balance_update_blocked_averages().
  void updateAverages(CpuId cpu);
  /// Statistics of the domain were taken: in a topmost one they say whether the root domain is overloaded.
  /// Kernel: the end of update_sd_lb_stats().
  void endStatistics(DomainId domain);
  /// A newly idle CPU comes to the domain. Kernel: update_next_balance().
  void beginNewidle(DomainId domain);
  /// How sched_balance_rq() left a domain. After a call that is not that CPU's turn the domains above are
  /// left out.
  struct EndOfBalance {
    std::uint32_t intervalMs = 0, failed = 0;
    bool isBusy = false;
    bool isNewidle = false;  ///< does not count as balanced
    bool isItsTurn = true;
  };
  void endBalance(DomainId domain, const EndOfBalance& end);

  /// From here on the thread runs its program.
  void letGo(TaskId task, const ThreadPosition& position, const CpuMask& allowed);
  /// When all were let go: those that run go on.
  void resume();

 private:
  void bind(TaskId task, CpuId cpu);
  void park(TaskId task);
  bool force(CpuId cpu, TaskId next, bool isSliceOver);
  void correct(CpuId cpu, TaskId prev, TaskId next, bool isSliceOver);
  void rescheduleDelayed(CpuId cpu);
  void serveSoftirq(CpuId cpu);
  std::uint64_t nextBalanceOf(CpuId cpu, bool isBusy, DomainId last) const;
  void finish(CpuId cpu);

  Simulator& m_sim;
  Machine& m;
};

}  // namespace rqscope
