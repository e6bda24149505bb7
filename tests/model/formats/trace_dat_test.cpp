// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stop_token>
#include <thread>

#include "formats/trace.h"
#include "formats/trace_guarded.h"
#include "trace_files.h"

namespace rqscope {
namespace {

TEST(TraceDat, ReadsTheRecordedTraceByItsOwnFormatDescriptions) {
  const std::string path = std::string(RQSCOPE_SHARED_DIR) + "/samples/traces/juno-sched_load.dat.gz";
  if (!std::filesystem::exists(path)) {
    std::cout << "absent: " << path << "; no binary trace was read\n";
    return;
  }
  const auto trace = readTrace(path);
  ASSERT_TRUE(trace.ok()) << trace.error().text();
  EXPECT_EQ(trace.value().dialect, TraceDialect::TraceDat);
  EXPECT_EQ(trace.value().cpus, 6);
  const auto count = [&](TraceEventKind kind) {
    return std::count_if(trace.value().events.begin(), trace.value().events.end(),
                         [&](const TraceEvent& e) { return e.kind == kind; });
  };
  // As trace-cmd report prints them.
  EXPECT_EQ(count(TraceEventKind::Switch), 399);
  EXPECT_EQ(count(TraceEventKind::Migrate), 28);
  EXPECT_EQ(trace.value().otherEvents.at("sched_load_cfs_rq"), 2437U);
  EXPECT_EQ(trace.value().otherEvents.at("sched_load_se"), 364U);
  EXPECT_EQ(trace.value().notUnderstood, 0U);
}

TEST(TraceDat, SurvivesAReaderThatBreaksDown) {
  const auto crashed = readGuarded("some.dat", []() -> Result<Trace> { std::abort(); });
  ASSERT_FALSE(crashed.ok());
  EXPECT_NE(crashed.error().message.find("damaged"), std::string::npos);
  const auto refused = readGuarded("some.dat", []() -> Result<Trace> {
    return Diagnostic{Severity::Error, {"some.dat", 3, 4}, "no", "yes"};
  });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().text(), "some.dat:3:4: error: no (yes)");
}

// A child that would read for ever is ended, and the file is not blamed for it.
TEST(TraceDat, IsEndedWhenAskedTo) {
  std::stop_source source;
  std::jthread asker([&source] { source.request_stop(); });
  const auto stopped = readGuarded(
      "some.dat",
      []() -> Result<Trace> {
        while (true) pause();
      },
      source.get_token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_NE(stopped.error().message.find("cancelled"), std::string::npos) << stopped.error().message;
}

TEST(TraceDat, RefusesWhatIsNoTraceDat) {
  const std::string magic("\x17\x08\x44tracing6\0\0\x08", 14);
  const test::TemporaryFile cut("cut.dat", magic);
  EXPECT_FALSE(readTrace(cut.path()).ok());
}

}  // namespace
}  // namespace rqscope
