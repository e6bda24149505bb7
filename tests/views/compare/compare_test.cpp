// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableWidget>
#include <QTest>

#include "compare/compare_view.h"
#include "compare/pair_table.h"
#include "compare/rung_pairs.h"

namespace rqscope::compare {
namespace {

constexpr int kPatienceMs = 120'000;

api::Rung rung(const char* kind, const char* outcome, api::Tone tone) {
  api::Rung out;
  out.kind = kind;
  out.function = "f";
  out.outcome = outcome;
  out.tone = tone;
  return out;
}

api::ComparedDecision parted() {
  auto a = std::make_shared<api::Ladder>(), b = std::make_shared<api::Ladder>();
  for (const char* kind : {"entry", "should_we_balance", "busiest_group", "imbalance", "source_queue"})
    a->rungs.push_back(rung(kind, "same", api::Tone::Neutral));
  b->rungs = a->rungs;
  a->rungs.push_back(rung("candidate", "util_too_big", api::Tone::No));
  a->rungs.back().operands = {{"task", 0, api::Unit::None, "C", {}}};
  b->rungs.push_back(rung("candidate", "detached", api::Tone::Yes));
  b->rungs.push_back(rung("result", "moved 1", api::Tone::Yes));
  return {196'000'000, a, b, 5};
}

TEST(PairLines, FoldWhatIsTheSameAndPutTheRestInPairs) {
  const auto lines = pairLines(parted());
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].fold, QStringLiteral("Rungs 1 to 4 are the same in A and B"));
  EXPECT_FALSE(lines[1].isDifferent);
  EXPECT_TRUE(lines[2].isFirst);
  EXPECT_EQ(lines[2].a->title, QStringLiteral("Candidate C"));
  EXPECT_EQ(lines[2].a->tone, api::Tone::No);
  EXPECT_EQ(lines[2].b->tone, api::Tone::Yes);
  EXPECT_TRUE(lines[3].isDifferent);
  EXPECT_FALSE(lines[3].a) << "A has no result rung";
  EXPECT_FALSE(lines[3].isFirst);
}

TEST(PairLines, ShowAllOfADecisionThatOnlyOneRunHas) {
  api::ComparedDecision only = parted();
  only.b.reset();
  only.rung = 0;
  const auto lines = pairLines(only);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[0].isFirst);
  EXPECT_FALSE(lines[0].b);
  EXPECT_EQ(differenceSentence(only), QStringLiteral("B has no such decision any more"));
}

class CompareViewTest : public testing::Test {
 protected:
  CompareViewTest() {
    view.resize(900, 700);
    view.show();
    const auto opened = api::Simulation::open("juno", {});
    text = QString::fromStdString(opened.simulation->scenarioText());
    view.setScenario(QStringLiteral("juno.json"), text, {}, QStringLiteral("v6.12"));
  }
  bool runIt() {
    QSignalSpy finished(&view, &CompareView::finished);
    view.run();
    return view.isRunning() && finished.wait(kPatienceMs);
  }
  CompareView view;
  QString text;
};

TEST_F(CompareViewTest, OffersThePatchesOfTheKernelAndTheKernels) {
  EXPECT_TRUE(view.choose(QStringLiteral("v6.1:v7.3")));
  EXPECT_FALSE(view.choose(QStringLiteral("no_such_patch")));
  EXPECT_TRUE(view.choose(QStringLiteral("migrate_util_shr_bound")));
  EXPECT_FALSE(view.goButton(QLatin1Char('A'))->isEnabled());
  view.changeBox()->setEditText(QStringLiteral("nonsense"));
  view.run();
  EXPECT_FALSE(view.isRunning());
  EXPECT_TRUE(view.statusText().contains(QStringLiteral("nonsense")));
}

TEST_F(CompareViewTest, ShowsTheFirstDifferenceAndOpensEitherRunThere) {
  ASSERT_TRUE(view.choose(QStringLiteral("migrate_util_shr_bound")));
  ASSERT_TRUE(runIt());
  ASSERT_TRUE(view.result() && view.result()->first);
  EXPECT_TRUE(view.headline().startsWith(QStringLiteral("First difference at ")))
      << view.headline().toStdString();
  const auto& lines = view.pairs()->lines();
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(), [](const PairLine& line) { return line.isFirst; }), 1);
  EXPECT_FALSE(lines.front().fold.isEmpty());
  EXPECT_TRUE(view.pairs()->horizontalHeaderItem(0)->text().contains(QStringLiteral("off")));
  EXPECT_EQ(view.figures()->item(0, 0)->text(), QStringLiteral("last task ends"));
  EXPECT_TRUE(view.figures()->item(0, 3)->text().startsWith(QLatin1Char('-')));
  QSignalSpy open(&view, &CompareView::openWanted);
  QTest::mouseClick(view.goButton(QLatin1Char('B')), Qt::LeftButton);
  ASSERT_EQ(open.count(), 1);
  const auto overrides = open.first().at(2).value<api::Overrides>();
  ASSERT_EQ(overrides.patches.size(), 1U);
  EXPECT_EQ(overrides.patches[0], std::make_pair(std::string("migrate_util_shr_bound"), true));
  EXPECT_EQ(open.first().at(3).toULongLong(), view.result()->first->b->index);
  // One of the runs is opened: the comparison stays. Another scenario takes it away.
  view.setScenario(QStringLiteral("juno.json"), text, overrides, QStringLiteral("v6.12"));
  EXPECT_TRUE(view.result());
  view.setScenario(QStringLiteral("other.json"), text, {}, QStringLiteral("v6.12"));
  EXPECT_FALSE(view.result());
  EXPECT_TRUE(view.headline().isEmpty());
}

TEST_F(CompareViewTest, RunsAgainWithTheScenariosOwnSettingsAfterOneSideWasOpened) {
  ASSERT_TRUE(view.choose(QStringLiteral("migrate_util_shr_bound")));
  ASSERT_TRUE(runIt());
  const auto before = view.result()->equalDecisions;
  api::Overrides opened;
  opened.patches = {{"migrate_util_shr_bound", true}};
  view.setScenario(QStringLiteral("juno.json"), text, opened, QStringLiteral("v6.12"));
  ASSERT_TRUE(runIt());
  EXPECT_EQ(view.result()->equalDecisions, before) << "the opened side's patch is off in A again";
}

TEST_F(CompareViewTest, CancelsAndKeepsTheWindowAlive) {
  QSignalSpy finished(&view, &CompareView::finished);
  view.run();
  ASSERT_TRUE(view.isRunning());
  EXPECT_EQ(view.runButton()->text(), QStringLiteral("Cancel"));
  QTest::mouseClick(view.runButton(), Qt::LeftButton);
  ASSERT_TRUE(finished.count() > 0 || finished.wait(kPatienceMs));
  EXPECT_FALSE(view.isRunning());
  EXPECT_EQ(view.runButton()->text(), QStringLiteral("Compare"));
}

TEST_F(CompareViewTest, ShowsOnePartAtATimeWhereThereIsLittleRoom) {
  EXPECT_TRUE(view.figures()->isVisible());
  EXPECT_TRUE(view.pairs()->isVisible());
  EXPECT_FALSE(view.pages()->isVisible());
  view.resize(600, 320);
  EXPECT_TRUE(view.pairs()->isVisible());
  EXPECT_FALSE(view.figures()->isVisible());
  view.showPart(QStringLiteral("figures"));
  EXPECT_TRUE(view.figures()->isVisible());
  EXPECT_FALSE(view.pairs()->isVisible());
  EXPECT_LE(view.minimumSizeHint().width(), 600);
}

}  // namespace
}  // namespace rqscope::compare
