// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/simulator.h"
#include "signals/pelt_ideal.h"

namespace rqscope {

/// Whose averages are followed.
struct PeltSubject {
  enum class Kind : std::uint8_t { Task, Queue } kind = Kind::Task;
  TaskId task;
  std::int32_t pid = 0;
  GroupId group{0};  ///< Queue: of this group ...
  CpuId cpu;         ///< ... on this CPU; none: the sum over all CPUs
  bool operator==(const PeltSubject&) const = default;
};

/// Follows a run on the side and keeps, for one subject, the kernel's integers where they change and the
/// ideal curve beside them: the exact geometric average driven by the same history of running and waiting,
/// solved between any two changes of it on the queue's own clock (cfs_rq_clock_pelt(), which frequency,
/// capacity and throttling slow or stop). The integers are taken once, when a task is first attached; after
/// that the curve knows nothing of them.
// Simplified: a group's ideal load counts the group's own time on the queue, not the load that tasks bring
// and take when they move; util and runnable are sums over the tasks and do follow them.
class PeltTrack {
 public:
  using Values = std::array<double, kPeltSignals>;
  struct Step {
    std::uint64_t timeNs = 0;  ///< run time
    std::array<std::uint64_t, kPeltSignals> value{};
  };

  PeltTrack(SimState start, PeltSubject subject);
  const PeltSubject& subject() const { return m_subject; }
  std::uint64_t position() const { return m_simulator.state().counters.events; }
  std::uint64_t beginNs() const { return m_beginNs; }
  /// On to a position of the run; stops early when `cancel` becomes true.
  void advanceTo(std::uint64_t position, const std::atomic<bool>* cancel = nullptr);
  /// Where the integers changed, ascending; the first is the start.
  const std::vector<Step>& steps() const { return m_steps; }
  /// The integers at a run time that has been followed.
  Step at(std::uint64_t timeNs) const;
  Values ideal(std::uint64_t timeNs) const;

 private:
  /// What drives an entity's averages, and where they stood when it last changed.
  struct Driven {
    bool isAttached = false, isRunning = false, isQueued = false, isRunnable = false, isStopped = false;
    CfsRqId queue;
    CpuId cpu;
    std::int32_t pid = 0;
    double weight = 0;
    std::uint64_t clockOffset = 0, frozenClock = 0;
    double clock = 0;  ///< of its queue, when `value` held
    Values value{};    ///< util, share of time queued (0..1), runnable
    bool drivesAs(const Driven& other) const;
  };
  /// A stretch of the curve of one CPU.
  struct Piece {
    std::uint64_t beginNs = 0;
    double rate = 0;                    ///< ns of the PELT clock per ns
    Values value{}, target{}, still{};  ///< still: of entities whose clock stands
  };

  Driven read(EntityId entity) const;
  void follow(EntityId entity, Driven& known);
  Values valueOf(const Driven& driven, double clock) const;
  double clockOf(const Driven& driven, double cpuClock) const;
  double cpuClock(CpuId cpu, std::uint64_t nowNs) const;
  double rateOf(CpuId cpu) const;
  bool isInSubject(const Driven& driven, EntityId entity, bool forLoad) const;
  void afterEvent();
  void addStep();
  void addPieces();
  /// Can the curve of a CPU have left its last piece in this event?
  bool isTouched(CpuId cpu, const std::vector<Piece>& pieces) const;
  Piece pieceOf(CpuId cpu) const;
  SchedAvg averages() const;

  Simulator m_simulator;
  PeltSubject m_subject;
  std::uint64_t m_beginNs = 0;
  std::vector<double> m_clockBefore;         ///< by CPU: its PELT clock at the event's time, before the event
  std::vector<Driven> m_driven;              ///< by entity
  std::vector<char> m_changed;               ///< by CPU: what drives an entity there changed in this event
  std::vector<CpuId> m_cpus;                 ///< of the subject
  std::vector<std::vector<Piece>> m_pieces;  ///< by place in m_cpus
  std::vector<Step> m_steps;
};

}  // namespace rqscope
