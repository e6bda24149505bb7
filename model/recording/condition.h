// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/sim_state.h"

namespace rqscope {

/// An expression over what can be seen of a run: "cpu5.nr_running == 0 && C.util > 500".
///
///   or   := and ("||" and)*            and := not ("&&" not)*          not := "!" not | comparison
///   comparison := sum (("=="|"!="|"<"|"<="|">"|">=") sum)?
///   sum  := product (("+"|"-") product)*          product := unary (("*"|"/"|"%") unary)*
///   unary := "-" unary | number | name | "(" or ")"
///
/// Numbers may end in ns, us, ms or s. Names: cpuN.FIELD; cpuN.DOMAIN.FIELD ("cpu5.PKG.nr_balance_failed",
/// "cpu5.PKG.local", a group type); TASK.FIELD, in single quotes when the name is not a word; FIELD of the
/// run ("time", "migrations"); a group type ("overloaded"). A task that does not live has every value 0;
/// division by 0 gives 0.
class Condition {
 public:
  /// Checked against the machine of `state` and the thread names of its workload.
  static Result<Condition> parse(std::string_view text, const SimState& state);
  std::int64_t value(const SimState& state) const;
  bool isTrue(const SimState& state) const { return value(state) != 0; }

  enum class Op : std::uint8_t {
    Constant,
    Cpu,
    Domain,
    Task,
    Run,
    Or,
    And,
    Not,
    Negate,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder
  };
  /// One node; children stand before it.
  struct Node {
    Op op = Op::Constant;
    std::int32_t left = -1, right = -1;
    std::int64_t constant = 0;
    std::int32_t field = 0;    ///< number in the table of its kind
    std::int32_t subject = 0;  ///< CPU or domain id
    std::string name;          ///< task
  };

 private:
  std::int64_t nodeValue(std::int32_t node, const SimState& state) const;
  std::int64_t binaryValue(const Node& node, const SimState& state) const;

  std::vector<Node> m_nodes;  ///< the last one is the root
};

/// Names that can follow "cpuN.", "TASK." and stand alone, for completion.
std::vector<std::string> conditionCpuFields();
std::vector<std::string> conditionTaskFields();
std::vector<std::string> conditionDomainFields();
std::vector<std::string> conditionRunFields();

}  // namespace rqscope
