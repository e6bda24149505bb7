// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision/rung_painter.h"

#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::decision {
namespace {

using look::qs;

constexpr double kTopPx = 3, kTitlePx = 18, kLinePx = 17;
constexpr double kFoldedPx = 24, kBottomPx = 5;

bool isShifted(const api::Rung& rung, const api::Operand** value, const api::Operand** shift) {
  if (rung.kind != "candidate" || rung.tests.empty()) return false;
  for (const api::Operand& operand : rung.operands) {
    if (operand.name == "util" || operand.name == "load") *value = &operand;
    if (operand.name == "shift" || (operand.name == "nr_balance_failed" && !*shift)) *shift = &operand;
  }
  return *value && *shift;
}

/// Operands that no test of the rung says again. The pieces of a line point into what is returned.
std::vector<api::Operand> operandsBesideTests(const api::Rung& rung) {
  const auto isSame = [](const api::Operand& a, const api::Operand& b) {
    return a.name == b.name && look::operandValue(a) == look::operandValue(b);
  };
  std::vector<api::Operand> beside;
  for (const api::Operand& operand : rung.operands) {
    const bool isSaid = std::any_of(rung.tests.begin(), rung.tests.end(), [&](const api::Comparison& test) {
      return isSame(test.left, operand) || isSame(test.right, operand);
    });
    if (!isSaid) beside.push_back(operand);
  }
  return beside;
}

}  // namespace

double RungPainter::px(double value) const { return value * look::textScale(); }

void RungPainter::remember(const QRectF& rect, const api::Operand& operand) {
  if (!m_hits || operand.name.empty()) return;
  const bool hasRow = m_row >= 0 && static_cast<std::size_t>(m_row) < m_rung->rows.size();
  api::Subject subject = hasRow ? m_rung->rows[static_cast<std::size_t>(m_row)].subject : m_rung->subject;
  if (operand.about.kind != api::SubjectKind::None) subject = operand.about;
  m_hits->push_back({rect,
                     qs(operand.name),
                     qs(look::operandValue(operand)),
                     qs(m_rung->function),
                     qs(m_rung->fidelity),
                     subject,
                     {m_index, m_row, operand.name}});
  if (!isChanged(operand)) return;
  m_painter.save();
  m_painter.setPen(QPen(m_palette.accent, 1.5));
  m_painter.setBrush(Qt::NoBrush);
  m_painter.drawRoundedRect(rect.adjusted(-2, 0.5, 2, -0.5), 3, 3);
  m_painter.restore();
}

bool RungPainter::isChanged(const api::Operand& operand) const {
  const api::OperandPath path{m_index, m_row, operand.name};
  return m_changed != nullptr && std::find(m_changed->begin(), m_changed->end(), path) != m_changed->end();
}

double RungPainter::rung(const api::Rung& rung, double top, RungState state, std::vector<Hit>* hits) {
  m_hits = hits;
  m_rung = &rung;
  m_row = -1;
  m_isDim = state == RungState::NotReached;
  double y = head(rung, top + px(kTopPx), state);
  if (state == RungState::Folded) return std::max(y + px(2), top + px(kFoldedPx));
  if (m_isDim) return y + px(kBottomPx);
  y = state == RungState::Current && !rung.tests.empty() ? bigComparison(rung, y) : body(rung, y, state);
  return y + px(kBottomPx);
}

QString RungPainter::titleOf(const api::Rung& rung) const {
  QString title = qs(look::rungTitle(rung));
  for (const api::Operand& operand : rung.operands) {
    if (rung.kind == "candidate" && operand.name == "task") title += QLatin1Char(' ') + qs(operand.text);
  }
  if (rung.kind == "candidate" && !rung.rows.empty()) title += QLatin1Char(' ') + qs(rung.rows.front().label);
  if (rung.kind == "entry" && !rung.rows.empty()) title += QStringLiteral(": ") + qs(rung.rows.front().label);
  return title;
}

void RungPainter::paintFunction(const api::Rung& rung, const QRectF& rect) const {
  if (!paints()) return;
  m_painter.setFont(look::monoFont(look::kMonoPx));
  m_painter.setPen(m_isDim ? look::mix(m_palette.text3, m_palette.dock, 0.75) : m_palette.text3);
  look::drawElided(m_painter, rect, Qt::AlignLeft | Qt::AlignVCenter, qs(rung.function));
}

double RungPainter::head(const api::Rung& rung, double y, RungState state) {
  const QRectF line(m_left, y, m_width, px(kTitlePx));
  const QColor dim = look::mix(m_palette.text3, m_palette.dock, 0.75);
  QString outcome = qs(look::word(rung.outcome));
  // The verdict of a refused candidate stands below, with its reason.
  if (rung.kind == "candidate" && rung.tone == api::Tone::No) outcome = qs(look::word("skip"));
  if (rung.kind == "group_statistics" && state == RungState::Folded && rung.rows.size() <= 4) outcome.clear();
  const QFont outcomeFont = look::uiFont(look::kNotePx, look::Weight::Bold);
  const double sign = state == RungState::Current && rung.tone != api::Tone::Neutral ? px(15) : 0;
  const double outcomeWidth =
      std::min<double>(QFontMetricsF(outcomeFont).horizontalAdvance(outcome) + 1, m_width * 0.45);
  double right = line.right() - outcomeWidth;
  if (paints()) {
    m_painter.setFont(outcomeFont);
    m_painter.setPen(m_isDim ? dim : (sign > 0 ? look::toneColor(rung.tone, m_palette) : m_palette.text));
    if (!m_isDim)
      look::drawElided(m_painter, QRectF(right, y, outcomeWidth, line.height()),
                       Qt::AlignRight | Qt::AlignVCenter, outcome);
    if (sign > 0 && rung.tone == api::Tone::Yes)
      look::drawTick(m_painter, {right - px(9), line.center().y()}, m_palette.yes);
    if (sign > 0 && rung.tone == api::Tone::No)
      look::drawCross(m_painter, {right - px(9), line.center().y()}, 3.2, m_palette.no);
  }
  if (outcome.isEmpty()) {
    for (auto row = rung.rows.rbegin(); row != rung.rows.rend(); ++row) {
      right -= 21;
      if (paints())
        look::drawPill(m_painter, {right, y}, row->groupType, look::PillForm::Letter, m_palette.theme);
    }
  }
  right -= sign + 8;
  const QString title = titleOf(rung);
  const QFont titleFont = look::uiFont(look::kBasePx, look::Weight::Bold);
  const double titleWidth =
      std::min<double>(QFontMetricsF(titleFont).horizontalAdvance(title) + 2, right - m_left);
  if (paints()) {
    m_painter.setFont(titleFont);
    m_painter.setPen(m_isDim ? dim : m_palette.text);
    look::drawElided(m_painter, QRectF(m_left, y, titleWidth, line.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, title);
  }
  const double x = m_left + titleWidth + 6;
  const double needed = QFontMetricsF(look::monoFont(look::kMonoPx)).horizontalAdvance(qs(rung.function));
  // The rung in work names its function in full, on a line of its own where there is no room.
  if (state == RungState::Current && right - x < needed) {
    paintFunction(rung, QRectF(m_left, line.bottom() - 2, m_width, px(kLinePx)));
    return line.bottom() - 2 + px(kLinePx);
  }
  if (right - x > px(30)) paintFunction(rung, QRectF(x, y + 1, right - x, line.height()));
  return line.bottom();
}

void RungPainter::addReason(std::vector<Piece>& pieces, const api::Rung& rung) const {
  if (rung.kind != "candidate" || rung.tone != api::Tone::No) return;
  pieces.push_back({qs(look::word(rung.outcome)), false, true, m_palette.no});
}

RungPainter::Piece RungPainter::separator() const {
  Piece piece{QStringLiteral(" · "), true, false, m_palette.text3};
  piece.isSeparator = true;
  return piece;
}

void RungPainter::addOperands(std::vector<Piece>& pieces, const std::vector<api::Operand>& operands) const {
  for (const api::Operand& operand : operands) {
    if (!pieces.empty()) pieces.push_back(separator());
    if (!operand.name.empty()) {
      pieces.push_back({qs(operand.name) + QLatin1Char(' '), true, false, m_palette.text2});
      pieces.back().isGlued = true;
    }
    Piece value{qs(look::operandValue(operand)), true, true, m_palette.text};
    value.operand = &operand;
    pieces.push_back(value);
  }
}

void RungPainter::addTest(std::vector<Piece>& pieces, const api::Comparison& test, bool isShort) const {
  const auto side = [&](const api::Operand& operand) {
    const QString name = isShort ? shortName(operand.name) : qs(operand.name);
    if (!name.isEmpty()) {
      pieces.push_back({name + QLatin1Char(' '), true, false, m_palette.text2});
      pieces.back().isGlued = true;
    }
    Piece value{qs(look::operandValue(operand)), true, true, m_palette.text};
    value.operand = &operand;
    pieces.push_back(value);
  };
  side(test.left);
  // "prefer_sibling yes" says it all.
  if (test.right.unit == api::Unit::Bool && test.right.name.empty() && test.holds) return;
  pieces.push_back(
      {QLatin1Char(' ') + qs(look::trueOperator(test)) + QLatin1Char(' '), true, false,
       m_rung->tone == api::Tone::Neutral ? m_palette.text2 : look::toneColor(m_rung->tone, m_palette)});
  pieces.back().isGlued = true;
  side(test.right);
}

void RungPainter::addTests(std::vector<Piece>& pieces, const std::vector<api::Comparison>& tests,
                           bool isShort) const {
  for (const api::Comparison& test : tests) {
    if (!pieces.empty()) pieces.push_back(separator());
    addTest(pieces, test, isShort);
  }
}

/// Pieces that belong together stay on a line; a separator falls away where a line ends.
double RungPainter::flow(const std::vector<Piece>& pieces, double x, double y, double width) {
  const auto fontOf = [](const Piece& piece) {
    return piece.isMono
               ? look::monoFont(look::kMonoPx)
               : look::uiFont(look::kNotePx, piece.isStrong ? look::Weight::Bold : look::Weight::Regular);
  };
  const auto advanceOf = [&](const Piece& piece) {
    m_painter.setFont(fontOf(piece));
    return static_cast<double>(m_painter.fontMetrics().horizontalAdvance(piece.text));
  };
  double at = x;
  const auto put = [&](Piece piece) {
    if (at == x)
      while (piece.text.startsWith(QLatin1Char(' '))) piece.text.remove(0, 1);
    const double advance = advanceOf(piece);
    const QRectF rect(at, y, std::min(advance, x + width - at), px(kLinePx));
    if (paints()) {
      m_painter.setPen(piece.color);
      look::drawElided(m_painter, rect.adjusted(0, 0, 1, 0), Qt::AlignLeft | Qt::AlignVCenter, piece.text);
      if (piece.operand) remember(rect, *piece.operand);
    }
    at += advance;
  };
  const Piece* pending = nullptr;
  for (std::size_t i = 0; i < pieces.size();) {
    if (pieces[i].isSeparator) {
      pending = &pieces[i++];
      continue;
    }
    std::size_t end = i + 1;
    double together = advanceOf(pieces[i]);
    while (end < pieces.size() && pieces[end - 1].isGlued) together += advanceOf(pieces[end++]);
    if (together > width) {  // no line is long enough for all of it
      end = i + 1;
      together = advanceOf(pieces[i]);
    }
    const double before = pending != nullptr ? advanceOf(*pending) : 0;
    if (at > x && at + before + together > x + width) {
      at = x;
      y += px(kLinePx);
    } else if (pending != nullptr) {
      put(*pending);
    }
    pending = nullptr;
    for (; i < end; ++i) put(pieces[i]);
  }
  return pieces.empty() ? y : y + px(kLinePx);
}

double RungPainter::body(const api::Rung& rung, double y, RungState state) {
  const std::vector<api::Operand> beside = operandsBesideTests(rung);
  std::vector<Piece> pieces;
  addReason(pieces, rung);
  addOperands(pieces, beside);
  addTests(pieces, rung.tests, false);
  y = flow(pieces, m_left, y, m_width);
  // The one row of a candidate says what head and operands said already.
  if (rung.kind == "candidate" && rung.rows.size() == 1 && state != RungState::Current) return y;
  constexpr std::size_t kLineRows = 3, kLineCells = 3;
  std::size_t cells = 0;
  for (const api::RungRow& row : rung.rows) cells = std::max(cells, row.cells.size());
  const bool isTable =
      cells > 0 && rung.kind != "busiest_group" && (rung.rows.size() > kLineRows || cells > kLineCells);
  if (isTable) return table(rung.rows, y);
  for (const api::RungRow& row : rung.rows) y = rowLine(row, y);
  return y;
}

double RungPainter::bigComparison(const api::Rung& rung, double y) {
  const api::Operand* value = nullptr;
  const api::Operand* shift = nullptr;
  const bool shifted = isShifted(rung, &value, &shift);
  const api::Comparison& test = rung.tests.back();
  std::vector<api::Operand> others;
  for (const api::Operand& operand : operandsBesideTests(rung)) {
    const bool isShown = (value && operand.name == value->name) || (shift && operand.name == shift->name);
    if (operand.name == "task" || isShown || operand.name == test.right.name ||
        operand.name == test.left.name)
      continue;
    others.push_back(operand);
  }
  std::vector<Piece> pieces;
  addReason(pieces, rung);
  addOperands(pieces, others);
  std::vector<api::Comparison> earlier(rung.tests.begin(), rung.tests.end() - 1);
  addTests(pieces, earlier, false);
  // The pieces point into local copies, so nothing of them may be kept after this call.
  y = flow(pieces, m_left, y, m_width) + px(3);
  double x = m_left;
  const auto column = [&](const QString& name, const QString& number, const QColor& color,
                          const api::Operand* operand) {
    m_painter.setFont(look::monoFont(look::kMonoPx));
    const double nameWidth = m_painter.fontMetrics().horizontalAdvance(name);
    m_painter.setFont(look::monoFont(15));
    const double width = std::max<double>(nameWidth, m_painter.fontMetrics().horizontalAdvance(number)) + 1;
    if (paints()) {
      m_painter.setPen(color);
      const QRectF rect(x, y + px(16), width, px(22));
      m_painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, number);
      if (operand) {
        m_painter.setPen(QPen(m_palette.text2, 1, Qt::DotLine));
        m_painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + width, rect.bottom()));
        remember(rect, *operand);
      }
      m_painter.setFont(look::monoFont(look::kMonoPx));
      m_painter.setPen(m_palette.text2);
      m_painter.drawText(QRectF(x, y, width, px(16)), Qt::AlignLeft | Qt::AlignVCenter, name);
    }
    x += width + px(9);
  };
  const QString leftName = qs(test.left.name);
  if (shifted && shift->value > 0) {
    column(qs(value->name), qs(look::operandValue(*value)), m_palette.text, value);
    column(QStringLiteral(">>"), QStringLiteral(">>"), m_palette.text2, nullptr);
    column(QStringLiteral("failed"), QString::number(shift->value), m_palette.text, shift);
    column(QString(), QStringLiteral("="), m_palette.text2, nullptr);
    column(QString(), qs(look::operandValue(test.left)), m_palette.text, nullptr);
  } else {
    column(shifted ? qs(value->name) : leftName, qs(look::operandValue(test.left)), m_palette.text,
           &test.left);
  }
  const QColor tone = rung.tone == api::Tone::Neutral ? (test.holds ? m_palette.yes : m_palette.no)
                                                      : look::toneColor(rung.tone, m_palette);
  const QString op = qs(look::trueOperator(test));
  column(QString(), op, tone, nullptr);
  column(qs(test.right.name), qs(look::operandValue(test.right)), m_palette.text, &test.right);
  y += px(16 + 22 + 6);
  for (const api::RungRow& row : rung.rows) {
    if (rung.kind == "candidate" && rung.rows.size() == 1) break;
    y = rowLine(row, y);
  }
  return y;
}

}  // namespace rqscope::decision
