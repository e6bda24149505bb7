// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/readable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"

namespace rqscope {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

TEST(Readable, LeavesAnOrdinaryMessageAlone) {
  EXPECT_EQ(readable("task \"é\" has no phase"), "task \"é\" has no phase");
  EXPECT_EQ(readable(""), "");
}

TEST(Readable, ShowsControlCharactersAsNone) {
  // A file of UTF-16 has a zero in every second byte; an escape would colour the terminal.
  EXPECT_EQ(readable(std::string("a\0b\0", 4)), "a?b?");
  EXPECT_EQ(readable("\x1b[31mred\nline\x7f"), "?[31mred?line?");
}

TEST(Readable, LeavesOutTheMiddleOfALongText) {
  const std::string text = readable("no key \"" + std::string(300'000, '[') + "\" here");
  EXPECT_LE(text.size(), 1000U);
  EXPECT_THAT(text, StartsWith("no key \"[[["));
  EXPECT_THAT(text, EndsWith("[[[\" here"));
}

TEST(Readable, CutsBetweenCharacters) {
  // 700 bytes into a text of three-byte characters is inside of one, whatever stands before them.
  for (const std::string& before : {std::string(), std::string("x"), std::string("xy")}) {
    std::string text = before;
    for (int i = 0; i < 1000; ++i) text += "\u20ac";
    const std::string cut = readable(text);
    const std::size_t gap = cut.find(" [...] ");
    ASSERT_NE(gap, std::string::npos);
    EXPECT_EQ((gap - before.size()) % 3, 0U);
    EXPECT_EQ((cut.size() - gap - 7) % 3, 0U);
  }
}

TEST(Readable, IsHowADiagnosticQuotes) {
  const Diagnostic problem{Severity::Error, {"f", 1, 2}, std::string(5000, 'm'), std::string("h\th")};
  EXPECT_LT(problem.text().size(), 1100U);
  EXPECT_THAT(problem.text(), EndsWith("(h?h)"));
}

}  // namespace
}  // namespace rqscope
