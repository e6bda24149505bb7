// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/simulator.h"
#include "groupstats/balance_pass.h"
#include "groupstats/placement_decision.h"

namespace rqscope::cases {

inline constexpr std::uint64_t kMs = 1'000'000;
inline const std::vector<std::string> kKernels = {"v6.1", "v6.12", "v7.3"};

/// How a case's scenario is run: on which kernel and with which patches and features.
struct Setting {
  std::string kernel = "v6.12";
  std::vector<std::pair<std::string, bool>> patches;
  std::vector<std::string> features;
};

/// The plan of resources/scenarios/cases/ID.json.
std::shared_ptr<const SimPlan> casePlan(const std::string& id, const Setting& setting,
                                        const std::function<void(Tunables&)>& tune = nullptr);

/// A run of a case's scenario that keeps what was decided.
class CaseRun : private Observer {
 public:
  CaseRun(const std::string& id, const Setting& setting,
          const std::function<void(Tunables&)>& tune = nullptr);

  Simulator& simulator() { return m_simulator; }
  const SimState& state() const { return m_simulator.state(); }
  const Machine& machine() const { return state().machine; }
  /// Runs to that time of the run.
  void to(std::uint64_t timeNs);
  /// Task by name, or none.
  TaskId task(const std::string& name) const;

  bool keepsDecisions = true;
  std::vector<BalancePass> passes;
  std::vector<Placement> placements;
  struct Kick {
    std::uint64_t timeNs = 0;
    std::uint32_t flags = 0;
  };
  std::vector<Kick> kicks;
  /// Wakeups that chose a busy CPU while an allowed CPU of another cache was idle.
  std::uint64_t missedIdle = 0;
  /// Switches away from a task, by its name: it slept (or was delayed), or it could have gone on.
  struct Switches {
    std::uint64_t voluntary = 0, involuntary = 0;
  };
  std::map<std::string, Switches> switches;
  /// From wakeup to running, by name: sum and number.
  struct Delays {
    std::uint64_t sumNs = 0, count = 0;
    double meanUs() const {
      return count == 0 ? 0 : static_cast<double>(sumNs) / static_cast<double>(count) / 1000;
    }
  };
  std::map<std::string, Delays> delays;
  /// Writes to tg->load_avg, by group and CPU.
  struct TgWrites {
    std::uint64_t count = 0, lastNs = 0, shortestGapNs = UINT64_MAX;
  };
  std::map<std::pair<int, int>, TgWrites> tgWrites;

 private:
  bool wantsDecisions() const override { return keepsDecisions; }
  void onBalancePass(const Machine& m, const BalancePass& pass) override;
  void onPlacement(const Machine& m, const Placement& placement) override;
  void onSwitch(const Machine& m, const Switch& change) override;
  void onWakeup(const Machine& m, TaskId task, CpuId cpu) override;
  void onTgLoadAvgAccess(const Machine& m, GroupId group, CpuId cpu, bool write) override;
  void onNohzKick(const Machine& m, CpuId by, CpuId target, std::uint32_t flags) override;

  std::map<std::int32_t, std::uint64_t> m_wokenAt;  ///< by task
  Simulator m_simulator;
};

/// Result of one kernel function of the engine on given numbers, as `rqscope eval` gives it.
nlohmann::json evaluated(const std::string& function, const nlohmann::json& in, const Setting& setting = {});

}  // namespace rqscope::cases
