// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_builder.h"

#include <QAreaSeries>
#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QChart>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "look/decision_text.h"
#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::charts {
namespace {

using look::Palette;
using look::qs;

constexpr int kTimeSteps = 10, kValueSteps = 5, kCompactValueSteps = 2;  ///< at most, between ticks
constexpr int kLegendMost = 16;  ///< more lines than this and the legend would be all there is

constexpr const char* kHighest = "highest";  ///< property of a value axis: the highest value shown

struct TimeScale {
  double perUnit = 1e6;
  QString unit;
};

TimeScale timeScaleOf(const api::ChartData& data) {
  std::int64_t last = 0;
  for (const api::Series& series : data.series) {
    if (!series.timeNs.empty()) last = std::max(last, series.timeNs.back());
  }
  if (last >= 5'000'000'000) return {1e9, QStringLiteral("s")};
  return {1e6, QStringLiteral("ms")};
}

void styleAxis(QAbstractAxis* axis, const Palette& p, const QString& title) {
  axis->setLabelsColor(p.text2);
  axis->setLabelsFont(look::monoFont(look::kSmallPx));
  axis->setGridLinePen(QPen(p.line, 1));
  axis->setLinePen(QPen(p.line2, 1));
  axis->setTitleText(title);
  axis->setTitleBrush(p.text2);
  axis->setTitleFont(look::uiFont(look::kNotePx));
}

/// The least round number that divides the span into at most so many steps; few steps need finer ones.
double roundStep(double span, int mostSteps) {
  const double least = std::max(span, 1e-9) / mostSteps;
  const double power = std::pow(10, std::floor(std::log10(least)));
  const auto isEnough = [&](double factor) { return factor * power >= least * 0.999999; };
  if (mostSteps <= kCompactValueSteps) {
    for (const double factor : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
      if (isEnough(factor)) return factor * power;
  }
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (isEnough(factor)) return factor * power;
  return 10 * power;
}

/// As many decimals as the step has.
QString stepFormat(double step) {
  for (int decimals = 0; decimals < 6; ++decimals) {
    const double scaled = step * std::pow(10, decimals);
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) return QStringLiteral("%.%1f").arg(decimals);
  }
  return QStringLiteral("%.6f");
}

/// From 0 to the first round tick that no value is above.
void setValueSteps(QValueAxis& axis, double high, int mostSteps) {
  const double step = high > 0 ? roundStep(high, mostSteps) : 1;
  const double steps = std::max(std::ceil(high / step - 1e-6), 1.0);
  axis.setRange(0, step * steps);
  axis.setTickCount(static_cast<int>(steps) + 1);
  axis.setLabelFormat(stepFormat(step));
  axis.setProperty(kHighest, high);
}

void addValueAxes(QChart& chart, const Palette& p, const QString& xTitle, const QString& yTitle, double xLow,
                  double xHigh, double yHigh) {
  auto* x = new QValueAxis(&chart);
  const double span = std::max(xHigh - xLow, 1e-6);
  x->setRange(xLow, xLow + span);
  x->setTickAnchor(0);
  x->setTickInterval(roundStep(span, kTimeSteps));
  x->setTickType(QValueAxis::TicksDynamic);
  x->setLabelFormat(stepFormat(x->tickInterval()));
  styleAxis(x, p, xTitle);
  auto* y = new QValueAxis(&chart);
  setValueSteps(*y, yHigh, kValueSteps);
  styleAxis(y, p, yTitle);
  chart.addAxis(x, Qt::AlignBottom);
  chart.addAxis(y, Qt::AlignLeft);
  for (QAbstractSeries* series : chart.series()) {
    series->attachAxis(x);
    series->attachAxis(y);
  }
}

void addLines(QChart& chart, const api::ChartData& data, const Palette& p) {
  const TimeScale scale = timeScaleOf(data);
  double low = 0, high = 0, top = 0;
  bool isFirst = true;
  int place = 0;
  for (const api::Series& series : data.series) {
    auto* line = new QLineSeries(&chart);
    line->setName(qs(series.name));
    QList<QPointF> points;
    const std::size_t count = std::min(series.timeNs.size(), series.value.size());
    for (std::size_t i = 0; i < count; ++i) {
      const bool isJump = series.isStep && i > 0 && series.value[i] != series.value[i - 1];
      if (isJump)
        points << QPointF(static_cast<double>(series.timeNs[i]) / scale.perUnit, series.value[i - 1]);
      points << QPointF(static_cast<double>(series.timeNs[i]) / scale.perUnit, series.value[i]);
      top = std::max(top, series.value[i]);
    }
    if (count > 0) {
      low = isFirst ? points.first().x() : std::min(low, points.first().x());
      high = std::max(high, points.last().x());
      isFirst = false;
    }
    line->replace(points);
    // The ideal of a series has its colour, thin and dashed.
    const int own = series.isIdeal && place > 0 ? place - 1 : place++;
    QPen pen(seriesColor(series.name, own, p.theme), series.isIdeal ? 1.2 : 1.6);
    // A second voice beside colour: every other round of the palette is dashed.
    if (series.isIdeal || (own / 8) % 2 == 1) pen.setStyle(Qt::DashLine);
    if (series.isIdeal) pen.setColor(look::mix(pen.color(), p.text, 0.55));
    line->setPen(pen);
    chart.addSeries(line);
  }
  addValueAxes(chart, p, QStringLiteral("time, ") + scale.unit, qs(data.yLabel), low, high, top);
}

void addStack(QChart& chart, const api::ChartData& data, const Palette& p) {
  const TimeScale scale = timeScaleOf(data);
  QLineSeries* below = nullptr;
  double low = 0, high = 0, top = 0;
  int place = 0;
  for (const api::Series& series : data.series) {
    auto* upper = new QLineSeries(&chart);
    const std::size_t count = std::min(series.timeNs.size(), series.value.size());
    for (std::size_t i = 0; i < count; ++i) {
      const double base =
          below && static_cast<int>(i) < below->count() ? below->at(static_cast<int>(i)).y() : 0;
      upper->append(static_cast<double>(series.timeNs[i]) / scale.perUnit, base + series.value[i]);
      top = std::max(top, base + series.value[i]);
    }
    if (count > 0) {
      low = upper->at(0).x();
      high = std::max(high, upper->at(upper->count() - 1).x());
    }
    auto* area = new QAreaSeries(upper, below);
    area->setName(seriesWords(data, series));
    area->setBrush(seriesColor(series.name, place, p.theme));
    area->setPen(QPen(p.canvas, 0.5));
    chart.addSeries(area);
    below = upper;
    ++place;
  }
  addValueAxes(chart, p, QStringLiteral("time, ") + scale.unit, qs(data.yLabel), low, high, top);
}

void addHistogram(QChart& chart, const api::ChartData& data, const Palette& p) {
  auto* bars = new QBarSeries(&chart);
  QStringList categories;
  double top = 0;
  int place = 0;
  for (const api::Series& series : data.series) {
    auto* set = new QBarSet(qs(series.name));
    set->setColor(seriesColor(series.name, place++, p.theme));
    set->setBorderColor(p.canvas);
    for (std::size_t i = 0; i < series.value.size(); ++i) {
      *set << series.value[i];
      top = std::max(top, series.value[i]);
      if (categories.size() > static_cast<int>(i)) continue;
      if (i < data.categories.size()) {
        categories << qs(data.categories[i]);
        continue;
      }
      const double ns =
          i < series.timeNs.size() ? static_cast<double>(series.timeNs[i]) : static_cast<double>(i);
      categories << (ns >= 1e6 ? QStringLiteral("%1 ms").arg(ns / 1e6, 0, 'g', 3)
                               : QStringLiteral("%1 µs").arg(ns / 1e3, 0, 'g', 3));
    }
    bars->append(set);
  }
  chart.addSeries(bars);
  auto* x = new QBarCategoryAxis(&chart);
  x->append(categories);
  styleAxis(x, p, qs(data.xLabel));
  auto* y = new QValueAxis(&chart);
  setValueSteps(*y, top, kValueSteps);
  styleAxis(y, p, qs(data.yLabel));
  chart.addAxis(x, Qt::AlignBottom);
  chart.addAxis(y, Qt::AlignLeft);
  bars->attachAxis(x);
  bars->attachAxis(y);
}

void makeCompact(QChart& chart) {
  chart.setTitle(QString());
  for (QAbstractAxis* axis : chart.axes()) {
    axis->setTitleVisible(false);
    auto* values = qobject_cast<QValueAxis*>(axis);
    const QString unit = axis->titleText().section(QStringLiteral("time, "), 1);
    if (values && !unit.isEmpty()) values->setLabelFormat(values->labelFormat() + QLatin1Char(' ') + unit);
    if (values && values->alignment() == Qt::AlignLeft)
      setValueSteps(*values, values->property(kHighest).toDouble(), kCompactValueSteps);
  }
}

}  // namespace

QString seriesWords(const api::ChartData& data, const api::Series& series) {
  if (data.id != "idle_causes" || series.name == "other") return qs(series.name);
  const std::size_t colon = series.name.find(": ");
  api::Outcome::IdleCause cause;
  cause.cause = series.name.substr(0, colon);
  if (colon != std::string::npos) cause.detail = series.name.substr(colon + 2);
  return qs(look::idleCauseText(cause));
}

QColor seriesColor(const std::string& name, int place, look::Theme theme) {
  for (const std::string_view type : look::groupTypeNames()) {
    if (name == type) return look::groupTypeLook(type, theme).fill;
  }
  return look::taskColor(place, theme);
}

void fitWidth(QChart& chart, double width) {
  constexpr double kNarrowPx = 460, kLegendPx = 130, kTickPx = 58;
  const bool isNarrow = width < kNarrowPx * look::textScale();
  if (isNarrow) chart.legend()->setAlignment(Qt::AlignBottom);
  const double room = width - (isNarrow ? kLegendPx / 2 : kLegendPx) * look::textScale();
  const int steps = std::clamp(static_cast<int>(room / (kTickPx * look::textScale())), 2, kTimeSteps);
  for (QAbstractAxis* axis : chart.axes(Qt::Horizontal)) {
    auto* time = qobject_cast<QValueAxis*>(axis);
    if (!time || time->tickType() != QValueAxis::TicksDynamic) continue;
    time->setTickInterval(roundStep(time->max() - time->min(), steps));
    time->setLabelFormat(stepFormat(time->tickInterval()));
  }
}

std::unique_ptr<QChart> buildChart(const api::ChartData& data, look::Theme theme, ChartForm form) {
  const Palette& p = look::palette(theme);
  auto chart = std::make_unique<QChart>();
  chart->setBackgroundBrush(p.canvas);
  chart->setBackgroundRoundness(0);
  chart->setBackgroundPen(Qt::NoPen);
  chart->setMargins(QMargins(4, 2, 8, 2));
  chart->layout()->setContentsMargins(0, 0, 0, 0);
  chart->setTitle(qs(data.title));
  chart->setTitleBrush(p.text);
  chart->setTitleFont(look::uiFont(look::kBasePx, look::Weight::Bold));
  if (data.isHistogram) {
    addHistogram(*chart, data, p);
  } else if (data.isStacked) {
    addStack(*chart, data, p);
  } else {
    addLines(*chart, data, p);
  }
  if (form == ChartForm::Compact) makeCompact(*chart);
  QLegend* legend = chart->legend();
  legend->setLabelColor(p.text2);
  legend->setFont(look::uiFont(look::kNotePx));
  legend->setAlignment(Qt::AlignRight);
  legend->setVisible(form == ChartForm::Full && data.series.size() > 1 &&
                     static_cast<int>(data.series.size()) <= kLegendMost);
  return chart;
}

}  // namespace rqscope::charts
