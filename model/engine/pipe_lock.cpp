// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/pipe_stage.h"
#include "engine/scheduler.h"
#include "engine/simulator.h"

// A kernel mutex: who finds it taken spins as long as its owner runs and nobody else wants the CPU, and else
// sleeps in a queue until an owner leaves. The first of that queue, once woken, asks for it to be handed
// over.

namespace rqscope {

/// Next: the thread has the mutex and has done its part under it. Again: it has it and must do that part.
/// Kernel: __mutex_lock_common(), mutex_optimistic_spin().
/// Simplified: the queue of spinners costs nothing beside the lines that come with the mutex.
Simulator::Progress Simulator::lockPipe(CpuId cpu, TaskId task, std::int32_t number) {
  ThreadState& t = thread(task);
  if ((t.stage & kStageHolds) != 0) return Progress::Next;
  PipeLock& lock = m_state.workload.pipes[static_cast<std::size_t>(number)].lock;
  if (lock.owner == task || !lock.owner.isValid()) {
    takePipe(cpu, task, number);
    return Progress::Again;
  }
  if ((t.stage & kStageSpins) != 0) return Progress::Blocked;
  t.waitObject = number;
  const bool isQueued = (t.stage & kStageQueued) != 0;
  const bool isFirst = isQueued && lock.waiters.front() == task;
  if (isFirst) lock.isHandoff = true;
  if (!isQueued && (t.stage & kStageGaveUp) == 0) ++m_state.contention.pipeLocks.contended;
  const bool maySpin = isQueued ? isFirst : (t.stage & kStageGaveUp) == 0;
  if (!maySpin || !m_state.machine.task(lock.owner).onCpu || m_state.machine.rq(cpu).needResched) {
    sleepForPipe(cpu, task, number);
    return Progress::Blocked;
  }
  t.stage |= kStageSpins;
  if (isQueued)
    lock.firstSinceNs = m_state.machine.nowNs;
  else
    lock.spinners.push_back({task, m_state.machine.nowNs});
  return Progress::Blocked;
}

/// The thread has the mutex from now on; its lines come with it. Kernel: __mutex_trylock(),
/// __mutex_remove_waiter().
void Simulator::takePipe(CpuId cpu, TaskId task, std::int32_t number) {
  const ProgramPipe& what = program().pipes[static_cast<std::size_t>(number)];
  PipeState& pipe = m_state.workload.pipes[static_cast<std::size_t>(number)];
  ThreadState& t = thread(task);
  if ((t.stage & kStageQueued) != 0) {
    std::erase(pipe.lock.waiters, task);
    if (pipe.lock.waiters.empty()) pipe.lock.isHandoff = false;
  }
  pipe.lock.owner = task;
  t.stage = static_cast<std::uint8_t>((t.stage & kStageHasWaited) | kStageHolds);
  t.waitObject = number;
  t.overheadNs += pipeLinesNs(cpu, pipe, what) + slowed(cpu, what.lockedNs);
  ++m_state.contention.pipeLocks.taken;
}

/// A thread that spins gets the mutex.
void Simulator::grantPipe(TaskId task, std::int32_t number, std::uint64_t sinceNs) {
  const CpuId cpu = m_state.machine.task(task).cpu;
  m_state.contention.pipeLocks.waitedNs += m_state.machine.nowNs - sinceNs;
  settle(cpu, task);
  takePipe(cpu, task, number);
  arm(cpu, task);
  m_state.touchedCpus.set(cpu);
}

/// Kernel: mutex_unlock(), __mutex_unlock_slowpath().
void Simulator::unlockPipe(CpuId cpu, TaskId task, std::int32_t number) {
  if (program().pipes[static_cast<std::size_t>(number)].lockedNs == 0) return;
  PipeLock& lock = m_state.workload.pipes[static_cast<std::size_t>(number)].lock;
  Machine& m = m_state.machine;
  thread(task).stage &= kStageHasWaited;
  lock.owner = TaskId{};
  const TaskId first = lock.waiters.empty() ? TaskId{} : lock.waiters.front();
  if (lock.isHandoff && first.isValid()) {
    lock.owner = first;
    lock.isHandoff = false;
    if ((thread(first).stage & kStageSpins) != 0) grantPipe(first, number, lock.firstSinceNs);
  } else if (!lock.spinners.empty()) {
    const PipeLock::Spinner next = lock.spinners.front();
    lock.spinners.erase(lock.spinners.begin());
    grantPipe(next.task, number, next.sinceNs);
  }
  if (first.isValid() && m.task(first).state == TaskState::Sleeping) wakeThread(first, cpu);
  if (lock.owner.isValid() && !m.task(lock.owner).onCpu) spinnersGiveUp(number);
  // Without full preemption a mark that came under the mutex waits until here.
  if (m.rq(cpu).needResched) markPending(m, cpu);
}

void Simulator::sleepForPipe(CpuId cpu, TaskId task, std::int32_t number) {
  ThreadState& t = thread(task);
  if ((t.stage & kStageQueued) == 0)
    m_state.workload.pipes[static_cast<std::size_t>(number)].lock.waiters.push_back(task);
  t.stage = static_cast<std::uint8_t>((t.stage & kStageHasWaited) | kStageQueued);
  t.wait = WaitKind::PipeLock;
  t.waitObject = number;
  ++m_state.contention.pipeLocks.slept;
  Context ctx = context();
  blockCurrent(ctx, cpu);
  markPending(m_state.machine, cpu);
}

/// The owner does not run: nobody spins for it. Kernel: mutex_spin_on_owner().
void Simulator::spinnersGiveUp(std::int32_t number) {
  PipeLock& lock = m_state.workload.pipes[static_cast<std::size_t>(number)].lock;
  LockCounters& counters = m_state.contention.pipeLocks;
  const auto giveUp = [&](TaskId task, std::uint64_t sinceNs) {
    const CpuId cpu = m_state.machine.task(task).cpu;
    counters.waitedNs += m_state.machine.nowNs - sinceNs;
    settle(cpu, task);
    sleepForPipe(cpu, task, number);
    m_state.touchedCpus.set(cpu);
  };
  if (!lock.waiters.empty() && (thread(lock.waiters.front()).stage & kStageSpins) != 0)
    giveUp(lock.waiters.front(), lock.firstSinceNs);
  while (!lock.spinners.empty()) {
    const PipeLock::Spinner next = lock.spinners.front();
    lock.spinners.erase(lock.spinners.begin());
    giveUp(next.task, next.sinceNs);
  }
}

/// A thread that spins for a pipe's mutex or holds it was switched out. One that span asks once more when it
/// is back and sleeps if that fails; others stop spinning for an owner that does not run.
void Simulator::leaveCpuAtPipe(TaskId task) {
  ThreadState& t = thread(task);
  PipeLock& lock = m_state.workload.pipes[static_cast<std::size_t>(t.waitObject)].lock;
  if ((t.stage & kStageHolds) != 0) return spinnersGiveUp(t.waitObject);
  std::uint64_t since = lock.firstSinceNs;
  t.stage &= static_cast<std::uint8_t>(~kStageSpins);
  if ((t.stage & kStageQueued) == 0) {
    const auto at = std::find_if(lock.spinners.begin(), lock.spinners.end(),
                                 [&](const PipeLock::Spinner& s) { return s.task == task; });
    RQS_CHECK(at != lock.spinners.end(), "a thread spins for a pipe that does not know it");
    since = at->sinceNs;
    lock.spinners.erase(at);
    t.stage |= kStageGaveUp;
  }
  m_state.contention.pipeLocks.waitedNs += m_state.machine.nowNs - since;
}

/// A thread ends at a pipe: it leaves the mutex to others.
void Simulator::dropPipe(CpuId cpu, TaskId task) {
  ThreadState& t = thread(task);
  const std::int32_t number = t.waitObject;
  PipeLock& lock = m_state.workload.pipes[static_cast<std::size_t>(number)].lock;
  if ((t.stage & kStageSpins) != 0) leaveCpuAtPipe(task);
  if ((t.stage & kStageQueued) != 0) {
    std::erase(lock.waiters, task);
    if (lock.waiters.empty()) lock.isHandoff = false;
  }
  if (lock.owner == task) unlockPipe(cpu, task, number);
  t.stage = 0;
}

}  // namespace rqscope
