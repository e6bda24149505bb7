// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace rqscope {

/// How many recorded values of one kind were recomputed, and how many of them are the kernel's.
struct CheckedKind {
  std::string kind;  ///< "group_type", "find_src_group", "candidates", "need_active_balance", ...
  int compared = 0, equal = 0, different = 0;
  int taken = 0;  ///< not recomputable from what the record holds: taken as input
  std::string takenWhy;
};

struct DecisionReport {
  std::string file;
  std::string kernel;
  std::vector<CheckedKind> kinds;
  std::vector<std::string> firstDifferent;  ///< one line each: time, CPU, field, both values

  bool allEqual() const;
};

/// Recomputes every balance decision of a recorded Juno run (decisions.json) from its recorded statistics
/// with the engine's functions: group types, branch, migration type, imbalance, candidates in order,
/// need_active_balance. The machine's topology.json is looked for in the folders above. Fails when a file
/// cannot be read.
Result<DecisionReport> verifyJunoDecisions(const std::string& path, int shown = 10);

/// The same for a "*.balance.jsonl[.gz]" record of an x86 run; its machine is in "NAME.json" beside it.
Result<DecisionReport> verifyBalanceTrace(const std::string& path, int shown = 10);

std::string textOf(const DecisionReport& report);

}  // namespace rqscope
