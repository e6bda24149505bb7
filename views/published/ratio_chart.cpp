// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "published/ratio_chart.h"

#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"

namespace rqscope::published {
namespace {

using look::qs;

constexpr double kTitlePx = 26, kLegendPx = 20, kHeadPx = 20, kRowPx = 30, kFigureRowPx = 19, kBarPx = 10,
                 kMarginPx = 10;
constexpr double kNameShare = 0.3, kNameMostPx = 200, kValuePx = 58;

double px(double value) { return value * look::textScale(); }

bool isBase(const std::vector<ShownRow>& rows, std::size_t i) {
  return i == 0 || rows[i].row.caseName != rows[i - 1].row.caseName;
}

double changeOf(double ratio) { return 100 * (ratio - 1); }

/// Scale of the changes, in percent: both ends, and 0 inside.
struct Scale {
  double low = 0, high = 0;
};

Scale scaleOf(const RatioBars& bars) {
  Scale scale;
  for (const ShownRow& row : bars.rows) {
    if (!bars.figure.empty()) {
      if (const double* figure = figureOf(row.row, bars.figure)) scale.high = std::max(scale.high, *figure);
      continue;
    }
    std::vector<double> changes;
    if (row.row.published != 0) changes.push_back(changeOf(row.row.publishedRatio));
    if (row.isRun) changes.push_back(changeOf(row.row.modelRatio));
    for (const double change : changes) {
      scale.low = std::min(scale.low, change);
      scale.high = std::max(scale.high, change);
    }
  }
  if (!bars.figure.empty() && scale.high > 0) return scale;
  if (scale.high - scale.low < 1) scale.high = scale.low + 1;
  return scale;
}

class Painter {
 public:
  Painter(QPainter& painter, const RatioBars& bars, double width, look::Theme theme)
      : m_painter(painter), m_bars(bars), m_p(look::palette(theme)), m_width(width), m_scale(scaleOf(bars)) {
    m_left = kMarginPx + std::min(width * kNameShare, px(kNameMostPx));
    // Room for the figures at either end, where bars go there.
    m_barLeft = m_left + (m_scale.low < 0 ? px(kValuePx) : 6);
    m_barRight = std::max(width - kMarginPx - px(kValuePx), m_barLeft + 20);
  }

  void paint() {
    m_painter.fillRect(QRectF(0, 0, m_width, ratioBarsHeight(m_bars)), m_p.canvas);
    paintTitle();
    double y = px(kTitlePx) + px(kLegendPx);
    for (std::size_t i = 0; i < m_bars.rows.size(); ++i) {
      const ShownRow& row = m_bars.rows[i];
      if (isBase(m_bars.rows, i)) {
        paintHead(y, row);
        y += px(kHeadPx);
        if (m_bars.figure.empty()) continue;
      }
      m_bars.figure.empty() ? paintRow(y, row) : paintFigure(y, row);
      y += px(m_bars.figure.empty() ? kRowPx : kFigureRowPx);
    }
  }

 private:
  double x(double change) const {
    return m_barLeft + (change - m_scale.low) / (m_scale.high - m_scale.low) * (m_barRight - m_barLeft);
  }

  void paintTitle() {
    m_painter.setFont(look::uiFont(look::kBasePx, look::Weight::Bold));
    m_painter.setPen(m_p.text);
    look::drawElided(m_painter, QRectF(kMarginPx, 4, m_width - 2 * kMarginPx, px(18)),
                     Qt::AlignLeft | Qt::AlignVCenter, m_bars.title);
    m_painter.setFont(look::uiFont(look::kNotePx));
    double left = kMarginPx;
    for (const bool isModel : {false, true}) {
      if (!isModel && !m_bars.figure.empty()) continue;
      const QRectF swatch(left, px(kTitlePx) + 3, 10, 10);
      fillBar(swatch, isModel);
      const QString text = isModel ? QObject::tr("model") : QObject::tr("published");
      m_painter.setPen(m_p.text2);
      m_painter.drawText(QRectF(left + 15, px(kTitlePx) - 1, 120, px(18)), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
      left += 30 + m_painter.fontMetrics().horizontalAdvance(text);
    }
    m_painter.drawText(QRectF(left, px(kTitlePx) - 1, m_width - left - kMarginPx, px(18)),
                       Qt::AlignRight | Qt::AlignVCenter,
                       m_bars.figure.empty() ? QObject::tr("change against the first row of the case")
                                             : figureName(m_bars.figure));
  }

  void paintHead(double y, const ShownRow& row) {
    m_painter.setFont(look::uiFont(look::kNotePx, look::Weight::Bold));
    m_painter.setPen(m_p.text2);
    look::drawElided(m_painter, QRectF(kMarginPx, y, m_width - 2 * kMarginPx, px(kHeadPx)),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     m_bars.figure.empty()
                         ? QObject::tr("%1; 0 is \"%2\"").arg(qs(row.row.caseName), qs(row.row.name))
                         : qs(row.row.caseName));
  }

  void fillBar(const QRectF& bar, bool isModel) {
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(isModel ? m_p.runB : m_p.runA);
    m_painter.drawRect(bar);
  }

  void paintBar(double top, double change, bool isModel) {
    const double from = x(0), to = x(change);
    fillBar(QRectF(std::min(from, to), top, std::max(std::abs(to - from), 1.0), px(kBarPx)), isModel);
    m_painter.setFont(look::monoFont(look::kSmallPx));
    m_painter.setPen(m_p.text);
    const QRectF right(to + 4, top - 3, px(kValuePx), px(kBarPx) + 6);
    const QRectF left(to - px(kValuePx) - 4, top - 3, px(kValuePx), px(kBarPx) + 6);
    m_painter.drawText(change < 0 ? left : right,
                       (change < 0 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, percentText(change));
  }

  void paintName(double y, double height, const ShownRow& row) {
    m_painter.setFont(look::uiFont(look::kNotePx));
    m_painter.setPen(m_p.text);
    look::drawElided(m_painter, QRectF(kMarginPx, y, m_left - kMarginPx - 6, height - 4),
                     Qt::AlignLeft | Qt::AlignVCenter, qs(row.row.name));
    m_painter.setPen(QPen(m_p.line2, 1));
    m_painter.drawLine(QPointF(x(0), y), QPointF(x(0), y + height - 4));
  }

  void paintFigure(double y, const ShownRow& row) {
    paintName(y, px(kFigureRowPx), row);
    const double* figure = row.isRun ? figureOf(row.row, m_bars.figure) : nullptr;
    if (!figure) return;
    const QRectF bar(x(0), y + 2, std::max(x(*figure) - x(0), 1.0), px(kBarPx));
    fillBar(bar, true);
    m_painter.setFont(look::monoFont(look::kSmallPx));
    m_painter.setPen(m_p.text);
    m_painter.drawText(QRectF(bar.right() + 4, bar.top() - 3, px(kValuePx), px(kBarPx) + 6),
                       Qt::AlignLeft | Qt::AlignVCenter, figureText(*figure));
  }

  void paintRow(double y, const ShownRow& row) {
    paintName(y, px(kRowPx), row);
    if (row.row.published != 0) paintBar(y + 2, changeOf(row.row.publishedRatio), false);
    if (row.isRun) paintBar(y + 2 + px(kBarPx) + 1, changeOf(row.row.modelRatio), true);
  }

  QPainter& m_painter;
  const RatioBars& m_bars;
  const look::Palette& m_p;
  double m_width, m_left = 0, m_barLeft = 0, m_barRight = 0;
  Scale m_scale;
};

}  // namespace

double ratioBarsHeight(const RatioBars& bars) {
  double height = px(kTitlePx) + px(kLegendPx) + kMarginPx;
  for (std::size_t i = 0; i < bars.rows.size(); ++i) {
    if (isBase(bars.rows, i)) height += px(kHeadPx);
    if (!bars.figure.empty())
      height += px(kFigureRowPx);
    else if (!isBase(bars.rows, i))
      height += px(kRowPx);
  }
  return height;
}

void paintRatioBars(QPainter& painter, const RatioBars& bars, double width, look::Theme theme) {
  painter.setRenderHint(QPainter::Antialiasing);
  Painter(painter, bars, width, theme).paint();
}

RatioChart::RatioChart(QWidget* parent) : QAbstractScrollArea(parent) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Published and model ratios"));
}

void RatioChart::setBars(RatioBars bars) {
  m_bars = std::move(bars);
  fitScroll();
  viewport()->update();
}

void RatioChart::fitScroll() {
  verticalScrollBar()->setRange(
      0, std::max(0, static_cast<int>(ratioBarsHeight(m_bars)) - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
}

void RatioChart::resizeEvent(QResizeEvent*) { fitScroll(); }

void RatioChart::paintEvent(QPaintEvent*) {
  if (m_bars.rows.empty())
    return look::paintEmpty(viewport(), tr("No published table"), tr("Choose a discussion above."));
  const look::Palette& p = look::colors(this);
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), p.canvas);
  painter.translate(0, -verticalScrollBar()->value());
  paintRatioBars(painter, m_bars, viewport()->width(), p.theme);
}

}  // namespace rqscope::published
