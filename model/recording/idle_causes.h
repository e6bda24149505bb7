// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sim_state.h"
#include "groupstats/balance_pass.h"
#include "groupstats/placement_decision.h"
#include "runqueue/observer.h"

namespace rqscope {

/// What the last decision about an idle CPU was while an allowed task waited elsewhere.
enum class IdleCauseKind : std::uint8_t {
  NoPassYet,  ///< nothing was decided for the CPU since the wait began; detail: SimEventKind it began with
  PlacedElsewhere,  ///< a wakeup, fork or exec put a task on a busy CPU; detail: PlacementStep
  NewidleSkipped,   ///< detail: NewidleSkip::Reason
  Pass              ///< a pass for the CPU moved nothing to it; detail: PassEnd, branch: what belongs to it
};

/// A cause as a value; `branch` is FindSrcGroupWhy, ImbalanceRule or BalanceCandidate::Verdict by `detail`.
struct IdleCause {
  IdleCauseKind kind = IdleCauseKind::NoPassYet;
  std::uint8_t detail = 0, branch = 0;
  bool operator==(const IdleCause&) const = default;
};

/// From begin to end the CPU was idle while an allowed task waited elsewhere, for one cause.
struct IdleSpan {
  std::uint64_t beginNs = 0, endNs = 0;  ///< run time; end UINT64_MAX: it goes on
  std::int32_t cpu = -1;
  IdleCause cause;
  std::uint64_t decision = UINT64_MAX;  ///< that decided so; UINT64_MAX: none
};

/// The last thing that was decided for a CPU.
struct LatestCause {
  IdleCause cause;
  std::uint64_t decision = UINT64_MAX;
  bool isNew = false;  ///< decided in the event that was just over
};

/// Where the causes stood at a checkpoint.
struct IdleCausesMark {
  std::uint64_t spans = 0;  ///< closed, the forgotten ones included
  std::vector<IdleSpan> open;
  std::vector<LatestCause> latest;
  LatestCause placed;
};

/// Spans that are no longer kept one by one.
struct ForgottenCause {
  IdleCause cause;
  std::uint64_t ns = 0, spans = 0;
};

/// Cuts the idle-while-waiting time of each CPU by its cause. Fed at the frontier of the run only.
class IdleCauses {
 public:
  explicit IdleCauses(const SimState& start);

  /// Before each event: what holds since the last one.
  void beforeEvent(const SimState& state);
  void onPass(const Machine& m, const BalancePass& pass, std::uint64_t decision);
  void onPlacement(const Machine& m, const Placement& placement, std::uint64_t decision);
  void onNewidleSkip(const NewidleSkip& skip);

  IdleCausesMark mark() const;
  void cutBack(const IdleCausesMark& mark);
  /// In order of their ends; those that go on come last.
  std::vector<IdleSpan> spans() const;
  /// Earlier ones of a long run, summed by cause.
  const std::vector<ForgottenCause>& forgotten() const { return m_forgotten; }
  std::size_t bytes() const { return m_spans.capacity() * sizeof(IdleSpan); }

 private:
  void forgetHalf();
  void note(CpuId cpu, const IdleCause& cause, std::uint64_t decision);
  void close(std::size_t cpu, std::uint64_t nowNs);

  std::vector<IdleSpan> m_spans;      ///< closed
  std::vector<IdleSpan> m_open;       ///< by CPU; cpu -1: none
  std::vector<LatestCause> m_latest;  ///< by CPU
  CpuMask m_openCpus, m_noted;
  LatestCause m_placed;  ///< a task was put on a busy CPU in this event
  std::vector<ForgottenCause> m_forgotten;
  std::uint64_t m_forgottenSpans = 0;
};

}  // namespace rqscope
