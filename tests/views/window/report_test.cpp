// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QComboBox>
#include <QDockWidget>
#include <QDropEvent>
#include <QMimeData>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>
#include <set>

#include "look/picture_file.h"
#include "main_window.h"
#include "published/published_model.h"
#include "published/published_view.h"
#include "rqscope/report_file.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;

class ReportTest : public testing::Test {
 protected:
  ReportTest() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1280, 720);
    window.show();
    api::Reproduction report = api::publishedTable("juno");
    for (api::ReproducedRow& row : report.rows) row.model = 20;
    api::ChartData chart;
    chart.id = "load", chart.title = "load of the group", chart.yLabel = "load";
    chart.series = {{"before", "", {0, 1'000'000, 2'000'000}, {1, 4, 2}}};
    report.charts = {chart};
    file = folder.filePath(QStringLiteral("juno.json"));
    EXPECT_TRUE(look::writeText(api::reportText(report), file).isEmpty());
  }
  QTemporaryDir folder;
  QString file;
  session::Session session;
  MainWindow window;
};

TEST_F(ReportTest, AReportDroppedOnTheWindowOpensInThePublishedDock) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(file)});
  QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  EXPECT_TRUE(enter.isAccepted());
  QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &drop);
  EXPECT_TRUE(window.published()->isVisible());
  ASSERT_TRUE(window.published()->hasResult());
  using published::PublishedModel;
  EXPECT_EQ(window.published()->model()->index(1, PublishedModel::kModel).data().toString(),
            QStringLiteral("20"));
}

TEST_F(ReportTest, AnythingElseIsRunAsBefore) {
  QSignalSpy opened(&session, &session::Session::opened);
  const QString scenario = QStringLiteral(RQSCOPE_SOURCE_DIR "/resources/scenarios/spawn.json");
  EXPECT_TRUE(window.openAny(scenario).isEmpty());
  ASSERT_TRUE(opened.count() > 0 || opened.wait(kPatienceMs));
  EXPECT_FALSE(window.published()->hasResult());
}

TEST_F(ReportTest, ChartsOverTimeAreDrawnAsInTheChartsDock) {
  ASSERT_TRUE(window.openReport(file).isEmpty());
  published::PublishedView* view = window.published();
  QTest::qWait(50);
  ASSERT_TRUE(view->pages()->isVisible()) << "at this size one part at a time";
  QTest::mouseClick(view->pages(), Qt::LeftButton, {}, view->pages()->tabRect(1).center());
  view->chartBox()->setFocus();
  QTest::keyClick(view->chartBox(), Qt::Key_Down);
  ASSERT_TRUE(view->dataChart()->isVisible());
  QTRY_VERIFY(view->dataChart()->height() > 100);  // it is laid out by the event loop, once it is shown
  const QImage picture = view->dataChart()->grab().toImage();
  std::set<QRgb> colours;
  for (int y = 0; y < picture.height(); y += 2)
    for (int x = 0; x < picture.width(); x += 2) colours.insert(picture.pixel(x, y));
  EXPECT_GT(colours.size(), 8U) << "a line, axes and text, not an empty box";
}

}  // namespace
}  // namespace rqscope::app
