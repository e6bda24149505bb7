// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/decision_list.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace rqscope::api {

namespace {

using Row = Simulation::DecisionSummary;
using Rows = std::vector<Row>;

constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kFirstSpanNs = 1'000'000;
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

Rows matching(const Simulation& simulation, const DecisionFilter& filter, std::int64_t beginNs,
              std::int64_t endNs) {
  Rows rows = simulation.decisions(beginNs, endNs, kAll);
  std::erase_if(rows, [&](const Row& row) { return !matches(filter, row); });
  return rows;
}

/// Up to `limit` and one more, which tells that there are more; the nearest to the moment.
Rows before(const Simulation& simulation, const DecisionFilter& filter, std::int64_t nowNs,
            std::size_t limit) {
  const std::int64_t first = std::max<std::int64_t>(filter.fromNs, 0);
  Rows rows;
  std::int64_t end = nowNs;
  for (std::int64_t span = kFirstSpanNs; end >= first && rows.size() <= limit; span *= 2) {
    const std::int64_t begin = std::max(end - span, first);
    Rows earlier = matching(simulation, filter, begin, end);
    earlier.insert(earlier.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    rows = std::move(earlier);
    end = begin - 1;
  }
  if (rows.size() > limit + 1) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(limit) - 1);
  return rows;
}

Rows after(const Simulation& simulation, const DecisionFilter& filter, std::int64_t nowNs,
           std::size_t limit) {
  // What is known beyond now is short unless one has gone back: batches by number, not by time.
  constexpr std::size_t kBatch = 4096;
  Rows rows;
  for (std::int64_t begin = nowNs + 1; rows.size() <= limit;) {
    Rows batch = simulation.decisions(begin, kEndOfTime, kBatch);
    if (batch.empty()) break;
    const std::int64_t last = batch.back().timeNs;
    if (batch.size() == kBatch) batch = simulation.decisions(begin, last, kAll);  // all of the last moment
    begin = last + 1;
    for (Row& row : batch)
      if (matches(filter, row)) rows.push_back(std::move(row));
  }
  if (rows.size() > limit + 1) rows.resize(limit + 1);
  return rows;
}

}  // namespace

DecisionList decisionsAround(const Simulation& simulation, const DecisionFilter& filter,
                             std::size_t eachSide) {
  const auto frame = simulation.frame();
  DecisionList list;
  list.made = frame->passIndex + (frame->rung >= 0 ? 1 : 0);
  list.rows = before(simulation, filter, frame->timeNs, eachSide);
  if (list.rows.size() > eachSide) {
    list.hasEarlier = true;
    list.rows.erase(list.rows.begin());
  }
  Rows later = after(simulation, filter, frame->timeNs, eachSide);
  if (later.size() > eachSide) {
    list.hasLater = true;
    later.pop_back();
  }
  list.rows.insert(list.rows.end(), std::make_move_iterator(later.begin()),
                   std::make_move_iterator(later.end()));
  return list;
}

}  // namespace rqscope::api
