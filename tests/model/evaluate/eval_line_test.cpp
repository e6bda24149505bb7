// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/eval_line.h"

#include <gtest/gtest.h>

namespace rqscope {
namespace {

KernelProfile v612() { return kernelProfile("v6.12").value(); }

nlohmann::json evaluated(std::string_view line) { return nlohmann::json::parse(evalLine(line, v612(), 7)); }

// 47742 decayed by 32 periods is exactly half: (47742 >> 1) * 0xffffffff >> 32 = 23870.
TEST(EvalLine, GivesTheOutputOfTheFunction) {
  const auto out = evaluated(R"({"fn":"decay_load","in":{"val":47742,"n":32}})");
  EXPECT_EQ(out, nlohmann::json::parse(R"({"fn":"decay_load","out":{"val":23870}})"));
}

TEST(EvalLine, NamesTheColumnOfBrokenJson) {
  const auto out = evaluated(R"({"fn":"decay_load",)");
  EXPECT_EQ(out["error"]["line"], 7);
  EXPECT_EQ(out["error"]["column"], 20);
}

TEST(EvalLine, SuggestsTheFunctionThatWasMeant) {
  const auto out = evaluated(R"({"fn":"decay_laod","in":{}})");
  EXPECT_EQ(out["error"]["message"], "there is no function \"decay_laod\"");
  EXPECT_EQ(out["error"]["hint"], "did you mean decay_load?");
}

TEST(EvalLine, NamesAMissingInput) {
  const auto out = evaluated(R"({"fn":"decay_load","in":{"val":1}})");
  EXPECT_EQ(out["error"]["message"], "the input \"n\" is missing");
}

// Weight 0 would divide by zero in attach; the kernel never has it.
TEST(EvalLine, RefusesAWeightOfZero) {
  const std::string avg =
      R"({"last_update_time":1024,"load_sum":0,"runnable_sum":0,"util_sum":0,"period_contrib":0,)"
      R"("load_avg":5,"runnable_avg":0,"util_avg":0})";
  const auto out = evaluated(R"({"fn":"attach_detach","in":{"op":"attach","weight":0,"se":)" + avg +
                             R"(,"cfs":)" + avg + "}}");
  EXPECT_EQ(out["error"]["message"], "the input \"weight\" is 0");
}

// load_avg + 1 is a divisor: the largest 64-bit number would make it 0.
TEST(EvalLine, RefusesAnAverageThatWrapsADivisor) {
  const auto out = evaluated(
      R"({"fn":"wake_affine_weight","in":{"sync":false,"imbalance_pct":117,"task_h_load":248,)"
      R"("current_h_load":1,"this_load":1996,"prev_load":18446744073709551615,"this_capacity":1024,)"
      R"("prev_capacity":482}})");
  EXPECT_TRUE(out.contains("error")) << out;
}

TEST(EvalLine, AnswersAnyTextWithOneLine) {
  for (const std::string_view text :
       {"", "null", "[]", "{}", "{\"fn\":3,\"in\":{}}", "\xff\xfe", "{\"fn\":\"x\"}",
        R"({"fn":"pelt_se","in":{"kind":"task","weight":"a"}})", R"({"fn":"pelt_se","in":{"steps":5}})"}) {
    const std::string out = evalLine(text, v612());
    EXPECT_EQ(out.find('\n'), std::string::npos) << text;
    EXPECT_TRUE(nlohmann::json::parse(out).contains("error")) << text;
  }
}

}  // namespace
}  // namespace rqscope
