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

constexpr double kTitlePx = 26, kLegendPx = 20, kHeadPx = 20, kRowPx = 30, kBarPx = 10, kMarginPx = 10;
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

Scale scaleOf(const std::vector<ShownRow>& rows) {
  Scale scale;
  for (const ShownRow& row : rows) {
    std::vector<double> changes;
    if (row.row.published != 0) changes.push_back(changeOf(row.row.publishedRatio));
    if (row.isRun) changes.push_back(changeOf(row.row.modelRatio));
    for (const double change : changes) {
      scale.low = std::min(scale.low, change);
      scale.high = std::max(scale.high, change);
    }
  }
  if (scale.high - scale.low < 1) scale.high = scale.low + 1;
  return scale;
}

class Painter {
 public:
  Painter(QPainter& painter, const RatioBars& bars, double width, look::Theme theme)
      : m_painter(painter),
        m_bars(bars),
        m_p(look::palette(theme)),
        m_width(width),
        m_scale(scaleOf(bars.rows)) {
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
        continue;
      }
      paintRow(y, row);
      y += px(kRowPx);
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
                       QObject::tr("change against the first row of the case"));
  }

  void paintHead(double y, const ShownRow& row) {
    m_painter.setFont(look::uiFont(look::kNotePx, look::Weight::Bold));
    m_painter.setPen(m_p.text2);
    look::drawElided(m_painter, QRectF(kMarginPx, y, m_width - 2 * kMarginPx, px(kHeadPx)),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QStringLiteral("%1 — %2").arg(qs(row.row.caseName), qs(row.row.name)));
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

  void paintRow(double y, const ShownRow& row) {
    m_painter.setFont(look::uiFont(look::kNotePx));
    m_painter.setPen(m_p.text);
    look::drawElided(m_painter, QRectF(kMarginPx, y, m_left - kMarginPx - 6, px(kRowPx) - 6),
                     Qt::AlignLeft | Qt::AlignVCenter, qs(row.row.name));
    m_painter.setPen(QPen(m_p.line2, 1));
    m_painter.drawLine(QPointF(x(0), y), QPointF(x(0), y + px(kRowPx) - 4));
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
  for (std::size_t i = 0; i < bars.rows.size(); ++i) height += px(isBase(bars.rows, i) ? kHeadPx : kRowPx);
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
