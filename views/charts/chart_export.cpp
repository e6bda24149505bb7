// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_export.h"

#include <fmt/format.h>

#include <QApplication>
#include <QChart>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QGraphicsScene>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <memory>

#include "charts/chart_builder.h"
#include "look/theme.h"

namespace rqscope::charts {
namespace {

constexpr QSize kDefaultSize(960, 420);
constexpr int kPngScale = 2;
constexpr int kPdfDpi = 96;

/// A number the same on every machine: whole when it is whole, else up to nine figures.
std::string csvNumber(double value) {
  const auto whole = static_cast<long long>(value);
  return static_cast<double>(whole) == value ? fmt::format("{}", whole) : fmt::format("{:.9g}", value);
}

std::string csvText(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void render(QPainter& painter, const api::ChartData& data, look::Theme theme, QSize size) {
  QGraphicsScene scene;
  QChart* chart = buildChart(data, theme).release();
  scene.addItem(chart);  // The scene owns it now.
  chart->resize(size);
  scene.setSceneRect(QRectF(QPointF(0, 0), QSizeF(size)));
  painter.setRenderHint(QPainter::Antialiasing);
  // Where a device has more pixels than points, its own size is not that of the picture.
  scene.render(&painter, scene.sceneRect(), scene.sceneRect(), Qt::IgnoreAspectRatio);
}

QString cannotWrite(const QString& file) { return QObject::tr("cannot write %1").arg(file); }

QString writeText(const std::string& text, const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return cannotWrite(path);
  return file.write(text.data(), static_cast<qint64>(text.size())) < 0 ? cannotWrite(path) : QString();
}

}  // namespace

std::string chartCsv(const api::ChartData& data) {
  std::string csv = !data.categories.empty() ? "case" : data.isHistogram ? "bin_ns" : "time_ns";
  std::size_t rows = 0;
  for (const api::Series& series : data.series) {
    csv += "," + csvText(series.unit.empty() ? series.name : series.name + " [" + series.unit + "]");
    rows = std::max(rows, series.value.size());
  }
  csv += "\n";
  for (std::size_t row = 0; row < rows; ++row) {
    std::string time = row < data.categories.size() ? csvText(data.categories[row]) : std::string();
    std::string values;
    for (const api::Series& series : data.series) {
      if (time.empty() && row < series.timeNs.size()) time = std::to_string(series.timeNs[row]);
      values += "," + (row < series.value.size() ? csvNumber(series.value[row]) : std::string());
    }
    csv += time + values + "\n";
  }
  return csv;
}

QString writeChart(const api::ChartData& data, const QString& file, look::Theme theme, QSize size) {
  const QString ending = QFileInfo(file).suffix().toLower();
  if (ending == QStringLiteral("csv")) return writeText(chartCsv(data), file);
  if (ending == QStringLiteral("png")) {
    QImage image(size * kPngScale, QImage::Format_RGB32);
    image.setDevicePixelRatio(kPngScale);
    QPainter painter(&image);
    render(painter, data, theme, size);
    painter.end();
    return image.save(file, "PNG") ? QString() : cannotWrite(file);
  }
  if (ending == QStringLiteral("svg")) {
    QSvgGenerator generator;
    generator.setFileName(file);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(QString::fromStdString(data.title));
    QPainter painter;
    if (!painter.begin(&generator)) return cannotWrite(file);
    render(painter, data, theme, size);
    return painter.end() ? QString() : cannotWrite(file);
  }
  if (ending == QStringLiteral("pdf")) {
    QPdfWriter writer(file);
    writer.setResolution(kPdfDpi);
    writer.setPageSize(
        QPageSize(QSizeF(size) * 72.0 / kPdfDpi, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    QPainter painter;
    if (!painter.begin(&writer)) return cannotWrite(file);
    render(painter, data, theme, size);
    return painter.end() ? QString() : cannotWrite(file);
  }
  return QObject::tr("%1: a chart is written as .png, .svg, .pdf or .csv").arg(file);
}

ChartFiles writeCharts(const std::vector<api::ChartData>& charts, const std::string& folder) {
  std::unique_ptr<QApplication> own;
  char name[] = "rqscope";
  char* arguments[] = {name, nullptr};
  int count = 1;
  if (!QCoreApplication::instance()) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    own = std::make_unique<QApplication>(count, arguments);
    look::applyTheme(*own, look::Theme::Light);
  }
  ChartFiles files;
  const QString path = QString::fromStdString(folder);
  if (!QDir().mkpath(path)) {
    files.error = cannotWrite(path).toStdString();
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
