// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "balance/balance_env.h"
#include "evaluate/hand_machine.h"
#include "evaluate/stats_record.h"

namespace rqscope {

// Words of the records.

Result<std::uint32_t> sdFlagsOfRecord(const nlohmann::json& names);
Result<CpuIdleType> idleOfRecord(const nlohmann::json& object);
std::string_view migrationRecordName(MigrationType type);
Result<MigrationType> migrationOfRecord(const nlohmann::json& object);
Result<FbqType> fbqOfRecord(const nlohmann::json& object);
std::string_view fbqRecordName(FbqType type);

/// A domain of one destination CPU, built from a record; then a machine and a pass on it.
class BalanceBench {
 public:
  BalanceBench(int cpuCount, const KernelProfile& profile) : m_hand(cpuCount), m_profile(profile) {}
  BalanceBench(const BalanceBench&) = delete;
  BalanceBench& operator=(const BalanceBench&) = delete;

  HandTopology& hand() { return m_hand; }
  SchedTopology& topology() { return m_hand.topology(); }
  KernelProfile& profile() { return m_profile; }
  /// SMT siblings 2k and 2k+1, as all records have them.
  void pairSiblings();
  /// The destination's domain; a child below it when `child`. Its first group must hold `dst`.
  void addDomain(int dst, std::uint32_t flags, int imbalancePct,
                 const std::vector<HandTopology::GroupSpec>& groups, bool child = false,
                 std::uint32_t childFlags = 0);
  SchedDomain& domain() { return topology().domains[m_domain.index()]; }
  SchedGroup& group(std::size_t position) { return topology().groups[domain().groups[position].index()]; }
  DomainId domainId() const { return m_domain; }
  DomainId childId() const { return m_child; }
  /// The machine; nothing of the topology may change its size afterwards.
  Machine& machine();
  /// Capacity of the group at `position` (and, for the first, of the child's only group).
  void setCapacity(std::size_t position, std::uint64_t capacity, std::uint64_t lowest, std::uint64_t highest);
  /// Asks for one pass of the destination.
  BalanceEnv env(CpuIdleType idle);
  Context& context() { return m_context; }

 private:
  HandTopology m_hand;
  KernelProfile m_profile;
  Machine m_machine;
  bool m_isMade = false;
  CpuId m_dst;
  DomainId m_domain, m_child;
  Observer m_observer;
  Context m_context{m_machine, m_observer};
};

/// The "groups" or "group" rows of a record.
struct GroupRows {
  std::vector<HandTopology::GroupSpec> specs;
  std::vector<GroupCapacity> capacities;
  std::vector<int> preferCpu;
  int cpuLimit = 0;  ///< highest CPU named + 1
};
Result<GroupRows> groupRowsOfRecord(const nlohmann::json& rows);
/// Capacities, flags and preferred CPUs of the rows, onto positions from `first` on.
void applyGroupRows(BalanceBench& bench, const GroupRows& rows, std::size_t first);
/// The CPU rows with asym_prio, capacity_orig, llc and preference counts.
Result<bool> layBalanceRows(BalanceBench& bench, const nlohmann::json& rows);
int highestCpu(const nlohmann::json& rows);

// Functions on statistics and CPU rows (balance_group_records.cpp).
Result<nlohmann::json> runUpdateSgLbStats(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runUpdateSdPickBusiest(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runCalculateImbalance(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runFindSrcGroupDecide(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runFindSrcGroupFull(const nlohmann::json& object, const KernelProfile& profile);
// Functions that choose CPUs (balance_queue_records.cpp).
Result<nlohmann::json> runFindBusiestQueue(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runShouldWeBalance(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runNeedActiveBalance(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runCanMigrateLlc(const nlohmann::json& object, const KernelProfile& profile);
// Functions that move tasks (balance_task_records.cpp).
Result<nlohmann::json> runDetachTasks(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runLoadBalancePass(const nlohmann::json& object, const KernelProfile& profile);

/// Writes the last recorded use of a cache ("util", "capacity").
Result<bool> layLlcRecord(DomainShared& shared, const nlohmann::json& object);

}  // namespace rqscope
