// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "groupstats/balance_pass.h"
#include "groupstats/placement_decision.h"
#include "runqueue/observer.h"

namespace rqscope {

/// Writes what happens as the event lines of a stepped run, in the kernel hooks' order.
class SteppedEvents : public Observer {
 public:
  void beginTick(std::int64_t tick) { m_tick = tick; }
  void setPhase(std::string phase);
  /// Lines since the last call, in order.
  std::vector<nlohmann::json> takeLines();

  /// Switches inside a pass belong after its choice of the source queue.
  void holdSwitches(bool on) { m_holdsSwitches = on; }
  /// Passes reported since newidle balancing last began.
  int passesSinceNewidle() const { return m_passes; }
  void note(nlohmann::json line);  ///< a line of the driver's own (op, newtask)
  void bindTask(int id, TaskId task);
  int idOf(TaskId task) const;
  std::uint64_t migrations(TaskId task) const;

  bool wantsDecisions() const override { return true; }
  void onPlaceEntity(const Machine& m, const PlacedEntity& placed) override;
  void onSwitch(const Machine& m, const Switch& change) override;
  void onSetTaskCpu(const Machine& m, TaskId task, CpuId from, CpuId to, MigrationReason reason) override;
  void onSoftirq(const Machine& m, CpuId cpu, bool idle) override;
  void onNewidleBegin(const Machine& m, CpuId cpu) override;
  void onNewidleEnd(const Machine& m, CpuId cpu, int pulled) override;
  void onBalancePass(const Machine& m, const BalancePass& pass) override;
  void onPlacement(const Machine& m, const Placement& placement) override;

 private:
  void emit(nlohmann::json line);
  void hold(nlohmann::json line) { m_held.push_back(std::move(line)); }
  void flush();
  nlohmann::json takeHeld(const char* kind);
  nlohmann::json taskField(TaskId task) const;
  void emitLevel(const Machine& m, TaskId task, CpuId thisCpu, const PlacementLevel& level);
  void emitRound(const Machine& m, const BalancePass& pass, const BalanceRound& round);
  void emitGroups(const Machine& m, const BalancePass& pass, const BalanceRound& round);
  void emitDecision(const Machine& m, const BalancePass& pass, const BalanceRound& round);
  void emitCandidates(const BalancePass& pass, const BalanceRound& round);
  void emitEnd(const Machine& m, const BalancePass& pass);
  void emitActiveRun(const BalancePass& pass);

  std::int64_t m_tick = 0;
  std::string m_phase;
  std::vector<nlohmann::json> m_lines;
  std::vector<nlohmann::json> m_held;  ///< migrations and placements of a pass still to be reported
  bool m_holdsSwitches = false;
  int m_passes = 0;
  std::vector<int> m_ids;  ///< by TaskId
  std::vector<std::uint64_t> m_migrations;
};

/// Flag bits as the kernel of the run numbers them.
std::uint32_t kernelSdFlags(std::uint32_t flags, KernelVersion version);

}  // namespace rqscope
