// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "base/fixed.h"
#include "engine/pipe_stage.h"
#include "engine/scheduler.h"
#include "engine/simulator.h"
#include "runqueue/cache_occupancy.h"
#include "runqueue/load_tracking.h"
#include "runqueue/uclamp.h"

namespace rqscope {
namespace {

/// util_min and util_max; one that is not named stays.
void applyClamps(Machine& m, TaskId task, const ProgramSettings& settings) {
  if (!settings.utilMin && !settings.utilMax) return;
  const Task& t = m.task(task);
  UtilClamps clamps{t.uclampReqMin, t.uclampReqMax};
  if (settings.utilMin) clamps.min = static_cast<std::uint16_t>(*settings.utilMin);
  if (settings.utilMax) clamps.max = static_cast<std::uint16_t>(*settings.utilMax);
  setTaskClamps(m, task, clamps);
}

constexpr unsigned kWorkShift = 10;            // ThreadState::remaining counts ns * 1024
constexpr int kMaxEventsAtOnce = 1000;         // of a program that takes no time
constexpr std::uint64_t kTurnChargeNs = 1000;  // what such a program is charged then
constexpr std::size_t kDeadTasksKept = 256;

/// What is left of a rate while another thread of the core runs too.
std::uint64_t sharedRate(const SimState& s, std::uint64_t rate) {
  constexpr std::uint64_t kPerMicrosecond = 1000;
  return rate * kPerMicrosecond / (kPerMicrosecond + s.plan->costs.smtBusyNs);
}

bool isFinite(const ThreadProgram& program) {
  if (program.loops < 0) return false;
  return std::all_of(program.phases.begin(), program.phases.end(),
                     [](const ProgramPhase& phase) { return phase.loops >= 0; });
}

SchedPolicy policyOf(ProgramPolicy policy) {
  // Simplified: only the fair policies are run; a real-time policy is taken as SCHED_OTHER (readers warn).
  switch (policy) {
    case ProgramPolicy::Batch:
      return SchedPolicy::Batch;
    case ProgramPolicy::Idle:
      return SchedPolicy::Idle;
    default:
      return SchedPolicy::Normal;
  }
}

const ProgramEvent* firstMoment(const ThreadProgram& program) {
  for (const ProgramPhase& phase : program.phases)
    for (const ProgramEvent& event : phase.events)
      if (event.kind == ProgramEventKind::Timer && event.target < 0) return &event;
  return nullptr;
}

}  // namespace

void Simulator::launch(std::size_t number) {
  const std::int32_t program = (*m_state.launches)[number];
  const CpuId start = this->program().threads[static_cast<std::size_t>(program)].startCpu;
  const CpuMask& online = m_state.machine.topology->online;
  startThread(program, TaskId{}, start.isValid() && online.test(start) ? start : online.first());
}

/// Kernel side of clone(): sched_fork() and wake_up_new_task(). Without a parent the thread comes from
/// outside.
TaskId Simulator::startThread(std::int32_t programIndex, TaskId parent, CpuId cpu) {
  SimState& s = m_state;
  const ThreadProgram& what = program().threads[static_cast<std::size_t>(programIndex)];
  while (s.workload.deadTasks.size() > kDeadTasksKept) {
    releaseTask(s.machine, s.workload.deadTasks.front());
    s.workload.deadTasks.erase(s.workload.deadTasks.begin());
  }
  NewTask spec;
  std::int32_t& started = s.workload.instancesStarted[static_cast<std::size_t>(programIndex)];
  spec.name = threadName(program(), programIndex, started);
  spec.cpu = cpu;
  spec.group = what.settings.group && *what.settings.group >= 0
                   ? s.groupIds[static_cast<std::size_t>(*what.settings.group)]
                   : GroupId{0};
  const ProgramSettings* first = what.phases.empty() ? nullptr : &what.phases.front().settings;
  const auto& cpus = first != nullptr && first->cpus ? first->cpus : what.settings.cpus;
  if (cpus && cpus->intersects(s.machine.topology->online)) spec.cpusAllowed = *cpus;
  if (what.settings.policy) spec.policy = policyOf(*what.settings.policy);
  spec.nice = what.settings.nice.value_or(0);
  spec.sliceNs = what.settings.sliceNs.value_or(0);
  Context ctx = context();
  const TaskId task = parent.isValid() ? schedFork(ctx, parent, spec) : addTask(s.machine, spec);
  initThread(task, programIndex);
  s.machine.task(task).isPerCpuKthread =
      what.isPerCpuKthread && s.machine.task(task).cpusAllowed.weight() == 1;
  applyClamps(s.machine, task, what.settings);
  if (s.machine.features().schedCache) {
    s.machine.task(task).process = programIndex;  // instances of a program are threads of one process
    countThread(s.machine, task, +1);
  }
  if (const ProgramEvent* timer = what.startsAsleep ? firstMoment(what) : nullptr; timer != nullptr) {
    startAsleep(task, *timer);
    return task;
  }
  if (!parent.isValid()) onNewTask(s.machine, task);
  wakeUpNewTask(ctx, task);
  return task;
}

/// It is on no queue, has no load left, and is woken at the first moment that its program waits for.
void Simulator::startAsleep(TaskId task, const ProgramEvent& timer) {
  Machine& m = m_state.machine;
  Task& t = m.task(task);
  t.state = TaskState::Sleeping;
  m.se(task).avg = {};
  onNewTask(m, task);
  const bool isElsewhere = timer.cpu >= 0 && m.topology->online.test(CpuId{timer.cpu});
  const auto timerCpu = static_cast<std::uint64_t>(isElsewhere ? timer.cpu : t.cpu.value);
  thread(task).wait = WaitKind::Timer;
  m_state.timers.set(task.index(), m_state.originNs + timer.ns,
                     (timerCpu << kTimerCpuShift) | m_state.timerSequence++);
  m_state.touchedCpus.set(t.cpu);
}

void Simulator::initThread(TaskId task, std::int32_t programIndex) {
  SimState& s = m_state;
  WorkloadState& w = s.workload;
  const std::size_t slots = std::max(w.threads.size(), task.index() + 1);
  w.threads.resize(slots);
  w.ownTimers.resize(slots * program().timers.size());
  s.timers.reserve(slots);
  ThreadState fresh;
  const auto index = static_cast<std::size_t>(programIndex);
  fresh.program = programIndex;
  fresh.instance = w.instancesStarted[index]++;
  fresh.loopsLeft = program().threads[index].loops;
  fresh.readsClock = program().threads[index].clockReadNs != 0;
  fresh.startNs = s.machine.nowNs;
  w.threads[task.index()] = fresh;
  std::fill_n(w.ownTimers.begin() + static_cast<std::ptrdiff_t>(task.index() * program().timers.size()),
              program().timers.size(), TimerState{});
  ++w.liveThreads;
  if (isFinite(program().threads[index])) {
    ++w.liveFiniteThreads;
    w.hadFiniteThreads = true;
  }
  if (isRestricted(task)) ++w.restrictedTasks;
}

bool Simulator::isRestricted(TaskId task) const {
  return !m_state.machine.topology->online.isSubsetOf(m_state.machine.task(task).cpusAllowed);
}

void Simulator::changeAffinity(TaskId task, const CpuMask& mask, CpuId caller) {
  if (mask == m_state.machine.task(task).cpusAllowed) return;
  if (isRestricted(task)) --m_state.workload.restrictedTasks;
  Context ctx = context();
  setCpusAllowed(ctx, task, mask, caller);
  if (isRestricted(task)) ++m_state.workload.restrictedTasks;
}

std::uint64_t Simulator::rateOf(CpuId cpu, const ThreadState& thread) const {
  if (!thread.isScaled) return kCapacityScale;
  const std::uint64_t rate = (static_cast<std::uint64_t>(m_state.cpus[cpu.index()].throughput) *
                              m_state.machine.rq(cpu).freqCapacity) >>
                             kCapacityShift;
  return std::max<std::uint64_t>(m_state.cpus[cpu.index()].sharesCore ? sharedRate(m_state, rate) : rate, 1);
}

/// Counts the progress of the running task up to now.
void Simulator::settle(CpuId cpu, TaskId task) {
  ThreadState& t = thread(task);
  std::uint64_t elapsed = m_state.machine.nowNs - t.accountedNs;
  t.accountedNs = m_state.machine.nowNs;
  const std::uint64_t overhead = std::min(elapsed, t.overheadNs);
  t.overheadNs -= overhead;
  elapsed -= overhead;
  if (t.untilNs != 0) return readClock(t);
  const std::uint64_t done = std::min(elapsed * rateOf(cpu, t), t.remaining);
  t.remaining -= done;
  if (t.isScaled) t.workDone += done;
}

/// rt-app's runtime looks at the wall clock: time without the CPU counts, but is noticed only with it.
void Simulator::readClock(ThreadState& t) const {
  const std::uint64_t now = m_state.machine.nowNs;
  t.remaining = t.untilNs > now ? (t.untilNs - now) << kWorkShift : 0;
}

/// Sets the moment at which the running task's piece of work ends.
void Simulator::arm(CpuId cpu, TaskId task) {
  const ThreadState& t = thread(task);
  const std::uint64_t rate = rateOf(cpu, t);
  const std::uint64_t needed = t.isKilled ? 0 : t.overheadNs + (t.remaining + rate - 1) / rate;
  std::uint64_t end = m_state.machine.nowNs + needed;
  if (t.readsClock) end = std::min(end, nextClockReadNs(cpu, task));
  m_state.runEnds.set(cpu.index(), end, static_cast<std::uint64_t>(cpu.value));
}

/// Of all readings only the first after the task's deadline decides something, so no other is an event.
std::uint64_t Simulator::nextClockReadNs(CpuId cpu, TaskId task) const {
  const Machine& m = m_state.machine;
  if (m.profile->queue == QueueKind::Cfs) return UINT64_MAX;  // has no deadline: ticks alone end a turn
  const std::uint64_t every =
      program().threads[static_cast<std::size_t>(m_state.workload.threads[task.index()].program)].clockReadNs;
  const SchedEntity& se = m.se(task);
  const std::int64_t left = virtualDelta(se.deadline, se.vruntime);
  const std::uint64_t leftNs =
      left <= 0 ? 0 : static_cast<std::uint64_t>(left) * seWeight(se) / kCapacityScale;
  const std::uint64_t ran = m.rq(cpu).clockTask + (m.nowNs - m.rq(cpu).clock) - se.execStart;
  return std::max(m.nowNs + every, m.nowNs + leftNs - std::min(ran, leftNs) + every / 2);
}

/// clock_gettime(CLOCK_THREAD_CPUTIME_ID): the running task is charged up to now, and may find that its slice
/// is over. Kernel: task_sched_runtime().
void Simulator::readOwnClock(CpuId cpu) {
  Machine& m = m_state.machine;
  Context ctx = context();
  updateRqClock(ctx, cpu);
  updateCurr(ctx, m.se(m.rq(cpu).curr).cfsRq);
  if (m.rq(cpu).needResched) markPending(m, cpu);
}

/// The running task acts until it has a piece of work, blocks, or the CPU has a mark to serve first.
void Simulator::continueThread(CpuId cpu) {
  const TaskId task = m_state.machine.rq(cpu).curr;
  m_state.touchedCpus.set(cpu);
  m_state.runEnds.clear(cpu.index());
  if (!task.isValid()) return;
  settle(cpu, task);
  if (thread(task).readsClock && thread(task).remaining != 0) readOwnClock(cpu);
  for (int turn = 0;; ++turn) {
    ThreadState& t = thread(task);
    if (t.isKilled) return exitThread(cpu, task);
    if (m_state.cpus[cpu.index()].chargedUntilNs != 0 && m_state.machine.rq(cpu).curr == task)
      payCharges(cpu);
    if (t.overheadNs != 0 || t.remaining != 0) return arm(cpu, task);
    if (m_state.machine.task(task).state != TaskState::Running) return;
    if (m_state.machine.rq(cpu).curr != task) return;  // it gave the CPU away; goes on when it runs again
    const bool hasMark = m_state.machine.rq(cpu).needResched || m_state.machine.pendingCpus.test(cpu);
    if (hasMark && userReturnOf(cpu) != UserReturn::InKernel) return arm(cpu, task);
    if (turn == kMaxEventsAtOnce) {
      // Simplified: a loop that takes no time is charged a microsecond per thousand turns.
      t.overheadNs += kTurnChargeNs;
      continue;
    }
    if (!advance(cpu, task)) return;
  }
}

/// Does the next thing of the program. False when the thread has blocked or ended.
bool Simulator::advance(CpuId cpu, TaskId task) {
  ThreadState& t = thread(task);
  const ThreadProgram& what = program().threads[static_cast<std::size_t>(t.program)];
  if (t.phase < 0 && what.delayNs != 0 && t.stage == 0 && t.event < 0) {
    t.stage = 1;
    return sleepUntil(cpu, task, t.startNs + what.delayNs, cpu) != Progress::Blocked;
  }
  if (t.phase < 0 || t.event >= 0) {
    const bool isInPhase = t.phase >= 0 && static_cast<std::size_t>(t.event) <
                                               what.phases[static_cast<std::size_t>(t.phase)].events.size();
    if (isInPhase) {
      const ProgramEvent& event =
          what.phases[static_cast<std::size_t>(t.phase)].events[static_cast<std::size_t>(t.event)];
      const Progress progress = runEvent(cpu, task, event);
      if (progress == Progress::Ended) return false;
      if (progress == Progress::Next) {
        ++thread(task).event;
        thread(task).stage = 0;
      }
      return progress != Progress::Blocked;
    }
    if (!nextPosition(task)) {
      exitThread(cpu, task);
      return false;
    }
    return true;
  }
  applySettings(task, what, what.phases[static_cast<std::size_t>(t.phase)].settings, cpu);
  thread(task).event = 0;
  return true;
}

/// Moves to the next round of the phase, the next phase or the next round of the program; false at the end.
bool Simulator::nextPosition(TaskId task) {
  ThreadState& t = thread(task);
  const ThreadProgram& what = program().threads[static_cast<std::size_t>(t.program)];
  const auto count = static_cast<std::int32_t>(what.phases.size());
  t.stage = 0;
  if (t.phase < 0) t.startNs = m_state.machine.nowNs;
  if (t.phase >= 0 && t.phaseLoopsLeft != 0) {
    if (t.phaseLoopsLeft > 0) --t.phaseLoopsLeft;
    t.event = 0;
    if (t.phaseLoopsLeft != 0) return true;
  }
  for (std::int32_t tried = 0; tried <= count; ++tried) {
    if (t.phase < 0 || ++t.phase == count) {
      if (t.loopsLeft == 0 || count == 0) return false;
      if (t.loopsLeft > 0) --t.loopsLeft;
      t.phase = 0;
    }
    t.phaseLoopsLeft = what.phases[static_cast<std::size_t>(t.phase)].loops;
    t.event = -1;
    if (t.phaseLoopsLeft != 0) return true;
  }
  return false;
}

/// As in rt-app: a phase that names no CPUs runs on the thread's own, or on all.
void Simulator::applySettings(TaskId task, const ThreadProgram& what, const ProgramSettings& settings,
                              CpuId caller) {
  Context ctx = context();
  const CpuMask& online = m_state.machine.topology->online;
  const auto& cpus = settings.cpus ? settings.cpus : what.settings.cpus;
  changeAffinity(task, cpus && cpus->intersects(online) ? *cpus : m_state.allCpus, caller);
  if (settings.policy) setPolicy(ctx, task, policyOf(*settings.policy));
  if (settings.nice) setUserNice(ctx, task, *settings.nice);
  if (settings.sliceNs) setSlice(ctx, task, *settings.sliceNs);
  applyClamps(m_state.machine, task, settings);
  if (!settings.group) return;
  const GroupId group =
      *settings.group < 0 ? GroupId{0} : m_state.groupIds[static_cast<std::size_t>(*settings.group)];
  if (m_state.machine.task(task).group != group) schedMoveTask(ctx, task, group);
}

void Simulator::exitThread(CpuId cpu, TaskId task) {
  WorkloadState& w = m_state.workload;
  ThreadState& t = thread(task);
  t.endNs = static_cast<std::int64_t>(m_state.machine.nowNs);
  if ((t.stage & ~kStageHasWaited) != 0) dropPipe(cpu, task);
  t.remaining = t.overheadNs = 0;
  if (m_state.machine.features().schedCache) countThread(m_state.machine, task, -1);
  --w.liveThreads;
  if (isFinite(program().threads[static_cast<std::size_t>(t.program)])) --w.liveFiniteThreads;
  if (isRestricted(task)) --w.restrictedTasks;
  m_state.timers.clear(task.index());
  // Simplified: the kernel's exit takes some microseconds between its two halves; here they are one moment
  // unless the program has an ExitMove.
  Context ctx = context();
  if (!m_state.machine.task(task).exiting) leaveGroupAtExit(cpu);
  exitTask(ctx, cpu);
  markPending(m_state.machine, cpu);
}

}  // namespace rqscope
