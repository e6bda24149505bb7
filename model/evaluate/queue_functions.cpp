// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "evaluate/function_table.h"
#include "evaluate/queue_records.h"
#include "evaluate/signal_records.h"
#include "runqueue/cfs.h"
#include "runqueue/eevdf.h"

namespace rqscope {
namespace {

using nlohmann::json;

bool isFlat(const KernelProfile& profile) { return profile.queue == QueueKind::FlatEevdf; }

Result<json> runCalcDeltaFair(const json& object, const KernelProfile& profile) {
  if (isFlat(profile)) return runFlatCalcDeltaFair(object);
  RecordReader in(object);
  SchedEntity se;
  se.load.weight = in.positive("weight", kMaxRecordWeight);
  se.load.inverse = static_cast<std::uint32_t>(in.bounded("inv_weight", UINT32_MAX));
  const std::uint64_t delta = in.number("delta");
  if (!in.ok()) return in.error();
  const std::uint64_t out = calcDeltaFair(delta, se);
  return json{{"delta", out}, {"inv_weight", se.load.inverse}};
}

Result<json> runPickEevdf(const json& object, const KernelProfile& profile) {
  if (isFlat(profile)) return runFlatPick(object, profile);
  RecordReader in(object);
  QueueBench bench(in, profile);
  if (!in.ok()) return in.error();
  CfsRq& queue = bench.queue();
  json out = {{"sum_key_weight", queue.sumWVruntime}, {"sum_weight", queue.sumWeight}};
  json eligible = json::array();
  for (const EntityId e : bench.entities())
    eligible.push_back(isEntityEligible(bench.machine(), bench.queueId(), e) ? 1 : 0);
  out["eligible"] = std::move(eligible);
  out["pick"] = bench.idOf(pickEevdf(bench.machine(), bench.queueId()));
  out["avg_vruntime"] = signedOf(eevdf::moveToAverage(bench.machine(), queue));
  out["sum_key_weight_after"] = queue.sumWVruntime;
  return out;
}

Result<json> runPlaceEntity(const json& object, const KernelProfile& profile) {
  if (isFlat(profile)) return runFlatPlace(object, profile);
  RecordReader in(object);
  QueueBench bench(in, profile);
  RecordReader row(in.object("se"));
  const bool initial = in.flag("initial");
  if (!in.ok()) return in.error();
  const EntityId e = bench.addEntity(row);
  SchedEntity& se = bench.machine().entity(e);
  se.customSlice = row.flag("custom_slice");
  se.relDeadline = row.flag("rel_deadline");
  if (!row.ok()) return row.error();
  Context ctx = bench.context();
  eevdf::placeEntity(ctx, bench.queueId(), e, initial ? kEnqueueInitial : 0U);
  return json{{"vruntime", signedOf(se.vruntime)},
              {"deadline", signedOf(se.deadline)},
              {"slice", se.slice},
              {"zero_vruntime", signedOf(bench.queue().zeroVruntime)},
              {"vlag", se.vlag}};
}

Result<json> runUpdateEntityLag(const json& object, const KernelProfile& profile) {
  if (isFlat(profile)) return runFlatUpdateEntityLag(object, profile);
  RecordReader in(object);
  QueueBench bench(in, profile);
  const EntityId e = bench.entity(in, in.integer("id"));
  if (!in.ok()) return in.error();
  SchedEntity& se = bench.machine().entity(e);
  eevdf::updateEntityLag(bench.machine(), bench.queue(), se);
  return json{{"vlag", se.vlag}, {"avg_vruntime", signedOf(avgVruntime(bench.machine(), bench.queueId()))}};
}

Result<json> runUpdateDeadline(const json& object, const KernelProfile& profile) {
  if (isFlat(profile)) return runFlatUpdateDeadline(object, profile);
  RecordReader in(object);
  QueueBench bench(in, profile);
  const EntityId e = bench.entity(in, 0);
  const bool custom = in.flag("custom_slice");
  if (!in.ok()) return in.error();
  SchedEntity& se = bench.machine().entity(e);
  se.customSlice = custom;
  const bool resched = eevdf::updateDeadline(bench.machine(), bench.queue(), se);
  return json{{"resched", resched},
              {"deadline", signedOf(se.deadline)},
              {"slice", se.slice},
              {"zero_vruntime", signedOf(bench.queue().zeroVruntime)}};
}

Result<json> runReweightEntity(const json& object, const KernelProfile& profile) {
  if (isFlat(profile)) return runFlatReweightEntity(object, profile);
  RecordReader in(object);
  const bool onRq = in.flag("on_rq");
  const std::int64_t id = in.integer("id");
  QueueBench bench(in, profile, onRq ? -1 : id);
  const EntityId e = bench.entity(in, id);
  const std::uint64_t weight = in.positive("new_weight", kMaxRecordWeight);
  if (!in.ok()) return in.error();
  SchedEntity& se = bench.machine().entity(e);
  CfsRq& queue = bench.queue();
  se.avg = avgOfRecord(in, "se_avg");
  queue.avg = avgOfRecord(in, "cfs_avg");
  if (!in.ok()) return in.error();
  Context ctx = bench.context();
  reweightEntity(ctx, bench.queueId(), e, weight);
  return json{{"vruntime", signedOf(se.vruntime)},
              {"deadline", signedOf(se.deadline)},
              {"vlag", se.vlag},
              {"zero_vruntime", signedOf(queue.zeroVruntime)},
              {"sum_key_weight", queue.sumWVruntime},
              {"sum_weight", queue.sumWeight},
              {"se_avg", avgRecord(se.avg)},
              {"cfs_avg", avgRecord(queue.avg)}};
}

Result<json> runSchedSlice(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  KernelProfile profile = given;
  profile.tunables.idleMinGranularityNs = in.bounded("idle_min_granularity_ns", kMaxRecordSlice);
  Machine m = signalMachine(profile, 1, kCapacityScale);
  m.latencyNs = in.bounded("latency_ns", kMaxRecordSlice);
  m.minGranularityNs = in.bounded("min_granularity_ns", kMaxRecordSlice);
  if (in.number("nr_latency") != 8) in.fail("\"nr_latency\" is not the 8 that v6.1 has");
  CfsRq& queue = m.rootCfs(CpuId{0});
  queue.nrQueued = queue.hNrQueued = static_cast<std::uint32_t>(in.bounded("nr_running", INT32_MAX));
  queue.idleNrRunning = static_cast<std::uint32_t>(in.bounded("idle_nr_running", INT32_MAX));
  queue.load = {in.bounded("cfs_weight", std::uint64_t{1} << 40), 0};
  NewTask spec;
  if (in.flag("idle_policy")) spec.policy = SchedPolicy::Idle;
  const EntityId e = m.task(addTask(m, spec)).se;
  SchedEntity& se = m.entity(e);
  se.load = loadOfWeight(in.positive("weight", kMaxRecordWeight));
  se.onRq = in.flag("on_rq");
  if (!in.ok()) return in.error();
  const std::uint64_t slice = cfs::sliceOf(m, CfsRqId{0}, e);
  return json{{"slice", slice}, {"vslice", cfs::virtualSliceOf(m, CfsRqId{0}, e)}};
}

Result<json> runWakeupPreemptEntity(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Machine m = signalMachine(profile, 1, kCapacityScale);
  m.wakeupGranularityNs = in.bounded("wakeup_granularity_ns", kMaxRecordSlice);
  const EntityId curr = m.task(addTask(m, NewTask{})).se;
  const EntityId wakee = m.task(addTask(m, NewTask{})).se;
  m.entity(curr).vruntime = in.number("curr_vruntime");
  m.entity(curr).load = {in.positive("curr_weight", kMaxRecordWeight), 0};
  SchedEntity& se = m.entity(wakee);
  se.vruntime = in.number("wakee_vruntime");
  se.load.weight = in.positive("wakee_weight", kMaxRecordWeight);
  se.load.inverse = static_cast<std::uint32_t>(in.bounded("wakee_inv_weight", UINT32_MAX));
  if (!in.ok()) return in.error();
  const int result = cfs::wakeupPreemptEntity(m, curr, wakee);
  return json{{"result", result}, {"gran", cfs::wakeupMargin(m, se)}};
}

constexpr std::array kFunctions = {
    EvalFunction{"calc_delta_fair", runCalcDeltaFair},
    EvalFunction{"pick_eevdf", runPickEevdf},
    EvalFunction{"place_entity", runPlaceEntity},
    EvalFunction{"update_entity_lag", runUpdateEntityLag},
    EvalFunction{"update_deadline", runUpdateDeadline},
    EvalFunction{"reweight_entity", runReweightEntity},
    EvalFunction{"eevdf_sequence", runEevdfSequence},
    EvalFunction{"eevdf_group_sequence", runEevdfGroupSequence},
    EvalFunction{"reweight_eevdf", runReweightEevdf},
    EvalFunction{"set_protect_slice", runSetProtectSlice},
    EvalFunction{"update_protect_slice", runUpdateProtectSlice},
    EvalFunction{"hierarchical_weight", runHierarchicalWeight},
    EvalFunction{"cfs_sequence", runCfsSequence},
    EvalFunction{"sched_slice", runSchedSlice},
    EvalFunction{"wakeup_preempt_entity", runWakeupPreemptEntity},
};

}  // namespace

std::span<const EvalFunction> queueFunctions() { return kFunctions; }

}  // namespace rqscope
