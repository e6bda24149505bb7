// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace rqscope {

/// Outcome of replaying the PELT states that a real kernel recorded with the model's own functions.
struct ReplayReport {
  std::string file;
  std::string kernel;
  int records = 0;       ///< recorded states
  int equal = 0;         ///< reproduced, all fields
  int different = 0;     ///< not reproduced
  int notDerivable = 0;  ///< the record lacks what the state follows from (first of a task, see the replayer)
  std::vector<std::string> firstDifferent;  ///< what, the kernel's value, ours

  bool allEqual() const { return equal > 0 && different == 0; }
};

/// Report as lines of text, for people.
std::string textOf(const ReplayReport& report);

}  // namespace rqscope
