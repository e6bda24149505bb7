// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "evaluate/hand_machine.h"
#include "runqueue/observer.h"

namespace rqscope {

/// The root queue of a one-CPU machine as a record gives it: reference point, entities, which one runs.
class QueueBench {
 public:
  /// Reads zero_vruntime, curr, entities (and base_slice, tick_ns when there). The entity with the id
  /// `leftOut` is read but not queued. Errors stay in `in`.
  QueueBench(RecordReader& in, const KernelProfile& profile, std::int64_t leftOut = -1);

  Machine& machine() { return m_machine; }
  Context context() { return {m_machine, m_nobody}; }
  CfsRqId queueId() const { return CfsRqId{0}; }
  CfsRq& queue() { return m_machine.rootCfs(CpuId{0}); }
  const std::vector<EntityId>& entities() const { return m_entities; }
  /// The entity that the record calls `id`; the first one (and an error in `in`) when there is none.
  EntityId entity(RecordReader& in, std::int64_t id) const;
  std::int64_t idOf(EntityId entity) const;  ///< -1 for none
  /// One more entity, off the queue: the "se" object of place_entity.
  EntityId addEntity(RecordReader& row);

 private:
  void queueEntity(EntityId entity, bool isCurr);

  Machine m_machine;
  Observer m_nobody;
  std::vector<EntityId> m_entities;
  std::vector<std::int64_t> m_ids;
};

/// The weight of a task comes with the inverse that the kernel's table has for it; others are computed.
LoadWeight loadOfWeight(std::uint64_t weight);

/// Largest weight (scaled) and longest slice that a record may name; both far above any kernel's.
inline constexpr std::uint64_t kMaxRecordWeight = (std::uint64_t{1} << 31) - 1;
inline constexpr std::uint64_t kMaxRecordSlice = std::uint64_t{1} << 40;

inline std::int64_t signedOf(std::uint64_t virtualTime) { return static_cast<std::int64_t>(virtualTime); }

// Records of v7.3 (queue_flat_records.cpp); those of functions that v6.12 has are chosen by the profile.
Result<nlohmann::json> runFlatCalcDeltaFair(const nlohmann::json& object);
Result<nlohmann::json> runFlatPick(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runFlatPlace(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runFlatUpdateEntityLag(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runFlatUpdateDeadline(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runFlatReweightEntity(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runReweightEevdf(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runSetProtectSlice(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runUpdateProtectSlice(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runHierarchicalWeight(const nlohmann::json& object, const KernelProfile& profile);

// Records of operations in sequence on one CPU; queue_functions.cpp lists them.
Result<nlohmann::json> runEevdfSequence(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runEevdfGroupSequence(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runCfsSequence(const nlohmann::json& object, const KernelProfile& profile);

}  // namespace rqscope
