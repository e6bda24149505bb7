// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>

#include "api/ladder_parts.h"
#include "groupstats/balance_pass.h"
#include "rqscope/ladder.h"
#include "runqueue/machine.h"

namespace rqscope::api {

/// The group at a position of the round's list, or null.
inline const BalanceGroup* groupAt(const BalanceRound& round, std::int32_t position) {
  return position >= 0 && static_cast<std::size_t>(position) < round.groups.size()
             ? &round.groups[static_cast<std::size_t>(position)]
             : nullptr;
}

/// A number of a group that a rung compares.
template <class T>
Operand groupOperand(const BalanceGroup& group, std::string name, T value, Unit unit = Unit::None) {
  return about(groupSubject(group.group), operand(std::move(name), value, unit));
}
Operand groupTypeOperand(const BalanceGroup& group, const char* name);

// The rungs of one round of a balance pass, in their order.

Rung shouldWeBalanceRung(const Machine& m, const BalancePass& pass, const BalanceRound& round);
Rung groupStatisticsRung(const Machine& m, const BalancePass& pass, const BalanceRound& round);
Rung busiestGroupRung(const Machine& m, const BalancePass& pass, const BalanceRound& round);
Rung worthBalancingRung(const Machine& m, const BalancePass& pass, const BalanceRound& round);
Rung imbalanceRung(const Machine& m, const BalancePass& pass, const BalanceRound& round);
Rung sourceQueueRung(const Machine& m, const BalancePass& pass, const BalanceRound& round);
Rung candidateRung(const Machine& m, const BalancePass& pass, const BalanceRound& round,
                   const BalanceCandidate& candidate);

}  // namespace rqscope::api
