// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <algorithm>
#include <fstream>

#include "api/reproduce_work.h"
#include "charts/chart_export.h"

// The files of `reproduce tg-load-avg --out`: counts for each wakeup by variant, and load and weights over
// time against the base variant's.

namespace rqscope::charts {
namespace {

using Json = nlohmann::json;

api::Reproduction shortRun() {
  std::ifstream in(std::string(RQSCOPE_SOURCE_DIR) + "/resources/published/tg-load-avg.json");
  Json table = Json::parse(in);
  table["warm_up_ms"] = 120;
  table["measured_ms"] = 5;
  Json rows = Json::array();
  for (const Json& row : table["rows"])
    if (row["case"] == "netperf UDP_RR, nr_thread=25% on CSL" &&
        (row["name"] == "base" || row["name"] == "ratelimit"))
      rows.push_back(row);
  table["rows"] = rows;
  api::Reproduction out;
  api::reproduceWork(table, out, {});
  return out;
}

QString textOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

TEST(WorkCharts, AreWrittenWithTheCountsOfTheRows) {
  const api::Reproduction r = shortRun();
  ASSERT_EQ(r.rows.size(), 2U);
  QTemporaryDir folder;
  const ChartFiles files = writeCharts(r.charts, folder.path().toStdString());
  EXPECT_EQ(files.error, "");
  EXPECT_EQ(files.written.size(), 3 * r.charts.size()) << "PNG, SVG and CSV of each";
  for (const char* chart : {"tg_load_avg_reads_per_wakeup", "tg_load_avg_writes_per_wakeup",
                            "tg_load_avg_of_tg-udp-rr-csl-25", "tg_load_avg_off_tg-udp-rr-csl-25",
                            "tg_weight_of_tg-udp-rr-csl-25", "tg_weight_off_tg-udp-rr-csl-25"}) {
    const QString base = folder.filePath(QLatin1String(chart));
    EXPECT_GT(QImage(base + QStringLiteral(".png")).width(), 400) << chart;
    EXPECT_GT(QFile(base + QStringLiteral(".svg")).size(), 1000) << chart;
    EXPECT_GT(textOf(base + QStringLiteral(".csv")).size(), 20) << chart;
  }
  const auto writes = std::find_if(r.rows[0].figures.begin(), r.rows[0].figures.end(),
                                   [](const auto& figure) { return figure.first == "writes_per_wakeup"; });
  ASSERT_NE(writes, r.rows[0].figures.end());
  const QStringList lines =
      textOf(folder.filePath(QStringLiteral("tg_load_avg_writes_per_wakeup.csv"))).split(QLatin1Char('\n'));
  ASSERT_GE(lines.size(), 2);
  EXPECT_EQ(lines[0], QStringLiteral("case,base,ratelimit"));
  const QStringList cells = lines[1].split(QLatin1Char(','));
  ASSERT_GE(cells.size(), 2);
  EXPECT_NEAR(cells[cells.size() - 2].toDouble(), writes->second, 1e-3);
  const QStringList load =
      textOf(folder.filePath(QStringLiteral("tg_load_avg_of_tg-udp-rr-csl-25.csv"))).split(QLatin1Char('\n'));
  EXPECT_EQ(load.size(), 1 + 6 + 1) << "head, a sample at both ends of each of the 5 ms, end";
}

}  // namespace
}  // namespace rqscope::charts
