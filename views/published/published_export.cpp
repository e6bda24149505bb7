// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "published/published_export.h"

#include <fmt/format.h>

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <cmath>

namespace rqscope::published {
namespace {

constexpr int kWidth = 880, kPngScale = 2;

std::string csvText(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string patchesText(const api::ReproducedRow& row) {
  std::string out;
  for (const auto& [patch, on] : row.patches)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", patch, on ? "on" : "off");
  return out;
}

QString cannotWrite(const QString& file) { return QObject::tr("cannot write %1").arg(file); }

}  // namespace

std::string publishedCsv(const std::vector<ShownRow>& rows, const std::string& unit) {
  std::string out =
      "case,row,unit,published,model,published_ratio,model_ratio,deviation_percent,label,scenario,patches\n";
  for (const ShownRow& shown : rows) {
    const api::ReproducedRow& row = shown.row;
    const auto own = [&](double value) { return shown.isRun ? fmt::format("{:.9g}", value) : std::string(); };
    out += fmt::format("{},{},{},{:.9g},{},{:.9g},{},{},{},{},{}\n", csvText(row.caseName), csvText(row.name),
                       csvText(row.unit.empty() ? unit : row.unit), row.published, own(row.model),
                       row.publishedRatio, own(row.modelRatio), own(row.deviationPercent), row.label,
                       row.scenario, csvText(patchesText(row)));
  }
  return out;
}

QString writePublished(const RatioBars& bars, const QString& unit, const QString& file, look::Theme theme) {
  const QString ending = QFileInfo(file).suffix().toLower();
  const QSize size(kWidth, static_cast<int>(std::ceil(ratioBarsHeight(bars))));
  if (ending == QStringLiteral("csv")) {
    QFile out(file);
    const std::string text = publishedCsv(bars.rows, unit.toStdString());
    const bool isDone =
        out.open(QIODevice::WriteOnly) && out.write(text.data(), static_cast<qint64>(text.size())) >= 0;
    return isDone ? QString() : cannotWrite(file);
  }
  if (ending == QStringLiteral("png")) {
    QImage image(size * kPngScale, QImage::Format_RGB32);
    image.setDevicePixelRatio(kPngScale);
    QPainter painter(&image);
    paintRatioBars(painter, bars, kWidth, theme);
    painter.end();
    return image.save(file, "PNG") ? QString() : cannotWrite(file);
  }
  if (ending == QStringLiteral("svg")) {
    QSvgGenerator generator;
    generator.setFileName(file);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(bars.title);
    QPainter painter;
    if (!painter.begin(&generator)) return cannotWrite(file);
    paintRatioBars(painter, bars, kWidth, theme);
    return painter.end() ? QString() : cannotWrite(file);
  }
  return QObject::tr("%1: the table is written as .csv, the bars as .svg or .png").arg(file);
}

}  // namespace rqscope::published
