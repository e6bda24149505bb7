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

constexpr double kRowPx = 19, kLinePx = 17, kCellGapPx = 9;

}  // namespace

QString shortName(const std::string& name) {
  static const std::pair<const char*, const char*> kShort[] = {{"sum_nr_running", "nr"},
                                                               {"nr_running", "nr"},
                                                               {"idle_cpus", "idle"},
                                                               {"group_util", "util"},
                                                               {"group_runnable", "rnbl"},
                                                               {"group_load", "load"},
                                                               {"group_capacity", "cap"},
                                                               {"avg_load", "avg"},
                                                               {"group_weight", "cpus"},
                                                               {"capacity", "cap"},
                                                               {"misfit_task_load", "misfit"},
                                                               {"group_misfit_task_load", "misfit"},
                                                               {"group_capacity * 100", "cap×100"},
                                                               {"group_util * imbalance_pct", "util×pct"},
                                                               {"group_capacity * imbalance_pct", "cap×pct"},
                                                               {"group_runnable * 100", "rnbl×100"}};
  for (const auto& [full, brief] : kShort) {
    if (name == full) return QString::fromUtf8(brief);
  }
  return qs(name);
}

namespace {

const api::RungRow& longest(const std::vector<api::RungRow>& rows) {
  return *std::max_element(rows.begin(), rows.end(),
                           [](const auto& a, const auto& b) { return a.cells.size() < b.cells.size(); });
}

const api::Operand* cellNamed(const api::RungRow& row, const std::string& name) {
  const auto it = std::find_if(row.cells.begin(), row.cells.end(),
                               [&](const api::Operand& cell) { return cell.name == name; });
  return it == row.cells.end() ? nullptr : &*it;
}

/// What a column is worth when there is no room for all: the higher, the sooner it goes.
int dispensability(const std::string& name) {
  static const std::pair<const char*, int> kRanks[] = {
      {"sum_nr_running", 0}, {"nr_running", 0}, {"group_util", 1},       {"util", 1},
      {"group_capacity", 2}, {"capacity", 2},   {"misfit_task_load", 3}, {"group_misfit_task_load", 3},
      {"avg_load", 4},       {"idle_cpus", 5},  {"group_load", 6},       {"load", 6},
      {"group_runnable", 7}};
  for (const auto& [full, rank] : kRanks) {
    if (name == full) return rank;
  }
  return 3;
}

/// A column of a table of rows: as wide as its widest figure.
struct Column {
  const api::Operand* head;
  double width = 0;
};

/// Columns that fit into the width whole, in their order; figures are never cut.
std::vector<Column> fittingColumns(const std::vector<api::RungRow>& rows, double width) {
  const QFontMetricsF heads(look::monoFont(look::kSmallPx)), cells(look::monoFont(look::kMonoPx));
  std::vector<Column> columns;
  double all = 0;
  for (const api::Operand& head : longest(rows).cells) {
    Column column{&head, heads.horizontalAdvance(shortName(head.name))};
    for (const api::RungRow& row : rows) {
      if (const api::Operand* cell = cellNamed(row, head.name))
        column.width = std::max(column.width, cells.horizontalAdvance(qs(look::operandValue(*cell))));
    }
    column.width += kCellGapPx;
    all += column.width;
    columns.push_back(column);
  }
  while (columns.size() > 1 && all > width) {
    const auto least = std::max_element(columns.begin(), columns.end(), [](const Column& a, const Column& b) {
      return dispensability(a.head->name) < dispensability(b.head->name);
    });
    all -= least->width;
    columns.erase(least);
  }
  return columns;
}

}  // namespace

double RungPainter::rowLine(const api::RungRow& row, double y) {
  m_row = static_cast<std::int32_t>(&row - m_rung->rows.data());
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
  addTests(cells, row.tests, true);
  pieces.insert(pieces.end(), cells.begin(), cells.end());
  const bool isPlain = row.verdict.empty() || row.verdict == "local" || row.verdict == "picked";
  if (!isPlain) {
    pieces.push_back(separator());
    pieces.push_back({qs(look::word(row.verdict)), false, true, look::toneColor(row.tone, m_palette)});
  }
  const double bottom = std::max(flow(pieces, x, y + 1, m_left + m_width - x), y + px(kLinePx)) + px(2);
  m_row = -1;
  return bottom;
}

double RungPainter::table(const std::vector<api::RungRow>& rows, double y) {
  const bool hasPill =
      std::any_of(rows.begin(), rows.end(), [](const api::RungRow& row) { return !row.groupType.empty(); });
  const double leastLabel = m_width * 0.25;
  std::vector<Column> columns = fittingColumns(rows, m_width - leastLabel);
  double used = 0;
  for (const Column& column : columns) used += column.width;
  // What is left is shared, up to a label of its usual width.
  const double labelWidth = std::clamp(m_width - used, leastLabel, m_width * 0.30);
  const double share = std::max(m_width - labelWidth - used, 0.0) /
                       static_cast<double>(std::max<std::size_t>(columns.size(), 1));
  for (Column& column : columns) column.width += share;
  const double line = px(kRowPx);
  if (paints()) {
    m_painter.setFont(look::monoFont(look::kSmallPx));
    m_painter.setPen(m_palette.text2);
    double x = m_left + labelWidth;
    for (const Column& column : columns) {
      const QRectF rect(x, y, column.width - 4, line);
      look::drawElided(m_painter, rect, Qt::AlignRight | Qt::AlignVCenter, shortName(column.head->name));
      x += column.width;
    }
  }
  y += line;
  const double labelRoom = labelWidth - (hasPill ? 25 : 2);
  for (const api::RungRow& row : rows) {
    m_row = static_cast<std::int32_t>(&row - rows.data());
    // Where there is no room beside the label, the line below says which group is the local one.
    const bool isLocalBeside = QFontMetricsF(look::monoFont(look::kMonoPx))
                                   .horizontalAdvance(qs(row.label) + QStringLiteral(" local")) <= labelRoom;
    if (paints()) {
      const bool isPicked = row.verdict == "picked" || row.verdict == "chosen";
      if (isPicked) m_painter.fillRect(QRectF(m_left, y, m_width, line), m_palette.selection);
      double x = m_left + 2;
      if (!row.groupType.empty())
        look::drawPill(m_painter, {x, y + 1}, row.groupType, look::PillForm::Letter, m_palette.theme);
      if (hasPill) x += 23;
      m_painter.setFont(look::monoFont(look::kMonoPx));
      m_painter.setPen(isPicked ? m_palette.text : m_palette.text2);
      QString label = qs(row.label);
      if (row.isLocal && isLocalBeside) label += QStringLiteral(" local");
      look::drawElided(m_painter, QRectF(x, y, m_left + labelWidth - x, line),
                       Qt::AlignLeft | Qt::AlignVCenter, label);
      m_painter.setPen(m_palette.text);
      x = m_left + labelWidth;
      for (const Column& column : columns) {
        const QRectF rect(x, y, column.width - 4, line);
        x += column.width;
        const api::Operand* cell = cellNamed(row, column.head->name);
        if (!cell) continue;
        look::drawElided(m_painter, rect, Qt::AlignRight | Qt::AlignVCenter, qs(look::operandValue(*cell)));
        remember(rect, *cell);
      }
    }
    y += line;
    const bool isPlain = row.verdict.empty() || row.verdict == "local" || row.verdict == "picked" ||
                         row.verdict == "lesser_type";
    std::vector<Piece> why;
    if (row.isLocal && !isLocalBeside)
      why.push_back({QStringLiteral("local"), false, false, m_palette.text2});
    if (!isPlain)
      why.push_back({qs(look::word(row.verdict)), false, false, look::toneColor(row.tone, m_palette)});
    addTests(why, row.tests, true);
    if (!why.empty()) y = flow(why, m_left + (hasPill ? 25 : 2), y, m_width - 25);
  }
  m_row = -1;
  return y + px(2);
}

}  // namespace rqscope::decision
