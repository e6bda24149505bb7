// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/queue_records.h"
#include "evaluate/signal_records.h"
#include "runqueue/flat.h"

// Records of v7.3 whose inputs or outputs differ from v6.12.

namespace rqscope {

using nlohmann::json;

Result<json> runFlatCalcDeltaFair(const json& object) {
  RecordReader in(object);
  const std::uint64_t weight = in.positive("weight", kMaxRecordWeight);
  const std::uint64_t delta = in.number("delta");
  if (!in.ok()) return in.error();
  return json{{"delta", flat::calcDeltaFair(delta, weight)}};
}

Result<json> runFlatPick(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  QueueBench bench(in, profile);
  const bool protect = in.flag("protect");
  if (!in.ok()) return in.error();
  Machine& m = bench.machine();
  CfsRq& root = bench.queue();
  json out = {{"sum_key_weight", root.sumWVruntime}, {"sum_weight", root.sumWeight}};
  json eligible = json::array();
  for (const EntityId e : bench.entities())
    eligible.push_back(flat::isVruntimeEligible(m, root, m.entity(e).vruntime) ? 1 : 0);
  out["eligible"] = std::move(eligible);
  out["pick"] = bench.idOf(flat::pick(m, root, protect));
  out["avg_vruntime"] = signedOf(flat::moveToAverage(m, root));
  out["sum_key_weight_after"] = root.sumWVruntime;
  return out;
}

Result<json> runFlatPlace(const json& object, const KernelProfile& profile) {
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
  CfsRq& root = bench.queue();
  flat::placeEntity(ctx, root, e, root.hNrQueued, initial ? kEnqueueInitial : 0U);
  return json{{"vruntime", signedOf(se.vruntime)},
              {"deadline", signedOf(se.deadline)},
              {"slice", se.slice},
              {"zero_vruntime", signedOf(root.zeroVruntime)},
              {"vlag", se.vlag},
              {"sum_key_weight", root.sumWVruntime},
              {"sum_weight", root.sumWeight}};
}

Result<json> runFlatUpdateEntityLag(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  QueueBench bench(in, profile);
  const EntityId e = bench.entity(in, in.integer("id"));
  const bool delayed = in.flag("delayed");
  if (!in.ok()) return in.error();
  SchedEntity& se = bench.machine().entity(e);
  se.schedDelayed = delayed;
  const bool moves = flat::updateEntityLag(bench.machine(), bench.queue(), se);
  return json{{"vruntime_would_change", moves},
              {"vlag", se.vlag},
              {"avg_vruntime", signedOf(flat::averageOf(bench.machine(), bench.queue()))}};
}

Result<json> runFlatUpdateDeadline(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  QueueBench bench(in, profile);
  const EntityId e = bench.entity(in, 0);
  const bool custom = in.flag("custom_slice");
  if (!in.ok()) return in.error();
  SchedEntity& se = bench.machine().entity(e);
  se.customSlice = custom;
  const bool resched = flat::updateDeadline(bench.machine(), bench.queue(), se);
  return json{{"resched", resched},
              {"deadline", signedOf(se.deadline)},
              {"slice", se.slice},
              {"zero_vruntime", signedOf(bench.queue().zeroVruntime)}};
}

/// The load side of a new weight.
Result<json> runFlatReweightEntity(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  Machine m = signalMachine(profile, 1, kCapacityScale);
  const EntityId e = m.task(addTask(m, NewTask{})).se;
  SchedEntity& se = m.entity(e);
  CfsRq& queue = m.rootCfs(CpuId{0});
  se.load = loadOfWeight(in.positive("weight", kMaxRecordWeight));
  se.onRq = in.flag("on_rq");
  se.avg = avgOfRecord(in, "se_avg");
  queue.avg = avgOfRecord(in, "cfs_avg");
  queue.load = {in.number("cfs_load_weight"), 0};
  const std::uint64_t weight = in.positive("new_weight", kMaxRecordWeight);
  if (!in.ok()) return in.error();
  flat::reweightEntity(m, CfsRqId{0}, e, weight);
  return json{{"weight", se.load.weight},
              {"cfs_load_weight", queue.load.weight},
              {"se_avg", avgRecord(se.avg)},
              {"cfs_avg", avgRecord(queue.avg)}};
}

/// The virtual-time side of a new weight.
Result<json> runReweightEevdf(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const std::int64_t id = in.integer("id");
  QueueBench bench(in, profile, in.flag("on_rq") ? -1 : id);
  const EntityId e = bench.entity(in, id);
  const std::uint64_t weight = in.positive("new_weight", kMaxRecordWeight);
  const bool relative = in.flag("rel_deadline");
  if (!in.ok()) return in.error();
  SchedEntity& se = bench.machine().entity(e);
  se.relDeadline = relative;
  CfsRq& root = bench.queue();
  flat::reweightVirtual(bench.machine(), root, e, weight);
  json out = {{"h_load_weight", se.hLoad.weight},
              {"vruntime", signedOf(se.vruntime)},
              {"deadline", signedOf(se.deadline)},
              {"vlag", se.vlag},
              {"zero_vruntime", signedOf(root.zeroVruntime)},
              {"sum_key_weight", root.sumWVruntime},
              {"sum_weight", root.sumWeight}};
  if (root.curr == e) out["vprot"] = signedOf(se.vprot);
  return out;
}

namespace {

template <class Protect>
Result<json> runProtect(const json& object, const KernelProfile& profile, Protect&& protect) {
  RecordReader in(object);
  QueueBench bench(in, profile);
  const EntityId e = bench.entity(in, 0);
  if (!in.ok()) return in.error();
  SchedEntity& se = bench.machine().entity(e);
  protect(bench.machine(), bench.queue(), se);
  return json{{"vprot", signedOf(se.vprot)},
              {"zero_vruntime", signedOf(bench.queue().zeroVruntime)},
              {"sum_key_weight", bench.queue().sumWVruntime}};
}

}  // namespace

Result<json> runSetProtectSlice(const json& object, const KernelProfile& profile) {
  return runProtect(object, profile, flat::setProtectSlice);
}

Result<json> runUpdateProtectSlice(const json& object, const KernelProfile& profile) {
  return runProtect(object, profile, flat::updateProtectSlice);
}

Result<json> runHierarchicalWeight(const json& object, const KernelProfile&) {
  RecordReader in(object);
  json weights = json::array();
  const json& levels = in.array("levels");
  std::uint64_t share = kNice0Load;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    RecordReader level(levels[i]);
    const std::uint64_t weight = level.positive("se_weight", kMaxRecordWeight);
    const std::uint64_t above = level.positive("cfs_load_weight");
    in.join(level);
    if (!in.ok()) return in.error();
    share = flat::shareOfLevel(share, weight, i + 1 < levels.size() ? above : kNice0Load);
    weights.push_back(share);
  }
  if (!in.ok()) return in.error();
  return json{{"weights", std::move(weights)}};
}

}  // namespace rqscope
