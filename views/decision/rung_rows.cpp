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
  addOperands(cells, row.cells);
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
  const std::size_t columns = rows.front().cells.size();
  const bool hasPill = !rows.front().groupType.empty();
  const double labelWidth = m_width * 0.34;
  const double cellWidth = (m_width - labelWidth) / static_cast<double>(std::max<std::size_t>(columns, 1));
  const double line = px(kRowPx);
  if (paints()) {
    m_painter.setFont(look::monoFont(look::kSmallPx));
    m_painter.setPen(m_palette.text2);
    for (std::size_t c = 0; c < columns; ++c) {
      const QRectF rect(m_left + labelWidth + cellWidth * static_cast<double>(c), y, cellWidth - 4, line);
      look::drawElided(m_painter, rect, Qt::AlignRight | Qt::AlignVCenter, qs(rows.front().cells[c].name));
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
      for (std::size_t c = 0; c < std::min(columns, row.cells.size()); ++c) {
        const QRectF rect(m_left + labelWidth + cellWidth * static_cast<double>(c), y, cellWidth - 4, line);
        look::drawElided(m_painter, rect, Qt::AlignRight | Qt::AlignVCenter,
                         qs(look::operandValue(row.cells[c])));
        remember(rect, row.cells[c]);
      }
    }
    y += line;
    const bool isPlain = row.verdict.empty() || row.verdict == "local" || row.verdict == "picked" ||
                         row.verdict == "lesser_type";
    if (isPlain) continue;
    std::vector<Piece> why = {
        {qs(look::word(row.verdict)), false, false, look::toneColor(row.tone, m_palette)}};
    addTests(why, row.tests);
    y = flow(why, m_left + (hasPill ? 25 : 2), y, m_width - 25);
  }
  return y + px(2);
}

}  // namespace rqscope::decision
