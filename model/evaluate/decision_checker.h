// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "balance/balance_env.h"
#include "evaluate/decision_records.h"

namespace rqscope {

/// Counts what was compared, by kind, and keeps the first lines of what differs.
class DecisionTally {
 public:
  DecisionTally(DecisionReport& report, int shown) : m_report(report), m_shown(shown) {}
  void compare(const std::string& kind, const std::string& where, const std::string& expected,
               const std::string& actual);
  void take(const std::string& kind, const std::string& why);

 private:
  CheckedKind& row(const std::string& kind);
  DecisionReport& m_report;
  int m_shown;
};

/// What a record says that find_src_group() was given and gave.
struct RecordedChoice {
  GroupStats local;
  std::optional<GroupStats> busiest;
  int busiestPosition = -1;  ///< in the domain's ring
  std::uint64_t totalLoad = 0, totalCapacity = 0;
  bool preferSibling = false;
  bool isImbalanced = false;
  std::string migrationType;  ///< "util"
  std::int64_t imbalance = 0;
};

std::string_view migrationTypeName(MigrationType type);

/// Recomputes the two group types; sgc's imbalance flag is not recorded, so that type is taken.
void checkGroupTypes(DecisionTally& tally, const std::string& where, const BalanceEnv& env,
                     const RecordedChoice& choice);
/// Runs the decision after the statistics and compares result, migration type and imbalance; leaves both in
/// `env`.
void checkFindSrcGroup(DecisionTally& tally, const std::string& where, BalanceEnv& env,
                       const RecordedChoice& choice);

/// Position in the domain's ring of the group with this span, or -1.
int groupPosition(const SchedTopology& topology, const SchedDomain& domain, const CpuMask& span);

}  // namespace rqscope
