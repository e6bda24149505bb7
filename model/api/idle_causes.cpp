// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/idle_causes.h"

#include <algorithm>

#include "api/idle_chart.h"
#include "api/ladder_keys.h"
#include "api/simulation_impl.h"

namespace rqscope::api {
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

namespace {

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

namespace {

constexpr std::size_t kMostCauses = 10;  ///< more would be a stack that nobody can read

/// Idle time of one cause by part of the window.
struct CauseLine {
  IdleCause cause;
  std::uint64_t wholeNs = 0;
  std::vector<std::uint64_t> ns;
};

/// The window in equal parts.
struct Parts {
  std::uint64_t begin = 0, end = 0;
  std::size_t count = 1;
  std::uint64_t edge(std::size_t i) const { return begin + (end - begin) * i / count; }
  std::size_t of(std::uint64_t at) const {
    auto i = static_cast<std::size_t>((at - begin) * count / (end - begin));
    while (i > 0 && edge(i) > at) --i;
    while (i + 1 < count && edge(i + 1) <= at) ++i;
    return std::min(i, count - 1);
  }
};

void addSpan(const IdleSpan& span, const Parts& parts, CauseLine& line) {
  const std::uint64_t from = std::max(span.beginNs, parts.begin), to = std::min(span.endNs, parts.end);
  if (from >= to) return;
  line.wholeNs += to - from;
  for (std::size_t i = parts.of(from); i < parts.count && parts.edge(i) < to; ++i)
    line.ns[i] += std::min(to, parts.edge(i + 1)) - std::max(from, parts.edge(i));
}

}  // namespace

void addIdleCauses(const IdleCauses& causes, std::uint64_t nowNs, std::int64_t beginNs, std::int64_t endNs,
                   int bins, ChartData& chart) {
  const std::vector<IdleSpan> spans = causes.spans();
  Parts parts;
  parts.begin = static_cast<std::uint64_t>(std::max<std::int64_t>(beginNs, 0));
  parts.end = std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(endNs, 0)), nowNs);
  // Of a long run the earlier spans are kept as sums only.
  if (!causes.forgotten().empty() && !spans.empty())
    parts.begin = std::max(parts.begin, spans.front().beginNs);
  if (parts.begin >= parts.end) return;
  parts.count = static_cast<std::size_t>(
      std::clamp<std::uint64_t>(parts.end - parts.begin, 1, static_cast<std::uint64_t>(std::max(bins, 2))));
  std::vector<CauseLine> lines;
  for (const IdleSpan& span : spans) {
    auto it = std::find_if(lines.begin(), lines.end(),
                           [&](const CauseLine& line) { return line.cause == span.cause; });
    if (it == lines.end())
      it = lines.insert(lines.end(), {span.cause, 0, std::vector<std::uint64_t>(parts.count)});
    addSpan(span, parts, *it);
  }
  std::erase_if(lines, [](const CauseLine& line) { return line.wholeNs == 0; });
  std::stable_sort(lines.begin(), lines.end(),
                   [](const CauseLine& a, const CauseLine& b) { return a.wholeNs > b.wholeNs; });
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const bool isOther = n >= kMostCauses;
    if (n <= kMostCauses) {
      Series& series = chart.series.emplace_back();
      const std::string detail = detailKey(lines[n].cause);
      series.name = causeKey(lines[n].cause) + (detail.empty() ? "" : ": " + detail);
      if (isOther) series.name = "other";
      series.unit = "CPUs";
      series.value.assign(parts.count, 0);
      for (std::size_t i = 0; i < parts.count; ++i)
        series.timeNs.push_back(static_cast<std::int64_t>(parts.edge(i + 1)));
    }
    Series& series = chart.series.back();
    for (std::size_t i = 0; i < parts.count; ++i)
      series.value[i] +=
          static_cast<double>(lines[n].ns[i]) / static_cast<double>(parts.edge(i + 1) - parts.edge(i));
  }
}

}  // namespace rqscope::api
