// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/value_explainer.h"

#include <algorithm>
#include <string_view>

#include "api/decision_replay.h"
#include "api/simulation_impl.h"
#include "api/value_rules.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope::api {
namespace {

std::int64_t asSigned(std::uint64_t value) { return static_cast<std::int64_t>(value); }

const char* kernelName(KernelVersion version) {
  if (version == KernelVersion::V6_1) return "v6.1";
  return version == KernelVersion::V6_12 ? "v6.12" : "v7.3";
}

}  // namespace

void ValueExplainer::set(const char* rule, const char* function, const char* formula, Operands operands) {
  m_out.rule = rule;
  m_out.function = function;
  m_out.formula = formula;
  m_out.operands = std::move(operands);
}

ExplainedValue ValueExplainer::explain(const ValueRef& ref) {
  m_out.ref = ref;
  m_out.kernel = kernelName(m_state.machine.profile->version);
  const auto subject = subjectOf(m_state, ref);
  m_kind = subject ? kindOf(ref, *subject) : nullptr;
  const bool isCfs = m_state.machine.profile->queue == QueueKind::Cfs;
  if (m_kind != nullptr && !isOfQueueKind(isCfs, m_kind->name)) m_kind = nullptr;
  if (m_kind == nullptr) return m_out;
  m_subject = *subject;
  m_out.subject = subjectText(m_state, m_subject);
  m_out.unit = m_kind->unit;
  m_out.meaning = m_kind->meaning;
  m_wanted = m_kind->read(m_state, m_subject);
  if (explainNow())
    noteUpdate();
  else
    explainPast();
  m_out.result = recompute(m_out);
  return m_out;
}

/// Virtual time moves only when the kernel charges the running task: says so when that was earlier than now.
void ValueExplainer::noteUpdate() {
  const std::string_view name = m_kind->name;
  if (name != "vruntime" && name != "lag" && name != "avg_vruntime") return;
  const Rq& rq = m_state.machine.rq(m_subject.cpu);
  if (rq.clock < m_state.machine.nowNs && rq.clock >= m_state.originNs)
    m_out.sinceNs = asSigned(rq.clock - m_state.originNs);
}

bool ValueExplainer::explainNow() {
  const bool isDone = explainVirtual() || explainQueue() || explainGroup();
  return isDone && holds();
}

ValueRef ValueExplainer::ownRef(const char* name) const {
  ValueRef ref = m_out.ref;
  ref.name = name;
  return ref;
}

ValueRef ValueExplainer::refOfQueue(CfsRqId queue, const char* name) const {
  const CfsRq& q = m_state.machine.queue(queue);
  return {name, q.cpu.value, -1, q.group.value == 0 ? -1 : q.group.value};
}

ValueRef ValueExplainer::queueRef(const char* name) const { return refOfQueue(m_subject.competesIn, name); }

std::optional<ValueRef> ValueExplainer::refOf(EntityId entity, const char* name) const {
  const Machine& m = m_state.machine;
  const SchedEntity& se = m.entity(entity);
  if (se.isTask()) return ValueRef{name, -1, se.task.value, -1};
  const CfsRq& own = m.queue(se.myQ);
  return ValueRef{name, own.cpu.value, -1, own.group.value};
}

std::string ValueExplainer::nameOf(EntityId entity) const {
  const Machine& m = m_state.machine;
  const SchedEntity& se = m.entity(entity);
  return se.isTask() ? m.task(se.task).name : m.group(m.queue(se.myQ).group).name;
}

std::vector<EntityId> ValueExplainer::entitiesOn(CfsRqId queue) const {
  std::vector<EntityId> out;
  const Machine& m = m_state.machine;
  for (std::size_t e = 0; e < m.entities.size(); ++e) {
    const SchedEntity& se = m.entities[e];
    const bool isTaskAlive = se.isTask() && se.task.isValid() && m.task(se.task).se == EntityId{e};
    if (se.onRq && se.cfsRq == queue && (isTaskAlive || !se.isTask())) out.push_back(EntityId{e});
  }
  return out;
}

bool ValueExplainer::explainVirtual() {
  const std::string_view name = m_kind->name;
  const Machine& m = m_state.machine;
  if (m_subject.scope != ValueScope::Task && m_subject.scope != ValueScope::GroupOnCpu) return false;
  const bool isCfs = m.profile->queue == QueueKind::Cfs;
  if (name == "vruntime" || name == "deadline") {
    const char* raw = name == "vruntime" ? "se.vruntime" : "se.deadline";
    const SchedEntity& se = m.entity(m_subject.entity);
    const std::uint64_t whole = name == "vruntime" ? se.vruntime : se.deadline;
    set(rules::kDifference, "entity_key()", isCfs ? "se - min_vruntime" : "se - zero_vruntime",
        {{raw, asSigned(whole), Unit::VirtualNs, ownRef(raw)},
         {isCfs ? "min_vruntime" : "zero_vruntime", asSigned(m.queue(m_subject.competesIn).zeroVruntime),
          Unit::VirtualNs, queueRef(isCfs ? "min_vruntime" : "cfs_rq.zero_vruntime")}});
    return true;
  }
  if (name == "lag" && m.entity(m_subject.entity).onRq) {
    const ValueRef v = queueRef("avg_vruntime");
    set(rules::kDifference, "entity_lag(), before its clamp", "V - vruntime",
        {{"avg_vruntime", *readValue(m_state, v), Unit::VirtualNs, v},
         {"vruntime", *readValue(m_state, ownRef("vruntime")), Unit::VirtualNs, ownRef("vruntime")}});
    return true;
  }
  if (name == "slice") isCfs ? explainCfsSlice() : explainSlice();
  if (name == "weight") explainWeight();
  return name == "slice" || name == "weight";
}

void ValueExplainer::explainSlice() {
  const Machine& m = m_state.machine;
  const SchedEntity& se = m.entity(m_subject.entity);
  if (se.customSlice || se.slice != m.baseSliceNs) {
    const bool isGroup = !se.isTask();
    set(rules::kCopy, isGroup ? "cfs_rq_min_slice()" : "sched_setattr()",
        isGroup ? "the shortest slice in the group" : "as the task asked for",
        {{isGroup ? "min_slice" : "sched_runtime", asSigned(se.slice), Unit::Nanoseconds, std::nullopt}});
    return;
  }
  const std::uint64_t normal = std::max<std::uint64_t>(m.tunables().baseSliceNs, 1);
  set(rules::kBaseSlice, "update_sysctl()", "normalized_sysctl_sched_base_slice * (1 + ilog2(min(CPUs, 8)))",
      {{"normalized_sysctl_sched_base_slice", asSigned(normal), Unit::Nanoseconds, std::nullopt},
       {"factor", asSigned(m.baseSliceNs / normal), Unit::None, std::nullopt}});
}

/// The operands are those of one level after another, the entity's own first.
void ValueExplainer::explainCfsSlice() {
  const Machine& m = m_state.machine;
  const SchedEntity& se = m.entity(m_subject.entity);
  const CfsRq& queue = m.queue(se.cfsRq);
  const std::uint32_t others = m.features().altPeriod ? m.rootCfs(queue.cpu).hNrQueued : queue.nrQueued;
  const bool isIdle = se.isTask() && m.task(se.task).policy == SchedPolicy::Idle;
  const bool hasIdleFloor = isIdle && (queue.nrQueued == 0 || queue.nrQueued != queue.idleNrRunning);
  const std::uint64_t least = hasIdleFloor ? m.tunables().idleMinGranularityNs : m.minGranularityNs;
  Operands in{{"tasks", others + (se.onRq ? 0U : 1U), Unit::Tasks, std::nullopt},
              {"sched_latency", asSigned(m.latencyNs), Unit::Nanoseconds, std::nullopt},
              {"min_granularity", asSigned(m.minGranularityNs), Unit::Nanoseconds, std::nullopt},
              {"at least", m.features().baseSlice ? asSigned(least) : 0, Unit::Nanoseconds, std::nullopt}};
  for (EntityId e = m_subject.entity; e.isValid(); e = m.entity(e).parent) {
    const SchedEntity& level = m.entity(e);
    const std::uint64_t total = m.queue(level.cfsRq).load.weight + (level.onRq ? 0 : level.load.weight);
    in.push_back(
        {"load.weight of " + nameOf(e), asSigned(level.load.weight), Unit::Weight, refOf(e, "load.weight")});
    in.push_back({"of the queue's", asSigned(total), Unit::Weight,
                  level.onRq ? std::optional(refOfQueue(level.cfsRq, "cfs_rq.load.weight")) : std::nullopt});
  }
  set(rules::kCfsSlice, "sched_slice()",
      "period * weight / weight of the queue on each level; period = sched_latency, from 9 tasks on "
      "tasks * min_granularity",
      std::move(in));
}

void ValueExplainer::explainWeight() {
  const Machine& m = m_state.machine;
  const SchedEntity& se = m.entity(m_subject.entity);
  if (se.isTask()) {
    const Task& task = m.task(m_subject.task);
    set(rules::kNiceWeight, "set_load_weight()", "sched_prio_to_weight[nice + 20]; SCHED_IDLE: 3",
        {{"nice", task.nice, Unit::None, std::nullopt},
         {"policy (0 normal, 1 batch, 2 idle)", static_cast<std::int64_t>(task.policy), Unit::None,
          std::nullopt}});
    if (holds()) return;
  }
  set(rules::kScaleDown, "scale_load_down()", "max(2, load.weight >> 10)",
      {{"load.weight", asSigned(se.load.weight), Unit::Weight, ownRef("load.weight")}});
}

bool ValueExplainer::explainQueue() {
  const std::string_view name = m_kind->name;
  if (!m_subject.queue.isValid()) return false;
  const Machine& m = m_state.machine;
  const CfsRq& queue = m.queue(m_subject.queue);
  if (name == "avg_vruntime") {
    explainAverage();
  } else if (name == "cfs_rq.sum_w_vruntime") {
    explainKeySum();
  } else if (name == "cfs_rq.sum_weight" || name == "cfs_rq.load.weight") {
    const bool isTree = name == "cfs_rq.sum_weight";
    Operands parts;
    std::vector<EntityId> entities = entitiesOn(m_subject.queue);
    if (isTree) treeInOrder(m, m_subject.queue, entities);
    for (const EntityId id : entities) {
      const SchedEntity& se = m.entity(id);
      const char* part =
          !isTree ? "load.weight" : (m.profile->queue == QueueKind::FlatEevdf ? "h_load.weight" : "weight");
      parts.push_back({std::string(part) + " of " + nameOf(id),
                       asSigned(isTree ? virtualWeight(m, se) : se.load.weight), Unit::Weight,
                       refOf(id, part)});
    }
    set(rules::kSum, isTree ? "avg_vruntime_add()" : "update_load_add()", "sum over its entities",
        std::move(parts));
  } else if (name == "load_weight") {
    set(rules::kScaleDown, "scale_load_down()", "max(2, load.weight >> 10), 0 for an empty queue",
        {{"cfs_rq.load.weight", asSigned(queue.load.weight), Unit::Weight, ownRef("cfs_rq.load.weight")}});
  } else if (name == "nr_running") {
    const std::int64_t stopper = m.rq(m_subject.cpu).stopperRunning ? 1 : 0;
    set(rules::kSum, "add_nr_running()", "h_nr_queued + the migration thread",
        {{"h_nr_queued", queue.hNrQueued, Unit::Tasks, std::nullopt},
         {"stopper", stopper, Unit::Tasks, std::nullopt}});
  } else if (name == "util") {
    set(rules::kCpuUtil, "cpu_util_cfs()", "min(max(util_avg, util_est), capacity_orig)",
        {{"cfs_rq.util_avg", asSigned(queue.avg.utilAvg), Unit::Capacity, ownRef("cfs_rq.util_avg")},
         {"cfs_rq.util_est", queue.avg.utilEst & ~kUtilAvgUnchanged, Unit::Capacity,
          ownRef("cfs_rq.util_est")},
         {"UTIL_EST", m.features().utilEst ? 1 : 0, Unit::Bool, std::nullopt},
         {"capacity_orig", asSigned(capacityOrig(m, m_subject.cpu)), Unit::Capacity, std::nullopt}});
  } else if (name == "capacity") {
    return explainCapacity(m);
  } else if (name == "cfs_rq.util_est") {
    return explainEstimateOfCpu();
  } else {
    return false;
  }
  return true;
}

void ValueExplainer::explainAverage() {
  const Machine& m = m_state.machine;
  const CfsRq& queue = m.queue(m_subject.queue);
  const bool isNew = isKernel(KernelVersion::V7_3);
  Operands in{{isNew ? "sum_w_vruntime" : "avg_vruntime (sum)", queue.sumWVruntime, Unit::None,
               ownRef("cfs_rq.sum_w_vruntime")},
              {isNew ? "sum_weight" : "avg_load", asSigned(queue.sumWeight), Unit::Weight,
               ownRef("cfs_rq.sum_weight")}};
  if (queue.curr.isValid() && m.entity(queue.curr).onRq) {
    const SchedEntity& curr = m.entity(queue.curr);
    in.push_back({"key of " + nameOf(queue.curr), virtualDelta(curr.vruntime, queue.zeroVruntime),
                  Unit::VirtualNs, refOf(queue.curr, "vruntime")});
    in.push_back({"weight of " + nameOf(queue.curr), asSigned(virtualWeight(m, curr)), Unit::Weight,
                  refOf(queue.curr, isNew ? "h_load.weight" : "weight")});
  }
  set(rules::kAverage, "avg_vruntime()",
      "(sum of key * weight + key * weight of the running one) / (sum of weights + its weight), rounded down",
      std::move(in));
}

void ValueExplainer::explainKeySum() {
  const Machine& m = m_state.machine;
  const CfsRq& queue = m.queue(m_subject.queue);
  std::vector<EntityId> order;
  treeInOrder(m, m_subject.queue, order);
  Operands in;
  for (const EntityId id : order) {
    const SchedEntity& se = m.entity(id);
    in.push_back({"key of " + nameOf(id), virtualDelta(se.vruntime, queue.zeroVruntime), Unit::VirtualNs,
                  refOf(id, "vruntime")});
    in.push_back({"weight of " + nameOf(id), asSigned(virtualWeight(m, se)), Unit::Weight,
                  refOf(id, isKernel(KernelVersion::V7_3) ? "h_load.weight" : "weight")});
  }
  set(rules::kKeySum, "avg_vruntime_add()", "sum of key * weight over the tree", std::move(in));
}

bool ValueExplainer::explainCapacity(const Machine& m) {
  const Rq& rq = m.rq(m_subject.cpu);
  const auto capacity = [](std::uint64_t value) { return asSigned(value); };
  set(rules::kCapacity, "scale_rt_capacity()",
      "(max - rt - dl) * (max - irq) / max, where max = capacity_orig - max(hw, cpufreq pressure)",
      {{"capacity_orig", capacity(capacityOrig(m, m_subject.cpu)), Unit::Capacity, std::nullopt},
       {"avg_hw.load_avg", capacity(rq.avgHw.loadAvg), Unit::Capacity, std::nullopt},
       {"cpufreq_pressure", capacity(rq.cpufreqPressure), Unit::Capacity, std::nullopt},
       {"avg_rt.util_avg", capacity(rq.avgRt.utilAvg), Unit::Capacity, std::nullopt},
       {"avg_dl.util_avg", capacity(rq.avgDl.utilAvg), Unit::Capacity, std::nullopt},
       {"avg_irq.util_avg", capacity(rq.avgIrq.utilAvg), Unit::Capacity, std::nullopt}});
  return true;
}

bool ValueExplainer::explainEstimateOfCpu() {
  const Machine& m = m_state.machine;
  Operands parts;
  for (std::size_t slot = 0; slot < m.tasks.size(); ++slot) {
    const Task& task = m.tasks[slot];
    if (!task.se.isValid() || !task.onRq || task.cpu != m_subject.cpu || m.entity(task.se).schedDelayed)
      continue;
    parts.push_back({"util_est of " + task.name, asSigned(taskUtilEstRaw(m, TaskId{slot})), Unit::Capacity,
                     ValueRef{"util_est", -1, static_cast<std::int32_t>(slot), -1}});
  }
  set(rules::kSum, "util_est_enqueue()", "sum over the runnable tasks", std::move(parts));
  return true;
}

bool ValueExplainer::explainGroup() {
  const std::string_view name = m_kind->name;
  const Machine& m = m_state.machine;
  if (name == "calc_group_shares") {
    explainShares(m);
  } else if (name == "shares") {
    set(rules::kScaleDown, "scale_load_down()", "max(2, shares >> 10)",
        {{"tg.shares", asSigned(m.group(m_subject.group).shares), Unit::Weight, ownRef("tg.shares")}});
  } else if (name == "tg.load_avg") {
    Operands parts;
    m.topology->online.forEach([&](CpuId cpu) {
      const CfsRq& queue = m.queue(rqscope::queueOf(m, m_subject.group, cpu));
      if (queue.tgLoadAvgContrib == 0 || m_subject.group.value == 0) return;
      parts.push_back({"tg_load_avg_contrib of CPU " + std::to_string(cpu.value) +
                           (queue.onLeafList ? "" : " (not on the leaf list: not decayed)"),
                       asSigned(queue.tgLoadAvgContrib), Unit::Load,
                       ValueRef{"tg_load_avg_contrib", cpu.value, -1, m_subject.group.value}});
    });
    set(rules::kSum, "update_tg_load_avg()", "sum of what its queues have published", std::move(parts));
  } else {
    return false;
  }
  return true;
}

void ValueExplainer::explainShares(const Machine& m) {
  const CfsRq& queue = m.queue(m_subject.queue);
  const TaskGroup& group = m.group(m_subject.group);
  const auto whole = [&](const char* name) { return ValueRef{name, -1, -1, m_subject.group.value}; };
  set(rules::kShares, "calc_group_shares()",
      "tg shares * load / (tg load_avg - contribution + load), load = max(queue weight >> 10, load_avg)",
      {{"tg.shares", asSigned(group.shares), Unit::Weight, whole("tg.shares")},
       {"cfs_rq.load.weight", asSigned(queue.load.weight), Unit::Weight, ownRef("cfs_rq.load.weight")},
       {"cfs_rq.load_avg", asSigned(queue.avg.loadAvg), Unit::Load, ownRef("cfs_rq.load_avg")},
       {"tg.load_avg", group.loadAvg, Unit::Load, whole("tg.load_avg")},
       {"tg_load_avg_contrib", asSigned(queue.tgLoadAvgContrib), Unit::Load, ownRef("tg_load_avg_contrib")},
       {"tg.runnable_avg", group.runnableAvg, Unit::Capacity, std::nullopt},
       {"CPUs", m.topology->online.weight(), Unit::Cpus, std::nullopt},
       {"cgroup_mode (1 smp)", static_cast<std::int64_t>(m.behaviours().cgroupMode), Unit::None,
        std::nullopt}});
}

std::vector<ShownValue> Simulation::values(std::int32_t cpu) const {
  return shownValues(m_impl->history.state(), CpuId{cpu});
}

ExplainedValue Simulation::explainValue(const ValueRef& ref) const {
  return ValueExplainer(m_impl->history).explain(ref);
}

ExplainedValue Simulation::explainValueIn(std::uint64_t index, const ValueRef& ref) {
  History& history = m_impl->history;
  std::optional<DecisionStart> start = decisionStart(history, index);
  if (!start) return {};
  const std::uint64_t position = history.position();
  history.seekDecision(index);
  SimState state = history.state();
  state.machine = std::move(start->machine);
  ExplainedValue out = ValueExplainer(history, state).explain(ref);
  history.seekEvent(position);
  return out;
}

}  // namespace rqscope::api
