// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <string_view>

#include "api/value_explainer.h"
#include "api/value_rules.h"
#include "runqueue/load_tracking.h"

namespace rqscope::api {
namespace {

std::int64_t asSigned(std::uint64_t value) { return static_cast<std::int64_t>(value); }

ValueOperand operand(std::string name, std::int64_t value, Unit unit) {
  return {std::move(name), value, unit, std::nullopt};
}

/// The entity as it was before the event, when it was there.
const SchedEntity* entityIn(const SimState& state, EntityId id) {
  return id.isValid() && id.index() < state.machine.entities.size() ? &state.machine.entity(id) : nullptr;
}

}  // namespace

void PlaceWatch::onPlaceEntity(const Machine& m, const PlacedEntity& what) {
  if (what.entity != m_entity) return;
  placed = what;
  const SchedEntity& se = m.entity(what.entity);
  const bool isFlat = m.profile->queue == QueueKind::FlatEevdf;
  const CfsRq& queue = isFlat ? m.rootCfs(what.cpu) : m.queue(se.cfsRq);
  load = queue.sumWeight;
  if (queue.curr.isValid() && queue.curr != what.entity && m.entity(queue.curr).onRq)
    load += virtualWeight(m, m.entity(queue.curr));
}

/// The event in which the state stands has changed the number before the decision.
bool ValueExplainer::explainWithinEvent() {
  const SimState& began = m_history.state();
  const auto before = &m_state == &began ? std::nullopt : readValue(began, m_out.ref);
  if (!before || *before == m_wanted) return false;
  const PlaceWatch nobody(m_subject.entity);
  m_out.sinceNs = asSigned(m_state.machine.nowNs - m_state.originNs);
  m_out.sinceEvent = eventKey(m_history.nextEvent().kind);
  if (tryPast({m_history.position(), began, m_state}, nobody)) return true;
  set(rules::kChange, "see the event", "what it was + what the event added so far",
      {operand("before", *before, m_kind->unit),
       operand("change", asSigned(static_cast<std::uint64_t>(m_wanted) - static_cast<std::uint64_t>(*before)),
               m_kind->unit)});
  return true;
}

/// What stood before and what came to it: true of any number, used where nothing says more.
void ValueExplainer::explainPast() {
  if (explainWithinEvent()) return;
  const ValueRef ref = m_out.ref;
  const std::int32_t pid = m_subject.task.isValid() ? m_state.machine.task(m_subject.task).pid : 0;
  const TaskId task = m_subject.task;
  PlaceWatch watch(m_subject.entity);
  const auto change = m_history.lastChange(
      [&](const SimState& state) -> std::optional<std::int64_t> {
        if (task.isValid() &&
            (task.index() >= state.machine.tasks.size() || state.machine.task(task).pid != pid))
          return std::nullopt;
        return readValue(state, ref);
      },
      watch);
  if (!change) {
    set(rules::kCopy, "as it began", "has not changed", {operand(m_kind->name, m_wanted, m_kind->unit)});
    return;
  }
  m_out.sinceNs = asSigned(change->after.timeNs());
  m_out.sinceEvent = eventKey(change->after.lastEvent.kind);
  if (tryPast(*change, watch)) return;
  const std::int64_t before = readValue(change->before, ref).value_or(0);
  set(rules::kChange, "see the event", "what it was + what the event added",
      {operand("before", before, m_kind->unit),
       operand("change", asSigned(static_cast<std::uint64_t>(m_wanted) - static_cast<std::uint64_t>(before)),
               m_kind->unit)});
}

bool ValueExplainer::tryPast(const History::Change& change, const PlaceWatch& watch) {
  const std::string_view name = m_kind->name;
  if (name == "se.vruntime") return pastVruntime(change, watch);
  if (name == "se.deadline") return pastDeadline(change, watch);
  if (name == "min_vruntime") return pastMinVruntime(change);
  if (name == "util_est") return pastEstimate(change);
  if (name.ends_with("util_avg") || name.ends_with("load_avg") || name.ends_with("runnable_avg"))
    return pastAverage(change);
  const Machine& after = change.after.machine;
  if (name == "load.weight" && m_subject.scope == ValueScope::GroupOnCpu) {
    explainShares(after);
    for (ValueOperand& in : m_out.operands) in.ref.reset();
    return holds();
  }
  if (name == "tg_load_avg_contrib") {
    set(rules::kCopy, "update_tg_load_avg()", "the queue's load_avg when it was published",
        {operand("cfs_rq.load_avg", asSigned(after.queue(m_subject.queue).avg.loadAvg), Unit::Load)});
    return holds();
  }
  if (name == "capacity") return explainCapacity(after) && holds();
  return false;
}

bool ValueExplainer::pastVruntime(const History::Change& change, const PlaceWatch& watch) {
  const Machine& m = change.after.machine;
  const SchedEntity* before = entityIn(change.before, m_subject.entity);
  const SchedEntity& after = m.entity(m_subject.entity);
  const bool isFlat = m.profile->queue == QueueKind::FlatEevdf;
  if (before != nullptr) {
    const std::uint64_t ran = after.sumExecRuntime - before->sumExecRuntime;
    const LoadWeight weight = isFlat ? before->hLoad : before->load;
    set(rules::kCharge, "update_curr()", "vruntime + calc_delta_fair(delta_exec)",
        {operand("vruntime before", asSigned(before->vruntime), Unit::VirtualNs),
         operand("delta_exec", asSigned(ran), Unit::Nanoseconds),
         operand(isFlat ? "h_load.weight" : "load.weight", asSigned(weight.weight), Unit::Weight),
         operand("load.inv_weight (0: computed)", isFlat ? 0 : std::int64_t{weight.inverse}, Unit::None)});
    if (holds()) return true;
  }
  if (!watch.placed) return false;
  if (m.profile->queue == QueueKind::Cfs) {
    const std::uint64_t from = before != nullptr ? before->vruntime : 0;
    const bool isIdle =
        after.isTask() ? m.task(after.task).policy == SchedPolicy::Idle : m.queue(after.myQ).isIdle;
    const std::uint64_t credit =
        (isIdle ? m.minGranularityNs : m.latencyNs) >> (m.features().gentleFairSleepers ? 1 : 0);
    set(rules::kPlaceCfs, "place_entity()", "max(vruntime, min_vruntime - sleeper credit)",
        {operand("min_vruntime", asSigned(watch.placed->averageVruntime), Unit::VirtualNs),
         operand("vruntime before", asSigned(from), Unit::VirtualNs),
         operand("sleeper credit", asSigned(credit), Unit::VirtualNs)});
    return holds();
  }
  const bool keepsLag = m.features().placeLag && watch.load != 0;
  set(rules::kPlace, "place_entity()", "V - lag, lag = vlag * (load + weight) / load",
      {operand("avg_vruntime", asSigned(watch.placed->averageVruntime), Unit::VirtualNs),
       operand("vlag", watch.placed->vlagBefore, Unit::VirtualNs),
       operand("load (0: nobody there)", keepsLag ? asSigned(watch.load) : 0, Unit::Weight),
       operand("weight", asSigned(virtualWeight(m, after)), Unit::Weight)});
  return holds();
}

bool ValueExplainer::pastMinVruntime(const History::Change& change) {
  const Machine& m = change.after.machine;
  if (m_subject.queue.index() >= change.before.machine.cfs.size()) return false;
  const CfsRq& queue = m.queue(m_subject.queue);
  Operands in{operand("min_vruntime before",
                      asSigned(change.before.machine.queue(m_subject.queue).zeroVruntime), Unit::VirtualNs)};
  const auto add = [&](const char* whose, EntityId id) {
    if (id.isValid() && m.entity(id).onRq)
      in.push_back(operand(std::string("vruntime of ") + whose + " " + nameOf(id),
                           asSigned(m.entity(id).vruntime), Unit::VirtualNs));
  };
  add("the running", queue.curr);
  add("the first waiting", queue.leftmost);
  set(rules::kMinVruntime, "update_min_vruntime()", "max(min_vruntime, the least vruntime on the queue)",
      std::move(in));
  return holds();
}

bool ValueExplainer::pastDeadline(const History::Change& change, const PlaceWatch& watch) {
  const Machine& m = change.after.machine;
  const SchedEntity& after = m.entity(m_subject.entity);
  const bool isFlat = m.profile->queue == QueueKind::FlatEevdf;
  const LoadWeight weight = isFlat ? after.hLoad : after.load;
  const auto tryWith = [&](const char* function, std::uint64_t from, std::int64_t parts) {
    set(rules::kDeadline, function,
        parts > 1 ? "vruntime + calc_delta_fair(slice) / 2, PLACE_DEADLINE_INITIAL"
                  : "vruntime + calc_delta_fair(slice)",
        {operand("vruntime", asSigned(from), Unit::VirtualNs),
         operand("slice", asSigned(after.slice), Unit::Nanoseconds),
         operand(isFlat ? "h_load.weight" : "load.weight", asSigned(weight.weight), Unit::Weight),
         operand("load.inv_weight (0: computed)", isFlat ? 0 : std::int64_t{weight.inverse}, Unit::None),
         operand("parts", parts, Unit::None)});
    return holds();
  };
  if (tryWith("update_deadline()", after.vruntime, 1)) return true;
  if (!watch.placed) return false;
  return tryWith("place_entity()", watch.placed->vruntime, 1) ||
         tryWith("place_entity()", watch.placed->vruntime, 2);
}

bool ValueExplainer::pastAverage(const History::Change& change) {
  const Machine& m = change.after.machine;
  const std::string_view name = m_kind->name;
  const bool isQueue = name.starts_with("cfs_rq.");
  const SchedAvg& avg = isQueue ? m.queue(m_subject.queue).avg : m.entity(m_subject.entity).avg;
  const auto contrib = operand("period_contrib", avg.periodContrib, Unit::None);
  if (name.ends_with("util_avg")) {
    set(rules::kPeltUtil, "___update_load_avg()", "util_sum / (PELT_MIN_DIVIDER + period_contrib)",
        {operand("util_sum", avg.utilSum, Unit::None), contrib});
  } else if (name.ends_with("runnable_avg")) {
    set(rules::kPeltRunnable, "___update_load_avg()", "runnable_sum / (PELT_MIN_DIVIDER + period_contrib)",
        {operand("runnable_sum", asSigned(avg.runnableSum), Unit::None), contrib});
  } else {
    const std::uint64_t weight = isQueue ? 1 : seWeight(m.entity(m_subject.entity));
    set(rules::kPeltLoad, "___update_load_avg()", "weight * load_sum / (PELT_MIN_DIVIDER + period_contrib)",
        {operand("weight", asSigned(weight), Unit::Weight),
         operand("load_sum", asSigned(avg.loadSum), Unit::None), contrib});
  }
  return holds();
}

bool ValueExplainer::pastEstimate(const History::Change& change) {
  const SchedEntity* before = entityIn(change.before, m_subject.entity);
  if (before == nullptr) return false;
  const Machine& m = change.after.machine;
  const SchedAvg& after = m.entity(m_subject.entity).avg;
  const bool isSingle = m.behaviours().utilEstSingle;
  const std::uint32_t last = before->avg.utilEst & ~kUtilAvgUnchanged;
  const CpuId cpu = change.before.machine.task(m_subject.task).cpu;
  set(rules::kUtilEstUpdate, "util_est_update()", "util_avg when it grew, else ewma - (ewma - util_avg) / 4",
      {operand(isSingle ? "util_est before" : "ewma before",
               isSingle ? std::int64_t{last} : std::int64_t{before->avg.utilEstEwma}, Unit::Capacity),
       operand("enqueued before (v6.1)", isSingle ? 0 : std::int64_t{last}, Unit::Capacity),
       operand("util_avg", asSigned(after.utilAvg), Unit::Capacity),
       operand("runnable_avg", asSigned(after.runnableAvg), Unit::Capacity),
       operand("capacity_orig", asSigned(capacityOrig(m, cpu)), Unit::Capacity)});
  return holds();
}

}  // namespace rqscope::api
