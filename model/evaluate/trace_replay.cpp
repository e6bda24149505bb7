// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/trace_replay.h"

#include <algorithm>

#include "balance/balance.h"
#include "evaluate/free_run_state.h"
#include "formats/run_tracer.h"

namespace rqscope {

namespace {

constexpr std::uint64_t kNeverNs = std::uint64_t{1} << 60;
constexpr std::uint64_t kPreemptionNs = 300'000;  // a switch so soon after a wakeup is its preemption
constexpr std::uint64_t kReferenceThroughput = 1024;
constexpr int kNice0Prio = 120, kFirstFairPrio = 100, kPriorities = 140;

int niceOf(const TraceTask& task) {
  return task.prio >= kFirstFairPrio && task.prio < kPriorities ? task.prio - kNice0Prio : 0;
}

/// The record does not show when domains were balanced: as if each had been in its intervals.
void alignBalancing(Machine& m) {
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu)) {
    Rq& rq = m.rq(cpu);
    rq.nextBalance = UINT64_MAX;
    for (DomainId id = m.topology->cpus[cpu.index()].lowest; id.isValid();
         id = m.topology->domain(id).parent) {
      DomainState& domain = m.domains[id.index()];
      const std::uint64_t interval = std::max<std::uint64_t>(sdBalanceInterval(m, id, rq.curr.isValid()), 1);
      if (m.jiffies > domain.lastBalance)
        domain.lastBalance += (m.jiffies - domain.lastBalance) / interval * interval;
      domain.nrBalanceFailed = 0;
      rq.nextBalance = std::min(rq.nextBalance, domain.lastBalance + interval);
    }
    if (rq.nextBalance == UINT64_MAX) rq.nextBalance = m.jiffies;
  }
  m.nohz.nextBalance = UINT64_MAX;
  m.nohz.idleCpus.forEach(
      [&](CpuId cpu) { m.nohz.nextBalance = std::min(m.nohz.nextBalance, m.rq(cpu).nextBalance); });
  if (m.nohz.nextBalance == UINT64_MAX) m.nohz.nextBalance = m.jiffies;
  for (GroupCapacity& capacity : m.capacities) capacity.imbalance = false;
}

}  // namespace

/// The plan with each task's program as one list of events in its second phase.
std::shared_ptr<SimPlan> TraceReplay::flattened(const SimPlan& plan, const TraceTasks& tasks,
                                                std::vector<Thread>& threads) {
  auto out = std::make_shared<SimPlan>(plan);
  out->untilNs = kNeverNs;
  out->workload.timers.clear();
  std::unordered_map<std::string, std::int32_t> programs;
  for (std::size_t i = 0; i < out->workload.threads.size(); ++i)
    programs.emplace(out->workload.threads[i].name, static_cast<std::int32_t>(i));
  for (const TraceTask& task : tasks.tasks) {
    Thread& thread = threads.emplace_back();
    const auto at = programs.find(programNameOf(task));
    if (at == programs.end()) continue;
    thread.program = at->second;
    ThreadProgram& program = out->workload.threads[static_cast<std::size_t>(thread.program)];
    std::vector<ProgramEvent> events;
    for (const TraceTurn& turn : task.turns) {
      thread.timerEvents.push_back(static_cast<std::int32_t>(events.size()));
      events.push_back({ProgramEventKind::Timer, turn.wokenNs, 0, -1, -1, {}, turn.wakerCpu});
      thread.runEvents.push_back(static_cast<std::int32_t>(events.size()));
      events.push_back({ProgramEventKind::Run, turn.work, 0, -1, -1, {}});
    }
    // Who has no more turns sleeps on: an end would take its load away.
    events.push_back({ProgramEventKind::Timer, kNeverNs / 2, 0, -1, -1, {}});
    program.startsAsleep = false;
    program.phases.assign(2, {});
    program.phases[1].events = std::move(events);
  }
  return out;
}

SimState TraceReplay::startState() const {
  auto following = std::make_shared<SimPlan>(*m_plan);
  following->operations.clear();
  following->costs = {};
  following->softirqTiming = {};
  SimState state = makeSimState(following);
  state.nextLaunch = state.launches->size();  // the trace says who begins
  return state;
}

TraceReplay::TraceReplay(const std::shared_ptr<const SimPlan>& plan, const Trace& trace,
                         const TraceTasks& tasks, const TraceTrack& real)
    : m_trace(trace),
      m_tasks(tasks),
      m_real(real),
      m_plan(flattened(*plan, tasks, m_threads)),
      m_simulator(startState()),
      m_driver(m_simulator) {
  m_zeroNs = m_simulator.state().originNs;
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) m_indexes.emplace(tasks.tasks[i].pid, i);
  while (m_nextEvent < trace.events.size() && trace.events[m_nextEvent].ns < tasks.startNs) ++m_nextEvent;
  beginAwake();
}

/// All that are not forked in the trace are there; those that run or wait at its start do so.
void TraceReplay::beginAwake() {
  for (std::size_t i = 0; i < m_threads.size(); ++i) {
    const TraceTask& task = m_tasks.tasks[i];
    if (task.forkCpu >= 0 || m_threads[i].program < 0) continue;
    const CpuId cpu{task.firstCpu};
    m_threads[i].task = m_driver.addSleeper(m_threads[i].program, cpu, niceOf(task));
    if (task.isAwakeAtStart) m_driver.wake(m_threads[i].task, cpu, cpu, CpuMask::of(cpu), false);
  }
  for (std::size_t i = 0; i < m_threads.size(); ++i)
    if (m_tasks.tasks[i].runsAtStart && m_threads[i].task.isValid())
      m_driver.switchTo(CpuId{m_tasks.tasks[i].firstCpu}, m_threads[i].task, false);
}

std::ptrdiff_t TraceReplay::indexOf(std::int32_t pid) const {
  const auto at = m_indexes.find(pid);
  return at == m_indexes.end() ? -1 : static_cast<std::ptrdiff_t>(at->second);
}

CpuMask TraceReplay::cpusOf(std::size_t index) const {
  const TraceTask& task = m_tasks.tasks[index];
  return task.isPerCpuKthread ? CpuMask::of(CpuId{task.firstCpu}) : machine().topology->online;
}

void TraceReplay::followTo(std::uint64_t ns) {
  for (; m_nextEvent < m_trace.events.size(); ++m_nextEvent) {
    const TraceEvent& event = m_trace.events[m_nextEvent];
    if (event.ns - m_tasks.startNs > ns) break;
    m_driver.advance(m_zeroNs + event.ns - m_tasks.startNs);
    take(event);
  }
  m_nowNs = ns;
  m_driver.advance(m_zeroNs + ns);
}

void TraceReplay::take(const TraceEvent& event) {
  switch (event.kind) {
    case TraceEventKind::Switch:
      takeSwitch(event);
      return;
    case TraceEventKind::Waking:
      m_waker[event.pid] = event.cpu;
      return;
    case TraceEventKind::Wakeup:
    case TraceEventKind::WakeupNew:
      takeWakeup(event);
      return;
    case TraceEventKind::Migrate:
      if (const auto at = indexOf(event.pid); at >= 0)
        if (const TaskId task = m_threads[static_cast<std::size_t>(at)].task; task.isValid())
          m_driver.migrate(task, CpuId{event.targetCpu});
      return;
    case TraceEventKind::Exit:
      m_exiting.insert(event.pid);
      return;
    case TraceEventKind::Fork:
      return;
  }
}

void TraceReplay::forkTask(std::size_t index, TaskId parent, CpuId cpu) {
  Thread& thread = m_threads[index];
  thread.task = m_driver.fork(thread.program, parent, cpu);
  if (const int nice = niceOf(m_tasks.tasks[index]); machine().task(thread.task).nice != nice)
    m_driver.setNice(thread.task, nice);
}

void TraceReplay::takeWakeup(const TraceEvent& event) {
  const auto at = indexOf(event.pid);
  if (at < 0 || m_threads[static_cast<std::size_t>(at)].program < 0) return;
  const auto index = static_cast<std::size_t>(at);
  Thread& thread = m_threads[index];
  m_wokenNs[event.pid] = event.ns;
  if (!thread.task.isValid())
    return forkTask(index, machine().rq(CpuId{event.cpu}).curr, CpuId{event.targetCpu});
  const auto waker = m_waker.find(event.pid);
  const CpuId from{waker == m_waker.end() ? event.cpu : waker->second};
  const CpuMask allowed = cpusOf(index);
  const bool sleeps = machine().task(thread.task).state == TaskState::Sleeping;
  const bool isSame = m_driver.wake(thread.task, from, CpuId{event.targetCpu}, allowed, false);
  if (sleeps && allowed.weight() > 1) {
    ++m_counts.wakeups;
    m_counts.choicesAgree += isSame ? 1 : 0;
  }
  if (waker != m_waker.end()) m_waker.erase(waker);
}

/// The task that is switched to. Where its wakeup or fork is not recorded, that happens now.
TaskId TraceReplay::taskBegun(const TraceEvent& event) {
  const auto at = indexOf(event.pid);
  if (at < 0 || m_threads[static_cast<std::size_t>(at)].program < 0) return TaskId{};
  Thread& thread = m_threads[static_cast<std::size_t>(at)];
  const CpuId cpu{event.cpu};
  if (!thread.task.isValid())
    forkTask(static_cast<std::size_t>(at), TaskId{}, cpu);
  else if (machine().task(thread.task).state == TaskState::Sleeping)
    m_driver.wake(thread.task, cpu, cpu, CpuMask::of(cpu), false);
  return thread.task;
}

void TraceReplay::takeSwitch(const TraceEvent& event) {
  const CpuId cpu{event.cpu};
  const auto taskOf = [&](std::int32_t pid) {
    const auto at = indexOf(pid);
    return at < 0 ? TaskId{} : m_threads[static_cast<std::size_t>(at)].task;
  };
  const TaskId prev = taskOf(event.otherPid);
  const bool leaves = prev.isValid() && !event.staysRunnable;
  if (leaves && machine().rq(cpu).curr != prev) m_driver.switchTo(cpu, prev, false);
  if (leaves && machine().rq(cpu).curr == prev) {
    if (m_exiting.contains(event.otherPid))
      m_driver.end(prev);
    else
      m_driver.sleep(prev);
  }
  const TaskId next = taskBegun(event);
  if (event.pid != 0 && !next.isValid()) {  // a task of another class takes the CPU for a moment
    if (leaves) m_driver.switchTo(cpu, TaskId{}, false);
    return;
  }
  const auto woken = m_wokenNs.find(event.pid);
  const bool isPreempted = woken != m_wokenNs.end() && event.ns - woken->second <= kPreemptionNs;
  const bool isSame =
      m_driver.switchTo(cpu, next, event.staysRunnable && prev.isValid() && next.isValid() && !isPreempted);
  ++m_counts.switches;
  m_counts.picksAgree += isSame ? 1 : 0;
}

std::uint64_t TraceReplay::throughputOf(std::int32_t cpu) const {
  return m_simulator.state().cpus[static_cast<std::size_t>(cpu)].throughput;
}

/// Work that the task has done since a moment, as far as the trace shows it.
std::uint64_t TraceReplay::workDone(std::size_t index, std::uint64_t fromNs) const {
  std::uint64_t done = 0;
  for (const TraceTrack::Span& span : m_real.tasks[index].spans) {
    if (!span.runs || span.endNs <= fromNs) continue;
    if (span.beginNs >= m_nowNs) break;
    const std::uint64_t ran = std::min(span.endNs, m_nowNs) - std::max(span.beginNs, fromNs);
    done += ran * throughputOf(span.cpu);
  }
  return done / kReferenceThroughput;
}

ThreadPosition TraceReplay::positionOf(std::size_t index) const {
  const TraceTask& task = m_tasks.tasks[index];
  const Thread& thread = m_threads[index];
  const auto after = std::ranges::upper_bound(task.turns, m_nowNs, {}, &TraceTurn::wokenNs);
  auto turn = static_cast<std::size_t>(after - task.turns.begin());
  ThreadPosition out;
  const bool isAwake = machine().task(thread.task).state == TaskState::Running && turn > 0;
  if (isAwake) {
    const TraceTurn& now = task.turns[turn - 1];
    const std::uint64_t done = workDone(index, now.wokenNs);
    out.event = thread.runEvents[turn - 1] + 1;
    out.runNs = now.work > done ? now.work - done : 0;
    return out;
  }
  const bool hasMore = turn < task.turns.size();
  out.event = hasMore ? thread.timerEvents[turn] : thread.runEvents.back() + 1;
  out.wait = WaitKind::Timer;
  out.wakeNs = hasMore ? m_zeroNs + task.turns[turn].wokenNs : kNeverNs / 2;
  if (hasMore) out.timerCpu = CpuId{task.turns[turn].wakerCpu};
  return out;
}

SimState TraceReplay::letGo() const {
  SimState state = m_simulator.state();
  state.plan = m_plan;
  state.nextOperation = 0;
  while (state.nextOperation < m_plan->operations.size() &&
         state.originNs + m_plan->operations[state.nextOperation].atNs <= state.machine.nowNs)
    ++state.nextOperation;
  Simulator simulator(std::move(state));
  RecordDriver driver(simulator);
  for (std::size_t i = 0; i < m_threads.size(); ++i) {
    const TaskId task = m_threads[i].task;
    if (!task.isValid() || simulator.state().machine.task(task).state == TaskState::Dead) continue;
    const CpuId cpu = simulator.state().machine.task(task).cpu;
    const CpuMask allowed = cpusOf(i);
    driver.letGo(task, positionOf(i), allowed.test(cpu) ? allowed : CpuMask::of(cpu));
  }
  driver.resume();
  SimState out = std::move(simulator.state());
  alignBalancing(out.machine);
  return out;
}

TraceTrack TraceReplay::runFreely(std::uint64_t lengthNs) const {
  SimState state = letGo();
  std::unordered_map<std::int32_t, std::int32_t> pids;  // by program
  for (std::size_t i = 0; i < m_threads.size(); ++i) pids.emplace(m_threads[i].program, m_tasks.tasks[i].pid);
  Simulator simulator(std::move(state));
  RunTracer tracer(simulator.state(), [&](const Machine&, TaskId task) {
    const auto at = pids.find(simulator.state().workload.threads[task.index()].program);
    return at == pids.end() ? -1 : at->second;
  });
  simulator.setObserver(&tracer);
  rqscope::runFreely(simulator, m_zeroNs + m_nowNs + lengthNs, [] { return false; });
  return trackOf(tracer.take("model"), m_tasks.tasks, m_nowNs, lengthNs, true);
}

}  // namespace rqscope
