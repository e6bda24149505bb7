// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rqscope/ladder.h"

/// The one table of words for people: the window and the command line read it. No Qt here.
namespace rqscope::look {

/// Title of a rung: "Worth balancing?" for kind "worth_balancing"; the kind itself when unknown.
std::string rungTitle(const api::Rung& rung);
/// Words for a verdict, outcome, entry or reason key: "util_too_big" -> "more than the imbalance".
/// A key without an entry, or a plain value such as "migrate_util 383", is given back with spaces.
std::string word(std::string_view key);
/// One word for a tone: "yes", "no" or nothing.
std::string_view toneWord(api::Tone tone);
/// Unit after a number: " ms", " %", or nothing.
std::string_view unitSuffix(api::Unit unit);
/// "383", "6 ms", "{1,2}", "yes".
std::string operandValue(const api::Operand& operand);
/// "imbalance 383".
std::string operandText(const api::Operand& operand);
/// "util 512 <= imbalance 383: does not hold".
std::string comparisonText(const api::Comparison& comparison);
/// The comparison as it turned out: "512 > 383" for 512 <= 383 that does not hold; with the signs ≤ ≥ ≠.
std::string trueComparison(const api::Comparison& comparison);
std::string_view trueOperator(const api::Comparison& comparison);
/// One sentence that says what a number is, for "why this number"; empty when the name is not in the table.
std::string explainName(std::string_view kernelName);
/// Letter of a group type: 'S' for "has_spare"; '?' when unknown.
char groupTypeLetter(std::string_view groupType);
/// "{0,3-5}".
std::string cpuList(const std::vector<std::int32_t>& cpus);
/// "196.000 ms", "19.300 s".
std::string timeText(std::int64_t ns);
/// "12.4 ms" for a length of time, with three significant figures at most.
std::string durationText(std::int64_t ns);

}  // namespace rqscope::look
