// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rqscope/ladder.h"

namespace rqscope::api {

/// Where a number stands in a ladder.
struct OperandPath {
  std::int32_t rung = -1;  ///< index into Ladder::rungs
  std::int32_t row = -1;   ///< index into Rung::rows; -1: the rung's own
  std::string operand;     ///< its name there; "group_type" of a row that has one
  bool operator==(const OperandPath&) const = default;
};

/// A number that is to be another one from its step on.
struct OperandOverride {
  OperandPath path;
  std::int64_t value = 0;
  std::string text;  ///< instead of the number: "migrate_task", "overloaded"; empty otherwise
};

/// The operand itself, or nothing when the ladder has none there.
std::optional<Operand> operandAt(const Ladder& ladder, const OperandPath& path);
/// "imbalance.imbalance", "source_queue[CPU 1].util", "candidate[C]#2.util": the text that leads there.
std::string pathText(const Ladder& ladder, const OperandPath& path);
/// The other way round; a rung may be written by its kind, or by its number from 0.
struct FoundPath {
  std::optional<OperandPath> path;
  std::string problem;  ///< why there is no path
};
FoundPath findOperand(const Ladder& ladder, const std::string& text);
/// Reads "RUNG[ROW].OPERAND=VALUE".
struct ReadOverride {
  std::optional<OperandOverride> change;
  std::string problem;
};
ReadOverride readOverride(const Ladder& ladder, const std::string& text);
/// Why the operand cannot be changed, in one sentence; empty: it can.
std::string whyFixed(const Ladder& ladder, const OperandPath& path);
/// What a text operand can be, or nothing when it is a number.
std::vector<std::string> choicesOf(const Ladder& ladder, const OperandPath& path);

/// What a decision comes to, in short.
struct DecisionOutcome {
  std::string result;         ///< "moved", "failed", "balanced", "active_started", "placed", "not_made" ...
  std::string why;            ///< key of the test that ended it; empty when something moved
  std::string migrationType;  ///< of a pass that calculated an imbalance
  std::int64_t imbalance = 0;
  std::int32_t sourceCpu = -1;
  std::vector<std::int32_t> movedTasks;  ///< task slots in order
  std::vector<std::string> movedNames;
  std::int32_t cpu = -1;  ///< destination, or the chosen CPU
  bool operator==(const DecisionOutcome&) const = default;
};

/// A decision beside the one that would follow from other numbers. The run itself is not touched.
struct WhatIf {
  enum class Mark : std::uint8_t { Same, Changed, New };
  std::shared_ptr<const Ladder> actual, altered;  ///< both null when there is no such decision
  DecisionOutcome before, after;
  std::int32_t firstDifference = -1;   ///< first rung in which they differ, the same index in both; -1: none
  std::vector<Mark> marks;             ///< by rung of `altered`
  std::vector<std::int32_t> partners;  ///< by rung of `altered`: its rung in `actual`, -1 for New
  std::vector<std::string> problems;   ///< of overrides that could not be made
  std::vector<bool> reached;           ///< by override: its step was reached, so it counted
};

}  // namespace rqscope::api
