// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_export.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QChart>
#include <QChartView>
#include <QFile>
#include <QGraphicsLineItem>
#include <QImage>
#include <QLegend>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <memory>

#include "charts/chart_builder.h"
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

/// Where the outermost grid lines lie in the scene.
QRectF gridOf(const QChartView& canvas) {
  QRectF grid(QPointF(1e6, 1e6), QPointF(-1, -1));
  for (const QGraphicsItem* item : canvas.scene()->items()) {
    const auto* line = qgraphicsitem_cast<const QGraphicsLineItem*>(item);
    if (!line || !line->isVisible() || line->line().length() < 50) continue;
    const QPointF from = line->mapToScene(line->line().p1()), to = line->mapToScene(line->line().p2());
    if (from.x() == to.x()) {
      grid.setLeft(std::min(grid.left(), from.x()));
      grid.setRight(std::max(grid.right(), from.x()));
    } else {
      grid.setTop(std::min(grid.top(), from.y()));
      grid.setBottom(std::max(grid.bottom(), from.y()));
    }
  }
  return grid;
}

// A value lies on the grid line that has its number, in a low dock and a high one and after each change of
// size: Qt's layout of the axes lags behind the plot area that it is given.
TEST(ChartsView, DrawsLinesWhereTheAxesSay) {
  api::ChartData data;
  data.id = "cpu_util";
  data.series.push_back({"CPU 0", "", {0, 1'000'000'000}, {0, 1000}});
  ChartsView view;
  view.setIds({"cpu_util"});
  view.resize(1280, 150);
  view.show();
  view.setChart(std::make_shared<const api::ChartData>(data));
  const auto* canvas = view.findChild<QChartView*>();
  for (const QSize size : {QSize(1280, 150), QSize(1280, 170), QSize(900, 400), QSize(700, 150)}) {
    view.resize(size);
    QTest::qWait(20);
    auto* chart = canvas->chart();
    const QRectF grid = gridOf(*canvas);
    const QPointF origin = chart->mapToPosition({0, 0}), end = chart->mapToPosition({1000, 1000});
    EXPECT_NEAR(grid.left(), origin.x(), 1) << size.width() << "x" << size.height();
    EXPECT_NEAR(grid.right(), end.x(), 1) << size.width() << "x" << size.height();
    EXPECT_NEAR(grid.top(), end.y(), 1) << size.width() << "x" << size.height();
    EXPECT_NEAR(grid.bottom(), origin.y(), 1) << size.width() << "x" << size.height();
  }
}

// A narrow picture has fewer ticks, so that their labels are not cut to dots, and its legend below.
TEST(ChartPicture, HasFewerTicksWhereItIsNarrow) {
  api::ChartData data = sample();
  for (api::Series& series : data.series)
    for (std::int64_t& ns : series.timeNs) ns *= 2500;  // 20 s
  const auto ticks = [&](double width) {
    const auto chart = buildChart(data, look::Theme::Light);
    fitWidth(*chart, width);
    const auto* x = qobject_cast<QValueAxis*>(chart->axes(Qt::Horizontal).first());
    EXPECT_EQ(chart->legend()->alignment(), width < 460 ? Qt::AlignBottom : Qt::AlignRight);
    return (x->max() - x->min()) / x->tickInterval();
  };
  EXPECT_LE(ticks(320), 4);
  EXPECT_GE(ticks(320), 2);
  EXPECT_GT(ticks(900), ticks(320));
  EXPECT_LE(ticks(3000), 10);
}

// Ticks stand at round numbers that their labels give in full, wherever the data end.
TEST(ChartsView, PutsTicksAtRoundNumbers) {
  for (const std::int64_t end : {205'300'000LL, 999'000'000LL, 3'071'000'000LL, 61'000'000'000LL}) {
    for (const double top : {1.0, 7.0, 243.0, 1024.0, 1059.0}) {
      api::ChartData data;
      data.id = "cpu_util";
      data.series.push_back({"CPU 0", "", {0, end}, {0, top}});
      for (const ChartForm form : {ChartForm::Compact, ChartForm::Full}) {
        const auto chart = buildChart(data, look::Theme::Light, form);
        const auto* x = qobject_cast<QValueAxis*>(chart->axes(Qt::Horizontal).first());
        const auto* y = qobject_cast<QValueAxis*>(chart->axes(Qt::Vertical).first());
        ASSERT_TRUE(x && y);
        const auto isRound = [](double step) {
          const double digits = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
          return std::abs(digits - 1) < 1e-6 || std::abs(digits - 2) < 1e-6 ||
                 std::abs(digits - 2.5) < 1e-6 || std::abs(digits - 5) < 1e-6;
        };
        const double step = y->max() / (y->tickCount() - 1);
        EXPECT_TRUE(isRound(x->tickInterval())) << x->tickInterval();
        EXPECT_TRUE(form == ChartForm::Compact || isRound(step)) << step;
        EXPECT_GE(y->max(), top);
        EXPECT_LT(y->max(), 1.6 * top);
        const QString label = QString::asprintf(y->labelFormat().toUtf8().constData(), step);
        EXPECT_NEAR(label.toDouble(), step, 1e-9) << label.toStdString();
      }
    }
  }
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
