// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/ladder_keys.h"
#include "rqscope/ladder.h"
#include "runqueue/machine.h"

namespace rqscope::api {

// What the rungs of a pass show when groups compare by their average load (balance_rework off).

/// Average, smallest and largest load of a group, and the test that made it overloaded for its siblings.
void addAverageCells(const BalanceRound& round, const BalanceGroup& group, RungRow& row);
/// The averages of both groups and of the domain, the two smallest loads, and the comparisons up to the one
/// that ended find_busiest_group().
void addAverageTests(const Machine& m, const BalancePass& pass, const BalanceRound& round, Rung& rung);
/// What calculate_imbalance() and fix_small_imbalance() computed with.
void addAverageFormula(const BalanceRound& round, Rung& rung);
/// The function that set the amount.
KernelFunction imbalanceFunction(ImbalanceRule rule);

}  // namespace rqscope::api
