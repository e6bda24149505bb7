// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/spawn_trace.h"

#include <fstream>

#include "support/shared_records.h"
#include "support/temporary_folder.h"

namespace rqscope {
namespace {

// The PI, AT, DT, RA, UP and TU lines of the four traces, recomputed by the engine's functions.
TEST(SpawnTrace, EveryLineIsReproduced) {
  for (const char* name : {"1cpu-sequence", "1cpu-early_return", "4cpu-sequence", "4cpu-early_return"}) {
    const auto path = sharedRecord(std::string("ground-truth/spawn/trace-") + name + ".txt.gz");
    if (!path) return;
    const auto report = verifySpawnTrace(*path);
    ASSERT_TRUE(report.ok()) << report.error().text();
    std::cout << textOf(report.value());
    EXPECT_TRUE(report.value().allEqual());
  }
}

// One exit of a short child as a real 6.12 kernel printed it: detach, group entities, attach again. The
// unaveraged run time vanishes from the queue: 33952650 before, 33893058 after, though the averages are the
// same.
constexpr auto kReattach =
    "83 000 2339 DT pid=2339 cpu=0 tg=3 lut=928935936 c=924 se_lut=928935936 se_c=924 se_util=156 "
    "se_usum=7491744 "
    "se_load=1024 q_util=713->557 q_usum=33952650->26460906(unclamped 26460906) q_load=2042->1018\n"
    "87 000 2339 TU cpu=0 tg=2 child_tg=3 c=924 se_util=713->557 se_usum=33967192->26536594 q_util=713->557 "
    "q_usum=33967192->26536594\n"
    "94 000 2339 AT pid=2339 cpu=0 tg=3 lut=928935936 c=924 se_util=156 se_usum=7491744->7432152 "
    "se_load=1024 "
    "q_util=557->713 q_usum=26460906->33893058 q_load=1018->2042\n";

TEST(SpawnTrace, ShowsTheTimeThatReattachingForgets) {
  TemporaryFolder folder;
  const auto path = (folder.path() / "trace.txt").string();
  std::ofstream(path) << kReattach;
  const auto report = verifySpawnTrace(path).value();
  EXPECT_EQ(report.equal, 3) << textOf(report);
}

TEST(SpawnTrace, AChangedSumIsFound) {
  TemporaryFolder folder;
  const auto path = (folder.path() / "trace.txt").string();
  std::string text = kReattach;
  text.replace(text.find("7432152"), 7, "7432153");
  std::ofstream(path) << text;
  EXPECT_EQ(verifySpawnTrace(path).value().different, 1);
}

}  // namespace
}  // namespace rqscope
