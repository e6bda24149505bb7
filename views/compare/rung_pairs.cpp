// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/rung_pairs.h"

#include <QObject>
#include <QStringList>
#include <algorithm>

#include "look/ladder_text.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::compare {
namespace {

using look::qs;

constexpr int kMostNumbers = 3;   ///< of a rung's operands and rows
constexpr std::size_t kKept = 1;  ///< equal rungs that stay before the first different one

/// The task that a rung is about, as its title says it; empty for the others.
QString taskOf(const api::Rung& rung) {
  for (const api::Operand& operand : rung.operands)
    if (operand.name == "task" && rung.kind == "candidate") return qs(operand.text);
  return {};
}

/// What settles a rung: its comparisons, else its numbers; for lists the rows with a verdict of their own.
QString detailOf(const api::Rung& rung) {
  QStringList parts;
  for (const api::Comparison& test : rung.tests) parts << qs(look::trueComparison(test));
  for (const api::RungRow& row : rung.rows) {
    if (row.verdict.empty()) continue;
    QString part = qs(row.label) + QStringLiteral(": ");
    if (!row.tests.empty()) part += qs(look::trueComparison(row.tests.front())) + QStringLiteral(", ");
    parts << part + qs(look::word(row.verdict));
  }
  if (parts.isEmpty())
    for (const api::Operand& operand : rung.operands)
      if (operand.name != "task" || taskOf(rung).isEmpty()) parts << qs(look::operandText(operand));
  if (parts.size() > kMostNumbers) {
    const auto more = parts.size() - kMostNumbers;
    parts = parts.mid(0, kMostNumbers);
    parts << QObject::tr("%1 more").arg(more);
  }
  return parts.join(QStringLiteral(" · "));
}

PairCell cellOf(const api::Rung& rung) {
  const QString task = taskOf(rung);
  return {qs(look::rungTitle(rung)) + (task.isEmpty() ? QString() : QLatin1Char(' ') + task),
          qs(rung.function), qs(look::word(rung.outcome)), detailOf(rung), rung.tone};
}

std::optional<PairCell> cellAt(const std::shared_ptr<const api::Ladder>& ladder, std::size_t rung) {
  if (!ladder || rung >= ladder->rungs.size()) return std::nullopt;
  return cellOf(ladder->rungs[rung]);
}

std::size_t rungCount(const std::shared_ptr<const api::Ladder>& ladder) {
  return ladder ? ladder->rungs.size() : 0;
}

}  // namespace

QString PairCell::text() const {
  QString all = QStringLiteral("%1 (%2)").arg(title, function);
  if (!outcome.isEmpty()) all += QStringLiteral(": ") + outcome;
  return detail.isEmpty() ? all : all + QStringLiteral("; ") + detail;
}

std::vector<PairLine> pairLines(const api::ComparedDecision& decision) {
  std::vector<PairLine> lines;
  const std::size_t first = decision.a && decision.b ? decision.rung : 0;
  const std::size_t folded = first > kKept + 1 ? first - kKept : 0;
  if (folded > 0) {
    PairLine fold;
    fold.fold = QObject::tr("Rungs 1 to %1 are the same in A and B").arg(folded);
    lines.push_back(std::move(fold));
  }
  const std::size_t count = std::max(rungCount(decision.a), rungCount(decision.b));
  for (std::size_t i = folded; i < count; ++i) {
    PairLine line;
    line.a = cellAt(decision.a, i);
    line.b = cellAt(decision.b, i);
    line.isDifferent = !line.a || !line.b || !(decision.a->rungs[i] == decision.b->rungs[i]);
    line.isFirst = i == first && line.isDifferent;
    lines.push_back(std::move(line));
  }
  return lines;
}

QString differenceSentence(const api::ComparedDecision& decision) {
  if (!decision.a) return QObject::tr("A has no such decision any more");
  if (!decision.b) return QObject::tr("B has no such decision any more");
  const auto a = cellAt(decision.a, decision.rung), b = cellAt(decision.b, decision.rung);
  if (!a || !b)
    return QObject::tr("%1 goes on after the other has ended")
        .arg(a ? QStringLiteral("A") : QStringLiteral("B"));
  if (a->title != b->title) return QObject::tr("A: %1, B: %2").arg(a->title, b->title);
  const auto what = [](const PairCell& cell) { return cell.outcome.isEmpty() ? cell.detail : cell.outcome; };
  const bool isTold = what(*a) != what(*b);
  return QObject::tr("%1 · in A: %2 · in B: %3")
      .arg(a->title, isTold ? what(*a) : a->detail, isTold ? what(*b) : b->detail);
}

}  // namespace rqscope::compare
