// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/idle_causes.h"

#include <algorithm>

#include "api/ladder_keys.h"
#include "api/simulation_impl.h"

namespace rqscope::api {
namespace {

const char* causeKey(const IdleCause& cause) {
  switch (cause.kind) {
    case IdleCauseKind::NoPassYet:
      return "no_pass_yet";
    case IdleCauseKind::PlacedElsewhere:
      return "placed_elsewhere";
    case IdleCauseKind::NewidleSkipped:
      return "newidle_skipped";
    case IdleCauseKind::Pass:
      break;
  }
  return keyOf(static_cast<PassEnd>(cause.detail));
}

const char* detailKey(const IdleCause& cause) {
  switch (cause.kind) {
    case IdleCauseKind::NoPassYet:
      return eventKey(static_cast<SimEventKind>(cause.detail));
    case IdleCauseKind::PlacedElsewhere:
      return keyOf(static_cast<PlacementStep>(cause.detail));
    case IdleCauseKind::NewidleSkipped:
      return keyOf(static_cast<NewidleSkip::Reason>(cause.detail));
    case IdleCauseKind::Pass:
      break;
  }
  switch (static_cast<PassEnd>(cause.detail)) {
    case PassEnd::Balanced:
      return keyOf(static_cast<FindSrcGroupWhy>(cause.branch));
    case PassEnd::NoImbalance:
      return keyOf(static_cast<ImbalanceRule>(cause.branch));
    case PassEnd::NoneDetached: {
      const auto verdict = static_cast<BalanceCandidate::Verdict>(cause.branch);
      return verdict == BalanceCandidate::Verdict::Detached ? "" : keyOf(verdict);
    }
    default:
      return "";
  }
}

/// The rows by their cause, as numbers: there may be many spans.
struct CauseTable {
  std::vector<IdleCause> causes;
  std::vector<Outcome::IdleCause> rows;

  Outcome::IdleCause& row(const IdleCause& cause) {
    const auto it = std::find(causes.begin(), causes.end(), cause);
    if (it != causes.end()) return rows[static_cast<std::size_t>(it - causes.begin())];
    causes.push_back(cause);
    return rows.emplace_back(Outcome::IdleCause{causeKey(cause), detailKey(cause), 0, 0, -1});
  }
};

}  // namespace

std::vector<Outcome::IdleCause> Simulation::idleCauses(std::int64_t beginNs, std::int64_t endNs) const {
  const IdleCauses& causes = m_impl->history.recorder().idleCauses();
  const std::uint64_t now = m_impl->history.state().timeNs();
  const auto begin = static_cast<std::uint64_t>(std::max<std::int64_t>(beginNs, 0));
  const std::uint64_t end = std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(endNs, 0)), now);
  CauseTable table;
  // Sums without their times belong to the whole run only.
  if (begin == 0)
    for (const ForgottenCause& forgotten : causes.forgotten()) {
      Outcome::IdleCause& row = table.row(forgotten.cause);
      row.ns += forgotten.ns;
      row.times += forgotten.spans;
    }
  for (const IdleSpan& span : causes.spans()) {
    const std::uint64_t from = std::max(span.beginNs, begin), to = std::min(span.endNs, end);
    if (from >= to) continue;
    Outcome::IdleCause& row = table.row(span.cause);
    row.ns += to - from;
    ++row.times;
    const auto decision = span.decision == UINT64_MAX ? -1 : static_cast<std::int64_t>(span.decision);
    if (row.firstDecision < 0 || (decision >= 0 && decision < row.firstDecision))
      row.firstDecision = decision;
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return std::move(table.rows);
}

}  // namespace rqscope::api
