// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/record_driver.h"

#include <algorithm>

#include "balance/jiffies.h"
#include "engine/scheduler_detail.h"
#include "placement/select_task_rq.h"
#include "runqueue/eevdf.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr std::uint64_t kParkedNs = std::uint64_t{1} << 50;  // longer than any record; << 10 still fits

}  // namespace

void RecordDriver::bind(TaskId task, CpuId cpu) {
  Task& t = m.task(task);
  t.cpusAllowed = CpuMask::of(cpu);
  t.nrCpusAllowed = 1;
}

void RecordDriver::park(TaskId task) {
  ThreadState& t = m_sim.thread(task);
  t.phase = 1;
  t.event = 0;
  t.phaseLoopsLeft = 1;
  t.remaining = kParkedNs << kCapacityShift;
  t.untilNs = t.overheadNs = 0;
  t.isScaled = false;
}

/// Accounts after something was done on the CPU; whoever should be switched to is in the record.
void RecordDriver::finish(CpuId cpu) {
  SimState& s = m_sim.m_state;
  const CpuMask marked = m.pendingCpus;
  marked.forEach([&](CpuId c) { m.rq(c).needResched = m.rq(c).needReschedLazy = false; });
  m.pendingCpus.clearAll();
  s.touchedCpus.set(cpu);
  m_sim.finishEvent(s.lastEvent);
}

/// The kernel picks again, and so takes delayed entities off, also where the record shows no switch.
void RecordDriver::rescheduleDelayed(CpuId cpu) {
  const TaskId curr = m.rq(cpu).curr;
  if (!curr.isValid()) return;
  Context ctx = m_sim.context();
  schedule(ctx, cpu);
  if (m.rq(cpu).curr != curr) force(cpu, curr, false);
}

void RecordDriver::advance(std::uint64_t timeNs) {
  SimState& s = m_sim.m_state;
  for (;;) {
    const SimEvent event = m_sim.nextEvent();
    if (event.timeNs > timeNs || event.kind == SimEventKind::End || event.kind == SimEventKind::None) break;
    m_sim.advanceTime(event.timeNs);
    s.lastEvent = event;
    m_sim.m_actingCpu = event.cpu;
    m_sim.dispatch(event);
    const CpuMask marked = m.pendingCpus;
    marked.forEach([&](CpuId cpu) {
      if (m.rq(cpu).softirqPending) serveSoftirq(cpu);
      if (m.rq(cpu).needResched && m.rootCfs(cpu).hNrDelayed != 0) rescheduleDelayed(cpu);
      s.touchedCpus.set(cpu);
    });
    finish(event.cpu.isValid() ? event.cpu : CpuId{0});
  }
  if (timeNs > m.nowNs) m_sim.advanceTime(timeNs);
}

TaskId RecordDriver::addSleeper(std::int32_t program, CpuId cpu, int nice) {
  NewTask spec;
  spec.name = threadName(m_sim.program(), program, 0);
  spec.cpu = cpu;
  spec.cpusAllowed = CpuMask::of(cpu);
  spec.nice = nice;
  const TaskId task = addTask(m, spec);
  m_sim.initThread(task, program);
  park(task);
  m.se(task).avg = {};
  m.task(task).state = TaskState::Sleeping;
  return task;
}

TaskId RecordDriver::fork(std::int32_t program, TaskId parent, CpuId cpu) {
  NewTask spec;
  spec.name = threadName(m_sim.program(), program, 0);
  spec.cpu = cpu;
  spec.nice = parent.isValid() ? m.task(parent).nice : 0;
  Context ctx = m_sim.context();
  const TaskId task = parent.isValid() ? schedFork(ctx, parent, spec) : addTask(m, spec);
  m_sim.initThread(task, program);
  park(task);
  bind(task, cpu);
  wakeUpNewTask(ctx, task);
  finish(cpu);
  return task;
}

bool RecordDriver::wake(TaskId task, CpuId wakerCpu, CpuId cpu, const CpuMask& allowed, bool isSync) {
  Task& t = m.task(task);
  if (t.state != TaskState::Sleeping) return true;
  Context ctx = m_sim.context();
  const std::uint32_t flags = isSync ? static_cast<std::uint32_t>(kWfSync) : 0U;
  bool isSame = true;
  const bool isStillQueued = t.onRq;
  if (isStillQueued && !m.se(task).schedDelayed) {  // it has not left the CPU yet
    t.state = TaskState::Running;
    migrate(task, cpu);
    return true;
  }
  if (!isStillQueued && allowed.weight() > 1) {
    t.cpusAllowed = allowed;
    t.nrCpusAllowed = allowed.weight();
    isSame = selectTaskRq(ctx, task, t.wakeCpu, wakerCpu, flags | kWfTtwu) == cpu;
  }
  if (isStillQueued && t.cpu != cpu) {  // not delayed in the record
    updateRqClock(ctx, t.cpu);
    dequeueTaskFair(ctx, t.cpu, task, kDequeueSleep | kDequeueDelayed | kDequeueNoclock);
    t.onRq = false;
    isSame = false;
  }
  bind(task, cpu);
  tryToWakeUp(ctx, task, wakerCpu, flags);
  finish(cpu);
  return isSame;
}

void RecordDriver::end(TaskId task) {
  Task& t = m.task(task);
  ThreadState& thread = m_sim.thread(task);
  if (t.state == TaskState::Dead || thread.endNs >= 0) return;
  t.state = TaskState::Dead;
  t.exiting = true;
  thread.endNs = static_cast<std::int64_t>(m.nowNs);
  --m_sim.m_state.workload.liveThreads;
}

/// What a switch of the record says of virtual times that its readings alone do not determine.
void RecordDriver::correct(CpuId cpu, TaskId prev, TaskId next, bool isSliceOver) {
  if (m.profile->queue != QueueKind::Eevdf) return;
  Context ctx = m_sim.context();
  SchedEntity& se = m.se(next);
  const CfsRqId id = se.cfsRq;
  updateCurr(ctx, id);
  const auto ahead = virtualDelta(se.vruntime, avgVruntime(m, id));
  if (ahead > 0) {
    CfsRq& queue = m.queue(id);
    eevdf::removeEntity(ctx, queue, m.task(next).se);
    se.vruntime -= static_cast<std::uint64_t>(ahead);
    se.deadline -= static_cast<std::uint64_t>(ahead);
    eevdf::insertEntity(ctx, queue, m.task(next).se);
  }
  if (!isSliceOver || !prev.isValid() || m.task(prev).cpu != cpu) return;
  SchedEntity& left = m.se(prev);
  if (virtualDelta(left.vruntime, left.deadline) < 0)
    left.deadline = left.vruntime + calcDeltaFair(left.slice, left);
}

/// The model's queue holds the task and would have picked another one.
bool RecordDriver::force(CpuId cpu, TaskId next, bool isSliceOver) {
  if (!next.isValid()) return false;  // what is queued here cannot be wished away
  Context ctx = m_sim.context();
  Task& t = m.task(next);
  if (t.state == TaskState::Dead) return false;
  if (t.state == TaskState::Sleeping) wake(next, cpu, cpu, CpuMask::of(cpu), false);
  if (t.cpu != cpu) migrate(next, cpu);
  if (!t.onRq || t.cpu != cpu || m.se(next).schedDelayed) return false;
  Rq& rq = m.rq(cpu);
  const TaskId prev = rq.curr;
  if (prev == next) return true;
  updateRqClock(ctx, cpu);
  correct(cpu, prev, next, isSliceOver);
  switchFair(ctx, cpu, prev, next);
  if (prev.isValid()) m.task(prev).onCpu = false;
  t.onCpu = true;
  rq.curr = next;
  const auto kindOf = [](TaskId task) {
    return task.isValid() ? Observer::Thread::Task : Observer::Thread::Idle;
  };
  static_cast<Observer&>(m_sim).onSwitch(m, {cpu, prev, next, kindOf(prev), kindOf(next)});
  return true;
}

bool RecordDriver::switchTo(CpuId cpu, TaskId next, bool isSliceOver) {
  Context ctx = m_sim.context();
  m_sim.m_actingCpu = cpu;
  schedule(ctx, cpu);
  const bool isSame = m.rq(cpu).curr == next;
  if (!isSame) force(cpu, next, isSliceOver);
  finish(cpu);
  return isSame;
}

void RecordDriver::migrate(TaskId task, CpuId cpu) {
  Task& t = m.task(task);
  const CpuId from = t.cpu;
  if (from == cpu || t.state == TaskState::Dead) return;
  bind(task, cpu);
  if (t.state == TaskState::Sleeping && !t.onRq) return;  // goes there when it wakes
  Context ctx = m_sim.context();
  if (m.se(task).schedDelayed) return;
  if (m.rq(from).curr == task) {
    requestStopper(ctx, {StopperWork::Kind::MigrateTask, from, task, cpu});
    serveCpu(ctx, from, UserReturn::No);
  } else {
    updateRqClock(ctx, from);
    updateRqClock(ctx, cpu);
    detail::moveQueuedTask(ctx, task, cpu, MigrationReason::Affinity);
  }
  m_sim.m_state.touchedCpus.set(from);
  finish(cpu);
}

void RecordDriver::setNice(TaskId task, int nice) {
  Context ctx = m_sim.context();
  setUserNice(ctx, task, nice);
  finish(m.task(task).cpu);
}

/// When the first of the CPU's domains up to `last` (none: all) is due. Kernel: sched_balance_domains().
std::uint64_t RecordDriver::nextBalanceOf(CpuId cpu, bool isBusy, DomainId last) const {
  constexpr std::uint64_t kLongestJiffies = 60 * 1000;
  std::uint64_t next = m.jiffies + kLongestJiffies;
  for (DomainId id = m.topology->cpus[cpu.index()].lowest; id.isValid(); id = m.topology->domain(id).parent) {
    next = std::min(next, m.domains[id.index()].lastBalance + sdBalanceInterval(m, id, isBusy));
    if (id == last) break;
  }
  return next;
}

/// What the softirq does beside the calls that the record shows: when the next are due, and the averages of
/// idle CPUs. Kernel: sched_balance_domains(), _nohz_idle_balance().
void RecordDriver::serveSoftirq(CpuId cpu) {
  Rq& rq = m.rq(cpu);
  rq.softirqPending = rq.softirqByKick = false;
  const std::uint64_t next = nextBalanceOf(cpu, rq.curr.isValid(), DomainId{});
  if (next > m.jiffies) rq.nextBalance = next;
  const std::uint32_t flags = rq.nohzFlags;
  rq.nohzFlags = rq.nohzIdleBalance = 0;
  if (flags == 0) return;
  m.nohz.needsUpdate = false;
  std::uint64_t earliest = UINT64_MAX;
  const CpuMask idle = m.nohz.idleCpus;
  idle.forEach([&](CpuId c) {
    if ((flags & kNohzStatsKick) != 0) updateAverages(c);
    earliest = std::min(earliest, m.rq(c).nextBalance);
  });
  if (earliest != UINT64_MAX) m.nohz.nextBalance = std::max(earliest, m.jiffies + 1);
  constexpr std::uint64_t kBlockedPeriodMs = 32;  // LOAD_AVG_PERIOD
  if ((flags & kNohzStatsKick) != 0) m.nohz.nextBlocked = m.jiffies + jiffiesOfMs(m, kBlockedPeriodMs);
}

void RecordDriver::endStatistics(DomainId domain) {
  const SchedDomain& sd = m.topology->domain(domain);
  if (sd.parent.isValid()) return;
  bool isOverloaded = false;
  sd.span.forEach([&](CpuId cpu) { isOverloaded = isOverloaded || m.rq(cpu).nrRunning > 1; });
  m.rootDomains[m.topology->cpus[sd.cpu.index()].rootDomain.index()].overloaded = isOverloaded;
}

void RecordDriver::beginNewidle(DomainId domain) {
  Rq& rq = m.rq(m.topology->domain(domain).cpu);
  rq.nextBalance =
      std::min(rq.nextBalance, m.domains[domain.index()].lastBalance + sdBalanceInterval(m, domain, false));
}

void RecordDriver::endBalance(DomainId domain, const EndOfBalance& end) {
  DomainState& state = m.domains[domain.index()];
  state.balanceIntervalMs = end.intervalMs;
  state.nrBalanceFailed = end.failed;
  if (end.isNewidle) return;
  state.lastBalance = m.jiffies;
  const CpuId cpu = m.topology->domain(domain).cpu;
  m.rq(cpu).nextBalance = nextBalanceOf(cpu, end.isBusy, end.isItsTurn ? DomainId{} : domain);
}

void RecordDriver::updateAverages(CpuId cpu) {
  Context ctx = m_sim.context();
  updateRqClock(ctx, cpu);
  updateBlockedAverages(ctx, cpu);
}

void RecordDriver::letGo(TaskId task, const ThreadPosition& position, const CpuMask& allowed) {
  SimState& s = m_sim.m_state;
  ThreadState& t = m_sim.thread(task);
  Task& what = m.task(task);
  const ThreadProgram& program = m_sim.program().threads[static_cast<std::size_t>(t.program)];
  what.cpusAllowed = allowed;
  what.nrCpusAllowed = allowed.weight();
  what.isPerCpuKthread = program.isPerCpuKthread && allowed.weight() == 1;
  t.event = position.event;
  t.stage = 0;
  t.loopsLeft = 0;
  t.isScaled = true;
  t.remaining = position.runNs << kCapacityShift;
  t.accountedNs = m.nowNs;
  const std::size_t timers = m_sim.program().timers.size();
  if (timers != 0 && position.ownTimerNs != 0)
    s.workload.ownTimers[task.index() * timers] = {position.ownTimerNs, true};
  if (position.wait == WaitKind::None) return;
  t.wait = position.wait;
  if (position.wait == WaitKind::Timer) {
    t.stage = 1;
    const CpuId wanted = position.timerCpu;
    const CpuId timerCpu = wanted.isValid() && m.topology->online.test(wanted) ? wanted : what.cpu;
    const std::uint64_t tie =
        static_cast<std::uint64_t>(timerCpu.value) << kTimerCpuShift | s.timerSequence++;
    s.timers.set(task.index(), std::max(position.wakeNs, m.nowNs), tie);
    return;
  }
  t.waitObject = position.waitObject;
  t.nextWaiter = -1;
  WaitQueue& queue = *m_sim.queueOf(position.wait, position.waitObject);
  if (queue.head < 0)
    queue.head = task.value;
  else
    s.workload.threads[static_cast<std::size_t>(queue.tail)].nextWaiter = task.value;
  queue.tail = task.value;
}

void RecordDriver::resume() {
  m_sim.recountRestricted();
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu))
    if (const TaskId task = m.rq(cpu).curr; task.isValid()) m_sim.arm(cpu, task);
}

}  // namespace rqscope
