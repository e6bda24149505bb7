// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/juno_start.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "balance/balance.h"
#include "runqueue/cfs.h"
#include "runqueue/eevdf.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kJiffiesBefore = 200;  // jiffy 0 lies so far before the start
constexpr double kEndless = 1e7;               // ms of work of the runs that are cut off
constexpr std::uint64_t kBlockedPeriodMs = 32;
constexpr std::uint64_t kLaunchNs = 1;  // so long before the start all is launched
constexpr std::uint64_t kForeverNs = 10'000'000'000'000;

/// Sums that give the averages; what is below one unit of an average is not recorded.
void fillSums(SchedAvg& avg, std::uint64_t weight) {
  avg.loadSum = avg.loadAvg * peltDivider(avg) / std::max<std::uint64_t>(weight, 1);
  avg.runnableSum = avg.runnableAvg * peltDivider(avg);
}

/// Time that passes on a CPU while its PELT clock moves by `delta`.
std::uint64_t realOf(std::uint64_t delta, std::uint64_t capacity) {
  return delta * kCapacityScale / capacity;
}
std::uint64_t peltOf(std::uint64_t delta, std::uint64_t capacity) {
  return delta * capacity >> kCapacityShift;
}

}  // namespace

JunoStart::JunoStart(const json& run, const JunoTrace& trace, const KernelProfile& profile,
                     std::shared_ptr<const SchedTopology> topology)
    : m_run(run), m_trace(trace), m_profile(profile), m_topology(std::move(topology)) {
  m_base.zeroNs = run.at("trace_clock_at_t0_ns").get<std::uint64_t>();
  m_base.periodNs = profile.tunables.tickNs();
  m_unpinNs = m_base.zeroNs + static_cast<std::uint64_t>(run.at("pin_ms").get<double>() * kNsPerMs);
  readTasks();
  m_timing = junoTiming(run, trace, *m_topology, m_base.periodNs);
  // A task that waits has its last tick one period or more ago: the others tell when the round begins.
  const std::uint64_t roundBegin = m_unpinNs - m_base.periodNs;
  m_startNs = UINT64_MAX;
  for (const Taken& task : m_tasks)
    if (task.clock >= roundBegin) m_startNs = std::min(m_startNs, task.clock);
  m_startNs = m_timing.gridBefore(m_startNs, m_base.periodNs);
  m_base.originNs = m_startNs - kJiffiesBefore * m_base.periodNs;
  readTimeline();
  std::ranges::stable_sort(m_tasks, [](const Taken& a, const Taken& b) { return a.isRunning > b.isRunning; });
}

double JunoStart::fromMs() const {
  return (static_cast<double>(m_startNs) - static_cast<double>(m_base.zeroNs)) /
         static_cast<double>(kNsPerMs);
}

void JunoStart::readTasks() {
  for (const json& t : m_run.at("state_tasks")) {
    Taken& task = m_tasks.emplace_back();
    task.name = t.at("task").get<std::string>();
    task.cpu = CpuId{t.at("cpu").get<int>()};
    task.clock = t.at("clk").get<std::uint64_t>();
    task.clockPelt = t.at("clkp").get<std::uint64_t>();
    task.vruntime = t.at("vr").get<std::uint64_t>();
    task.misfit = t.at("misfit").get<std::uint64_t>();
    task.capacity = t.at("cap").get<std::uint64_t>();
    task.avg.lastUpdateTime = t.at("lut").get<std::uint64_t>();
    task.avg.utilSum = t.at("usum").get<std::uint32_t>();
    task.avg.periodContrib = t.at("pc").get<std::uint32_t>();
    task.avg.loadAvg = t.at("la").get<std::uint64_t>();
    task.avg.runnableAvg = t.at("ra").get<std::uint64_t>();
    task.avg.utilAvg = t.at("ua").get<std::uint64_t>();
    task.avg.utilEst = t.at("ue").get<std::uint32_t>();
    task.avg.utilEstEwma = t.value("uew", std::uint32_t{0});
    task.queueLoad = t.at("cfs_la").get<std::uint64_t>();
    task.queueRunnable = t.at("cfs_ra").get<std::uint64_t>();
    task.queueUtil = t.at("cfs_ua").get<std::uint64_t>();
    task.execStart = task.clock - realOf(task.clockPelt - task.avg.lastUpdateTime, task.capacity);
  }
}

/// Who runs on each CPU at the start, since when, and since when the others wait. Where a thread runs that is
/// none of the workload's, the task that it took the CPU from stands for it.
void JunoStart::readTimeline() {
  std::map<int, std::string> current;
  std::map<std::string, std::uint64_t> gotAt, lostAt;
  for (const json& s : m_run.at("timeline")) {
    const std::uint64_t at = m_base.nsOf(s.at(0).get<double>());
    if (at > m_startNs) break;
    const int cpu = s.at(1).get<int>();
    lostAt[current[cpu]] = at;
    current[cpu] = s.at(2).get<std::string>();
    gotAt[current[cpu]] = at;
    m_switchedNs[cpu] = at;
  }
  std::map<CpuId, Taken*> latest;
  for (Taken& task : m_tasks) {
    task.isRunning = current[task.cpu.value] == task.name;
    task.switchedNs = task.isRunning ? gotAt[task.name] : lostAt[task.name];
    Taken*& runner = latest[task.cpu];
    if (runner == nullptr || task.isRunning || (!runner->isRunning && task.switchedNs > runner->switchedNs))
      runner = &task;
  }
  for (const auto& [cpu, runner] : latest) {
    if (runner->isRunning) continue;
    runner->isRunning = true;
    runner->switchedNs = gotAt[runner->name];
  }
}

/// Ticks where and as late as the record has them.
void JunoStart::placeTicks(SimPlan& plan) const {
  plan.tickOffsetsNs = m_timing.offsetsNs;
  plan.tickTurns = m_timing.turns;
  const std::uint64_t firstRound = (m_base.originNs - m_timing.phaseNs) / m_base.periodNs;
  for (const auto& [round, ticks] : m_timing.rounds) {
    if (round < firstRound) continue;
    plan.tickTurns.lateNs.resize(round - firstRound + 1);
    plan.tickTurns.lateNs.back() = ticks.lateNs;
    plan.tickTurns.jiffyLateNs.resize(round - firstRound + 1, -1);
    plan.tickTurns.jiffyLateNs.back() = ticks.jiffyLateNs;
    plan.tickTurns.startsNs.resize(round - firstRound + 1);
    plan.tickTurns.startsNs.back() = ticks.startsNs;
    plan.tickTurns.switchesNs.resize(round - firstRound + 1);
    plan.tickTurns.switchesNs.back() = ticks.switchesNs;
  }
}

/// The workload's tasks start when all other threads are asleep.
void JunoStart::addWorkers(SimPlan& plan) const {
  const double workMs = m_run.at("work_ms").get<double>();
  for (const Taken& task : m_tasks) {
    ThreadProgram& program = plan.workload.threads.emplace_back();
    program.name = task.name;
    program.startCpu = task.cpu;
    program.instances = 0;
    for (const json& t : m_run.at("tasks"))
      if (t.at("name") == task.name) program.settings.nice = t.at("nice").get<int>();
    ProgramPhase& pinned = program.phases.emplace_back();
    pinned.settings.cpus = CpuMask::of(task.cpu);
    pinned.events.push_back({ProgramEventKind::Runtime, m_unpinNs - m_startNs, 0, -1, -1, {}});
    const double work = workMs > 0 ? workMs : kEndless;
    program.phases.emplace_back().events.push_back(
        {ProgramEventKind::Run, static_cast<std::uint64_t>(work * kNsPerMs), 0, -1, -1, {}});
    Operation& fork = plan.operations.emplace_back();
    fork.atNs = kLaunchNs;
    fork.kind = OperationKind::Fork;
    fork.task = task.name;
    fork.cpu = task.cpu;
  }
}

/// The threads that are none of the workload's: each runs where, when and as long as the record has it.
/// Simplified: one that changes its CPU is a thread of its own on each, bound to it.
void JunoStart::addThreads(SimPlan& plan) const {
  plan.workload.timers.push_back({"wakeup", true, false});
  std::map<std::tuple<std::uint64_t, std::string, int>, std::vector<const JunoTrace::Turn*>> threads;
  for (const JunoTrace::Turn& turn : m_trace.turns)
    if (turn.wokenNs > m_startNs && turn.runNs != 0 && m_topology->online.test(CpuId{turn.cpu}))
      threads[{turn.pid, turn.thread, turn.cpu}].push_back(&turn);
  for (const auto& [key, turns] : threads) addThread(plan, turns);
}

void JunoStart::addThread(SimPlan& plan, const std::vector<const JunoTrace::Turn*>& turns) const {
  const JunoTrace::Turn& first = *turns.front();
  const CpuId cpu{first.cpu};
  ThreadProgram& program = plan.workload.threads.emplace_back();
  program.name = fmt::format("{}-{}/{}", first.thread, first.pid, cpu.value);
  program.startCpu = cpu;
  program.isPerCpuKthread = true;
  program.settings.nice = first.nice;
  ProgramPhase& phase = program.phases.emplace_back();
  phase.settings.cpus = CpuMask::of(cpu);
  std::uint64_t before = m_startNs - kLaunchNs;
  if (first.isNew) {
    program.instances = 0;
    before = first.wokenNs;
    Operation& fork = plan.operations.emplace_back();
    fork.atNs = first.wokenNs - m_base.originNs;
    fork.kind = OperationKind::Fork;
    fork.task = program.name;
    fork.cpu = cpu;
  }
  const std::uint64_t capacity = m_topology->hardware.cpus.at(cpu.index()).capacity;
  for (const JunoTrace::Turn* turn : turns) {
    phase.events.push_back({ProgramEventKind::Timer, turn->wokenNs - before, 0, 0, -1, {}});
    phase.events.push_back({ProgramEventKind::Run, peltOf(turn->runNs, capacity), 0, -1, -1, {}});
    before = turn->wokenNs;
  }
  phase.events.push_back({ProgramEventKind::Sleep, kForeverNs, 0, -1, -1, {}});
  program.loops = -1;
}

/// What is launched: no tick comes before the state is laid.
std::shared_ptr<SimPlan> JunoStart::plan() const {
  auto plan = std::make_shared<SimPlan>();
  plan->topology = m_topology;
  plan->profile = std::make_shared<const KernelProfile>(m_profile);
  plan->tickOffsetsNs.assign(static_cast<std::size_t>(m_topology->cpuLimit), m_base.periodNs / 2);
  addWorkers(*plan);
  addThreads(*plan);
  std::ranges::stable_sort(plan->operations, {}, &Operation::atNs);
  return plan;
}

/// What the run goes on with.
void JunoStart::finishPlan(SimPlan& plan) const {
  placeTicks(plan);
  plan.costs.idleWakeupNs = medianOf(m_timing.softirq.kicksNs);
  plan.softirqTiming = m_timing.softirq;
  plan.workClock = m_timing.workClock;
  if (m_run.at("work_ms").get<double>() > 0) return;
  double end = 0;  // a run without a given amount of work is cut off
  for (const json& t : m_run.at("tasks")) end = std::max(end, t.value("end", 0.0));
  plan.untilNs = m_base.nsOf(end) - m_base.originNs;
}

TaskId JunoStart::idOf(const Machine& m, const std::string& name) const {
  for (std::size_t i = 0; i < m.tasks.size(); ++i)
    if (m.tasks[i].name == name) return TaskId{i};
  return TaskId{};
}

/// The clocks stand so that the tick finds the recorded ones; a CPU whose last tick was before the start is
/// left where it was then.
void JunoStart::layClocks(Machine& m, const Taken& task) const {
  Rq& rq = m.rq(task.cpu);
  const std::uint64_t ahead = task.clock > m_startNs ? task.clock - m_startNs : 0;
  rq.clock = rq.clockTask = task.clock - ahead;
  rq.clockPelt = task.clockPelt - peltOf(ahead, task.capacity);
  rq.lostIdleTime = 0;
  rq.misfitTaskLoad = task.misfit;
}

void JunoStart::layRunning(Machine& m, TaskId id, const Taken& task) const {
  SchedEntity& se = m.se(id);
  layClocks(m, task);
  se.avg = task.avg;
  fillSums(se.avg, seWeight(se));
  se.vruntime = task.vruntime;
  se.execStart = task.execStart;
  // A slice is shorter than a tick: every tick renews the deadline.
  se.deadline = se.vruntime + calcDeltaFair(se.slice, se);
  se.vlag = static_cast<std::int64_t>(se.deadline);
  se.prevSumExecRuntime = 0;
  se.sumExecRuntime = task.execStart > task.switchedNs ? task.execStart - task.switchedNs : 0;
  CfsRq& queue = m.rootCfs(task.cpu);
  queue.avg.lastUpdateTime = task.avg.lastUpdateTime;
  queue.avg.periodContrib = task.avg.periodContrib;
  queue.avg.loadAvg = task.queueLoad;
  queue.avg.runnableAvg = task.queueRunnable;
  queue.avg.utilAvg = task.queueUtil;
  fillSums(queue.avg, 1);
  queue.avg.utilSum = static_cast<std::uint32_t>(task.queueUtil * peltDivider(queue.avg));
  queue.removed = {};
}

/// The record has it at its last tick; from there it ran on until it lost the CPU.
void JunoStart::layWaiting(Machine& m, TaskId id, const Taken& task) const {
  SchedEntity& se = m.se(id);
  se.avg = task.avg;
  fillSums(se.avg, seWeight(se));
  const std::uint64_t end = std::max(task.switchedNs, task.clock);
  updatePelt(task.clockPelt + peltOf(end - task.clock, task.capacity), se.avg, {1, 1, true}, seWeight(se));
  se.vruntime = task.vruntime + calcDeltaFair(end - task.execStart, se);
  se.execStart = end;
  const std::uint64_t atTick = task.vruntime + calcDeltaFair(task.clock - task.execStart, se);
  se.deadline = atTick + calcDeltaFair(se.slice, se);
  se.vlag = 0;
}

/// Virtual times of a CPU's queue, with its waiting tasks in their new order.
void JunoStart::layQueue(Machine& m, CpuId cpu) const {
  Observer nobody;
  Context ctx{m, nobody};
  CfsRq& queue = m.rootCfs(cpu);
  std::vector<EntityId> waiting;
  for (const Taken& task : m_tasks)
    if (task.cpu == cpu && !task.isRunning) waiting.push_back(m.task(idOf(m, task.name)).se);
  const bool isCfs = m.profile->queue == QueueKind::Cfs;
  QueueTree<QueueKind::Cfs> tree(m.entities.data(), queue);
  for (const EntityId e : waiting)
    if (isCfs)
      tree.erase(e);
    else
      eevdf::removeEntity(ctx, queue, e);
  std::uint64_t least = UINT64_MAX;
  for (const Taken& task : m_tasks) {
    if (task.cpu != cpu) continue;
    const TaskId id = idOf(m, task.name);
    if (task.isRunning)
      layRunning(m, id, task);
    else
      layWaiting(m, id, task);
    least = std::min(least, m.se(id).vruntime);
  }
  queue.zeroVruntime = least;
  for (const EntityId e : waiting)
    if (isCfs)
      tree.insert(e);
    else
      eevdf::insertEntity(ctx, queue, e);
  queue.avg.utilEst = 0;
  for (const Taken& task : m_tasks)
    if (task.cpu == cpu) utilEstEnqueue(m, cpu, idOf(m, task.name));
}

/// What is left on the idle CPUs, as the last recorded pass of each read it.
void JunoStart::layIdle(Machine& m, const std::vector<FreePass>& passes) const {
  const double from = fromMs();
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu)) {
    Rq& rq = m.rq(cpu);
    if (rq.curr.isValid()) continue;
    rq.clock = rq.clockTask = rq.clockPelt = m_startNs;
    rq.lostIdleTime = 0;
    SchedAvg& avg = m.rootCfs(cpu).avg;
    avg = {};
    avg.lastUpdateTime = m_startNs;
    for (const FreePass& pass : passes)
      if (pass.dst == cpu.value && pass.ms < from && pass.local && pass.localIsOneCpu) {
        avg.utilAvg = pass.localUtil;
        avg.loadAvg = pass.localLoad;
      }
    avg.runnableAvg = avg.utilAvg;
    fillSums(avg, 1);
    avg.utilSum = static_cast<std::uint32_t>(avg.utilAvg * peltDivider(avg));
  }
}

/// No thread has left anything on the averages of its idle time.
void JunoStart::laySleeping(Machine& m) const {
  for (Task& task : m.tasks) {
    if (task.state != TaskState::Sleeping) continue;
    SchedEntity& se = m.entity(task.se);
    se.avg = {};
    se.avg.lastUpdateTime = m.rootCfs(task.cpu).avg.lastUpdateTime;
  }
}

/// Idle CPUs have been idle since the record's last switch there; what is left of older idle times is full.
void JunoStart::layAvgIdle(Machine& m) const {
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu)) {
    Rq& rq = m.rq(cpu);
    rq.avgIdle = 2 * rq.maxIdleBalanceCost;
    const auto since = m_switchedNs.find(cpu.value);
    rq.idleStamp = rq.curr.isValid() ? 0 : since != m_switchedNs.end() ? since->second : m_startNs;
  }
}

/// The tasks stand in the middle of their pinned phase, which ends at a moment of the clock.
void JunoStart::layWorkers(SimState& state) const {
  for (ThreadState& t : state.workload.threads) {
    if (t.program < 0 || static_cast<std::size_t>(t.program) >= m_tasks.size()) continue;
    t.phase = 0;
    t.event = 1;
    t.stage = 0;
    t.loopsLeft = 0;
    t.phaseLoopsLeft = 1;
    t.isScaled = false;
    t.untilNs = m_unpinNs;
    t.remaining = (m_unpinNs - m_startNs) << kCapacityShift;
    t.accountedNs = m_startNs;
    t.overheadNs = 0;
  }
  for (const Taken& task : m_tasks)
    if (task.isRunning)
      state.runEnds.set(task.cpu.index(), m_unpinNs, static_cast<std::uint64_t>(task.cpu.value));
}

/// All other threads go to sleep, then the tasks start.
Result<SimState> JunoStart::launch() const {
  SimState fresh = makeSimState(plan());
  takeOverTime(fresh, m_startNs - kLaunchNs);
  Simulator simulator(std::move(fresh));
  while (simulator.nextEvent().timeNs < m_startNs ||
         (simulator.nextEvent().timeNs == m_startNs && simulator.nextEvent().kind == SimEventKind::Operation))
    simulator.stepEvent();
  SimState state = std::move(simulator.state());
  Machine& m = state.machine;
  for (std::size_t slot = 0; slot < state.workload.threads.size(); ++slot)  // as the record calls them
    if (const std::int32_t program = state.workload.threads[slot].program; program >= 0)
      m.tasks[slot].name = state.plan->workload.threads[static_cast<std::size_t>(program)].name;
  for (const Taken& task : m_tasks) {
    const TaskId id = idOf(m, task.name);
    if (id.isValid() && m.task(id).cpu == task.cpu && (m.rq(task.cpu).curr == id) == task.isRunning) continue;
    return Diagnostic{
        Severity::Error, {}, fmt::format("{} cannot be put where the record has it", task.name), ""};
  }
  return state;
}

Result<SimState> JunoStart::make(const std::vector<FreePass>& passes) {
  auto launched = launch();
  if (!launched) return launched;
  SimState state = std::move(launched.value());
  Machine& m = state.machine;
  setTimeBase(state, m_base);
  Observer nobody;
  Context ctx{m, nobody};
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu)) {
    if (!m.rq(cpu).curr.isValid()) continue;
    layQueue(m, cpu);
    nohzBalanceExitIdle(ctx, cpu);
    m.rq(cpu).idleBalance = false;
    m.rq(cpu).needResched = false;
    m.rq(cpu).freqCapacity = static_cast<std::uint32_t>(kCapacityScale);
  }
  layIdle(m, passes);
  laySleeping(m);
  layAvgIdle(m);
  layWorkers(state);
  takeOverDomains(state, passes, fromMs(), m_base);
  m.nohz.needsUpdate = false;
  m.nohz.hasBlocked = true;
  for (const json& kick : m_run.at("nohz_kicks"))
    if (kick.at(0).get<double>() < fromMs())
      m.nohz.nextBlocked =
          m_base.jiffyOf(kick.at(0).get<double>()) + kBlockedPeriodMs * kNsPerMs / m_base.periodNs;
  for (RootDomain& domain : m.rootDomains) domain.overloaded = true;
  for (CpuActivity& cpu : state.cpus) cpu.tickFromNs = m_startNs;
  auto plan = std::make_shared<SimPlan>(*state.plan);
  finishPlan(*plan);
  state.plan = plan;
  return state;
}

}  // namespace rqscope
