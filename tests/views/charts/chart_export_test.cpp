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
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
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
  ASSERT_EQ(image.size(), QSize(1280, 640));
  // The whole chart is in the picture: the lowest row of it that is not ground is that of the time axis.
  const QRgb ground = look::palette(look::Theme::Dark).canvas.rgb();
  int lowest = 0, rightmost = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.pixel(x, y) != ground) {
        lowest = std::max(lowest, y);
        rightmost = std::max(rightmost, x);
      }
  EXPECT_GT(lowest, 590);
  EXPECT_LT(lowest, 640 - 2) << "cut off below";
  EXPECT_LT(rightmost, 1280 - 2) << "cut off on the right";
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

TEST(ChartCsv, HasTheIdealBesideTheKernelsInteger) {
  api::ChartData data;
  data.id = "pelt_task:0";
  data.series.push_back({"util_avg", "capacity", {0, 1'000'000}, {10, 20}, true, false});
  data.series.push_back({"util_avg, ideal", "capacity", {0, 1'000'000}, {10, 20.5}, false, true});
  EXPECT_EQ(chartCsv(data),
            "time_ns,util_avg [capacity],\"util_avg, ideal [capacity]\"\n"
            "0,10,10\n"
            "1000000,20,20.5\n");
}

// The charts of one task or CPU offer their subjects, ask for the one chosen, and follow the selection.
TEST(ChartsView, AsksForThePeltOfTheChosenSubject) {
  auto frame = std::make_shared<api::Frame>();
  frame->timeNs = 5'000'000;
  for (int i = 0; i < 3; ++i) {
    api::TaskFrame task;
    task.id = i;
    task.name = std::string(1, static_cast<char>('A' + i));
    task.state = "queued";
    frame->tasks.push_back(task);
  }
  ChartsView view;
  view.resize(900, 240);
  view.show();
  view.setIds({"cpu_util", "pelt_task"});
  view.setFrame(frame);
  QSignalSpy wanted(&view, &ChartsView::chartWanted);
  view.setCurrentChart(QStringLiteral("pelt_task:1"));
  ASSERT_GT(wanted.count(), 0);
  EXPECT_EQ(wanted.last().first().toString(), QStringLiteral("pelt_task:1"));
  view.setSelectedTask(2);
  EXPECT_EQ(wanted.last().first().toString(), QStringLiteral("pelt_task:2"));
  view.setCurrentChart(QStringLiteral("cpu_util"));
  EXPECT_EQ(view.currentId(), QStringLiteral("cpu_util"));
}

}  // namespace
}  // namespace rqscope::charts
