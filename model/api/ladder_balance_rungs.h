// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "groupstats/balance_pass.h"
#include "rqscope/ladder.h"
#include "runqueue/machine.h"

namespace rqscope::api {

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
