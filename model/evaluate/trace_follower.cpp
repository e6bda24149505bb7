// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/trace_follower.h"

#include <algorithm>

#include "balance/balance.h"

namespace rqscope {
namespace {

using nlohmann::json;
using Kind = RecordedEvent::Kind;

constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kNsPerUs = 1000;
constexpr double kUsPerMs = 1000;
constexpr std::uint64_t kJiffiesBefore = 200;
constexpr std::int64_t kLeadUs = 10'000;     // the machine begins so long before the record
constexpr std::int64_t kPreemptionUs = 300;  // a switch so soon after a wakeup is its preemption
constexpr unsigned kNewlyIdle = 2;           // idle type of a recorded call
constexpr std::uint64_t kNeverNs = std::uint64_t{1} << 60;

/// How late each CPU's ticks were, where a balance call that follows a tick tells it; else as late as that
/// CPU's are in the median. The emulator's CPUs run in turns.
TickTurns ticksOf(const TraceText& text, double phaseMs, std::uint64_t periodNs, std::size_t cpus) {
  TickTurns out;
  std::vector<std::vector<std::int32_t>> known(cpus);
  const auto phaseNs = static_cast<std::int64_t>(phaseMs * static_cast<double>(kNsPerMs));
  const auto period = static_cast<std::int64_t>(periodNs);
  for (const RecordedEvent& e : text.events) {
    if (e.kind != Kind::BalanceBegin || e.cpu != e.to || e.flags != 0) continue;
    const std::int64_t since = e.us * kNsPerUs - phaseNs + static_cast<std::int64_t>(kJiffiesBefore) * period;
    const auto late = static_cast<std::int32_t>(since % period);
    constexpr std::int64_t kPartOfTick = 4;  // later is no tick of this round
    if (since < 0 || late > period / kPartOfTick || static_cast<std::size_t>(e.cpu) >= cpus) continue;
    const auto round = static_cast<std::size_t>(since / period);
    if (round >= out.lateNs.size()) out.lateNs.resize(round + 1, std::vector<std::int32_t>(cpus, -1));
    std::int32_t& tick = out.lateNs[round][static_cast<std::size_t>(e.cpu)];
    if (tick >= 0) continue;
    tick = late;
    known[static_cast<std::size_t>(e.cpu)].push_back(late);
  }
  for (std::size_t cpu = 0; cpu < cpus; ++cpu) {
    std::ranges::sort(known[cpu]);
    const std::int32_t median = known[cpu].empty() ? 0 : known[cpu][known[cpu].size() / 2];
    for (std::vector<std::int32_t>& round : out.lateNs)
      if (round[cpu] < 0) round[cpu] = median;
  }
  out.jiffyLateNs.assign(out.lateNs.size(), 0);
  out.turnNs = out.lateNs.empty() ? 0 : 1;  // all that matter are given
  return out;
}

}  // namespace

/// A machine at rest a little before the record's first event.
SimState TraceFollower::startOf(std::shared_ptr<const SimPlan> plan, const TraceText& text, double phaseMs,
                                TimeBase& base) {
  const std::int64_t firstUs = text.events.empty() ? 0 : text.events.front().us;
  auto following = std::make_shared<SimPlan>(*plan);
  std::erase_if(following->operations, [](const Operation& op) { return op.kind != OperationKind::Nice; });
  following->costs = {};
  following->softirqTiming = {};
  following->untilNs = kNeverNs;
  SimState state = makeSimState(plan);
  base.zeroNs = state.machine.nowNs + static_cast<std::uint64_t>(kLeadUs - firstUs) * kNsPerUs;
  base.periodNs = state.machine.tunables().tickNs();
  base.originNs = base.zeroNs + static_cast<std::uint64_t>(phaseMs * static_cast<double>(kNsPerMs)) -
                  kJiffiesBefore * base.periodNs;
  for (Operation& op : following->operations) op.atNs += base.zeroNs - base.originNs;
  following->tickTurns = ticksOf(text, phaseMs, base.periodNs, state.cpus.size());
  state.plan = following;
  state.nextLaunch = state.launches->size();  // the record says who begins
  setTimeBase(state, base);
  return state;
}

TraceFollower::TraceFollower(std::shared_ptr<const SimPlan> plan, const TraceText& text,
                             const TraceThreads& threads, const std::vector<FreePass>& passes,
                             const json& run, double tickPhaseMs)
    : m_text(text),
      m_threads(threads),
      m_simulator(startOf(plan, text, tickPhaseMs, m_base)),
      m_driver(m_simulator) {
  auto free = std::make_shared<SimPlan>(*plan);
  for (Operation& op : free->operations) op.atNs += m_base.zeroNs - m_base.originNs;
  free->untilNs = kNeverNs;
  free->tickTurns = m_simulator.state().plan->tickTurns;
  m_freePlan = free;
  takeOverDomains(m_simulator.state(), passes,
                  static_cast<double>(text.events.empty() ? 0 : text.events.front().us) / kUsPerMs, m_base);
  readActions(run);
}

void TraceFollower::readActions(const json& run) {
  for (const json& d : run.at("domains"))
    m_levels[{d.at("cpu").get<int>(), d.at("index").get<int>()}] = d.at("level").get<int>();
  for (const json& action : run.at("actions"))
    if (action.at("action") == "aff" && action.contains("pid"))
      m_affinities.push_back(
          {action.at("t_us").get<std::int64_t>(),
           {action.at("pid").get<int>(), maskOfHex(action.at("mask").get<std::string>())}});
  std::ranges::stable_sort(m_affinities, {}, [](const auto& a) { return a.first; });
}

CpuMask TraceFollower::cpusOf(const TraceThread& thread) const {
  const CpuMask& online = machine().topology->online;
  const auto now = m_cpus.find(thread.pid);
  const CpuMask mask = now == m_cpus.end() ? online : now->second & online;
  return mask.isEmpty() ? online : mask;
}

TaskId TraceFollower::taskOf(int pid) const {
  const auto at = m_tasks.find(pid);
  return at == m_tasks.end() ? TaskId{} : at->second;
}

/// The thread's task; one that the record does not fork slept until now.
TaskId TraceFollower::known(int pid, CpuId cpu) {
  const auto thread = m_threads.find(pid);
  if (thread == m_threads.end()) return TaskId{};
  if (const TaskId task = taskOf(pid); task.isValid()) return task;
  const TaskId task =
      m_driver.addSleeper(thread->second.program, cpu, thread->second.isWorkload ? 0 : thread->second.nice);
  m_tasks[pid] = task;
  return task;
}

/// The domain of a recorded balance call.
DomainId TraceFollower::domainOf(const RecordedEvent& e) const {
  const SchedTopology& topology = *machine().topology;
  for (DomainId id = topology.cpus[CpuId{e.to}.index()].lowest; id.isValid();
       id = topology.domain(id).parent) {
    const auto level = m_levels.find({e.to, topology.domain(id).index});
    if (level != m_levels.end() && level->second == e.level) return id;
  }
  return DomainId{};
}

void TraceFollower::followTo(std::int64_t us) {
  for (; m_nextEvent < m_text.events.size() && m_text.events[m_nextEvent].us <= us; ++m_nextEvent) {
    const RecordedEvent& e = m_text.events[m_nextEvent];
    for (; m_nextAffinity < m_affinities.size() && m_affinities[m_nextAffinity].first <= e.us;
         ++m_nextAffinity)
      m_cpus[m_affinities[m_nextAffinity].second.first] = m_affinities[m_nextAffinity].second.second;
    m_driver.advance(m_base.zeroNs + static_cast<std::uint64_t>(e.us * kNsPerUs));
    take(e);
  }
  m_nowUs = us;
  m_driver.advance(m_base.zeroNs + static_cast<std::uint64_t>(us * kNsPerUs));
}

void TraceFollower::take(const RecordedEvent& e) {
  switch (e.kind) {
    case Kind::Switch:
      takeSwitch(e);
      break;
    case Kind::Choice:
      m_waker[e.task] = CpuId{e.cpu};
      m_isSync[e.task] = (e.flags & kTraceWakeSync) != 0;
      break;
    case Kind::Wakeup: {
      const TaskId task = known(e.task, CpuId{e.to});
      if (!task.isValid()) break;
      const auto waker = m_waker.find(e.task);
      const bool hasChoice = waker != m_waker.end();
      m_wokenUs[e.task] = e.us;
      const TraceThread& thread = m_threads.at(e.task);
      const CpuMask allowed = hasChoice && thread.isWorkload ? cpusOf(thread) : CpuMask::of(CpuId{e.to});
      const bool sleeps = machine().task(task).state == TaskState::Sleeping;
      const bool isSame = m_driver.wake(task, hasChoice ? waker->second : CpuId{e.cpu}, CpuId{e.to}, allowed,
                                        hasChoice && m_isSync[e.task]);
      if (hasChoice && thread.isWorkload && sleeps) {
        ++m_counts.wakeups;
        m_counts.choicesAgree += isSame ? 1 : 0;
      }
      if (hasChoice) m_waker.erase(waker);
      break;
    }
    case Kind::WakeupNew: {
      const auto thread = m_threads.find(e.task);
      if (thread == m_threads.end() || taskOf(e.task).isValid()) break;
      m_wokenUs[e.task] = e.us;
      m_tasks[e.task] = m_driver.fork(thread->second.program, machine().rq(CpuId{e.cpu}).curr, CpuId{e.to});
      break;
    }
    case Kind::Migrate:
      if (const TaskId task = taskOf(e.task); task.isValid()) m_driver.migrate(task, CpuId{e.to});
      break;
    case Kind::BalanceBegin:
      m_driver.updateAverages(CpuId{e.to});
      m_turns.erase(e.cpu);
      if (e.flags == kNewlyIdle) {
        m_newidleBeganUs[e.cpu] = e.us;
        if (const DomainId domain = domainOf(e); domain.isValid()) m_driver.beginNewidle(domain);
      }
      break;
    case Kind::Statistics:
      m_turns.insert(e.cpu);
      if (const DomainId domain = domainOf(e); domain.isValid()) m_driver.endStatistics(domain);
      break;
    case Kind::BalanceEnd:
      if (const auto began = m_newidleBeganUs.find(e.cpu);
          began != m_newidleBeganUs.end() && e.flags == kNewlyIdle) {
        std::uint64_t& cost = m_newidleCostNs[{e.cpu, e.level}];
        cost = std::max(cost, static_cast<std::uint64_t>((e.us - began->second) * kNsPerUs));
        m_newidleBeganUs.erase(began);
      }
      if (const DomainId domain = domainOf(e); domain.isValid())
        m_driver.endBalance(
            domain, {e.intervalMs, e.failed, e.flags == 0, e.flags == kNewlyIdle, m_turns.contains(e.cpu)});
      break;
    default:
      break;
  }
}

/// A thread of the stop class takes the CPU only for a moment: what it does is in other events.
void TraceFollower::takeSwitch(const RecordedEvent& e) {
  const CpuId cpu{e.cpu};
  const TaskId prev = taskOf(e.task);
  const bool leaves = prev.isValid() && e.state != 'R';
  if (leaves && machine().rq(cpu).curr != prev) m_driver.switchTo(cpu, prev, false);
  if (leaves && machine().rq(cpu).curr == prev) {
    if (e.state == 'X' || e.state == 'Z')
      m_driver.end(prev);
    else
      m_driver.sleep(prev);
  }
  if (e.next != 0 && !m_threads.contains(e.next)) {
    if (leaves) m_driver.switchTo(cpu, TaskId{}, false);
    return;
  }
  const TaskId next = e.next == 0 ? TaskId{} : known(e.next, cpu);
  const auto woken = m_wokenUs.find(e.next);
  const bool isPreempted = woken != m_wokenUs.end() && e.us - woken->second <= kPreemptionUs;
  const bool isSame = m_driver.switchTo(cpu, next, e.state == 'R' && next.isValid() && !isPreempted);
  ++m_counts.switches;
  m_counts.picksAgree += isSame ? 1 : 0;
  if (!next.isValid()) return;
  const TraceThread& thread = m_threads.at(e.next);
  if (!thread.isWorkload || m_cpus.contains(e.next)) return;
  // Its first two system calls are sched_setaffinity() and setpriority().
  m_cpus[e.next] = thread.cpus.isEmpty() ? machine().topology->online : thread.cpus;
  if (machine().task(next).nice != thread.nice) m_driver.setNice(next, thread.nice);
}

SimState TraceFollower::letGo() const {
  SimState state = m_simulator.state();
  state.plan = m_freePlan;
  state.nextOperation = 0;
  while (state.nextOperation < m_freePlan->operations.size() &&
         state.originNs + m_freePlan->operations[state.nextOperation].atNs <= state.machine.nowNs)
    ++state.nextOperation;
  Simulator simulator(std::move(state));
  RecordDriver driver(simulator);
  for (const auto& [pid, task] : m_tasks) {
    const TraceThread& thread = m_threads.at(pid);
    const Task& t = simulator.state().machine.task(task);
    if (t.state == TaskState::Dead) continue;
    driver.letGo(task, thread.positionAt(m_nowUs, m_base.zeroNs),
                 thread.isWorkload ? cpusOf(thread) : CpuMask::of(t.cpu));
  }
  driver.resume();
  SimState out = std::move(simulator.state());
  Machine& m = out.machine;
  m.nohz.nextBalance = UINT64_MAX;
  m.nohz.idleCpus.forEach(
      [&](CpuId cpu) { m.nohz.nextBalance = std::min(m.nohz.nextBalance, m.rq(cpu).nextBalance); });
  if (m.nohz.nextBalance == UINT64_MAX) m.nohz.nextBalance = m.jiffies;
  const SchedTopology& topology = *out.machine.topology;
  for (std::size_t i = 0; i < topology.domains.size(); ++i) {
    const SchedDomain& d = topology.domains[i];
    const auto level = m_levels.find({d.cpu.value, d.index});
    if (level == m_levels.end()) continue;
    const auto cost = m_newidleCostNs.find({d.cpu.value, level->second});
    out.machine.domains[i].maxNewidleLbCost = cost == m_newidleCostNs.end() ? 0 : cost->second;
    out.machine.domains[i].lastDecayMaxLbCost = out.machine.jiffies;
  }
  for (GroupCapacity& capacity : out.machine.capacities) capacity.imbalance = false;
  return out;
}

}  // namespace rqscope
