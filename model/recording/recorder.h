// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "engine/sim_state.h"
#include "recording/idle_causes.h"
#include "recording/samples.h"
#include "runqueue/observer.h"

namespace rqscope {

/// From this moment on `cpu` runs this task (slot -1: idle).
struct SwitchRecord {
  std::uint64_t timeNs = 0;  ///< run time
  std::int32_t slot = -1;
  std::int32_t pid = 0;
};

/// A CPU came or went.
struct OnlineRecord {
  std::uint64_t timeNs = 0;  ///< run time
  std::int32_t cpu = -1;
  bool isOnline = true;
};

enum class DecisionKind : std::uint8_t { Pass, ActivePass, Placement };
enum class DecisionResult : std::uint8_t { Balanced, Failed, Moved, ActiveStarted, Placed };

/// One line of the decision log: enough to list a decision and to find its event again.
struct DecisionRecord {
  std::uint64_t index = 0;  ///< number of the decision in the run
  std::uint64_t event = 0;  ///< number of its event
  std::uint64_t timeNs = 0;
  DomainId domain;
  std::int32_t cpu = -1;   ///< destination, or chosen CPU
  std::int32_t from = -1;  ///< source queue, or previous CPU; -1: none
  DecisionKind kind = DecisionKind::Pass;
  DecisionResult result = DecisionResult::Balanced;
  std::uint8_t entry = 0;  ///< BalanceEntry, or PlacementKind
  std::uint8_t idle = 0;   ///< CpuIdleType
  std::uint32_t moved = 0;
};

struct MigrationRecord {
  std::uint64_t timeNs = 0;
  std::uint64_t event = 0;  ///< number of its event
  std::int32_t slot = -1, pid = 0, from = -1, to = -1;
  MigrationReason reason = MigrationReason::Wakeup;
};

struct LatencyRecord {
  std::uint64_t timeNs = 0;
  std::uint32_t latencyNs = 0;  ///< from the wakeup to the first instruction, saturating
};

/// A list that forgets its oldest part when it grows over its limit, and keeps counting.
template <class T>
struct BoundedLog {
  std::vector<T> items;
  std::uint64_t dropped = 0;  ///< items forgotten at the front
  std::size_t limit = 1 << 20;

  std::uint64_t total() const { return dropped + items.size(); }
  void add(const T& item) {
    if (items.size() >= limit) {
      const std::size_t half = items.size() / 2;
      items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half));
      dropped += half;
    }
    items.push_back(item);
  }
  /// Back to an earlier total().
  void truncate(std::uint64_t count) {
    if (count < dropped) dropped = count;
    items.resize(count - dropped);
  }
  std::size_t bytes() const { return items.capacity() * sizeof(T); }
};

/// Where the recorder stood at a checkpoint, so that a branch can cut it back exactly.
struct RecorderMark {
  std::vector<std::uint64_t> switches;  ///< by CPU number
  std::uint64_t decisions = 0, migrations = 0, latencies = 0;
  std::size_t online = 0;
  std::uint64_t nextSampleNs = 0;
  std::vector<std::uint64_t> wokenNs;
  IdleCausesMark idleCauses;
};

/// Keeps what a run did, as change points and samples. Fed once per event, at the frontier of the run only:
/// a replay does not record again.
class Recorder final : public Observer {
 public:
  explicit Recorder(const SimState& start);

  /// Before each event: takes the samples whose time has come.
  void beforeEvent(const SimState& state, std::uint64_t eventTimeNs);
  /// After each event: notes which CPUs came or went.
  void afterEvent(const SimState& state);
  RecorderMark mark() const;
  void cutBack(const RecorderMark& mark);
  std::size_t bytes() const;

  const BoundedLog<SwitchRecord>& switches(CpuId cpu) const { return m_switches[cpu.index()]; }
  const BoundedLog<DecisionRecord>& decisions() const { return m_decisions; }
  const BoundedLog<MigrationRecord>& migrations() const { return m_migrations; }
  /// In order of time; those that are offline at the start come first.
  const std::vector<OnlineRecord>& onlineChanges() const { return m_onlineChanges; }
  const BoundedLog<LatencyRecord>& latencies() const { return m_latencies; }
  const IdleCauses& idleCauses() const { return m_idleCauses; }
  const Samples& samples() const { return m_samples; }
  /// Name of the task that had this pid; empty when unknown.
  const std::string& nameOf(std::int32_t pid) const;

 private:
  void onSwitch(const Machine& m, const Switch& sw) override;
  void onSetTaskCpu(const Machine& m, TaskId task, CpuId from, CpuId to, MigrationReason reason) override;
  void onWakeup(const Machine& m, TaskId task, CpuId cpu) override;
  void onNewTask(const Machine& m, TaskId task) override;
  void onNewidleSkip(const Machine& m, const NewidleSkip& skip) override;
  void onBalancePass(const Machine& m, const BalancePass& pass) override;
  void onPlacement(const Machine& m, const Placement& placement) override;
  std::uint64_t runTime(const Machine& m) const { return m.nowNs - m_originNs; }
  void addName(const Machine& m, TaskId task);
  void noteOnline(const Machine& m);

  std::uint64_t m_originNs;
  std::uint64_t m_event = 0;  ///< number of the event being recorded
  std::vector<BoundedLog<SwitchRecord>> m_switches;
  BoundedLog<DecisionRecord> m_decisions;
  std::uint64_t m_nextDecision = 0;
  BoundedLog<MigrationRecord> m_migrations;
  BoundedLog<LatencyRecord> m_latencies;
  std::vector<OnlineRecord> m_onlineChanges;
  std::shared_ptr<const SchedTopology> m_topology;  ///< as of the last change noted
  CpuMask m_online;                                 ///< after all changes noted
  Samples m_samples;
  IdleCauses m_idleCauses;
  std::vector<std::string> m_names;      ///< by pid
  std::vector<std::uint64_t> m_wokenNs;  ///< by slot: run time + 1 of a wakeup not yet served, 0 = none
};

}  // namespace rqscope
