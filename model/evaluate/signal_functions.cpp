// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "evaluate/function_table.h"
#include "evaluate/signal_records.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr CpuId kCpu{0};
constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 20;

std::uint32_t capacityIn(RecordReader& in, const char* key) {
  return static_cast<std::uint32_t>(in.bounded(key, kMaxCapacity));
}

Result<json> runDecayLoad(const json& object, const KernelProfile&) {
  RecordReader in(object);
  const std::uint64_t value = decayLoad(in.number("val"), in.number("n"));
  if (!in.ok()) return in.error();
  return json{{"val", value}};
}

Result<json> runPostInit(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Machine m = signalMachine(profile, 1, capacityIn(in, "cpu_capacity"));
  const TaskId task = addTask(m, NewTask{});
  SchedEntity& se = m.se(task);
  se.load = {in.positive("weight"), 0};
  se.avg = {};
  se.avg.loadAvg = seWeight(se);
  CfsRq& queue = m.rootCfs(kCpu);
  queue.avg.utilAvg = in.bounded("cfs_util_avg", kMaxAverage);
  queue.avg.loadAvg = in.bounded("cfs_load_avg", kMaxAverage);
  if (!in.ok()) return in.error();
  Observer nobody;
  Context ctx{m, nobody};
  postInitEntityUtilAvg(ctx, task);
  return json{
      {"load_avg", se.avg.loadAvg}, {"util_avg", se.avg.utilAvg}, {"runnable_avg", se.avg.runnableAvg}};
}

Result<json> runUtilEstUpdate(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Machine m = signalMachine(profile, 1, capacityIn(in, "cpu_capacity"));
  const TaskId task = addTask(m, NewTask{});
  SchedAvg& avg = m.se(task).avg;
  readUtilEst(in, profile, "enqueued", "ewma", avg);
  avg.utilAvg = in.number("util_avg");
  avg.runnableAvg = in.number("runnable_avg", 0);
  const bool sleeps = in.flag("task_sleep", true);  // v7.3 is called for nothing else
  if (!in.ok()) return in.error();
  utilEstUpdate(m, kCpu, task, sleeps);
  json out = {{"task_util_est", taskUtilEst(m, task)}};
  if (profile.behaviours.utilEstSingle) {
    out["util_est"] = avg.utilEst;
  } else {
    out["enqueued"] = avg.utilEst;
    out["ewma"] = avg.utilEstEwma;
  }
  return out;
}

/// The task object of cpu_util and update_misfit_status.
TaskId taskOfRecord(Machine& m, RecordReader& in) {
  RecordReader row(in.object("task"));
  NewTask spec;
  spec.cpu = CpuId{static_cast<std::int32_t>(row.bounded("cpu", m.rqs.size() - 1))};
  const TaskId id = addTask(m, spec);
  Task& task = m.task(id);
  SchedAvg& avg = m.se(id).avg;
  task.onRq = row.flag("queued");
  avg.lastUpdateTime = row.number("last_update_time");
  avg.loadAvg = row.bounded("load_avg", kMaxAverage);
  avg.utilAvg = row.bounded("util_avg", kMaxAverage);
  avg.runnableAvg = row.bounded("runnable_avg", kMaxAverage);
  readUtilEst(row, *m.profile, "util_est_enqueued", "util_est_ewma", avg);
  in.join(row);
  return id;
}

Result<json> runCpuUtil(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  constexpr std::uint64_t kMostCpus = 64;
  const CpuId cpu{static_cast<std::int32_t>(in.bounded("cpu", kMostCpus - 1))};
  int cpus = cpu.value + 1;
  const bool hasTask = in.has("task");
  if (hasTask) {
    RecordReader row(in.object("task"));
    cpus = std::max(cpus, static_cast<int>(row.bounded("cpu", kMostCpus - 1)) + 1);
  }
  Machine m = signalMachine(profile, cpus, capacityIn(in, "cpu_capacity_orig"));
  SchedAvg& avg = m.rootCfs(cpu).avg;
  avg.utilAvg = in.bounded("cfs_util_avg", kMaxAverage);
  avg.runnableAvg = in.bounded("cfs_runnable_avg", kMaxAverage);
  avg.utilEst = static_cast<std::uint32_t>(in.bounded("cfs_util_est", UINT32_MAX));
  TaskId task;
  if (hasTask) {
    task = taskOfRecord(m, in);
    if (in.flag("task_is_current")) m.rq(m.task(task).cpu).curr = task;
  }
  if (!in.ok()) return in.error();
  json out = {{"cpu_util_cfs", cpuUtilCfs(m, cpu)},
              {"cpu_util_without", hasTask ? cpuUtilWithout(m, cpu, task) : cpuUtilCfs(m, cpu)}};
  if (profile.behaviours.cpuUtilBoost) out["cpu_util_cfs_boost"] = cpuUtilCfsBoost(m, cpu);
  return out;
}

Result<json> runScaleRtCapacity(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Machine m = signalMachine(profile, 1, capacityIn(in, "cpu_capacity_orig"));
  Rq& rq = m.rq(kCpu);
  rq.avgRt.utilAvg = in.bounded("rt_util", kMaxAverage);
  rq.avgDl.utilAvg = in.bounded("dl_util", kMaxAverage);
  rq.avgIrq.utilAvg = in.bounded("irq_util", kMaxAverage);
  if (!in.ok()) return in.error();
  return json{{"capacity", scaleRtCapacity(m, kCpu)}};
}

Result<json> runUpdateMisfitStatus(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const std::uint32_t capacity = capacityIn(in, "cpu_capacity_orig");
  HandTopology hand(1);
  hand.topology().cpuCapacity[0] = capacity;
  hand.topology().asymCapacityActive = in.flag("asym_capacity_active");
  Machine m = handMachine(hand.finish(), profile);
  const TaskId task = taskOfRecord(m, in);
  m.task(task).nrCpusAllowed = static_cast<std::int32_t>(in.bounded("nr_cpus_allowed", INT32_MAX));
  m.task(task).maxAllowedCapacity =
      static_cast<std::uint32_t>(in.number("max_allowed_capacity", kCapacityScale));
  m.rq(kCpu).cpuCapacity = in.bounded("cpu_capacity", kMaxCapacity);
  m.rq(kCpu).misfitTaskLoad = in.number("previous_misfit_task_load");
  m.rootCfs(kCpu).avg.loadAvg = in.bounded("cfs_load_avg", kMaxAverage);
  if (!in.ok()) return in.error();
  updateMisfitStatus(m, task, kCpu);
  return json{{"misfit_task_load", m.rq(kCpu).misfitTaskLoad}};
}

Result<json> runCapacityCompare(const json& object, const KernelProfile&) {
  RecordReader in(object);
  const std::uint64_t capacity = in.number("capacity");
  const bool fits = fitsCapacity(in.number("util"), capacity);
  const bool greater = capacityGreater(capacity, in.number("other_capacity"));
  if (!in.ok()) return in.error();
  return json{{"util_fits_capacity", fits}, {"capacity_greater_than_other", greater}};
}

Result<json> runTaskHLoad(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Machine m = signalMachine(profile, 1, kCapacityScale);
  const json& levels = in.array("groups_outermost_first");
  constexpr std::size_t kMostLevels = 1000;
  if (levels.size() > kMostLevels) in.fail("more than 1000 groups");
  NewTask spec;
  if (in.ok())
    for (std::size_t i = 0; i < levels.size(); ++i) spec.group = addGroup(m, "group", spec.group);
  GroupId group = spec.group;
  for (std::size_t i = levels.size(); in.ok() && i-- > 0; group = m.group(group).parent) {
    RecordReader level(levels[i]);
    m.entity(groupEntity(m, group, kCpu)).avg.loadAvg = level.bounded("se_load_avg", kMaxAverage);
    m.queue(queueOf(m, group, kCpu)).avg.loadAvg = level.bounded("cfs_load_avg", kMaxAverage);
    in.join(level);
  }
  m.rootCfs(kCpu).avg.loadAvg = in.bounded("root_cfs_load_avg", kMaxAverage);
  const TaskId task = addTask(m, spec);
  m.se(task).avg.loadAvg = in.bounded("task_load_avg", kMaxAverage);
  if (!in.ok()) return in.error();
  return json{{"h_load", taskHLoad(m, task)}};
}

/// v7.3 cgroup_mode by its name.
void readCgroupMode(RecordReader& in, KernelProfile& profile) {
  constexpr std::array<std::pair<std::string_view, CgroupMode>, 5> kModes = {{{"up", CgroupMode::Up},
                                                                              {"smp", CgroupMode::Smp},
                                                                              {"concur", CgroupMode::Concur},
                                                                              {"max", CgroupMode::Max},
                                                                              {"tasks", CgroupMode::Tasks}}};
  const std::string name = in.text("mode");
  for (const auto& [word, mode] : kModes) {
    if (word != name) continue;
    profile.behaviours.cgroupMode = mode;
    return;
  }
  in.fail("\"mode\" is not up, smp, concur, max or tasks");
}

Result<json> runCalcGroupShares(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  KernelProfile profile = given;
  int cpus = 1;
  if (in.has("mode")) {
    constexpr std::uint64_t kMostCpus = 4096;
    readCgroupMode(in, profile);
    cpus = static_cast<int>(in.positive("nr_cpus", kMostCpus));
  }
  Machine m = signalMachine(profile, cpus, kCapacityScale);
  const GroupId id = addGroup(m, "group", GroupId{0});
  TaskGroup& group = m.group(id);
  CfsRq& queue = m.queue(queueOf(m, id, kCpu));
  group.shares = in.bounded("tg_shares", kMaxAverage);
  group.loadAvg = in.integer("tg_load_avg");
  group.runnableAvg = static_cast<std::int64_t>(in.number("tg_runnable_avg", 0));
  queue.load = {in.number("cfs_load_weight"), 0};
  queue.avg.loadAvg = in.bounded("cfs_load_avg", kMaxAverage);
  queue.tgLoadAvgContrib = in.bounded("tg_load_avg_contrib", kMaxAverage);
  if (!in.ok()) return in.error();
  return json{{"shares", calcGroupShares(m, queueOf(m, id, kCpu))}};
}

/// What one step of update_tg_load_avg published.
json publishedStep(const Machine& m, GroupId id, const CfsRq& queue) {
  const TaskGroup& group = m.group(id);
  json out = {{"tg_load_avg_contrib", queue.tgLoadAvgContrib}, {"tg_load_avg", group.loadAvg}};
  if (m.behaviours().tgRunnableAvg) {
    out["tg_runnable_avg_contrib"] = queue.tgRunnableAvgContrib;
    out["tg_runnable_avg"] = group.runnableAvg;
  }
  return out;
}

Result<json> runUpdateTgLoadAvg(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Machine m = signalMachine(profile, 1, kCapacityScale);
  const GroupId id = addGroup(m, "group", GroupId{0});
  const CfsRqId queueId = queueOf(m, id, kCpu);
  CfsRq& queue = m.queue(queueId);
  m.nowNs = m.rq(kCpu).clock = in.number("now");
  queue.tgLoadAvgContrib = in.bounded("tg_load_avg_contrib", kMaxAverage);
  queue.lastUpdateTgLoadAvg = in.number("last_update", 0);
  queue.tgRunnableAvgContrib = in.number("tg_runnable_avg_contrib", 0);
  m.group(id).loadAvg = in.integer("tg_load_avg");
  m.group(id).runnableAvg = static_cast<std::int64_t>(in.number("tg_runnable_avg", 0));
  Observer nobody;
  Context ctx{m, nobody};
  json steps = json::array();
  for (const json& row : in.array("steps")) {
    RecordReader step(row);
    m.nowNs += step.number("delta_ns");
    m.rq(kCpu).clock = m.nowNs;
    queue.avg.loadAvg = step.bounded("cfs_load_avg", kMaxAverage);
    queue.avg.runnableAvg = step.number("cfs_runnable_avg", 0);
    updateTgLoadAvg(ctx, queueId);
    steps.push_back(publishedStep(m, id, queue));
    in.join(step);
  }
  if (!in.ok()) return in.error();
  return json{{"steps", std::move(steps)}};
}

constexpr std::array kFunctions = {
    EvalFunction{"decay_load", runDecayLoad},
    EvalFunction{"pelt_se", runPeltSe},
    EvalFunction{"pelt_cfs_rq", runPeltCfsRq},
    EvalFunction{"pelt_scaled", runPeltScaled},
    EvalFunction{"attach_detach", runAttachDetach},
    EvalFunction{"propagate_entity_load_avg", runPropagate},
    EvalFunction{"post_init_entity_util_avg", runPostInit},
    EvalFunction{"util_est_update", runUtilEstUpdate},
    EvalFunction{"cpu_util", runCpuUtil},
    EvalFunction{"scale_rt_capacity", runScaleRtCapacity},
    EvalFunction{"update_misfit_status", runUpdateMisfitStatus},
    EvalFunction{"capacity_compare", runCapacityCompare},
    EvalFunction{"task_h_load", runTaskHLoad},
    EvalFunction{"calc_group_shares", runCalcGroupShares},
    EvalFunction{"update_tg_load_avg", runUpdateTgLoadAvg},
};

}  // namespace

std::span<const EvalFunction> signalFunctions() { return kFunctions; }

}  // namespace rqscope
