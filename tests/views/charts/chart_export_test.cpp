// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_export.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QChart>
#include <QChartView>
#include <QFile>
#include <QImage>
#include <QLegend>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "charts/charts_view.h"
#include "look/palette.h"
#include "look/theme.h"

namespace rqscope::charts {
namespace {

api::ChartData sample() {
  api::ChartData data;
  data.id = "cpu_util";
  data.title = "Utilisation of CPUs";
  data.yLabel = "util";
  data.series.push_back({"CPU 0", "", {0, 4'000'000, 8'000'000}, {0, 120, 240.5}});
  data.series.push_back({"CPU 1, big", "", {0, 4'000'000, 8'000'000}, {1024, 1024, 1000}});
  return data;
}

TEST(ChartCsv, WritesOneRowPerTime) {
  EXPECT_EQ(chartCsv(sample()),
            "time_ns,CPU 0,\"CPU 1, big\"\n"
            "0,0,1024\n"
            "4000000,120,1024\n"
            "8000000,240.5,1000\n");
}

TEST(WriteChart, WritesEveryFormat) {
  QTemporaryDir folder;
  for (const char* ending : {"png", "svg", "pdf", "csv"}) {
    const QString file = folder.filePath(QStringLiteral("chart.") + QString::fromLatin1(ending));
    EXPECT_EQ(writeChart(sample(), file, look::Theme::Dark, {640, 320}), QString()) << ending;
    EXPECT_GT(QFile(file).size(), 40) << ending;
  }
  const QImage image(folder.filePath(QStringLiteral("chart.png")));
  EXPECT_EQ(image.size(), QSize(1280, 640));
}

TEST(WriteChart, SaysWhyWhenItCannot) {
  EXPECT_NE(writeChart(sample(), QStringLiteral("/nowhere/chart.png"), look::Theme::Dark, {64, 32}),
            QString());
  EXPECT_NE(writeChart(sample(), QStringLiteral("chart.gif"), look::Theme::Dark, {64, 32}), QString());
}

TEST(WriteCharts, MakesTheFolderAndThreeFilesEach) {
  QTemporaryDir folder;
  api::ChartData stacked = sample();
  stacked.id = "group_types";
  stacked.isStacked = true;
  api::ChartData histogram = sample();
  histogram.id = "wakeup_latency";
  histogram.isHistogram = true;
  const ChartFiles files =
      writeCharts({sample(), stacked, histogram}, folder.filePath(QStringLiteral("out/in")).toStdString());
  EXPECT_EQ(files.error, "");
  EXPECT_EQ(files.written.size(), 9u);
  for (const std::string& file : files.written)
    EXPECT_TRUE(QFile::exists(QString::fromStdString(file))) << file;
}

TEST(ChartsView, TakesTheColoursOfTheThemeAtOnce) {
  ChartsView view;
  view.resize(900, 150);
  view.show();
  view.setIds({"cpu_util"});
  view.setChart(std::make_shared<const api::ChartData>(sample()));
  const auto* canvas = view.findChild<QChartView*>();
  ASSERT_TRUE(canvas);
  for (const look::Theme theme : {look::Theme::Light, look::Theme::Dark, look::Theme::Light}) {
    look::applyTheme(*qApp, theme);
    QTest::qWait(20);
    EXPECT_EQ(canvas->chart()->backgroundBrush().color(), look::palette(theme).canvas);
  }
  // In little room the numbers of the axes keep their place, and the names stand in the strip.
  EXPECT_GT(canvas->chart()->plotArea().left(), 30);
  EXPECT_LT(canvas->chart()->plotArea().bottom(), canvas->height() - 15);
  EXPECT_FALSE(canvas->chart()->legend()->isVisible());
}

}  // namespace
}  // namespace rqscope::charts
