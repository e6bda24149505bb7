// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "api/value_reader.h"
#include "recording/history.h"
#include "runqueue/observer.h"

namespace rqscope::api {

/// Watches where an entity is placed in an event, and what its queue weighed then.
class PlaceWatch final : public Observer {
 public:
  explicit PlaceWatch(EntityId entity) : m_entity(entity) {}
  std::optional<PlacedEntity> placed;  ///< the last one
  std::uint64_t load = 0;              ///< weight of the others in virtual time; 0: nobody, no lag kept

 private:
  void onPlaceEntity(const Machine& m, const PlacedEntity& what) override;
  EntityId m_entity;
};

/// Builds the explanation of one number: from the state as it is, or, for numbers that the kernel keeps and
/// changes now and then, from the event in which it last changed.
class ValueExplainer {
 public:
  explicit ValueExplainer(History& history) : m_history(history), m_state(history.state()) {}
  /// On a state within the next event, such as that in which a decision begins.
  ValueExplainer(History& history, const SimState& state) : m_history(history), m_state(state) {}
  ExplainedValue explain(const ValueRef& ref);

 private:
  using Operands = std::vector<ValueOperand>;

  // value_explainer.cpp: from the present state.
  bool explainNow();
  void noteUpdate();
  bool explainVirtual();
  bool explainQueue();
  bool explainGroup();
  void explainAverage();
  void explainKeySum();
  void explainSlice();
  void explainCfsSlice();
  void explainWeight();
  void explainShares(const Machine& m);
  bool explainCapacity(const Machine& m);
  bool explainEstimateOfCpu();
  std::vector<EntityId> entitiesOn(CfsRqId queue) const;
  std::string nameOf(EntityId entity) const;
  std::optional<ValueRef> refOf(EntityId entity, const char* name) const;
  ValueRef queueRef(const char* name) const;
  ValueRef ownRef(const char* name) const;
  ValueRef refOfQueue(CfsRqId queue, const char* name) const;

  // value_history.cpp: from the event in which it changed.
  void explainPast();
  bool explainWithinEvent();
  bool tryPast(const History::Change& change, const PlaceWatch& watch);
  bool pastVruntime(const History::Change& change, const PlaceWatch& watch);
  bool pastDeadline(const History::Change& change, const PlaceWatch& watch);
  bool pastMinVruntime(const History::Change& change);
  bool pastAverage(const History::Change& change);
  bool pastEstimate(const History::Change& change);

  void set(const char* rule, const char* function, const char* formula, Operands operands);
  bool holds() const { return recompute(m_out) == m_wanted; }
  bool isKernel(KernelVersion version) const { return m_state.machine.profile->version == version; }

  History& m_history;
  const SimState& m_state;
  ValueSubject m_subject;
  const ValueKind* m_kind = nullptr;
  std::int64_t m_wanted = 0;
  ExplainedValue m_out;
};

}  // namespace rqscope::api
