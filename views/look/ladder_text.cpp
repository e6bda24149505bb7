// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/ladder_text.h"

#include <fmt/format.h>

#include "look/words.h"

namespace rqscope::look {
namespace {

std::string_view mark(api::Tone tone) {
  if (tone == api::Tone::Yes) return "+ ";
  return tone == api::Tone::No ? "x " : "  ";
}

std::string operandsLine(const std::vector<api::Operand>& operands) {
  std::string line;
  for (const api::Operand& operand : operands) {
    if (!line.empty()) line += "  ";
    line += operandText(operand);
  }
  return line;
}

std::string testsLine(const std::vector<api::Comparison>& tests) {
  std::string line;
  for (const api::Comparison& test : tests) {
    if (!line.empty()) line += "; ";
    line += comparisonText(test);
  }
  return line;
}

std::string rowText(const api::RungRow& row) {
  std::string line = fmt::format("      {}{}", mark(row.tone), row.label);
  if (!row.groupType.empty()) line += " [" + row.groupType + "]";
  if (row.isLocal) line += " local";
  if (!row.cells.empty()) line += "  " + operandsLine(row.cells);
  if (!row.verdict.empty()) line += "  " + word(row.verdict);
  if (!row.tests.empty()) line += "\n            " + testsLine(row.tests);
  return line + "\n";
}

}  // namespace

std::string rungText(const api::Rung& rung) {
  std::string text =
      fmt::format("{}{}  {}()  {}\n", mark(rung.tone), rungTitle(rung), rung.function, word(rung.outcome));
  if (!rung.operands.empty()) text += "      " + operandsLine(rung.operands) + "\n";
  if (!rung.tests.empty()) text += "      " + testsLine(rung.tests) + "\n";
  for (const api::RungRow& row : rung.rows) text += rowText(row);
  return text;
}

std::string ladderHead(const api::Ladder& ladder) {
  std::string head = fmt::format("CPU {}", ladder.cpu);
  if (!ladder.domainName.empty()) head += " at " + ladder.domainName;
  if (!ladder.idle.empty()) head += ", " + word(ladder.idle);
  return head;
}

std::string ladderText(const api::Ladder& ladder) {
  std::string text = fmt::format("{}  {}  ({}, decision {}, event {})\n", timeText(ladder.timeNs),
                                 ladderHead(ladder), word(ladder.entry), ladder.index, ladder.eventIndex);
  for (const api::Rung& rung : ladder.rungs) text += rungText(rung);
  return text;
}

}  // namespace rqscope::look
