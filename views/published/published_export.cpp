// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "published/published_export.h"

#include <fmt/format.h>

#include <QDir>
#include <QFileInfo>
#include <QPainter>
#include <cmath>

#include "look/picture_file.h"
#include "rqscope/report_file.h"

namespace rqscope::published {
namespace {

constexpr int kWidth = 880;

std::string patchesText(const api::ReproducedRow& row) {
  std::string out;
  for (const auto& [patch, on] : row.patches)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", patch, on ? "on" : "off");
  return out;
}

std::string numberText(double value) { return fmt::format("{:.9g}", value); }

std::vector<std::string> headOf(const std::vector<std::string>& keys) {
  std::vector<std::string> head{"case",        "row",
                                "unit",        "published",
                                "model",       "published_ratio",
                                "model_ratio", "deviation_percent",
                                "label",       "sign",
                                "scenario",    "patches"};
  head.insert(head.end(), keys.begin(), keys.end());
  return head;
}

std::vector<std::string> lineOf(const ShownRow& shown, const std::string& unit,
                                const std::vector<std::string>& keys) {
  const api::ReproducedRow& row = shown.row;
  const auto own = [&](double value) { return shown.isRun ? numberText(value) : std::string(); };
  std::vector<std::string> line{row.caseName,
                                row.name,
                                row.unit.empty() ? unit : row.unit,
                                numberText(row.published),
                                own(row.model),
                                numberText(row.publishedRatio),
                                own(row.modelRatio),
                                own(row.deviationPercent),
                                row.label,
                                row.verdict,
                                row.scenario,
                                patchesText(row)};
  for (const std::string& key : keys) {
    const double* figure = figureOf(row, key);
    line.push_back(figure ? numberText(*figure) : std::string());
  }
  return line;
}

std::string csvLine(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& field : fields)
    out += (&field == &fields.front() ? "" : ",") + look::csvText(field);
  return out + "\n";
}

}  // namespace

std::string publishedCsv(const std::vector<ShownRow>& rows, const std::string& unit) {
  const std::vector<std::string> keys = figureKeys(rows);
  std::string out = csvLine(headOf(keys));
  for (const ShownRow& shown : rows) out += csvLine(lineOf(shown, unit, keys));
  return out;
}

QString writePublished(const RatioBars& bars, const QString& unit, const QString& file, look::Theme theme) {
  if (QFileInfo(file).suffix().toLower() == QStringLiteral("csv"))
    return look::writeText(publishedCsv(bars.rows, unit.toStdString()), file);
  const QSize size(kWidth, static_cast<int>(std::ceil(ratioBarsHeight(bars))));
  const auto paint = [&](QPainter& painter) { paintRatioBars(painter, bars, kWidth, theme); };
  return look::writePicture({size, bars.title, paint}, file,
                            QObject::tr("the table is written as .csv, the bars as .svg, .png or .pdf"));
}

ReportFiles writeReport(const api::Reproduction& report, const std::string& folder,
                        const std::vector<std::string>& files) {
  const look::OffscreenApplication application;
  ReportFiles out;
  out.written = files;
  const std::string stem = folder + "/" + report.name;
  if (!QDir().mkpath(QString::fromStdString(folder))) {
    out.error = fmt::format("cannot write {}", folder);
    return out;
  }
  RatioBars bars{QString::fromStdString(report.title), {}};
  for (const api::ReproducedRow& row : report.rows) bars.rows.push_back({row, true});
  const QString unit = QString::fromStdString(report.unit);
  for (const char* ending : {".csv", ".svg", ".png"}) {
    const std::string file = stem + ending;
    out.error = writePublished(bars, unit, QString::fromStdString(file), look::Theme::Light).toStdString();
    if (!out.error.empty()) return out;
    out.written.push_back(file);
  }
  out.written.push_back(stem + ".json");
  out.error =
      look::writeText(api::reportText(report, out.written) + "\n", QString::fromStdString(out.written.back()))
          .toStdString();
  return out;
}

}  // namespace rqscope::published
