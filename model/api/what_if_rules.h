// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "rqscope/what_if.h"

namespace rqscope::api {

/// The moment of a decision at which a changed number takes effect: right before the step that reads it.
enum class ChangeStage : std::uint8_t {
  Begin,  ///< in the machine, before the decision
  Gate,   ///< before the test whether the pass is made at all
  Round,  ///< before should_we_balance()
  GroupSums,
  GroupType,
  FindSrcGroup,
  CalculateImbalance,
  Imbalance,
  FindSrcRq,
  DetachTasks,
  Candidate,
  NeedActiveBalance,
  WakeWide,
  Energy,  ///< the number is there, nothing has been made of it
  WakeAffine,
  EffectiveLoads,
  IdleSibling,
  DstGroupSums,
  DstGroupType,
  DstCpu
};

/// How the operands of one name on rungs of one kind are changed.
struct ChangeRule {
  const char* rung;
  const char* operand;  ///< without "local." or "busiest."
  bool inRow;
  ChangeStage stage;
  std::int64_t least, most;
};

/// The rule of the operand, or none when it cannot be changed.
const ChangeRule* ruleOf(const Ladder& ladder, const OperandPath& path);
/// Its name without "local.", "busiest.", "sds.".
std::string plainName(const std::string& operand);
/// What is wrong with the value; empty: nothing.
std::string outOfRange(const Ladder& ladder, const OperandOverride& change);

}  // namespace rqscope::api
