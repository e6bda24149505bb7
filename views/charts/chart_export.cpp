// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_export.h"

#include <fmt/format.h>

#include <QChart>
#include <QDir>
#include <QFileInfo>
#include <QGraphicsScene>
#include <QLegend>
#include <QPainter>
#include <algorithm>

#include "charts/chart_builder.h"
#include "look/fonts.h"
#include "look/picture_file.h"

namespace rqscope::charts {
namespace {

constexpr QSize kDefaultSize(960, 420);
constexpr double kLowPx = 170;  ///< lower pictures have no room for titles
constexpr std::size_t kLowLegendMost = 4;

/// A number the same on every machine: whole when it is whole, else up to nine figures.
std::string csvNumber(double value) {
  const auto whole = static_cast<long long>(value);
  return static_cast<double>(whole) == value ? fmt::format("{}", whole) : fmt::format("{:.9g}", value);
}

}  // namespace

std::string chartCsv(const api::ChartData& data) {
  std::string csv = !data.categories.empty() ? "case" : data.isHistogram ? "bin_ns" : "time_ns";
  std::size_t rows = 0;
  for (const api::Series& series : data.series) {
    csv += "," + look::csvText(series.unit.empty() ? series.name : series.name + " [" + series.unit + "]");
    rows = std::max(rows, series.value.size());
  }
  csv += "\n";
  for (std::size_t row = 0; row < rows; ++row) {
    std::string time = row < data.categories.size() ? look::csvText(data.categories[row]) : std::string();
    std::string values;
    for (const api::Series& series : data.series) {
      if (time.empty() && row < series.timeNs.size()) time = std::to_string(series.timeNs[row]);
      values += "," + (row < series.value.size() ? csvNumber(series.value[row]) : std::string());
    }
    csv += time + values + "\n";
  }
  return csv;
}

void paintChart(QPainter& painter, const api::ChartData& data, QSizeF size, look::Theme theme) {
  const bool isLow = size.height() < kLowPx * look::textScale();
  QGraphicsScene scene;
  QChart* chart = buildChart(data, theme, isLow ? ChartForm::Compact : ChartForm::Full).release();
  if (isLow) chart->legend()->setVisible(data.series.size() > 1 && data.series.size() <= kLowLegendMost);
  scene.addItem(chart);  // The scene owns it now.
  fitWidth(*chart, size.width());
  chart->resize(size);
  scene.setSceneRect(QRectF(QPointF(0, 0), size));
  painter.setRenderHint(QPainter::Antialiasing);
  // Where a device has more pixels than points, its own size is not that of the picture.
  scene.render(&painter, scene.sceneRect(), scene.sceneRect(), Qt::IgnoreAspectRatio);
}

QString writeChart(const api::ChartData& data, const QString& file, look::Theme theme, QSize size) {
  if (QFileInfo(file).suffix().toLower() == QStringLiteral("csv"))
    return look::writeText(chartCsv(data), file);
  const auto paint = [&](QPainter& painter) { paintChart(painter, data, size, theme); };
  return look::writePicture({size, QString::fromStdString(data.title), paint}, file,
                            QObject::tr("a chart is written as .png, .svg, .pdf or .csv"));
}

ChartFiles writeCharts(const std::vector<api::ChartData>& charts, const std::string& folder) {
  const look::OffscreenApplication application;
  ChartFiles files;
  const QString path = QString::fromStdString(folder);
  if (!QDir().mkpath(path)) {
    files.error = QObject::tr("cannot write %1").arg(path).toStdString();
    return files;
  }
  for (const api::ChartData& data : charts) {
    for (const char* ending : {"png", "svg", "csv"}) {
      const std::string file = folder + "/" + data.id + "." + ending;
      const QString error = writeChart(data, QString::fromStdString(file), look::Theme::Light, kDefaultSize);
      if (!error.isEmpty()) {
        files.error = error.toStdString();
        return files;
      }
      files.written.push_back(file);
    }
  }
  return files;
}

}  // namespace rqscope::charts
