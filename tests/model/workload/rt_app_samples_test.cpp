// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "workload/rt_app.h"

namespace rqscope {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path kFolder = fs::path(RQSCOPE_SHARED_DIR) / "samples" / "rt-app";

bool isThere() {
  if (fs::is_directory(kFolder)) return true;
  std::cout << kFolder << " is absent: the real rt-app files were not read\n";
  return false;
}

Result<Workload> readSample(const std::string& name, RtAppDialect dialect) {
  auto text = readTextFile((kFolder / name).string());
  if (!text) return text.diagnostics();
  return readRtAppText(name, text.value(), dialect);
}

TEST(RtAppSamples, AllLoadOrAreRefusedWithPositionAndHint) {
  if (!isThere()) return;
  int loaded = 0, refused = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    for (const auto dialect : {RtAppDialect::Workgen, RtAppDialect::Plain}) {
      const auto result = readSample(name, dialect);
      ++(result.ok() ? loaded : refused);
      for (const Diagnostic& d : result.diagnostics()) {
        EXPECT_EQ(d.where.file, name);
        EXPECT_GT(d.where.line, 0) << d.text();
        EXPECT_GT(d.where.column, 0) << d.text();
        if (!result.ok()) {
          EXPECT_FALSE(d.hint.empty()) << d.text();
        }
      }
      std::cout << name << (dialect == RtAppDialect::Plain ? " (plain)" : "") << ": "
                << (result.ok() ? "loaded" : result.error().text()) << "\n";
    }
  }
  EXPECT_GT(loaded, 0);
  EXPECT_GT(refused, 0);
}

TEST(RtAppSamples, VideoHasBareSuspends) {
  if (!isThere()) return;
  // README of the samples: rt-app itself refuses the value-less "suspend"; workgen's files have it.
  const auto workgen = readSample("video-short.json", RtAppDialect::Workgen);
  ASSERT_TRUE(workgen.ok()) << workgen.error().text();
  EXPECT_EQ(workgen.value().durationNs, 6'000'000'000);
  EXPECT_FALSE(readSample("video-short.json", RtAppDialect::Plain).ok());
}

TEST(RtAppSamples, OldGrammarIsRefusedWithTheNewForm) {
  if (!isThere()) return;
  const auto result = readSample("taskset.json", RtAppDialect::Workgen);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().text(),
              HasSubstr("taskset.json:4:13: error: task \"ThreadA\" is in the old grammar"));
  EXPECT_THAT(result.error().hint, HasSubstr("\"run\" : 5000"));
}

TEST(RtAppSamples, SpreadingTasksKeepsBothPhasesOfOneName) {
  if (!isThere()) return;
  // thread2 has light1, heavy1, light2 and heavy1 again: four phases for workgen, three for rt-app.
  const auto workgen = readSample("spreading-tasks.json", RtAppDialect::Workgen);
  ASSERT_TRUE(workgen.ok());
  EXPECT_EQ(workgen.value().threads.at(1).phases.size(), 4U);
  const auto plain = readSample("spreading-tasks.json", RtAppDialect::Plain);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain.value().threads.at(1).phases.size(), 3U);
}

}  // namespace
}  // namespace rqscope
