// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulator.h"

#include <algorithm>

#include "engine/pipe_stage.h"
#include "engine/scheduler.h"
#include "engine/tick_turns.h"

namespace rqscope {
namespace {

constexpr std::uint64_t kDefaultUntilNs = 10'000'000'000U;  // of a run without end of its own

constexpr unsigned kKindShift = 56, kCpuShift = 32;  // of EventKey::rank

/// Delay of a CPU's tick behind the common moment. Kernel: tick_setup_sched_timer() with skew_tick=1.
inline std::uint64_t tickOffset(const SimState& s, CpuId cpu) {
  if (!s.plan->tickOffsetsNs.empty()) return s.plan->tickOffsetsNs[cpu.index()];
  return s.tickSkewNs * static_cast<std::uint64_t>(cpu.value);
}

}  // namespace

/// The one written order of simultaneous events.
[[gnu::always_inline]] inline std::uint64_t Simulator::rankOf(SimEventKind kind, CpuId cpu,
                                                              std::int32_t subject) {
  return static_cast<std::uint64_t>(kind) << kKindShift |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(cpu.value)) << kCpuShift |
         static_cast<std::uint32_t>(subject);
}

[[gnu::always_inline]] inline void Simulator::consider(EventKey& best, std::uint64_t timeNs,
                                                       std::uint64_t rank) {
  if (timeNs > best.timeNs || (timeNs == best.timeNs && rank >= best.rank)) return;
  best.timeNs = timeNs;
  best.rank = rank;
}

/// The next tick when each CPU has an offset of its own, in no order.
Simulator::EventKey Simulator::nextOffsetTick() const {
  const SimState& s = m_state;
  EventKey best;
  for (CpuId cpu = s.tickingCpus.first(); cpu.isValid(); cpu = s.tickingCpus.next(cpu)) {
    const std::uint64_t first = s.originNs + tickOffset(s, cpu);
    const std::uint64_t from = std::max(s.cpus[cpu.index()].tickFromNs, first);
    const std::uint64_t round = (from - first + s.tickNs - 1) / s.tickNs;
    const std::uint64_t at = first + round * s.tickNs + turnDelay(s, cpu, round);
    consider(best, std::max(at, s.machine.nowNs), rankOf(SimEventKind::Tick, cpu, cpu.value));
  }
  return best;
}

[[gnu::always_inline]] inline Simulator::EventKey Simulator::nextTick() const {
  const SimState& s = m_state;
  if (!s.plan->tickOffsetsNs.empty()) return nextOffsetTick();
  std::uint64_t base = s.tickBaseNs;
  CpuId cpu = s.tickingCpus.next(CpuId{s.tickCursor.value - 1});
  for (;; cpu = s.tickingCpus.next(cpu)) {
    if (!cpu.isValid()) {  // the next round
      base += s.tickNs;
      cpu = s.tickingCpus.first();
      if (!cpu.isValid()) return {};
    }
    const std::uint64_t at = base + s.tickSkewNs * static_cast<std::uint64_t>(cpu.value);
    if (at >= s.cpus[cpu.index()].tickFromNs) return {at, rankOf(SimEventKind::Tick, cpu, cpu.value)};
  }
}

[[gnu::always_inline]] inline void Simulator::considerScript(EventKey& best) const {
  const SimState& s = m_state;
  if (s.launches->data() + s.nextLaunch < s.launches->data() + s.launches->size())
    consider(best, s.originNs,
             rankOf(SimEventKind::Launch, CpuId{0}, static_cast<std::int32_t>(s.nextLaunch)));
  if (s.nextOperation >= s.plan->operations.size()) return;
  const Operation& op = s.plan->operations[s.nextOperation];
  if (s.counters.events < op.afterEvent) return;
  consider(best, std::max(s.originNs + op.atNs, s.machine.nowNs),
           rankOf(SimEventKind::Operation, CpuId{0}, static_cast<std::int32_t>(s.nextOperation)));
}

[[gnu::always_inline]] inline void Simulator::considerQueues(EventKey& best) const {
  const SimState& s = m_state;
  const auto ofCpu = [&](const TimeHeap& heap, SimEventKind kind, std::uint64_t notBefore) {
    if (heap.earliestNs() > best.timeNs || heap.isEmpty()) return;
    const TimeHeap::Entry& top = heap.top();
    const CpuId cpu{static_cast<std::int32_t>(top.index)};
    consider(best, std::max(top.timeNs, notBefore), rankOf(kind, cpu, cpu.value));
  };
  ofCpu(s.runEnds, SimEventKind::RunEnd, 0);
  ofCpu(s.hrticks, SimEventKind::Hrtick, s.machine.nowNs);
  ofCpu(s.idleExits, SimEventKind::IdleExit, 0);
  ofCpu(s.softirqSteps, SimEventKind::SoftirqStep, 0);
  if (s.timers.earliestNs() > best.timeNs || s.timers.isEmpty()) return;
  const TimeHeap::Entry& top = s.timers.top();
  const CpuId cpu{static_cast<std::int32_t>(top.tie >> kTimerCpuShift)};
  consider(best, top.timeNs, rankOf(SimEventKind::Timer, cpu, static_cast<std::int32_t>(top.index)));
}

/// Periods of groups whose budget is used or that are throttled; a full and unused budget needs no refill.
void Simulator::considerGroupPeriods(EventKey& best) const {
  const SimState& s = m_state;
  for (const GroupId group : s.quotaGroups) {
    const std::uint64_t at = nextBandwidthTimerNs(s.machine.group(group).bandwidth, s.machine.nowNs);
    if (at != UINT64_MAX) consider(best, at, rankOf(SimEventKind::GroupPeriod, CpuId{0}, group.value));
  }
}

inline std::uint64_t Simulator::endNs() const {
  const SimPlan& plan = *m_state.plan;
  if (plan.untilNs != 0) return m_state.originNs + plan.untilNs;
  if (plan.workload.durationNs >= 0)
    return m_state.originNs + static_cast<std::uint64_t>(plan.workload.durationNs);
  if (m_state.nextLaunch >= m_state.launches->size() && !m_state.workload.hadFiniteThreads)
    return m_state.originNs + kDefaultUntilNs;
  return UINT64_MAX;
}

inline bool Simulator::isFinished() const {
  const SimState& s = m_state;
  return s.workload.hadFiniteThreads && s.workload.liveFiniteThreads == 0 && s.plan->untilNs == 0 &&
         s.nextLaunch >= s.launches->size();
}

/// nextEvent() while the run goes on; compiled into stepEvent(), so that the event stays in registers.
[[gnu::always_inline]] inline Simulator::EventKey Simulator::findNext() const {
  const SimState& s = m_state;
  EventKey best = nextTick();
  considerScript(best);
  considerQueues(best);
  if (!s.quotaGroups.empty()) considerGroupPeriods(best);
  const std::uint64_t endRank = rankOf(SimEventKind::End, CpuId{0}, 0);
  if (isFinished() || best.rank == UINT64_MAX) return {s.machine.nowNs, endRank};
  const std::uint64_t end = endNs();
  if (best.timeNs > end) return {end, endRank};
  return best;
}

[[gnu::always_inline]] inline SimEvent Simulator::eventOf(const EventKey& key) {
  constexpr std::uint64_t kCpuMask = (std::uint64_t{1} << (kKindShift - kCpuShift)) - 1;
  return {key.timeNs, static_cast<SimEventKind>(key.rank >> kKindShift),
          static_cast<std::int32_t>(static_cast<std::uint32_t>(key.rank)),
          CpuId{static_cast<std::int32_t>(key.rank >> kCpuShift & kCpuMask)}};
}

namespace {

/// Asks for the first cache lines of an object.
template <class T>
[[gnu::always_inline]] inline void fetch(const T& object, int lines) {
  for (int line = 0; line < lines; ++line)
    __builtin_prefetch(reinterpret_cast<const char*>(&object) + 64 * line);
}

/// Ticks of one moment follow one another in the order of CPUs: fetches what those of the next three CPUs
/// will need, step by step along the way from the CPU to the entity of its task.
[[gnu::always_inline]] inline void lookAheadTicks(const Machine& m, CpuId cpu) {
  constexpr std::size_t kNearCpus = 32;  // so many stay in the nearest cache anyway
  const std::size_t at = cpu.index();
  if (at + 3 >= m.rqs.size() || m.rqs.size() < kNearCpus) return;
  fetch(m.rqs[at + 3], 4);
  fetch(m.cfs[at + 3], 3);
  if (const TaskId task = m.rqs[at + 2].curr; task.isValid()) fetch(m.tasks[task.index()], 1);
  if (const TaskId task = m.rqs[at + 1].curr; task.isValid()) fetch(m.se(task), 3);
}

}  // namespace

/// Fetches what the next timer's task will need while the present event is worked on: with a thousand tasks
/// it is in no near cache.
[[gnu::always_inline]] inline void Simulator::lookAhead() const {
  const SimState& s = m_state;
  if (s.timers.isEmpty()) return;
  const std::size_t slot = s.timers.top().index;
  fetch(s.workload.threads[slot], 2);
  fetch(s.machine.entities[s.machine.tasks[slot].se.index()], 4);
}

SimEvent Simulator::nextEvent() const { return m_state.isAtEnd ? SimEvent{} : eventOf(findNext()); }

bool Simulator::stepEvent() {
  if (m_state.isAtEnd) return false;
  const EventKey key = findNext();
  advanceTime(key.timeNs);
  // Field by field: a copy of a whole event that was just put together would wait for the parts.
  SimEvent& event = m_state.lastEvent;
  event.timeNs = key.timeNs;
  event.kind = eventOf(key).kind;
  event.subject = eventOf(key).subject;
  event.cpu = eventOf(key).cpu;
  m_actingCpu = event.cpu;
  lookAhead();
  dispatch(event);
  if (!m_state.machine.pendingCpus.isEmpty()) servePending();
  finishEvent(event);
  return true;
}

void Simulator::advanceTime(std::uint64_t timeNs) {
  SimState& s = m_state;
  RQS_CHECK(timeNs >= s.machine.nowNs, "an event lies in the past");
  if (s.idleWaitingCpus != 0) s.counters.idleWhileWaitingNs += (timeNs - s.machine.nowNs) * s.idleWaitingCpus;
  s.machine.nowNs = timeNs;
  if (timeNs < s.nextJiffyNs) return;
  if (s.plan->tickTurns.turnNs != 0) {
    const CpuId keeper = s.plan->tickTurns.timekeeper;
    advanceJiffiesByTurn(s, keeper.isValid() ? tickOffset(s, keeper) : 0);
    return;
  }
  s.machine.jiffies = (timeNs - s.originNs) / s.tickNs;
  s.nextJiffyNs = s.originNs + (s.machine.jiffies + 1) * s.tickNs;
}

void Simulator::dispatch(const SimEvent& event) {
  SimState& s = m_state;
  switch (event.kind) {
    case SimEventKind::Operation: {
      const auto plan = s.plan;  // an operation may replace the topology, not the plan
      ++s.nextOperation;
      runOperation(plan->operations[static_cast<std::size_t>(event.subject)]);
      break;
    }
    case SimEventKind::Launch:
      ++s.nextLaunch;
      launch(static_cast<std::size_t>(event.subject));
      break;
    case SimEventKind::Tick:
      tick(event.cpu);
      break;
    case SimEventKind::Hrtick:
      hrtick(event.cpu);
      break;
    case SimEventKind::RunEnd:
      if (s.softirqSteps.contains(event.cpu.index()))  // the task goes on when the softirq is over
        s.runEnds.set(event.cpu.index(),
                      std::max(s.softirqSteps.timeOf(event.cpu.index()), s.machine.nowNs + 1),
                      static_cast<std::uint64_t>(event.cpu.value));
      else
        continueThread(event.cpu);
      break;
    case SimEventKind::Timer:
      s.timers.clear(static_cast<std::size_t>(event.subject));
      timerFired(TaskId{event.subject}, event.cpu);
      break;
    case SimEventKind::GroupPeriod:
      groupPeriod(GroupId{event.subject});
      break;
    case SimEventKind::IdleExit:
      idleExit(event.cpu);
      break;
    case SimEventKind::SoftirqStep:
      softirqStep(event.cpu);
      break;
    case SimEventKind::End:
      s.isAtEnd = true;
      break;
    case SimEventKind::None:
      break;
  }
}

void Simulator::tick(CpuId cpu) {
  SimState& s = m_state;
  s.tickBaseNs = s.machine.nowNs - tickOffset(s, cpu);
  s.tickCursor = CpuId{cpu.value + 1};
  const std::uint64_t late =
      s.plan->tickTurns.turnNs == 0 ? 0 : (s.machine.nowNs - s.originNs - tickOffset(s, cpu)) % s.tickNs;
  s.cpus[cpu.index()].tickFromNs = s.machine.nowNs - late + s.tickNs;
  ++s.counters.ticks;
  lookAheadTicks(s.machine, cpu);
  Context ctx = context();
  schedTick(ctx, cpu);
  if (s.machine.rq(cpu).needResched) markPending(s.machine, cpu);  // a lazy mark became a real one
  s.touchedCpus.set(cpu);
}

void Simulator::hrtick(CpuId cpu) {
  SimState& s = m_state;
  s.hrticks.clear(cpu.index());
  s.touchedCpus.set(cpu);
  Context ctx = context();
  hrtickFair(ctx, cpu);
  if (s.machine.rq(cpu).needResched) markPending(s.machine, cpu);
}

void Simulator::groupPeriod(GroupId group) {
  Context ctx = context();
  bandwidthTimer(ctx, group);
  m_state.touchedCpus |= m_state.machine.topology->online;
}

/// Whether the CPU is idle and another one gave it a task or kicked it to balance, so that it takes a while
/// to answer.
/// Simplified: the task is queued there at once; the kernel may leave that to the interrupt (TTWU_QUEUE).
bool Simulator::isComingOutOfIdle(CpuId cpu) {
  SimState& s = m_state;
  const Rq& rq = s.machine.rq(cpu);
  if (s.plan->costs.idleWakeupNs == 0 || s.lastEvent.cpu == cpu) return false;
  const bool hasTask = rq.needResched && rq.nrRunning != 0;
  const bool isKicked = rq.softirqPending && rq.softirqByKick;
  if (rq.curr.isValid() || rq.stopperRunning || (!hasTask && !isKicked)) return false;
  if (s.idleExits.contains(cpu.index())) return true;
  const std::vector<std::uint64_t>& kicks = s.plan->softirqTiming.kicksNs;
  const std::uint64_t wait = hasTask || kicks.empty() ? s.plan->costs.idleWakeupNs : drawn(kicks, cpu);
  s.idleExits.set(cpu.index(), s.machine.nowNs + wait, static_cast<std::uint64_t>(cpu.value));
  return true;
}

/// The CPU switches to what it was given, when it has done the kernel work that came with it: that is done in
/// the idle task's time and counts in no utilisation. Kernel: flush_smp_call_function_queue() in do_idle().
void Simulator::idleExit(CpuId cpu) {
  SimState& s = m_state;
  s.idleExits.clear(cpu.index());
  const std::uint64_t busyUntil = s.cpus[cpu.index()].chargedUntilNs;
  if (s.plan->costs.selectNs != 0 && busyUntil > s.machine.nowNs) {
    s.idleExits.set(cpu.index(), busyUntil, static_cast<std::uint64_t>(cpu.value));
    return;
  }
  markPending(s.machine, cpu);
}

/// Without full preemption a task that has begun to exit keeps the CPU until it is dead: the rest of
/// do_exit() neither sleeps nor returns to user space. One that holds a pipe's mutex keeps it too.
UserReturn Simulator::userReturnOf(CpuId cpu) const {
  const Machine& m = m_state.machine;
  const TaskId curr = m.rq(cpu).curr;
  if (!m.tunables().preemption && curr.isValid() && m.task(curr).state == TaskState::Running &&
      (m.task(curr).exiting || (m_state.workload.threads[curr.index()].stage & kStageHolds) != 0))
    return UserReturn::InKernel;
  return cpu == m_state.lastEvent.cpu ? UserReturn::Yes : UserReturn::No;
}

/// A lazy reschedule (v7.3) is served where the event happened: that CPU returns to user space.
void Simulator::servePending() {
  Machine& m = m_state.machine;
  const bool locks = m_state.plan->costs.rqLockNs != 0;
  Context ctx = context();
  for (CpuId cpu = m.pendingCpus.first(); cpu.isValid(); cpu = m.pendingCpus.first()) {
    m.pendingCpus.clear(cpu);
    if (isComingOutOfIdle(cpu) || isInSoftirq(cpu)) continue;
    m_actingCpu = cpu;
    if (locks && m.rq(cpu).needResched) lockRq(cpu, cpu);
    serveCpu(ctx, cpu, userReturnOf(cpu));
    m_lockedRq = CpuId{};
    m_state.touchedCpus.set(cpu);
  }
}

/// Accounts of a CPU that an event touched. Compiled into finishEvent(): it runs for every event.
[[gnu::always_inline]] inline void Simulator::refreshCpu(CpuId cpu) {
  SimState& s = m_state;
  const Machine& m = s.machine;
  CpuActivity& activity = s.cpus[cpu.index()];
  const Rq& rq = m.rq(cpu);
  const CfsRq& root = m.rootCfs(cpu);
  const bool runs = rq.curr.isValid();
  const std::uint32_t runnable = root.hNrQueued - root.hNrDelayed;  // v6.1 delays none
  const std::uint32_t waiting = runnable - (runs && runnable != 0 ? 1U : 0U);
  if (m.profile->queue == QueueKind::FlatEevdf) refreshHrtick(cpu);
  s.waitingTasks += waiting - activity.waiting;
  activity.waiting = waiting;
  if (!rq.isOnline) return;
  if (activity.chargedUntilNs != 0) payCharges(cpu);
  if (activity.isIdle == runs) changeActivity(cpu, runs);
}

void Simulator::refreshTouched() {
  for (CpuId cpu = m_state.touchedCpus.first(); cpu.isValid(); cpu = m_state.touchedCpus.next(cpu))
    refreshCpu(cpu);
}

void Simulator::finishEvent(const SimEvent& event) {
  SimState& s = m_state;
  refreshTouched();
  while (!s.machine.pendingCpus.isEmpty()) {  // left by the idle entry's hooks
    servePending();
    refreshTouched();
  }
  mixIntoHash(event);
  recountIdleWaiting();
  s.touchedCpus.clearAll();
  ++s.counters.events;
}

}  // namespace rqscope
