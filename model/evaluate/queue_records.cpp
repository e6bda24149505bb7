// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/queue_records.h"

#include <algorithm>

#include "evaluate/signal_records.h"
#include "runqueue/eevdf.h"
#include "runqueue/flat.h"

namespace rqscope {
namespace {

constexpr std::size_t kMostEntities = 500;

KernelProfile profileOfRecord(RecordReader& in, KernelProfile profile) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  if (in.has("tick_ns")) profile.tunables.hz = static_cast<int>(kSecond / in.positive("tick_ns", kSecond));
  return profile;
}

}  // namespace

LoadWeight loadOfWeight(std::uint64_t weight) {
  for (int nice = -20; nice <= 19; ++nice)
    if (const LoadWeight load = loadWeightOf(nice, SchedPolicy::Normal); load.weight == weight) return load;
  const LoadWeight idle = loadWeightOf(0, SchedPolicy::Idle);
  return idle.weight == weight ? idle : LoadWeight{weight, 0};
}

QueueBench::QueueBench(RecordReader& in, const KernelProfile& profile, std::int64_t leftOut)
    : m_machine(signalMachine(profileOfRecord(in, profile), 1, kCapacityScale)) {
  queue().zeroVruntime = in.number("zero_vruntime");
  if (in.has("base_slice")) m_machine.baseSliceNs = in.bounded("base_slice", kMaxRecordSlice);
  const std::int64_t curr = in.integer("curr");
  const auto& rows = in.array("entities");
  if (rows.size() > kMostEntities) {
    in.fail("more than 500 entities");
    return;
  }
  for (const auto& object : rows) {
    RecordReader row(object);
    m_ids.push_back(row.integer("id"));
    m_entities.push_back(addEntity(row));
    in.join(row);
    if (!in.ok()) return;
    if (m_ids.back() != leftOut) queueEntity(m_entities.back(), m_ids.back() == curr);
  }
  if (in.has("next_buddy") && in.integer("next_buddy") >= 0)
    queue().next = entity(in, in.integer("next_buddy"));
  if (in.number("sum_shift", 0) != 0) in.fail("a sum_shift other than 0 is not modelled");
}

EntityId QueueBench::addEntity(RecordReader& row) {
  const EntityId id = m_machine.task(addTask(m_machine, NewTask{})).se;
  SchedEntity& se = m_machine.entity(id);
  se.load = loadOfWeight(row.positive("weight", kMaxRecordWeight));
  se.hLoad = se.load;
  se.vruntime = row.number("vruntime");
  se.deadline = row.number("deadline");
  se.vlag = row.integer("vlag");
  se.slice = row.bounded("slice", kMaxRecordSlice);
  se.vprot = row.number("vprot", 0);
  return id;
}

void QueueBench::queueEntity(EntityId id, bool isCurr) {
  SchedEntity& se = m_machine.entity(id);
  se.onRq = true;
  ++queue().nrQueued;
  ++queue().hNrQueued;
  addLoad(queue().load, se.load.weight);
  if (isCurr) {
    queue().curr = queue().hCurr = id;
    m_machine.rq(CpuId{0}).curr = se.task;
    se.execStart = m_machine.rq(CpuId{0}).clockTask;
  } else if (m_machine.profile->queue == QueueKind::FlatEevdf) {
    flat::insertEntity(m_machine, queue(), id);
  } else {
    Observer nobody;
    Context ctx{m_machine, nobody};
    eevdf::insertEntity(ctx, queue(), id);
  }
}

EntityId QueueBench::entity(RecordReader& in, std::int64_t id) const {
  const auto at = std::ranges::find(m_ids, id);
  if (at != m_ids.end()) return m_entities[static_cast<std::size_t>(at - m_ids.begin())];
  in.fail("there is no entity with that id");
  return EntityId{};
}

std::int64_t QueueBench::idOf(EntityId entity) const {
  const auto at = std::ranges::find(m_entities, entity);
  return at == m_entities.end() ? -1 : m_ids[static_cast<std::size_t>(at - m_entities.begin())];
}

}  // namespace rqscope
