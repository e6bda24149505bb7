// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/value_rules.h"

#include <algorithm>
#include <string_view>

#include "evaluate/hand_machine.h"
#include "rqscope/explain_value.h"
#include "runqueue/cfs.h"
#include "runqueue/eevdf.h"
#include "runqueue/flat.h"
#include "runqueue/load_tracking.h"

namespace rqscope::api {
namespace {

constexpr int kLowestNice = -20, kHighestNice = 19;
constexpr CpuId kCpu{0};
constexpr CfsRqId kQueue{0};

/// A machine of one CPU that holds nothing but operands, for the engine's functions to work on.
class Probe {
 public:
  explicit Probe(const ExplainedValue& value)
      : m(makeMachine(HandTopology(1).finish(), profileOf(value.kernel), 0, 1)), m_value(value) {}

  std::int64_t at(std::size_t i) const { return i < m_value.operands.size() ? m_value.operands[i].value : 0; }
  std::uint64_t bits(std::size_t i) const { return static_cast<std::uint64_t>(at(i)); }
  std::uint32_t word(std::size_t i) const { return static_cast<std::uint32_t>(bits(i)); }
  std::size_t count() const { return m_value.operands.size(); }
  bool isFlat() const { return m.profile->queue == QueueKind::FlatEevdf; }
  Context context() { return {m, m_nobody}; }

  void setCapacity(std::uint32_t capacity) {
    HandTopology topology(1);
    topology.topology().cpuCapacity.assign(1, capacity);
    m.topology = topology.finish();
  }
  /// An entity of the root queue with this weight, as virtual time counts it.
  EntityId addEntity(std::uint64_t weight, std::uint32_t inverse = 0) {
    const EntityId id{m.entities.size()};
    SchedEntity& se = m.entities.emplace_back();
    se.load = {weight, inverse};
    se.hLoad = {weight, 0};
    se.cfsRq = kQueue;
    se.onRq = true;
    return id;
  }
  KernelProfile editProfile() const { return *m.profile; }

  Machine m;

 private:
  static std::shared_ptr<const KernelProfile> profileOf(const std::string& name) {
    auto profile = kernelProfile(name);
    return std::make_shared<const KernelProfile>(profile.ok() ? std::move(profile).value() : KernelProfile{});
  }

  const ExplainedValue& m_value;
  Observer m_nobody;
};

std::int64_t asSigned(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// Weights of virtual time: scaled down before v7.3, whole from then on.
std::uint64_t loadOf(const Probe& p, std::uint64_t weight) { return p.isFlat() ? weight : scaleLoad(weight); }

std::int64_t average(Probe& p) {
  p.m.queue(kQueue).sumWVruntime = p.at(0);
  p.m.queue(kQueue).sumWeight = p.bits(1);
  p.m.queue(kQueue).zeroVruntime = 0;
  if (p.at(3) != 0) {
    const EntityId curr = p.addEntity(loadOf(p, p.bits(3)));
    p.m.entity(curr).vruntime = p.bits(2);
    p.m.queue(kQueue).curr = curr;
  }
  return asSigned(avgVruntime(p.m, kQueue));
}

std::int64_t keySum(Probe& p) {
  CfsRq& queue = p.m.queue(kQueue);
  queue.zeroVruntime = 0;
  for (std::size_t i = 0; i + 1 < p.count(); i += 2) {
    const EntityId id = p.addEntity(loadOf(p, p.bits(i + 1)));
    p.m.entity(id).vruntime = p.bits(i);
    Observer nobody;
    Context ctx{p.m, nobody};
    if (p.isFlat())
      flat::insertEntity(p.m, queue, id);
    else
      eevdf::insertEntity(ctx, queue, id);
  }
  return queue.sumWVruntime;
}

/// A duration in the virtual time of a weight.
std::uint64_t virtualOf(Probe& p, std::uint64_t ns, std::uint64_t weight, std::uint32_t inverse) {
  if (weight == 0) return 0;
  if (p.isFlat()) return flat::calcDeltaFair(ns, weight);
  return calcDeltaFair(ns, p.m.entity(p.addEntity(weight, inverse)));
}

std::int64_t charge(Probe& p) { return asSigned(p.bits(0) + virtualOf(p, p.bits(1), p.bits(2), p.word(3))); }

std::int64_t place(Probe& p) {
  CfsRq& queue = p.m.queue(kQueue);
  queue.zeroVruntime = p.bits(0);
  queue.sumWVruntime = 0;
  queue.sumWeight = p.bits(2);
  queue.nrQueued = p.at(2) != 0 ? 1 : 0;
  const EntityId id = p.addEntity(loadOf(p, p.bits(3)));
  p.m.entity(id).vlag = p.at(1);
  Context ctx = p.context();
  if (p.isFlat())
    flat::placeEntity(ctx, queue, id, queue.nrQueued, 0);
  else
    eevdf::placeEntity(ctx, kQueue, id, 0);
  return asSigned(p.m.entity(id).vruntime);
}

std::int64_t placeCfs(Probe& p) {
  p.m.queue(kQueue).zeroVruntime = p.bits(0);
  const TaskId task = addTask(p.m, NewTask{});
  const EntityId id = p.addEntity(kNice0Load);
  p.m.entity(id).task = task;
  p.m.entity(id).vruntime = p.bits(1);
  KernelProfile profile = p.editProfile();
  profile.features.gentleFairSleepers = false;  // the credit is given as it is taken
  p.m.profile = std::make_shared<const KernelProfile>(profile);
  p.m.latencyNs = p.bits(2);
  Context ctx = p.context();
  cfs::placeEntity(ctx, kQueue, id, false);
  return asSigned(p.m.entity(id).vruntime);
}

std::int64_t deadline(Probe& p) {
  const std::uint64_t parts = std::max<std::uint64_t>(p.bits(4), 1);
  return asSigned(p.bits(0) + virtualOf(p, p.bits(1), p.bits(2), p.word(3)) / parts);
}

/// The earliest of the others, but never less than before.
std::int64_t minVruntime(Probe& p) {
  std::uint64_t earliest = p.count() > 1 ? p.bits(1) : p.bits(0);
  for (std::size_t i = 2; i < p.count(); ++i)
    if (virtualDelta(p.bits(i), earliest) < 0) earliest = p.bits(i);
  return asSigned(virtualDelta(earliest, p.bits(0)) > 0 ? earliest : p.bits(0));
}

std::int64_t cfsSlice(Probe& p) {
  constexpr std::size_t kFirstLevel = 4;
  KernelProfile profile = p.editProfile();
  profile.features.altPeriod = profile.features.baseSlice = false;
  p.m.profile = std::make_shared<const KernelProfile>(profile);
  p.m.latencyNs = p.bits(1);
  p.m.minGranularityNs = p.bits(2);
  EntityId own, below;
  for (std::size_t i = kFirstLevel; i + 1 < p.count(); i += 2) {
    const CfsRqId queue = i == kFirstLevel ? kQueue : CfsRqId{p.m.cfs.size()};
    if (i != kFirstLevel) p.m.cfs.emplace_back().cpu = kCpu;
    p.m.queue(queue).load = {p.bits(i + 1), 0};
    const EntityId entity = p.addEntity(p.bits(i));
    p.m.entity(entity).cfsRq = queue;
    if (below.isValid())
      p.m.entity(below).parent = entity;
    else
      own = entity;
    below = entity;
  }
  if (!own.isValid()) return 0;
  p.m.queue(kQueue).nrQueued = p.word(0);
  return asSigned(std::max(cfs::sliceNow(p.m, kQueue, own), p.bits(3)));
}

std::int64_t niceWeight(Probe& p) {
  const auto nice = static_cast<int>(std::clamp<std::int64_t>(p.at(0), kLowestNice, kHighestNice));
  return asSigned(scaleLoadDown(loadWeightOf(nice, static_cast<SchedPolicy>(p.at(1))).weight));
}

std::int64_t shares(Probe& p) {
  const GroupId group = addGroup(p.m, "g", GroupId{0});
  HandTopology topology(1);
  topology.topology().online = CpuMask::firstN(static_cast<int>(std::max<std::int64_t>(p.at(6), 1)));
  p.m.topology = topology.finish();
  KernelProfile profile = p.editProfile();
  profile.behaviours.cgroupMode = static_cast<CgroupMode>(p.at(7));
  p.m.profile = std::make_shared<const KernelProfile>(profile);
  const CfsRqId id = queueOf(p.m, group, kCpu);
  CfsRq& queue = p.m.queue(id);
  p.m.group(group).shares = p.bits(0);
  queue.load = {p.bits(1), 0};
  queue.avg.loadAvg = p.bits(2);
  p.m.group(group).loadAvg = p.at(3);
  queue.tgLoadAvgContrib = p.bits(4);
  p.m.group(group).runnableAvg = p.at(5);
  return asSigned(calcGroupShares(p.m, id));
}

std::int64_t peltUtil(Probe& p) {
  SchedAvg avg;
  avg.utilSum = p.word(0);
  avg.periodContrib = p.word(1);
  updateLoadAverages(avg, 1);
  return asSigned(avg.utilAvg);
}

std::int64_t peltLoad(Probe& p) {
  SchedAvg avg;
  avg.loadSum = p.bits(1);
  avg.periodContrib = p.word(2);
  updateLoadAverages(avg, p.bits(0));
  return asSigned(avg.loadAvg);
}

std::int64_t peltRunnable(Probe& p) {
  SchedAvg avg;
  avg.runnableSum = p.bits(0);
  avg.periodContrib = p.word(1);
  updateLoadAverages(avg, 1);
  return asSigned(avg.runnableAvg);
}

std::int64_t cpuUtilOf(Probe& p) {
  p.setCapacity(p.word(3));
  KernelProfile profile = p.editProfile();
  profile.features.utilEst = p.at(2) != 0;
  p.m.profile = std::make_shared<const KernelProfile>(profile);
  p.m.rootCfs(kCpu).avg.utilAvg = p.bits(0);
  p.m.rootCfs(kCpu).avg.utilEst = p.word(1);
  return asSigned(cpuUtilCfs(p.m, kCpu));
}

std::int64_t utilEst(Probe& p) {
  const TaskId task = addTask(p.m, NewTask{});
  SchedAvg& avg = p.m.se(task).avg;
  avg.utilEst = p.m.behaviours().utilEstSingle ? p.word(0) : p.word(1);
  avg.utilEstEwma = p.word(0);
  return asSigned(taskUtilEstRaw(p.m, task));
}

std::int64_t utilEstAfterUpdate(Probe& p) {
  p.setCapacity(p.word(4));
  const TaskId task = addTask(p.m, NewTask{});
  SchedAvg& avg = p.m.se(task).avg;
  avg.utilEst = p.m.behaviours().utilEstSingle ? p.word(0) : p.word(1);
  avg.utilEstEwma = p.m.behaviours().utilEstSingle ? 0 : p.word(0);
  avg.utilAvg = p.bits(2);
  avg.runnableAvg = p.bits(3);
  utilEstUpdate(p.m, kCpu, task, true);
  return asSigned(taskUtilEstRaw(p.m, task));
}

std::int64_t capacity(Probe& p) {
  p.setCapacity(p.word(0));
  Rq& rq = p.m.rq(kCpu);
  rq.avgHw.loadAvg = p.bits(1);
  rq.cpufreqPressure = p.bits(2);
  rq.avgRt.utilAvg = p.bits(3);
  rq.avgDl.utilAvg = p.bits(4);
  rq.avgIrq.utilAvg = p.bits(5);
  return asSigned(std::max<std::uint64_t>(scaleRtCapacity(p.m, kCpu), 1));
}

std::int64_t sum(Probe& p) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < p.count(); ++i) total += p.bits(i);
  return asSigned(total);
}

struct Rule {
  std::string_view key;
  std::int64_t (*compute)(Probe&);
};

constexpr Rule kRules[] = {
    {rules::kCopy, [](Probe& p) { return p.at(0); }},
    {rules::kChange, &sum},
    {rules::kSum, &sum},
    {rules::kDifference, [](Probe& p) { return virtualDelta(p.bits(0), p.bits(1)); }},
    {rules::kAverage, &average},
    {rules::kKeySum, &keySum},
    {rules::kCharge, &charge},
    {rules::kPlace, &place},
    {rules::kPlaceCfs, &placeCfs},
    {rules::kDeadline, &deadline},
    {rules::kMinVruntime, &minVruntime},
    {rules::kCfsSlice, &cfsSlice},
    {rules::kBaseSlice, [](Probe& p) { return asSigned(p.bits(0) * p.bits(1)); }},
    {rules::kNiceWeight, &niceWeight},
    {rules::kScaleDown, [](Probe& p) { return asSigned(scaleLoadDown(p.bits(0))); }},
    {rules::kShares, &shares},
    {rules::kPeltUtil, &peltUtil},
    {rules::kPeltLoad, &peltLoad},
    {rules::kPeltRunnable, &peltRunnable},
    {rules::kCpuUtil, &cpuUtilOf},
    {rules::kUtilEst, &utilEst},
    {rules::kUtilEstUpdate, &utilEstAfterUpdate},
    {rules::kCapacity, &capacity},
};

}  // namespace

std::int64_t recompute(const ExplainedValue& value) {
  const auto* rule =
      std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) { return r.key == value.rule; });
  if (rule == std::end(kRules)) return 0;
  Probe probe(value);
  return rule->compute(probe);
}

}  // namespace rqscope::api
