// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rqscope/explain_value.h"
#include "rqscope/ladder.h"

namespace rqscope::api {

/// A number of a decision and what it was computed from, down to the figures of single CPUs and tasks; those
/// go on in Simulation::explainValue() by their `value`.
struct Derivation {
  Operand what{};         ///< name, value, unit and whose it is
  std::string formula{};  ///< in the kernel's names: "sum over CPUs of min(cpu_util_cfs(), capacity)"
  std::vector<Derivation> parts{};  ///< in the order of the formula
  std::optional<ValueRef> value{};  ///< of one CPU or task: where it is explained further
  /// The formula gives the number from the parts: false when a part was read at another moment, which `note`
  /// says.
  bool isExact = true;
  std::string note{};  ///< also: why there is nothing to derive
};

}  // namespace rqscope::api
