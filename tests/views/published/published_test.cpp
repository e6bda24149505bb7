// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "published/published_export.h"
#include "published/published_model.h"
#include "published/published_view.h"

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
            QStringLiteral("SPR, hackbench, case 1"));
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
  EXPECT_NE(csv.find("\"base\""), std::string::npos);
  EXPECT_NE(csv.find("migrate_util_shr_bound=off"), std::string::npos);
  EXPECT_FALSE(
      writePublished(bars, {}, folder.filePath(QStringLiteral("x.txt")), look::Theme::Light).isEmpty());
}

class PublishedTest : public testing::Test {
 protected:
  PublishedTest() {
    view.resize(760, 520);
    view.show();
    view.chooseDiscussion(QStringLiteral("juno"));
  }
  PublishedView view;
};

TEST_F(PublishedTest, ShowsThePublishedSideBeforeAnyRun) {
  ASSERT_GE(view.model()->rows().size(), 2U);
  EXPECT_EQ(view.model()->index(1, PublishedModel::kPublished).data().toString(), QStringLiteral("19.3"));
  EXPECT_EQ(view.model()->index(1, PublishedModel::kModel).data().toString(), QStringLiteral("–"));
  EXPECT_FALSE(view.grab().isNull());
}

TEST_F(PublishedTest, RunsOffTheGuiThreadAndShowsTheModelBesideThePublished) {
  QSignalSpy done(&view, &PublishedView::finished);
  QTest::mouseClick(view.runButton(), Qt::LeftButton);
  EXPECT_TRUE(view.isRunning());
  EXPECT_EQ(view.runButton()->text(), QStringLiteral("Cancel"));
  ASSERT_TRUE(done.wait(kPatienceMs));
  EXPECT_EQ(view.statusText(), QStringLiteral("done"));
  for (const ShownRow& row : view.model()->rows()) {
    EXPECT_TRUE(row.isRun);
    EXPECT_NEAR(row.row.modelRatio, row.row.publishedRatio, 0.03) << row.row.name;
  }
  EXPECT_EQ(view.runButton()->text(), QStringLiteral("Run"));
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
