// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

#include "engine/simulator.h"
#include "evaluate/free_run.h"

namespace rqscope {

/// Notes what an engine does as the record notes it.
class FreeRunWatcher final : public Observer {
 public:
  /// Time 0 of the record in machine time.
  explicit FreeRunWatcher(std::uint64_t zeroNs) : m_zeroNs(zeroNs) {}
  const FreeTrack& track() const { return m_track; }
  FreeTrack& track() { return m_track; }

  bool wantsDecisions() const override { return true; }
  void onBalancePass(const Machine& m, const BalancePass& pass) override;
  void onSetTaskCpu(const Machine& m, TaskId task, CpuId from, CpuId to, MigrationReason reason) override;
  void onPlacement(const Machine& m, const Placement& placement) override;
  void onNewidleSkip(const Machine& m, const NewidleSkip& skip) override;
  void onSwitch(const Machine& m, const Switch& sw) override;
  void onTaskDead(const Machine& m, TaskId task) override;

 private:
  double msOf(const Machine& m) const;
  std::uint64_t m_zeroNs;
  FreeTrack m_track;
};

/// Where jiffies are counted from when a recorded run is taken over.
struct TimeBase {
  std::uint64_t zeroNs = 0;    ///< machine time of the record's time 0
  std::uint64_t originNs = 0;  ///< of jiffy 0, at or before the common moment of the ticks
  std::uint64_t periodNs = 0;

  std::uint64_t nsOf(double ms) const;
  std::uint64_t jiffyOf(double ms) const { return (nsOf(ms) - originNs) / periodNs; }
};

/// Gives every domain the interval, failure count and time of last balance that the record shows around
/// `fromMs`, each CPU its next_balance, and nohz its own. `passes` are all recorded calls, newly idle ones
/// included.
void takeOverDomains(SimState& state, const std::vector<FreePass>& passes, double fromMs,
                     const TimeBase& base);

/// Makes machine time and jiffies of a state at its start those of the record.
void takeOverTime(SimState& state, std::uint64_t startNs);
/// After the launches: jiffies are counted from `base.originNs`.
void setTimeBase(SimState& state, const TimeBase& base);

/// As runFreely(), on a machine whose CPUs keep their tick until it has come once more when they go idle.
void runWithIdleTicks(Simulator& simulator, std::uint64_t untilNs);

/// Runs until `untilNs` (machine time), the End event, or `done` says so.
void runFreely(Simulator& simulator, std::uint64_t untilNs, const std::function<bool()>& done);

}  // namespace rqscope
