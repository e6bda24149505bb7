// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/juno_start.h"

#include <algorithm>

#include <fmt/format.h>

#include "balance/balance.h"
#include "runqueue/cfs.h"
#include "runqueue/eevdf.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kJiffiesBefore = 200;        // jiffy 0 lies so far before the start
constexpr std::uint64_t kIdleTickOffsetNs = 20'000;  // of a CPU that does not tick yet: after all others
constexpr std::uint64_t kTickJitterNs = 10'000;      // a pass begins so soon after its tick
constexpr double kSliceOfTurnsMs = 0.1;              // an event of the record can be so late
constexpr double kEndless = 1e7;                     // ms of work of the runs that are cut off
constexpr std::uint64_t kBlockedPeriodMs = 32;

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

JunoStart::JunoStart(const json& run, const KernelProfile& profile,
                     std::shared_ptr<const SchedTopology> topology, bool isTimed)
    : m_run(run), m_profile(profile), m_topology(std::move(topology)), m_isTimed(isTimed) {
  m_base.zeroNs = run.at("trace_clock_at_t0_ns").get<std::uint64_t>();
  m_base.periodNs = profile.tunables.tickNs();
  m_unpinNs = m_base.zeroNs + static_cast<std::uint64_t>(run.at("pin_ms").get<double>() * kNsPerMs);
  readTasks();
  m_timing = junoTiming(run, *m_topology, m_base.periodNs);
  // A task that waits has its last tick one period or more ago: the others tell when the round begins.
  const std::uint64_t roundBegin = m_unpinNs - m_base.periodNs;
  m_startNs = UINT64_MAX;
  for (const Taken& task : m_tasks)
    if (task.clock >= roundBegin) m_startNs = std::min(m_startNs, task.clock);
  if (isTimed) m_startNs = m_timing.gridBefore(m_startNs, m_base.periodNs);
  m_base.originNs = m_startNs - kJiffiesBefore * m_base.periodNs;
  if (!isTimed) m_jiffyPhaseNs = jiffyPhase();
  m_base.originNs += m_jiffyPhaseNs;
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

/// One CPU's tick advances jiffies; those that tick before it in each round still see the old value. Found
/// from the busy CPUs' passes: a pass comes at the first tick that finds jiffies at next_balance.
std::uint64_t JunoStart::jiffyPhase() const {
  struct Seen {
    std::uint64_t offset;
    std::int64_t lag;
  };
  std::vector<Seen> seen;
  std::int64_t newest = INT64_MIN;
  for (const json& p : m_run.at("passes")) {
    if (p.at("idle") != "CPU_NOT_IDLE") continue;
    const std::uint64_t since = m_base.nsOf(p.at("t").get<double>()) - m_base.originNs;
    const auto jiffies = p.contains("jiffies") ? p["jiffies"] : p.at("next_balance");
    const std::int64_t ahead =
        jiffies.get<std::int64_t>() - static_cast<std::int64_t>(since / m_base.periodNs);
    seen.push_back({since % m_base.periodNs, ahead});
    newest = std::max(newest, ahead);
  }
  // The CPU that advances them is the first to see the new value, so the boundary is right before a tick:
  // before the first of the round unless the record speaks against it.
  const auto rightFor = [&](std::uint64_t phase) {
    return std::ranges::count_if(seen, [&](const Seen& s) { return (s.offset < phase) == (s.lag < newest); });
  };
  std::uint64_t best = 0;
  auto bestRight = rightFor(0);
  for (const Seen& s : seen) {
    const std::uint64_t phase = s.offset - std::min(s.offset, kTickJitterNs);
    const auto right = rightFor(phase);
    if (right < bestRight || (right == bestRight && (best == 0 || phase <= best))) continue;
    bestRight = right;
    best = phase;
  }
  return best;
}

/// From a nohz kick to the end of the pass it asked for, in the pinned phase: the emulator's time for an
/// interrupt, the softirq and the pass itself. The model's pass takes no time.
double JunoStart::kickLatencyMs() const {
  const json& run = m_run;
  const double untilMs = run.at("pin_ms").get<double>();
  std::vector<double> found;
  for (const json& kick : run.at("nohz_kicks")) {
    const double at = kick.at(0).get<double>();
    if (at >= untilMs) break;
    for (const json& d : run.at("all_decisions"))
      if (d.at("cpu") == kick.at(1) && d.at("t").get<double>() >= at && d.at("t").get<double>() < at + 1) {
        found.push_back(d.at("t_end").get<double>() - at);
        break;
      }
  }
  if (found.empty()) return kSliceOfTurnsMs;
  std::ranges::sort(found);
  return found[found.size() / 2];
}

/// Who runs on each CPU at the start, since when, and since when the others wait.
void JunoStart::readTimeline() {
  std::map<int, std::pair<std::string, std::uint64_t>> current;
  std::map<std::string, std::uint64_t> lostAt;
  for (const json& s : m_run.at("timeline")) {
    const std::uint64_t at = m_base.nsOf(s.at(0).get<double>());
    if (at > m_startNs) break;
    auto& [name, since] = current[s.at(1).get<int>()];
    lostAt[name] = at;
    name = s.at(2).get<std::string>();
    since = at;
  }
  for (Taken& task : m_tasks) {
    const auto& [name, since] = current[task.cpu.value];
    task.isRunning = name == task.name;
    task.switchedNs = task.isRunning ? since : lostAt[task.name];
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
  }
}

/// Ticks as the last ones before the un-pinning.
void JunoStart::keepTicks(SimPlan& plan) const {
  plan.tickOffsetsNs.assign(static_cast<std::size_t>(m_topology->cpuLimit), 0);
  const auto sinceJiffy = [&](std::uint64_t offset) {
    return (offset + m_base.periodNs - m_jiffyPhaseNs) % m_base.periodNs;
  };
  std::uint64_t last = 0;
  std::map<int, std::uint64_t> lastTick;
  for (const Taken& task : m_tasks) {
    std::uint64_t& tick = lastTick[task.cpu.value];
    tick = std::max(tick, task.clock);
  }
  for (const auto& [cpu, tick] : lastTick) {
    const std::uint64_t offset = (tick + 2 * m_base.periodNs - m_startNs) % m_base.periodNs;
    plan.tickOffsetsNs[static_cast<std::size_t>(cpu)] = sinceJiffy(offset);
    last = std::max(last, offset);
  }
  for (std::size_t cpu = 0; cpu < plan.tickOffsetsNs.size(); ++cpu)
    if (!lastTick.contains(static_cast<int>(cpu)))
      plan.tickOffsetsNs[cpu] = sinceJiffy(std::min(last + kIdleTickOffsetNs, m_base.periodNs - 1));
}

std::shared_ptr<const SimPlan> JunoStart::plan() const {
  auto plan = std::make_shared<SimPlan>();
  plan->topology = m_topology;
  plan->profile = std::make_shared<const KernelProfile>(m_profile);
  if (m_isTimed)
    placeTicks(*plan);
  else
    keepTicks(*plan);
  const double workMs = m_run.at("work_ms").get<double>();
  for (const Taken& task : m_tasks) {
    ThreadProgram& program = plan->workload.threads.emplace_back();
    program.name = task.name;
    program.startCpu = task.cpu;
    for (const json& t : m_run.at("tasks"))
      if (t.at("name") == task.name) program.settings.nice = t.at("nice").get<int>();
    ProgramPhase& pinned = program.phases.emplace_back();
    pinned.settings.cpus = CpuMask::of(task.cpu);
    pinned.events.push_back({ProgramEventKind::Runtime, m_unpinNs - m_startNs, 0, -1, -1, {}});
    const double work = workMs > 0 ? workMs : kEndless;
    program.phases.emplace_back().events.push_back(
        {ProgramEventKind::Run, static_cast<std::uint64_t>(work * kNsPerMs), 0, -1, -1, {}});
  }
  return plan;
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

/// The threads stand in the middle of their pinned phase, which ends at a moment of the clock.
void JunoStart::layThreads(SimState& state) const {
  for (std::size_t slot = 0; slot < state.workload.threads.size(); ++slot) {
    ThreadState& t = state.workload.threads[slot];
    if (t.program < 0) continue;
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

Result<SimState> JunoStart::make(const std::vector<FreePass>& passes) {
  SimState fresh = makeSimState(plan());
  takeOverTime(fresh, m_startNs);
  Simulator simulator(std::move(fresh));
  while (simulator.nextEvent().kind == SimEventKind::Launch) simulator.stepEvent();
  SimState state = std::move(simulator.state());
  Machine& m = state.machine;
  for (const Taken& task : m_tasks) {
    const TaskId id = idOf(m, task.name);
    if (m.task(id).cpu == task.cpu && (m.rq(task.cpu).curr == id) == task.isRunning) continue;
    return Diagnostic{
        Severity::Error, {}, fmt::format("{} cannot be put where the record has it", task.name), ""};
  }
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
  layThreads(state);
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
  // The launches were at once.
  plan->costs.idleWakeupNs =
      m_isTimed ? medianOf(m_timing.softirq.kicksNs) : static_cast<std::uint64_t>(kickLatencyMs() * kNsPerMs);
  if (m_isTimed) plan->softirqTiming = m_timing.softirq;
  if (m_run.at("work_ms").get<double>() <= 0) {  // a run without a given amount of work is cut off
    double end = 0;
    for (const json& t : m_run.at("tasks")) end = std::max(end, t.value("end", 0.0));
    plan->untilNs = m_base.nsOf(end) - m_base.originNs;
  }
  state.plan = plan;
  return state;
}

}  // namespace rqscope
