// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/scheduler.h"
#include "engine/simulator.h"

namespace rqscope {

std::uint64_t Simulator::drawNs(const ProgramEvent& event) {
  if (event.jitterNs == 0) return event.ns;
  const std::uint64_t low = event.ns - std::min(event.ns, event.jitterNs);
  return low + m_state.machine.random.below(event.ns + event.jitterNs - low + 1);
}

Simulator::Progress Simulator::runEvent(CpuId cpu, TaskId task, const ProgramEvent& event) {
  Context ctx = context();
  WorkloadState& w = m_state.workload;
  switch (event.kind) {
    case ProgramEventKind::Run:
    case ProgramEventKind::Runtime: {
      ThreadState& t = thread(task);
      t.isScaled = event.kind == ProgramEventKind::Run;
      const std::uint64_t amount = drawNs(event);
      t.remaining = amount << kCapacityShift;
      t.untilNs = t.isScaled ? 0 : m_state.machine.nowNs + amount;
      return Progress::Next;
    }
    case ProgramEventKind::Unlock:
      unlockMutex(task, cpu, event.target);
      return Progress::Next;
    case ProgramEventKind::Signal:
      wakeFirst(w.conditionQueue[static_cast<std::size_t>(event.target)], cpu);
      return Progress::Next;
    case ProgramEventKind::Broadcast:
      wakeAll(w.conditionQueue[static_cast<std::size_t>(event.target)], cpu);
      return Progress::Next;
    case ProgramEventKind::Resume:
      wakeAll(w.suspendQueue[static_cast<std::size_t>(event.target)], cpu);
      return Progress::Next;
    case ProgramEventKind::SemPost:
      ++w.semaphoreValue[static_cast<std::size_t>(event.target)];
      wakeFirst(w.semaphoreQueue[static_cast<std::size_t>(event.target)], cpu);
      return Progress::Next;
    case ProgramEventKind::Fork:
      startThread(event.target, task, cpu);
      return Progress::Next;
    case ProgramEventKind::Yield:
      schedYield(ctx, cpu);
      return Progress::Next;
    case ProgramEventKind::Exec:
      schedExec(ctx, cpu);
      return Progress::Next;
    case ProgramEventKind::ExitMove:
      leaveGroupAtExit(cpu);
      return Progress::Next;
    case ProgramEventKind::Exit:
      exitThread(cpu, task);
      return Progress::Ended;
    default:
      return runWaiting(cpu, task, event);
  }
}

/// The events that may block. Stage 0 starts them; on stage 1 the thread was woken and looks again.
Simulator::Progress Simulator::runWaiting(CpuId cpu, TaskId task, const ProgramEvent& event) {
  const auto target = static_cast<std::size_t>(event.target);
  switch (event.kind) {
    case ProgramEventKind::Sleep:
      if (thread(task).stage != 0) return Progress::Next;
      thread(task).stage = 1;
      return sleepUntil(cpu, task, m_state.machine.nowNs + drawNs(event), cpu);
    case ProgramEventKind::Timer:
      return waitTimer(cpu, task, event);
    case ProgramEventKind::Lock:
      return lockMutex(cpu, task, event.target);
    case ProgramEventKind::Wait:
      return waitCondition(cpu, task, event);
    case ProgramEventKind::Sync:
      if (thread(task).stage == 0) wakeFirst(m_state.workload.conditionQueue[target], cpu);
      return waitCondition(cpu, task, event);
    case ProgramEventKind::Barrier:
      return passBarrier(cpu, task, event.target);
    case ProgramEventKind::Suspend:
      if (thread(task).stage != 0) return Progress::Next;
      thread(task).stage = 1;
      return block(cpu, task, WaitKind::Suspend, event.target);
    case ProgramEventKind::SemWait:
      return takeSemaphore(cpu, task, event.target);
    case ProgramEventKind::PipeWrite:
      return writePipe(cpu, task, event.target);
    case ProgramEventKind::PipeRead:
      return readPipe(cpu, task, event.target);
    default:
      RQS_CHECK(false, "a program event of no known kind");
      return Progress::Next;
  }
}

Simulator::Progress Simulator::sleepUntil(CpuId cpu, TaskId task, std::uint64_t timeNs, CpuId timerCpu) {
  SimState& s = m_state;
  if (timeNs <= s.machine.nowNs) return Progress::Next;
  const std::uint64_t tie =
      (static_cast<std::uint64_t>(timerCpu.value) << kTimerCpuShift) | s.timerSequence++;
  s.timers.set(task.index(), timeNs, tie);
  thread(task).wait = WaitKind::Timer;
  Context ctx = context();
  blockCurrent(ctx, cpu);
  markPending(s.machine, cpu);
  return Progress::Blocked;
}

/// rt-app: next += period; a period that is over already does not sleep, and a relative timer starts over.
Simulator::Progress Simulator::waitTimer(CpuId cpu, TaskId task, const ProgramEvent& event) {
  ThreadState& t = thread(task);
  if (t.stage != 0) return Progress::Next;
  t.stage = 1;
  const bool isElsewhere = event.cpu >= 0 && m_state.machine.topology->online.test(CpuId{event.cpu});
  const CpuId timerCpu = isElsewhere ? CpuId{event.cpu} : cpu;
  if (event.target < 0) return sleepUntil(cpu, task, m_state.originNs + event.ns, timerCpu);
  const auto target = static_cast<std::size_t>(event.target);
  const ProgramTimer& timer = program().timers[target];
  TimerState& state = timer.unique
                          ? m_state.workload.ownTimers[task.index() * program().timers.size() + target]
                          : m_state.workload.sharedTimers[target];
  if (!state.isStarted) {
    state.isStarted = true;
    state.nextNs = t.startNs;
  }
  state.nextNs += event.ns;
  if (state.nextNs <= m_state.machine.nowNs) {
    if (timer.relative) state.nextNs = m_state.machine.nowNs;
    return Progress::Next;
  }
  return sleepUntil(cpu, task, state.nextNs, timerCpu);
}

Simulator::Progress Simulator::block(CpuId cpu, TaskId task, WaitKind kind, std::int32_t object) {
  WorkloadState& w = m_state.workload;
  WaitQueue& queue = *queueOf(kind, object);
  ThreadState& t = thread(task);
  t.wait = kind;
  t.waitObject = object;
  t.nextWaiter = -1;
  if (queue.head < 0)
    queue.head = task.value;
  else
    w.threads[static_cast<std::size_t>(queue.tail)].nextWaiter = task.value;
  queue.tail = task.value;
  Context ctx = context();
  blockCurrent(ctx, cpu);
  markPending(m_state.machine, cpu);
  return Progress::Blocked;
}

WaitQueue* Simulator::queueOf(WaitKind kind, std::int32_t object) {
  WorkloadState& w = m_state.workload;
  const auto index = static_cast<std::size_t>(object);
  switch (kind) {
    case WaitKind::Mutex:
      return &w.mutexQueue[index];
    case WaitKind::Condition:
      return &w.conditionQueue[index];
    case WaitKind::Suspend:
      return &w.suspendQueue[index];
    case WaitKind::Barrier:
      return &w.barrierQueue[index];
    case WaitKind::Semaphore:
      return &w.semaphoreQueue[index];
    case WaitKind::PipeRead:
      return &w.pipes[index].readers;
    case WaitKind::PipeWrite:
      return &w.pipes[index].writers;
    case WaitKind::None:
    case WaitKind::Timer:
    case WaitKind::PipeLock:  // in a queue of its own, which it leaves when it has the mutex
      break;
  }
  return nullptr;
}

void Simulator::leaveWaitQueue(TaskId task) {
  ThreadState& t = thread(task);
  m_state.timers.clear(task.index());
  if (WaitQueue* queue = queueOf(t.wait, t.waitObject)) {
    std::int32_t before = -1;
    for (std::int32_t i = queue->head; i >= 0 && i != task.value;
         i = m_state.workload.threads[static_cast<std::size_t>(i)].nextWaiter)
      before = i;
    if (before < 0)
      queue->head = t.nextWaiter;
    else
      m_state.workload.threads[static_cast<std::size_t>(before)].nextWaiter = t.nextWaiter;
    if (queue->tail == task.value) queue->tail = before;
  }
  t.wait = WaitKind::None;
  t.waitObject = t.nextWaiter = -1;
}

/// Takes the task off what it waits for and wakes it.
void Simulator::wakeThread(TaskId task, CpuId wakerCpu, std::uint32_t wakeFlags) {
  leaveWaitQueue(task);
  const TaskId waker = m_state.machine.rq(wakerCpu).curr;
  if (waker.isValid()) thread(waker).overheadNs += slowed(wakerCpu, m_state.plan->costs.wakeupNs);
  if (m_state.plan->costs.selectNs != 0 && isLeftToItsCpu(task, wakerCpu)) wakeFlags |= kWfOnCpu;
  Context ctx = context();
  tryToWakeUp(ctx, task, wakerCpu, wakeFlags);
}

void Simulator::wakeFirst(WaitQueue& queue, CpuId wakerCpu, std::uint32_t wakeFlags) {
  if (queue.head >= 0) wakeThread(TaskId{queue.head}, wakerCpu, wakeFlags);
}

void Simulator::wakeAll(WaitQueue& queue, CpuId wakerCpu) {
  while (queue.head >= 0) wakeThread(TaskId{queue.head}, wakerCpu);
}

/// The timer interrupt is on the CPU that armed it, if that is still there.
void Simulator::timerFired(TaskId task, CpuId cpu) {
  if (!m_state.machine.rq(cpu).isOnline) cpu = m_state.machine.topology->online.first();
  thread(task).wait = WaitKind::None;
  Context ctx = context();
  tryToWakeUp(ctx, task, cpu, 0);
}

Simulator::Progress Simulator::lockMutex(CpuId cpu, TaskId task, std::int32_t mutex) {
  std::int32_t& owner = m_state.workload.mutexOwner[static_cast<std::size_t>(mutex)];
  if (owner < 0 || owner == task.value) {
    owner = task.value;
    return Progress::Next;
  }
  return block(cpu, task, WaitKind::Mutex, mutex);
}

/// Frees the mutex and wakes its first waiter, which must take it again (another may be faster), as futexes
/// do.
void Simulator::unlockMutex(TaskId task, CpuId cpu, std::int32_t mutex) {
  WorkloadState& w = m_state.workload;
  std::int32_t& owner = w.mutexOwner[static_cast<std::size_t>(mutex)];
  if (owner != task.value) return;
  owner = -1;
  wakeFirst(w.mutexQueue[static_cast<std::size_t>(mutex)], cpu);
}

/// pthread_cond_wait(): stage 0 gives the mutex up and waits, stage 1 takes it again.
Simulator::Progress Simulator::waitCondition(CpuId cpu, TaskId task, const ProgramEvent& event) {
  if (thread(task).stage == 0) {
    thread(task).stage = 1;
    if (event.mutex >= 0) unlockMutex(task, cpu, event.mutex);
    return block(cpu, task, WaitKind::Condition, event.target);
  }
  return event.mutex < 0 ? Progress::Next : lockMutex(cpu, task, event.mutex);
}

Simulator::Progress Simulator::passBarrier(CpuId cpu, TaskId task, std::int32_t barrier) {
  WorkloadState& w = m_state.workload;
  if (thread(task).stage != 0) return Progress::Next;
  const auto index = static_cast<std::size_t>(barrier);
  if (++w.barrierArrived[index] >= program().barriers[index].count) {
    w.barrierArrived[index] = 0;
    wakeAll(w.barrierQueue[index], cpu);
    return Progress::Next;
  }
  thread(task).stage = 1;
  return block(cpu, task, WaitKind::Barrier, barrier);
}

Simulator::Progress Simulator::takeSemaphore(CpuId cpu, TaskId task, std::int32_t semaphore) {
  std::int32_t& value = m_state.workload.semaphoreValue[static_cast<std::size_t>(semaphore)];
  if (value > 0) {
    --value;
    return Progress::Next;
  }
  return block(cpu, task, WaitKind::Semaphore, semaphore);
}

}  // namespace rqscope
