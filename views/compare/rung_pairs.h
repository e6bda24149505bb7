// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "rqscope/compare.h"

namespace rqscope::compare {

/// A rung of one side in two lines.
struct PairCell {
  QString title, function;  ///< "Candidate C", "detach_tasks"
  QString outcome;          ///< "skipped"
  QString detail;           ///< the numbers: "512 > 383"
  api::Tone tone = api::Tone::Neutral;
  /// For a screen reader and for copying: all of it in one line.
  QString text() const;
};

/// A line of the two ladders: a rung of both, or what is folded.
struct PairLine {
  QString fold;                  ///< "Rungs 1 to 6 are the same in A and B"; empty: the cells
  std::optional<PairCell> a, b;  ///< nothing: this side has no such rung
  bool isDifferent = false;
  bool isFirst = false;  ///< the first rung that differs
};

/// The two ladders beside each other; equal rungs before the first different one are folded but the last.
std::vector<PairLine> pairLines(const api::ComparedDecision& decision);
/// "A skips C, B detaches it": the outcomes at the first different rung.
QString differenceSentence(const api::ComparedDecision& decision);

}  // namespace rqscope::compare
