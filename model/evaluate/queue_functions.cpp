// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "evaluate/function_table.h"
#include "evaluate/queue_records.h"
#include "evaluate/signal_records.h"
#include "runqueue/eevdf.h"

namespace rqscope {
namespace {

using nlohmann::json;

Result<json> runCalcDeltaFair(const json& object, const KernelProfile&) {
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
  RecordReader in(object);
  QueueBench bench(in, profile);
  const EntityId e = bench.entity(in, in.integer("id"));
  if (!in.ok()) return in.error();
  SchedEntity& se = bench.machine().entity(e);
  eevdf::updateEntityLag(bench.machine(), bench.queue(), se);
  return json{{"vlag", se.vlag}, {"avg_vruntime", signedOf(avgVruntime(bench.machine(), bench.queueId()))}};
}

Result<json> runUpdateDeadline(const json& object, const KernelProfile& profile) {
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

constexpr std::array kFunctions = {
    EvalFunction{"calc_delta_fair", runCalcDeltaFair},  EvalFunction{"pick_eevdf", runPickEevdf},
    EvalFunction{"place_entity", runPlaceEntity},       EvalFunction{"update_entity_lag", runUpdateEntityLag},
    EvalFunction{"update_deadline", runUpdateDeadline}, EvalFunction{"reweight_entity", runReweightEntity},
    EvalFunction{"eevdf_sequence", runEevdfSequence},
};

}  // namespace

std::span<const EvalFunction> queueFunctions() { return kFunctions; }

}  // namespace rqscope
