// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/signal_records.h"

#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr CpuId kCpu{0};
constexpr std::uint32_t kMaxContrib = kPeltPeriod - 1;

/// The machine of a record and the entity that is driven, on CPU 0.
struct Bench {
  Machine m;
  Observer nobody;
  EntityId entity{};
  CfsRqId queue{0};

  explicit Bench(const KernelProfile& profile, std::uint32_t capacity = kCapacityScale)
      : m(signalMachine(profile, 1, capacity)) {}
  Context context() { return {m, nobody}; }
  SchedEntity& se() { return m.entity(entity); }
  CfsRq& cfs() { return m.queue(queue); }
  void addTaskEntity() { entity = m.task(addTask(m, NewTask{})).se; }
  /// A group below the root; `entity` is the group's on CPU 0, in `queue`.
  void addGroupEntity() { entity = groupEntity(m, addGroup(m, "group", GroupId{0}), kCpu); }
  /// Marks the entity as running, as its level sees it.
  void setCurrent(bool running) { cfs().curr = cfs().hCurr = running ? entity : EntityId{}; }
};

}  // namespace

SchedAvg avgOfRecord(RecordReader& in, const char* key) {
  RecordReader part(in.object(key));
  SchedAvg avg;
  avg.lastUpdateTime = part.bounded("last_update_time", kMaxAverage);
  avg.loadSum = part.number("load_sum");
  avg.runnableSum = part.number("runnable_sum");
  avg.utilSum = static_cast<std::uint32_t>(part.bounded("util_sum", UINT32_MAX));
  avg.periodContrib = static_cast<std::uint32_t>(part.bounded("period_contrib", kMaxContrib));
  avg.loadAvg = part.bounded("load_avg", kMaxAverage);
  avg.runnableAvg = part.bounded("runnable_avg", kMaxAverage);
  avg.utilAvg = part.bounded("util_avg", kMaxAverage);
  in.join(part);
  return avg;
}

json avgRecord(const SchedAvg& avg) {
  return {{"last_update_time", avg.lastUpdateTime}, {"load_sum", avg.loadSum},
          {"runnable_sum", avg.runnableSum},        {"util_sum", avg.utilSum},
          {"period_contrib", avg.periodContrib},    {"load_avg", avg.loadAvg},
          {"runnable_avg", avg.runnableAvg},        {"util_avg", avg.utilAvg}};
}

void readUtilEst(RecordReader& in, const KernelProfile& profile, const char* enqueuedKey, const char* ewmaKey,
                 SchedAvg& avg) {
  if (profile.behaviours.utilEstSingle) {
    avg.utilEst = static_cast<std::uint32_t>(in.bounded("util_est", UINT32_MAX));
    return;
  }
  avg.utilEst = static_cast<std::uint32_t>(in.bounded(enqueuedKey, UINT32_MAX));
  avg.utilEstEwma = static_cast<std::uint32_t>(in.bounded(ewmaKey, UINT32_MAX));
}

Machine signalMachine(const KernelProfile& profile, int cpus, std::uint32_t capacity) {
  HandTopology hand(cpus);
  for (std::uint32_t& each : hand.topology().cpuCapacity) each = capacity;
  hand.topology().asymCapacities = {{capacity, hand.topology().online}};
  return handMachine(hand.finish(), profile);
}

Result<json> runPeltSe(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Bench bench(profile);
  if (in.text("kind") == "group")
    bench.addGroupEntity();
  else
    bench.addTaskEntity();
  SchedEntity& se = bench.se();
  se.load = {in.positive("weight"), 0};
  se.avg = avgOfRecord(in, "init");
  std::uint64_t now = se.avg.lastUpdateTime;
  json steps = json::array();
  for (const json& row : in.array("steps")) {
    RecordReader step(row);
    now += step.number("delta_ns");
    se.onRq = step.flag("on_rq");
    se.schedDelayed = step.flag("sched_delayed", false);
    se.runnableWeight = step.number("runnable_weight", 0);
    bench.setCurrent(step.flag("running"));
    const bool decayed = step.flag("blocked_update")
                             ? updateLoadAvgBlockedSe(now, se)
                             : updateLoadAvgSe(bench.m, now, bench.cfs(), bench.entity);
    steps.push_back({{"decayed", decayed ? 1 : 0}, {"avg", avgRecord(se.avg)}});
    in.join(step);
  }
  if (!in.ok()) return in.error();
  return json{{"steps", std::move(steps)}};
}

Result<json> runPeltCfsRq(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Bench bench(profile);
  bench.addTaskEntity();
  CfsRq& queue = bench.cfs();
  queue.avg = avgOfRecord(in, "init");
  std::uint64_t now = queue.avg.lastUpdateTime;
  const char* queued = in.ok() && profile.version == KernelVersion::V6_1 ? "h_nr_running" : "h_nr_queued";
  json steps = json::array();
  for (const json& row : in.array("steps")) {
    RecordReader step(row);
    now += step.number("delta_ns");
    queue.load = {step.number("load_weight"), 0};
    queue.hNrQueued = static_cast<std::uint32_t>(step.bounded(queued, UINT32_MAX));
    queue.hNrDelayed = static_cast<std::uint32_t>(step.number("h_nr_delayed", 0));
    queue.hNrRunnable = queue.hNrQueued - queue.hNrDelayed;
    bench.setCurrent(step.flag("has_curr"));
    const bool decayed = updateLoadAvgCfsRq(bench.m, now, queue);
    steps.push_back({{"decayed", decayed ? 1 : 0}, {"avg", avgRecord(queue.avg)}});
    in.join(step);
  }
  if (!in.ok()) return in.error();
  return json{{"steps", std::move(steps)}};
}

namespace {

/// The task of pelt_scaled takes or leaves its CPU, which goes idle first thing when it leaves.
void setRunning(Bench& bench, bool running) {
  SchedEntity& se = bench.se();
  CfsRq& queue = bench.cfs();
  Rq& rq = bench.m.rq(kCpu);
  const bool goesIdle = !running && rq.curr.isValid();
  rq.curr = running ? se.task : TaskId{};
  se.onRq = running;
  bench.setCurrent(running);
  queue.load = {running ? se.load.weight : 0, 0};
  queue.nrQueued = queue.hNrQueued = queue.hNrRunnable = running ? 1 : 0;
  if (goesIdle) updateIdleRqClockPelt(bench.m, kCpu);
}

json scaledStep(Bench& bench, std::uint64_t deltaNs) {
  bench.m.nowNs += deltaNs;
  Context ctx = bench.context();
  updateRqClock(ctx, kCpu);
  const Rq& rq = bench.m.rq(kCpu);
  const std::uint64_t now = cfsRqClockPelt(bench.m, bench.queue);
  updateLoadAvgSe(bench.m, now, bench.cfs(), bench.entity);
  updateLoadAvgCfsRq(bench.m, now, bench.cfs());
  return {{"clock_task", rq.clockTask},        {"clock_pelt", rq.clockPelt},
          {"lost_idle_time", rq.lostIdleTime}, {"pelt_now", now},
          {"se", avgRecord(bench.se().avg)},   {"cfs", avgRecord(bench.cfs().avg)}};
}

}  // namespace

Result<json> runPeltScaled(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const auto capacity = static_cast<std::uint32_t>(in.bounded("cpu_capacity", 1 << 20));
  Bench bench(profile, capacity);
  bench.addTaskEntity();
  bench.se().avg = avgOfRecord(in, "se");
  bench.cfs().avg = avgOfRecord(in, "cfs");
  Rq& rq = bench.m.rq(kCpu);
  bench.m.nowNs = rq.clock = rq.clockTask = in.number("clock_task");
  rq.clockPelt = in.number("clock_pelt");
  rq.lostIdleTime = in.number("lost_idle_time");
  rq.curr = bench.se().task;  // so that a first idle step goes through the entry into idle
  json steps = json::array();
  for (const json& row : in.array("steps")) {
    RecordReader step(row);
    rq.freqCapacity = static_cast<std::uint32_t>(step.bounded("freq", 1 << 20));
    setRunning(bench, step.flag("running"));
    steps.push_back(scaledStep(bench, step.number("delta_ns")));
    in.join(step);
  }
  if (!in.ok()) return in.error();
  return json{{"steps", std::move(steps)}};
}

Result<json> runAttachDetach(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Bench bench(profile);
  bench.addTaskEntity();
  bench.se().load = {in.positive("weight"), 0};
  bench.se().avg = avgOfRecord(in, "se");
  bench.cfs().avg = avgOfRecord(in, "cfs");
  const std::string op = in.text("op");
  if (!in.ok()) return in.error();
  Context ctx = bench.context();
  if (op == "attach") {
    attachEntityLoadAvg(ctx, bench.queue, bench.entity);
  } else if (op == "detach") {
    detachEntityLoadAvg(ctx, bench.queue, bench.entity);
  } else if (op == "removed") {
    removeEntityLoadAvg(ctx, bench.entity);
    updateCfsRqLoadAvg(ctx, bench.cfs().avg.lastUpdateTime, bench.queue);
  } else {
    return Diagnostic{Severity::Error, {}, "\"op\" is not attach, detach or removed", ""};
  }
  return json{{"se", avgRecord(bench.se().avg)}, {"cfs", avgRecord(bench.cfs().avg)}};
}

Result<json> runPropagate(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Bench bench(profile);
  bench.addGroupEntity();
  SchedEntity& se = bench.se();
  CfsRq& own = bench.m.queue(se.myQ);
  CfsRq& parent = bench.cfs();
  se.load = {in.positive("se_weight"), 0};
  se.onRq = in.flag("se_on_rq");
  se.avg = avgOfRecord(in, "se");
  own.load = {in.number("group_cfs_load_weight"), 0};
  own.propagate = in.flag("propagate");
  own.propRunnableSum = in.integer("prop_runnable_sum");
  own.avg = avgOfRecord(in, "group_cfs");
  parent.avg = avgOfRecord(in, "cfs");
  parent.propagate = false;
  parent.propRunnableSum = 0;
  if (!in.ok()) return in.error();
  Context ctx = bench.context();
  const bool propagated = propagateEntityLoadAvg(ctx, bench.entity);
  return json{{"propagated", propagated ? 1 : 0},
              {"cfs_prop_runnable_sum", parent.propRunnableSum},
              {"se", avgRecord(se.avg)},
              {"cfs", avgRecord(parent.avg)}};
}

}  // namespace rqscope
