// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/decision_checker.h"

#include <algorithm>

#include <fmt/format.h>

#include "evaluate/stats_record.h"

namespace rqscope {

bool DecisionReport::allEqual() const {
  int compared = 0;
  for (const CheckedKind& kind : kinds) {
    if (kind.different != 0) return false;
    compared += kind.compared;
  }
  return compared > 0;
}

std::string textOf(const DecisionReport& report) {
  std::string out = fmt::format("{} ({})\n", report.file, report.kernel);
  for (const CheckedKind& k : report.kinds) {
    out += fmt::format("  {:<20} compared {:5}  equal {:5}  different {:3}", k.kind, k.compared, k.equal,
                       k.different);
    if (k.taken > 0) out += fmt::format("  taken {} ({})", k.taken, k.takenWhy);
    out += '\n';
  }
  for (const std::string& line : report.firstDifferent) out += "  " + line + "\n";
  return out;
}

CheckedKind& DecisionTally::row(const std::string& kind) {
  for (CheckedKind& k : m_report.kinds)
    if (k.kind == kind) return k;
  m_report.kinds.push_back({kind, 0, 0, 0, 0, {}});
  return m_report.kinds.back();
}

void DecisionTally::compare(const std::string& kind, const std::string& where, const std::string& expected,
                            const std::string& actual) {
  CheckedKind& k = row(kind);
  ++k.compared;
  if (expected == actual) {
    ++k.equal;
    return;
  }
  ++k.different;
  if (static_cast<int>(m_report.firstDifferent.size()) < m_shown)
    m_report.firstDifferent.push_back(
        fmt::format("{} {}: kernel {}, model {}", where, kind, expected, actual));
}

void DecisionTally::take(const std::string& kind, const std::string& why) {
  CheckedKind& k = row(kind);
  ++k.taken;
  k.takenWhy = why;
}

std::string_view migrationTypeName(MigrationType type) {
  switch (type) {
    case MigrationType::Load:
      return "load";
    case MigrationType::Util:
      return "util";
    case MigrationType::Task:
      return "task";
    case MigrationType::Misfit:
      return "misfit";
    case MigrationType::LlcTask:
      return "llc_task";
  }
  return "";
}

namespace {

void checkType(DecisionTally& tally, const std::string& where, const BalanceEnv& env,
               const GroupStats& stats) {
  if (stats.type == GroupType::Imbalanced) {
    tally.take("group_type", "the imbalance flag of a group is not recorded");
    return;
  }
  const auto found =
      groupClassify(static_cast<unsigned>(env.sd.imbalancePct), false, stats, env.m.behaviours());
  tally.compare("group_type", where, std::string(groupTypeRecordName(stats.type)),
                std::string(groupTypeRecordName(found.type)));
}

}  // namespace

void checkGroupTypes(DecisionTally& tally, const std::string& where, const BalanceEnv& env,
                     const RecordedChoice& choice) {
  checkType(tally, where, env, choice.local);
  if (choice.busiest) checkType(tally, where, env, *choice.busiest);
}

void checkFindSrcGroup(DecisionTally& tally, const std::string& where, BalanceEnv& env,
                       const RecordedChoice& choice) {
  DomainStats sds;
  sds.local = 0;
  sds.localStats = choice.local;
  if (choice.busiest) {
    sds.busiest = choice.busiestPosition;
    sds.busiestStats = *choice.busiest;
  }
  sds.totalLoad = choice.totalLoad;
  sds.totalCapacity = choice.totalCapacity;
  sds.preferSibling = choice.preferSibling;
  FindSrcGroupWhy why = FindSrcGroupWhy::NoBusiest;
  const bool go = decideSrcGroup(env, sds, why) && env.imbalance != 0;
  const auto text = [](bool imbalanced, std::string_view type, std::int64_t amount) {
    return imbalanced ? fmt::format("{} {}", type, amount) : std::string("balanced");
  };
  tally.compare("find_src_group", where, text(choice.isImbalanced, choice.migrationType, choice.imbalance),
                text(go, migrationTypeName(env.migration), env.imbalance));
}

int groupPosition(const SchedTopology& topology, const SchedDomain& domain, const CpuMask& span) {
  for (std::size_t i = 0; i < domain.groups.size(); ++i)
    if (topology.group(domain.groups[i]).span == span) return static_cast<int>(i);
  return -1;
}

}  // namespace rqscope
