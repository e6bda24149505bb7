// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <charconv>

#include "api/what_if_rules.h"
#include "base/cpumask.h"
#include "rqscope/what_if.h"

namespace rqscope::api {
namespace {

const Rung* rungAt(const Ladder& ladder, const OperandPath& path) {
  return path.rung >= 0 && static_cast<std::size_t>(path.rung) < ladder.rungs.size()
             ? &ladder.rungs[static_cast<std::size_t>(path.rung)]
             : nullptr;
}

const RungRow* rowAt(const Rung& rung, const OperandPath& path) {
  return path.row >= 0 && static_cast<std::size_t>(path.row) < rung.rows.size()
             ? &rung.rows[static_cast<std::size_t>(path.row)]
             : nullptr;
}

std::optional<Operand> named(const std::vector<Operand>& operands, const std::vector<Comparison>& tests,
                             const std::string& name) {
  for (const Operand& operand : operands)
    if (operand.name == name) return operand;
  for (const Comparison& test : tests) {
    if (test.left.name == name) return test.left;
    if (test.right.name == name) return test.right;
  }
  return std::nullopt;
}

/// Which of the rungs of its kind (and, for candidates, of its task) a rung is, from 0.
int occurrenceOf(const Ladder& ladder, std::int32_t index) {
  const Rung& rung = ladder.rungs[static_cast<std::size_t>(index)];
  int count = 0;
  for (std::int32_t i = 0; i < index; ++i) {
    const Rung& other = ladder.rungs[static_cast<std::size_t>(i)];
    if (other.kind == rung.kind && (rung.kind != "candidate" || other.subject == rung.subject)) ++count;
  }
  return count;
}

/// The name of the task of a candidate's rung.
std::string candidateName(const Rung& rung) {
  for (const Operand& operand : rung.operands)
    if (operand.name == "task") return operand.text;
  return "";
}

/// CPUs of a label: "{0,3-5}", "CPU 2" or the bare list; nothing when it is none.
std::optional<CpuMask> cpusOf(std::string text) {
  if (text.starts_with("CPU ")) text = text.substr(4);
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  auto mask = CpuMask::parseList(text);
  if (!mask.ok() || mask.value().isEmpty()) return std::nullopt;
  return std::move(mask).value();
}

/// A row by its label, or by the CPUs in it however they are written.
std::int32_t rowNamed(const Rung& rung, const std::string& text) {
  const std::optional<CpuMask> wanted = cpusOf(text);
  for (std::size_t i = 0; i < rung.rows.size(); ++i) {
    const std::string& label = rung.rows[i].label;
    const std::optional<CpuMask> cpus = cpusOf(label);
    if (label == text || (wanted && cpus && *wanted == *cpus)) return static_cast<std::int32_t>(i);
  }
  return -1;
}

std::string rowsText(const Rung& rung) {
  std::string text;
  for (const RungRow& row : rung.rows) text += (text.empty() ? "" : ", ") + row.label;
  return text;
}

bool readNumber(const std::string& text, std::int64_t& value) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

/// The parts of "RUNG[ROW]#N.OPERAND".
struct PathParts {
  std::string rung, row, operand;
  std::int64_t occurrence = 1;
  std::string problem;
};

PathParts split(const std::string& text) {
  PathParts parts;
  std::string head = text;
  const std::size_t bracket = text.find('[');
  std::size_t dot = std::string::npos;
  if (bracket != std::string::npos) {
    const std::size_t end = text.find(']', bracket);
    if (end != std::string::npos) {
      parts.row = text.substr(bracket + 1, end - bracket - 1);
      dot = text.find('.', end);
      if (dot != std::string::npos) head = text.substr(0, bracket) + text.substr(end + 1, dot - end - 1);
    }
  } else {
    dot = text.find('.');
    if (dot != std::string::npos) head = text.substr(0, dot);
  }
  if (dot == std::string::npos) {
    parts.problem = text + ": write RUNG.OPERAND or RUNG[ROW].OPERAND";
    return parts;
  }
  parts.operand = text.substr(dot + 1);
  const std::size_t hash = head.find('#');
  parts.rung = head.substr(0, hash);
  if (hash != std::string::npos && !readNumber(head.substr(hash + 1), parts.occurrence))
    parts.problem = text + ": after # there is the number of the rung among those of its kind, from 1";
  return parts;
}

/// The rung that the parts name; -1: none.
std::int32_t rungNamed(const Ladder& ladder, const PathParts& parts) {
  std::int64_t number = 0;
  const auto count = static_cast<std::int32_t>(ladder.rungs.size());
  if (readNumber(parts.rung, number))
    return number >= 0 && number < count ? static_cast<std::int32_t>(number) : -1;
  std::int64_t seen = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    const Rung& rung = ladder.rungs[static_cast<std::size_t>(i)];
    if (rung.kind != parts.rung) continue;
    if (rung.kind == "candidate" && !parts.row.empty() && candidateName(rung) != parts.row) continue;
    if (++seen == parts.occurrence) return i;
  }
  return -1;
}

std::string rungsText(const Ladder& ladder) {
  std::string text;
  for (const Rung& rung : ladder.rungs)
    if (text.find(rung.kind) == std::string::npos) text += (text.empty() ? "" : ", ") + rung.kind;
  return text;
}

std::string operandsText(const std::vector<Operand>& operands, const std::vector<Comparison>& tests) {
  std::string text;
  const auto add = [&](const Operand& operand) {
    if (!operand.name.empty()) text += (text.empty() ? "" : ", ") + operand.name;
  };
  for (const Operand& operand : operands) add(operand);
  for (const Comparison& test : tests) {
    add(test.left);
    add(test.right);
  }
  return text;
}

}  // namespace

std::optional<Operand> operandAt(const Ladder& ladder, const OperandPath& path) {
  const Rung* const rung = rungAt(ladder, path);
  if (rung == nullptr) return std::nullopt;
  if (path.row < 0) return named(rung->operands, rung->tests, path.operand);
  const RungRow* const row = rowAt(*rung, path);
  if (row == nullptr) return std::nullopt;
  if (path.operand == "group_type" && !row->groupType.empty())
    return Operand{"group_type", 0, Unit::None, row->groupType, row->subject};
  return named(row->cells, row->tests, path.operand);
}

std::string pathText(const Ladder& ladder, const OperandPath& path) {
  const Rung* const rung = rungAt(ladder, path);
  if (rung == nullptr) return path.operand;
  std::string text = rung->kind;
  if (rung->kind == "candidate" && path.row < 0)
    text += "[" + candidateName(*rung) + "]";
  else if (const RungRow* const row = rowAt(*rung, path))
    text += "[" + row->label + "]";
  if (const int occurrence = occurrenceOf(ladder, path.rung); occurrence > 0)
    text += "#" + std::to_string(occurrence + 1);
  return text + "." + path.operand;
}

FoundPath findOperand(const Ladder& ladder, const std::string& text) {
  const PathParts parts = split(text);
  if (!parts.problem.empty()) return {std::nullopt, parts.problem};
  OperandPath path;
  path.operand = parts.operand;
  path.rung = rungNamed(ladder, parts);
  if (path.rung < 0)
    return {std::nullopt, text + ": this decision has no such rung; it has " + rungsText(ladder)};
  const Rung& rung = ladder.rungs[static_cast<std::size_t>(path.rung)];
  const bool rowIsTask = rung.kind == "candidate" && candidateName(rung) == parts.row;
  if (!parts.row.empty() && !rowIsTask) {
    path.row = rowNamed(rung, parts.row);
    if (path.row < 0) return {std::nullopt, text + ": the rung has no such row; it has " + rowsText(rung)};
  }
  if (operandAt(ladder, path)) return {path, ""};
  const RungRow* const row = rowAt(rung, path);
  const std::string have =
      row != nullptr ? operandsText(row->cells, row->tests) : operandsText(rung.operands, rung.tests);
  if (have.empty() && row == nullptr && !rung.rows.empty())
    return {std::nullopt,
            text + ": write the row as " + rung.kind + "[" + rung.rows.front().label + "]." + parts.operand};
  return {std::nullopt, text + ": there is no such operand; there is " + (have.empty() ? "none" : have)};
}

ReadOverride readOverride(const Ladder& ladder, const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    return {std::nullopt, text + ": write RUNG.OPERAND=VALUE"};
  const FoundPath found = findOperand(ladder, text.substr(0, equals));
  if (!found.path) return {std::nullopt, found.problem};
  if (const std::string fixed = whyFixed(ladder, *found.path); !fixed.empty())
    return {std::nullopt, text + ": " + fixed};
  OperandOverride change{*found.path, 0, ""};
  const std::string value = text.substr(equals + 1);
  const std::vector<std::string> choices = choicesOf(ladder, *found.path);
  if (!choices.empty()) {
    const auto it = std::find(choices.begin(), choices.end(), value);
    if (it == choices.end()) {
      std::string list;
      for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
      return {std::nullopt, text + ": it can be " + list};
    }
    change.value = it - choices.begin();
    change.text = value;
    return {change, ""};
  }
  if (value == "yes" || value == "no")
    change.value = value == "yes" ? 1 : 0;
  else if (!readNumber(value, change.value))
    return {std::nullopt, text + ": the value is a whole number"};
  if (const std::string range = outOfRange(ladder, change); !range.empty())
    return {std::nullopt, text + ": " + range};
  return {change, ""};
}

}  // namespace rqscope::api
