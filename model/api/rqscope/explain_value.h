// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rqscope/ladder.h"

namespace rqscope::api {

/// Which number: the kernel's name for it, and whose it is.
struct ValueRef {
  std::string name;         ///< "avg_vruntime", "lag", "util_avg", ...
  std::int32_t cpu = -1;    ///< its root queue; with `group`: the group's entity and queue there
  std::int32_t task = -1;   ///< slot; then cpu and group do not matter
  std::int32_t group = -1;  ///< id; without `cpu`: the group as a whole
  bool operator==(const ValueRef&) const = default;
};

/// A number that the Runqueues view has, as it shows it.
struct ShownValue {
  ValueRef ref;
  std::string subject;  ///< "CPU 3", "task A", "group /b on CPU 3", "group /b"
  std::int64_t value = 0;
  Unit unit = Unit::None;
};

/// A number that another is computed from. With `ref` it explains itself in turn.
struct ValueOperand {
  std::string name;
  std::int64_t value = 0;
  Unit unit = Unit::None;
  std::optional<ValueRef> ref;
};

/// How a number comes about. `result` is what recompute() makes of the operands, and equals the shown number.
struct ExplainedValue {
  ValueRef ref;
  std::string subject;
  std::string rule;      ///< key of the computation, for recompute(); empty: there is no such number
  std::string kernel;    ///< "v6.12": the functions differ
  std::string function;  ///< kernel functions that compute it
  std::string formula;
  std::string meaning;  ///< what the number says, in a sentence
  std::vector<ValueOperand> operands;
  std::int64_t result = 0;
  Unit unit = Unit::None;
  std::int64_t sinceNs = -1;  ///< the operands are those of this moment, when it last changed; -1: now
  std::string sinceEvent;     ///< key of the event then
};

/// The result from the operands alone, by the engine's own functions.
std::int64_t recompute(const ExplainedValue& value);

class Simulation;
/// The number that a text names at this moment: "cpu 3 avg_vruntime", "task A lag", "group /a shares",
/// "group /a on cpu 2 load_avg". Nothing when there is no such CPU, task, group or number.
std::optional<ValueRef> findValue(const Simulation& simulation, const std::string& text);
/// What is wrong with a text that names no number at this moment, and what there is instead.
std::string valueProblem(const Simulation& simulation, const std::string& text);
/// The names that each kind of subject has, for hints: "cpu", "task", "group on cpu", "group".
std::vector<std::string> valueNames(const std::string& subjectKind);

}  // namespace rqscope::api
