// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/scenario_view.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "scenario/problem_list.h"

namespace rqscope::scenario {
namespace {

constexpr int kPatienceMs = 10'000;

TEST(ProposedWord, FindsTheWordOfADidYouMean) {
  EXPECT_EQ(proposedWord(QStringLiteral("did you mean \"run\"?")), QStringLiteral("run"));
  EXPECT_EQ(proposedWord(QStringLiteral("Did you mean runtime?")), QStringLiteral("runtime"));
  EXPECT_EQ(proposedWord(QStringLiteral("one of a, b")), QString());
}

TEST(TextEditor, ReplacesTheWordAtAPlace) {
  TextEditor editor;
  editor.setPlainText(QStringLiteral("{\n  \"rum\" : 10000\n}"));
  EXPECT_TRUE(editor.replaceWordAt(2, 3, QStringLiteral("run")));
  EXPECT_EQ(editor.toPlainText(), QStringLiteral("{\n  \"run\" : 10000\n}"));
  EXPECT_FALSE(editor.replaceWordAt(9, 1, QStringLiteral("x")));
}

// A broken text is found while typing, with its place, and cannot be applied.
TEST(ScenarioView, ChecksAsOneTypes) {
  ScenarioView view;
  view.resize(300, 400);
  view.show();
  QSignalSpy checked(&view, &ScenarioView::checked);
  view.setScenario(QStringLiteral("mine.json"), QStringLiteral("{ \"machine\" : \n"), {}, {}, "v6.12");
  view.editor()->insertPlainText(QStringLiteral(" "));
  ASSERT_TRUE(checked.wait(kPatienceMs));
  ASSERT_FALSE(view.problems().empty());
  EXPECT_EQ(view.problems().front().severity, api::Problem::Severity::Error);
  EXPECT_GE(view.problems().front().line, 1);
  EXPECT_FALSE(view.grab().isNull());
}

QAction* actionOf(const ScenarioView& view, const QString& name) {
  for (QAction* action : view.patchMenu()->actions())
    if (action->text() == name) return action;
  return nullptr;
}

// Patches that the kernel has are ticked; a click takes the tick off, the menu stays open, Apply carries it.
TEST(ScenarioView, TicksThePatchesOfTheKernelAndSwitchesThemOff) {
  ScenarioView view;
  view.resize(300, 400);
  view.show();
  const QString text = QStringLiteral("{}");
  view.setScenario(QStringLiteral("mine.json"), text, {}, {"tg_load_avg_per_node=on"}, "v6.12");
  QAction* const bound = actionOf(view, QStringLiteral("migrate_util_shr_bound"));
  ASSERT_NE(bound, nullptr);
  EXPECT_TRUE(bound->isChecked());
  EXPECT_TRUE(bound->toolTip().contains(QStringLiteral("3af7524b1419"))) << bound->toolTip().toStdString();
  EXPECT_TRUE(bound->toolTip().contains(QStringLiteral("detach_tasks()")));
  EXPECT_TRUE(view.patchMenu()->toolTipsVisible());
  EXPECT_TRUE(actionOf(view, QStringLiteral("tg_load_avg_per_node"))->isChecked()) << "set by the scenario";
  EXPECT_FALSE(actionOf(view, QStringLiteral("flat_queue"))->isChecked());
  EXPECT_FALSE(actionOf(view, QStringLiteral("slice_protection"))->isEnabled()) << "makes no sense on v6.12";
  EXPECT_EQ(view.patchButton()->text(), QStringLiteral("Patches 1"));
  EXPECT_TRUE(view.overrides().patches.empty()) << "untouched ones stay as the scenario has them";

  view.patchMenu()->popup(QPoint(0, 0));
  QTest::mouseClick(view.patchMenu(), Qt::LeftButton, {}, view.patchMenu()->actionGeometry(bound).center());
  EXPECT_FALSE(bound->isChecked());
  EXPECT_TRUE(view.patchMenu()->isVisible()) << "more can be set";
  EXPECT_EQ(view.overrides().patches,
            (std::vector<std::pair<std::string, bool>>{{"migrate_util_shr_bound", false}}));
  EXPECT_EQ(view.patchButton()->text(), QStringLiteral("Patches 2"));
  QTest::keyClick(view.patchMenu(), Qt::Key_Space);
  EXPECT_TRUE(bound->isChecked()) << "Space ticks the active one";
  QTest::keyClick(view.patchMenu(), Qt::Key_Escape);
  EXPECT_FALSE(view.patchMenu()->isVisible());
}

}  // namespace
}  // namespace rqscope::scenario
