// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/scenario_view.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

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

}  // namespace
}  // namespace rqscope::scenario
