// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

#include "look/picture_file.h"
#include "published/published_export.h"
#include "published/published_model.h"
#include "published/published_view.h"
#include "published/ratio_chart.h"
#include "rqscope/report_file.h"

namespace rqscope::published {
namespace {

constexpr int kPatienceMs = 300'000;

std::vector<ShownRow> sampleRows(int cases, int variants) {
  std::vector<ShownRow> rows;
  for (int c = 0; c < cases; ++c)
    for (int v = 0; v < variants; ++v) {
      api::ReproducedRow row;
      row.caseName = "SPR, hackbench, case " + std::to_string(c);
      row.name = v == 0 ? "base" : "variant " + std::to_string(v);
      row.scenario = "juno";
      row.patches = {{"migrate_util_shr_bound", v % 2 == 0}};
      row.published = 100 + 4 * v;
      row.model = 100 + 3 * v - 2 * c;
      row.publishedRatio = row.published / 100;
      row.modelRatio = row.model / (100 - 2 * c);
      row.deviationPercent = 100 * (row.model / row.published - 1);
      row.label = v == 1 ? "fitted" : "modelled";
      row.figures = {{"reads_per_wakeup", 2.5 - 0.5 * v}, {"lock_waited_percent", 0.1 * v}};
      rows.push_back({row, true});
    }
  return rows;
}

TEST(PublishedModel, PutsTheRowsUnderTheHeadsOfTheirCases) {
  PublishedModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setRows(sampleRows(3, 4), QStringLiteral("s"));
  EXPECT_EQ(model.rowCount(), 15);
  EXPECT_TRUE(model.isHead(0));
  EXPECT_TRUE(model.isHead(5));
  EXPECT_EQ(model.index(5, PublishedModel::kName).data().toString(),
            QStringLiteral("SPR, hackbench, case 1, in s"));
  EXPECT_EQ(model.index(7, PublishedModel::kPublished).data().toString(), QStringLiteral("104"));
  EXPECT_EQ(model.index(7, PublishedModel::kModelRatio).data().toString(), QStringLiteral("1.031"));
  EXPECT_EQ(model.index(7, PublishedModel::kDeviation).data().toString(), QStringLiteral("-2.9 %"));
  EXPECT_EQ(model.index(7, PublishedModel::kLabel).data().toString(), QStringLiteral("fitted"));
  EXPECT_FALSE(model.index(5, 0).flags().testFlag(Qt::ItemIsSelectable));
}

TEST(PublishedExport, WritesEveryRowAsCsvAndTheBarsAsPictures) {
  QTemporaryDir folder;
  const RatioBars bars{QStringLiteral("title"), sampleRows(3, 4)};
  for (const char* ending : {"csv", "svg", "png"}) {
    const QString file = folder.filePath(QStringLiteral("bars.") + QLatin1String(ending));
    EXPECT_TRUE(writePublished(bars, QStringLiteral("s"), file, look::Theme::Light).isEmpty()) << ending;
    EXPECT_GT(QFile(file).size(), 200) << ending;
  }
  const std::string csv = publishedCsv(bars.rows, "s");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 13);
  EXPECT_NE(csv.find(",base,"), std::string::npos);
  EXPECT_NE(csv.find("\"SPR, hackbench, case 0\""), std::string::npos) << "a comma inside is quoted";
  EXPECT_NE(csv.find(",reads_per_wakeup,lock_waited_percent\n"), std::string::npos)
      << "what else was counted";
  EXPECT_NE(csv.find("migrate_util_shr_bound=off"), std::string::npos);
  EXPECT_FALSE(
      writePublished(bars, {}, folder.filePath(QStringLiteral("x.txt")), look::Theme::Light).isEmpty());
}

TEST(PublishedModel, GivesWhatElseWasCountedColumnsOfItsOwn) {
  PublishedModel model;
  auto rows = sampleRows(2, 3);
  rows[1].row.verdict = "agrees";
  rows[2].row.otherScale = 103.5;
  rows[4].isRun = false;
  model.setRows(rows, QStringLiteral("s"));
  ASSERT_EQ(model.columnCount(), PublishedModel::kColumns + 4);
  const auto head = [&](int column) { return model.headerData(column, Qt::Horizontal, Qt::DisplayRole); };
  EXPECT_EQ(head(7).toString(), QStringLiteral("sign"));
  EXPECT_EQ(head(8).toString(), QStringLiteral("half time"));
  EXPECT_EQ(head(9).toString(), QStringLiteral("reads per wakeup"));
  EXPECT_EQ(head(10).toString(), QStringLiteral("lock waited %"));
  EXPECT_EQ(model.index(2, 7).data().toString(), QStringLiteral("agrees"));
  EXPECT_EQ(model.index(3, 8).data().toString(), QStringLiteral("103.5"));
  EXPECT_EQ(model.index(2, 8).data().toString(), QStringLiteral("–"));
  EXPECT_EQ(model.index(2, 9).data().toString(), QStringLiteral("2"));
  EXPECT_EQ(model.index(2, 10).data().toString(), QStringLiteral("0.1"));
  EXPECT_EQ(model.index(6, 9).data().toString(), QStringLiteral("–")) << "a row that was not run";
}

class PublishedTest : public testing::Test {
 protected:
  PublishedTest() {
    view.resize(760, 640);
    view.show();
    view.chooseDiscussion(QStringLiteral("juno"));
  }
  /// A report of juno's table as if it had been run, with a figure and two charts.
  QString writeReport(const QString& name) const {
    api::Reproduction report = api::publishedTable("juno");
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
      report.rows[i].model = 19 - static_cast<double>(i);
      report.rows[i].modelRatio = report.rows[i].model / 19;
      report.rows[i].figures = {{"writes_per_wakeup", 1.5 + static_cast<double>(i)}};
    }
    report.findings = {"the sign is right"};
    api::ChartData lines;
    lines.id = "load", lines.title = "load of the group", lines.yLabel = "load";
    lines.series = {{"before", "", {0, 1'000'000, 2'000'000}, {1, 4, 2}}};
    api::ChartData bars;
    bars.id = "writes", bars.title = "writes by case", bars.isHistogram = true, bars.categories = {"a case"};
    bars.series = {{"before", "", {}, {1.5}}};
    report.charts = {lines, bars};
    const QString file = folder.filePath(name);
    EXPECT_TRUE(look::writeText(api::reportText(report), file).isEmpty());
    return file;
  }

  QTemporaryDir folder;
  PublishedView view;
};

TEST_F(PublishedTest, OpensAReportThatTheCommandLineWrote) {
  EXPECT_FALSE(view.hasResult());
  EXPECT_TRUE(view.openReport(writeReport(QStringLiteral("r.json"))).isEmpty());
  EXPECT_TRUE(view.hasResult());
  EXPECT_EQ(view.discussion(), QStringLiteral("juno"));
  EXPECT_EQ(view.model()->index(2, PublishedModel::kModel).data().toString(), QStringLiteral("18"));
  EXPECT_TRUE(view.statusText().startsWith(QStringLiteral("report of"))) << view.statusText().toStdString();
  EXPECT_TRUE(view.notes()->toPlainText().contains(QStringLiteral("the sign is right")));
  // Its charts: changes, the figure, and the one over time; bars by case are the figure's already.
  ASSERT_EQ(view.chartBox()->count(), 3);
  EXPECT_EQ(view.chartBox()->itemText(1), QStringLiteral("writes per wakeup"));
  EXPECT_EQ(view.chartBox()->itemText(2), QStringLiteral("load of the group"));
}

TEST_F(PublishedTest, KeysChooseTheFigureAndThenTheChartOverTime) {
  int painted = 0;
  view.setChartPainter([&](QPainter& painter, const api::ChartData& data, QSizeF size, look::Theme) {
    EXPECT_EQ(data.title, "load of the group");
    painter.fillRect(QRectF(QPointF(0, 0), size), Qt::red);
    ++painted;
  });
  ASSERT_TRUE(view.openReport(writeReport(QStringLiteral("r.json"))).isEmpty());
  view.chartBox()->setFocus();
  QTest::keyClick(view.chartBox(), Qt::Key_Down);
  EXPECT_EQ(view.bars()->bars().figure, "writes_per_wakeup");
  EXPECT_TRUE(view.bars()->isVisible());
  QTest::keyClick(view.chartBox(), Qt::Key_Down);
  EXPECT_FALSE(view.bars()->isVisible());
  ASSERT_TRUE(view.dataChart()->isVisible());
  const QImage picture = view.dataChart()->grab().toImage();
  EXPECT_EQ(picture.pixelColor(picture.width() / 2, picture.height() / 2), QColor(Qt::red));
  view.dataChart()->grab();
  EXPECT_EQ(painted, 1) << "the picture is kept";
}

TEST_F(PublishedTest, ASmallPanelShowsTableChartOrNotesByItsTabs) {
  view.resize(640, 380);
  ASSERT_TRUE(view.pages()->isVisible());
  const auto click = [&](int page) {
    QTest::mouseClick(view.pages(), Qt::LeftButton, {}, view.pages()->tabRect(page).center());
  };
  const auto shown = [&] {
    return std::vector<bool>{view.table()->isVisible(), view.bars()->isVisible(), view.notes()->isVisible()};
  };
  EXPECT_EQ(shown(), (std::vector<bool>{true, false, false}));
  click(1);
  EXPECT_EQ(shown(), (std::vector<bool>{false, true, false}));
  click(2);
  EXPECT_EQ(shown(), (std::vector<bool>{false, false, true}));
  QTest::qWait(20);
  EXPECT_EQ(view.notes()->verticalScrollBar()->value(), 0) << "the title is in sight";
  view.resize(1400, 900);
  QTest::qWait(0);
  EXPECT_FALSE(view.pages()->isVisible());
  EXPECT_EQ(shown(), (std::vector<bool>{true, true, true}));
  EXPECT_GT(view.notes()->mapTo(&view, QPoint()).x(), view.table()->width() / 2) << "beside the table";
  view.resize(700, 900);
  QTest::qWait(0);
  EXPECT_EQ(shown(), (std::vector<bool>{true, true, true}));
  EXPECT_GT(view.notes()->mapTo(&view, QPoint()).y(), view.table()->height()) << "below the table";
}

TEST_F(PublishedTest, TheButtonsStayInSightInANarrowPanel) {
  for (const int width : {520, 640, 900}) {
    view.resize(width, 400);
    for (const QPushButton* button : {view.runButton(), view.openButton(), view.reportButton()})
      EXPECT_LE(button->mapTo(&view, QPoint(button->width(), 0)).x(), width) << width;
  }
}

TEST_F(PublishedTest, RefusesWhatIsNoReportAndSaysWhy) {
  const QString file = folder.filePath(QStringLiteral("bad.json"));
  for (const char* text : {"", "{", "[]", "{\"rows\": 3, \"discussion\": \"juno\"}", "[1, \"x\"]"}) {
    ASSERT_TRUE(look::writeText(text, file).isEmpty());
    EXPECT_TRUE(view.openReport(file).contains(QStringLiteral("reproduce NAME --json"))) << text;
  }
  EXPECT_TRUE(view.openReport(folder.filePath(QStringLiteral("absent.json")))
                  .startsWith(QStringLiteral("cannot read")));
  EXPECT_FALSE(view.hasResult());
}

TEST_F(PublishedTest, KeepsTheLastResultForTheNextTime) {
  view.setKeepFolder(folder.filePath(QStringLiteral("kept")));
  QSignalSpy done(&view, &PublishedView::finished);
  QTest::mouseClick(view.runButton(), Qt::LeftButton);
  ASSERT_TRUE(done.count() > 0 || done.wait(kPatienceMs));
  PublishedView next;
  next.setKeepFolder(folder.filePath(QStringLiteral("kept")));
  next.chooseDiscussion(QStringLiteral("juno"));
  ASSERT_TRUE(next.hasResult());
  EXPECT_TRUE(next.statusText().contains(QStringLiteral("kept"))) << next.statusText().toStdString();
  for (int line = 0; line < next.model()->rowCount(); ++line)
    for (int c = 0; c < next.model()->columnCount(); ++c)
      EXPECT_EQ(next.model()->index(line, c).data(), view.model()->index(line, c).data()) << line << " " << c;
  next.chooseDiscussion(QStringLiteral("spawn"));
  EXPECT_FALSE(next.hasResult());
}

TEST_F(PublishedTest, SavesAReportThatOpensAgain) {
  EXPECT_FALSE(view.exportTo(folder.filePath(QStringLiteral("none.json"))).isEmpty()) << "nothing was run";
  ASSERT_TRUE(view.openReport(writeReport(QStringLiteral("r.json"))).isEmpty());
  const QString saved = folder.filePath(QStringLiteral("saved.json"));
  EXPECT_TRUE(view.exportTo(saved).isEmpty());
  PublishedView next;
  EXPECT_TRUE(next.openReport(saved).isEmpty());
  EXPECT_EQ(next.model()->rows().size(), view.model()->rows().size());
  EXPECT_EQ(next.chartBox()->count(), 3);
}

TEST_F(PublishedTest, ShowsThePublishedSideBeforeAnyRun) {
  ASSERT_GE(view.model()->rows().size(), 2U);
  EXPECT_EQ(view.model()->index(1, PublishedModel::kPublished).data().toString(), QStringLiteral("19.3"));
  EXPECT_EQ(view.model()->index(1, PublishedModel::kModel).data().toString(), QStringLiteral("–"));
  EXPECT_FALSE(view.grab().isNull());
}

TEST_F(PublishedTest, RunsOffTheGuiThreadAndShowsTheModelBesideThePublished) {
  QSignalSpy done(&view, &PublishedView::finished);
  QTest::mouseClick(view.runButton(), Qt::LeftButton);
  // A short run may be over before the click is, where other work is about.
  ASSERT_TRUE(done.count() > 0 || done.wait(kPatienceMs));
  EXPECT_EQ(view.statusText(), QStringLiteral("done"));
  for (const ShownRow& row : view.model()->rows()) {
    EXPECT_TRUE(row.isRun);
    EXPECT_NEAR(row.row.modelRatio, row.row.publishedRatio, 0.03) << row.row.name;
  }
  EXPECT_EQ(view.runButton()->text(), QStringLiteral("Run"));
}

TEST_F(PublishedTest, TellsHowFarARunIsAndHowLongItTakes) {
  view.chooseDiscussion(QStringLiteral("spawn"));
  EXPECT_FALSE(view.progressBar()->isVisible());
  QSignalSpy done(&view, &PublishedView::finished);
  QTest::mouseClick(view.runButton(), Qt::LeftButton);
  EXPECT_TRUE(view.isRunning());
  EXPECT_EQ(view.runButton()->text(), QStringLiteral("Cancel"));
  EXPECT_TRUE(view.progressBar()->isVisible());
  bool hasTold = false;
  while (done.count() == 0 && !hasTold) {
    QTest::qWait(5);
    hasTold = view.statusText().contains(QStringLiteral(" of 4, ")) &&
              view.statusText().contains(QStringLiteral("s left")) &&
              view.statusText().contains(QStringLiteral("without the revert"));
  }
  EXPECT_TRUE(hasTold) << "row, remaining time and case: " << view.statusText().toStdString();
  ASSERT_TRUE(done.count() > 0 || done.wait(kPatienceMs));
  EXPECT_FALSE(view.progressBar()->isVisible());
  EXPECT_EQ(view.model()->rows().size(), 4U);
}

TEST_F(PublishedTest, ACancelledRunEndsSoonAndSaysSo) {
  QSignalSpy done(&view, &PublishedView::finished);
  QTest::mouseClick(view.runButton(), Qt::LeftButton);
  QTest::mouseClick(view.runButton(), Qt::LeftButton);
  ASSERT_TRUE(done.count() > 0 || done.wait(kPatienceMs));
  EXPECT_TRUE(view.statusText().startsWith(QStringLiteral("cancelled"))) << view.statusText().toStdString();
  EXPECT_FALSE(view.isRunning());
}

TEST_F(PublishedTest, EnterOnARowOpensItsScenarioWithItsPatches) {
  QSignalSpy wanted(&view, &PublishedView::openWanted);
  view.table()->setFocus();
  view.table()->selectRow(1);
  EXPECT_TRUE(view.openButton()->isEnabled());
  QTest::mouseClick(view.openButton(), Qt::LeftButton);
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted.last()[0].toString(), QStringLiteral("juno-published"));
  const auto overrides = wanted.last()[1].value<api::Overrides>();
  ASSERT_EQ(overrides.patches.size(), 1U);
  EXPECT_EQ(overrides.patches[0].first, "migrate_util_shr_bound");
  EXPECT_FALSE(overrides.patches[0].second);
  QTest::keyClick(view.table(), Qt::Key_Return);
  EXPECT_EQ(wanted.count(), 2);
}

}  // namespace
}  // namespace rqscope::published
