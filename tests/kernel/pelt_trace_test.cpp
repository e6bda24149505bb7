// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/pelt_trace.h"

#include <fstream>

#include "support/shared_records.h"
#include "support/temporary_folder.h"

namespace rqscope {
namespace {

TEST(PeltTrace, EveryUpdateOfATaskIsReproduced) {
  const auto path = sharedRecord("ground-truth/traces/pelt-c1.pelt.csv");
  if (!path) return;
  const auto report = verifyPeltTrace(*path);
  ASSERT_TRUE(report.ok()) << report.error().text();
  std::cout << textOf(report.value());
  EXPECT_TRUE(report.value().allEqual());
}

// Two updates of one running task by a real 6.12 kernel, 4 ms apart.
constexpr auto kTwoTicks =
    "             hog-203     [000] d.h1.     5.037572: pelt_se: (update_load_avg+0x63f/0x7d0 <- "
    "__update_load_avg_se) now=5035383157 ret=1 pid=203 comm=\"hog\" weight=1048576 on_rq=1 "
    "vruntime=2433310221 "
    "deadline=2433597829 slice=700000 lut=5035382784 load_sum=46836 run_sum=17432215 util_sum=17352787 "
    "contrib=118 load=1024 run=372 util=370 util_est=0x0\n"
    "             hog-203     [000] d.h1.     5.041572: pelt_se: (update_load_avg+0x63f/0x7d0 <- "
    "__update_load_avg_se) now=5039383160 ret=1 pid=203 comm=\"hog\" weight=1048576 on_rq=1 "
    "vruntime=2437310224 "
    "deadline=2437817800 slice=700000 lut=5039382528 load_sum=47669 run_sum=20206166 util_sum=20131735 "
    "contrib=952 load=1023 run=423 util=422 util_est=0x0\n";

ReplayReport replayed(const std::string& text) {
  TemporaryFolder folder;
  const auto path = (folder.path() / "trace.txt").string();
  std::ofstream(path) << text;
  return verifyPeltTrace(path).value();
}

TEST(PeltTrace, FollowsATickFromTheOneBefore) {
  const ReplayReport report = replayed(kTwoTicks);
  EXPECT_EQ(report.notDerivable, 1);
  EXPECT_EQ(report.equal, 1) << textOf(report);
}

TEST(PeltTrace, AChangedSumIsFound) {
  std::string text = kTwoTicks;
  text.replace(text.find("20131735"), 8, "20131736");
  EXPECT_EQ(replayed(text).different, 1);
}

}  // namespace
}  // namespace rqscope
