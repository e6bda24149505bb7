// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "decision/rung_painter.h"
#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::decision {
namespace {

using look::qs;

constexpr double kRowPx = 19, kLinePx = 17;

/// Short heads for the columns of group tables.
QString columnName(const std::string& name) {
  static const std::pair<const char*, const char*> kShort[] = {
      {"sum_nr_running", "nr"},       {"nr_running", "nr"},
      {"idle_cpus", "idle"},          {"group_util", "util"},
      {"group_runnable", "rnbl"},     {"group_load", "load"},
      {"group_capacity", "cap"},      {"avg_load", "avg"},
      {"group_weight", "cpus"},       {"capacity", "cap"},
      {"misfit_task_load", "misfit"}, {"group_misfit_task_load", "misfit"}};
  for (const auto& [full, brief] : kShort) {
    if (name == full) return QString::fromLatin1(brief);
  }
  return qs(name);
}

const api::RungRow& longest(const std::vector<api::RungRow>& rows) {
  return *std::max_element(rows.begin(), rows.end(),
                           [](const auto& a, const auto& b) { return a.cells.size() < b.cells.size(); });
}

const api::Operand* cellNamed(const api::RungRow& row, const std::string& name) {
  const auto it = std::find_if(row.cells.begin(), row.cells.end(),
                               [&](const api::Operand& cell) { return cell.name == name; });
  return it == row.cells.end() ? nullptr : &*it;
}

}  // namespace

double RungPainter::rowLine(const api::RungRow& row, double y) {
  double x = m_left;
  if (!row.groupType.empty()) {
    if (paints()) look::drawPill(m_painter, {x, y + 1}, row.groupType, look::PillForm::Full, m_palette.theme);
    x += look::pillWidth(row.groupType, look::PillForm::Full) + 8;
  }
  std::vector<Piece> pieces;
  pieces.push_back({qs(row.label) + QLatin1Char(' '), true, false, m_palette.text2});
  if (row.isLocal) pieces.push_back({QStringLiteral("local "), false, false, m_palette.text3});
  std::vector<Piece> cells;
  if (m_rung->kind != "busiest_group") addOperands(cells, row.cells);
  addTests(cells, row.tests);
  pieces.insert(pieces.end(), cells.begin(), cells.end());
  const bool isPlain = row.verdict.empty() || row.verdict == "local" || row.verdict == "picked";
  if (!isPlain) {
    pieces.push_back(
        {QLatin1Char(' ') + qs(look::word(row.verdict)), false, true, look::toneColor(row.tone, m_palette)});
  }
  return std::max(flow(pieces, x, y + 1, m_left + m_width - x), y + px(kLinePx)) + px(2);
}

double RungPainter::table(const std::vector<api::RungRow>& rows, double y) {
  const std::vector<api::Operand>& heads = longest(rows).cells;
  const std::size_t columns = heads.size();
  const bool hasPill = !rows.front().groupType.empty();
  const double labelWidth = m_width * 0.30;
  const double cellWidth = (m_width - labelWidth) / static_cast<double>(std::max<std::size_t>(columns, 1));
  const double line = px(kRowPx);
  if (paints()) {
    m_painter.setFont(look::monoFont(look::kSmallPx));
    m_painter.setPen(m_palette.text2);
    for (std::size_t c = 0; c < columns; ++c) {
      const QRectF rect(m_left + labelWidth + cellWidth * static_cast<double>(c), y, cellWidth - 4, line);
      look::drawElided(m_painter, rect, Qt::AlignRight | Qt::AlignVCenter, columnName(heads[c].name));
    }
  }
  y += line;
  for (const api::RungRow& row : rows) {
    if (paints()) {
      const bool isPicked = row.verdict == "picked" || row.verdict == "chosen";
      if (isPicked) m_painter.fillRect(QRectF(m_left, y, m_width, line), m_palette.selection);
      double x = m_left + 2;
      if (hasPill) {
        look::drawPill(m_painter, {x, y + 1}, row.groupType, look::PillForm::Letter, m_palette.theme);
        x += 23;
      }
      m_painter.setFont(look::monoFont(look::kMonoPx));
      m_painter.setPen(isPicked ? m_palette.text : m_palette.text2);
      QString label = qs(row.label);
      if (row.isLocal) label += QStringLiteral(" local");
      look::drawElided(m_painter, QRectF(x, y, m_left + labelWidth - x, line),
                       Qt::AlignLeft | Qt::AlignVCenter, label);
      m_painter.setPen(m_palette.text);
      for (std::size_t c = 0; c < columns; ++c) {
        const api::Operand* cell = cellNamed(row, heads[c].name);
        if (!cell) continue;
        const QRectF rect(m_left + labelWidth + cellWidth * static_cast<double>(c), y, cellWidth - 4, line);
        look::drawElided(m_painter, rect, Qt::AlignRight | Qt::AlignVCenter, qs(look::operandValue(*cell)));
        remember(rect, *cell);
      }
    }
    y += line;
    const bool isPlain = row.verdict.empty() || row.verdict == "local" || row.verdict == "picked" ||
                         row.verdict == "lesser_type";
    std::vector<Piece> why;
    if (!isPlain)
      why.push_back({qs(look::word(row.verdict)) + QLatin1Char(' '), false, false,
                     look::toneColor(row.tone, m_palette)});
    std::vector<Piece> tests;
    addTests(tests, row.tests);
    why.insert(why.end(), tests.begin(), tests.end());
    if (!why.empty()) y = flow(why, m_left + (hasPill ? 25 : 2), y, m_width - 25);
  }
  return y + px(2);
}

}  // namespace rqscope::decision
