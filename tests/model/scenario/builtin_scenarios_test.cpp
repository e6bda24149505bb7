// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "scenario/scenario.h"
#include "workload/json_document.h"

namespace rqscope {
namespace {

namespace fs = std::filesystem;
const std::string kResources = std::string{RQSCOPE_SOURCE_DIR} + "/resources";

std::vector<fs::path> builtins() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kResources + "/scenarios"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Everything of a scenario but where it stands in a file.
std::string contents(const Scenario& s) {
  std::string out = fmt::format("{}|{}|{}|{}|{}|{}\n", s.title, s.description, s.hardware.name,
                                s.profile.name, s.untilNs, s.seed);
  out += fmt::format("{} {} {} {}\n", s.costs.contextSwitchNs, s.costs.migrationNs, s.costs.wakeupNs,
                     s.costs.idleWakeupNs);
  out += fmt::format("{} {} {}\n", s.profile.tunables.hz, s.profile.behaviours.migrateUtilShrBound,
                     s.profile.features.runToParity);
  for (const HardwareCpu& c : s.hardware.cpus)
    out += fmt::format("{}:{}:{} ", c.id.value, c.capacity, c.throughput);
  for (const WorkloadGroup& g : s.workload.groups)
    out += fmt::format("\n{} {} {} {} {}", g.name, g.parent, g.weight, g.quotaNs, g.periodNs);
  for (const ThreadProgram& t : s.workload.threads) {
    out += fmt::format("\n{} {} {} {} {} {}", t.name, t.instances, t.delayNs, t.loops, t.startCpu.value,
                       t.settings.group.value_or(-2));
    for (const ProgramPhase& p : t.phases) {
      out += fmt::format(" [{} {} {}", p.name, p.loops, p.settings.cpus ? p.settings.cpus->list() : "-");
      for (const ProgramEvent& e : p.events)
        out += fmt::format(" {}:{}:{}:{}:{}", static_cast<int>(e.kind), e.ns, e.jitterNs, e.target, e.mutex);
      out += "]";
    }
  }
  for (const Operation& o : s.operations)
    out += fmt::format("\n{} {} {} {} {} {}", o.atNs, static_cast<int>(o.kind), o.task, o.group,
                       o.cpus.list(), o.value);
  return out;
}

TEST(BuiltinScenarios, AllReadWithoutAWord) {
  ASSERT_GE(builtins().size(), 15U);
  for (const fs::path& file : builtins()) {
    const auto text = readTextFile(file.string());
    ASSERT_TRUE(text.ok());
    const auto r = readScenario(file.string(), text.value(), kResources, {});
    for (const Diagnostic& d : r.diagnostics()) ADD_FAILURE() << d.text();
    if (!r.ok()) continue;
    EXPECT_FALSE(r.value().title.empty());
    EXPECT_FALSE(r.value().description.empty()) << file;
  }
}

TEST(BuiltinScenarios, RoundTripThroughTheWriter) {
  for (const fs::path& file : builtins()) {
    const auto text = readTextFile(file.string());
    const auto first = readScenario(file.string(), text.value(), kResources, {});
    ASSERT_TRUE(first.ok()) << file;
    const std::string written = writeScenario(first.value());
    const auto second = readScenario(file.string(), written, kResources, {});
    ASSERT_TRUE(second.ok()) << second.error().text() << "\n" << written;
    EXPECT_EQ(contents(first.value()), contents(second.value()));
    EXPECT_EQ(writeScenario(second.value()), written);
  }
}

TEST(BuiltinScenarios, DamagedTextIsReadOrRefusedNeverWorse) {
  // 200 damaged copies of each small scenario: a byte changed, a piece cut out, a piece doubled. What is read
  // is sound, what is refused has a reason.
  Random random(11);
  for (const fs::path& file : builtins()) {
    if (file.stem() == "epyc-milan-load") continue;  // A big machine to build each time.
    const std::string text = readTextFile(file.string()).value();
    for (int i = 0; i < 200; ++i) {
      std::string bad = text;
      const std::size_t at = random.below(bad.size());
      const std::size_t length = std::min<std::size_t>(random.below(40), bad.size() - at);
      const std::uint64_t how = random.below(3);
      if (how == 0) bad[at] = static_cast<char>(32 + random.below(96));
      if (how == 1) bad.erase(at, length);
      if (how == 2) bad.insert(at, bad.substr(at, length));
      const auto r = readScenario(file.string(), bad, kResources, {});
      if (r.ok())
        EXPECT_FALSE(r.value().hardware.cpus.empty());
      else
        EXPECT_FALSE(r.error().message.empty());
    }
  }
}

TEST(BuiltinScenarios, JunoIsTheMainLayoutOfTheRecords) {
  // ground-truth/juno/workload.md: two tasks on big CPU 1, one on big CPU 2, one each on 0, 3, 4; CPU 5 idle;
  // 100 ms pinned, then 10 s of work for a big CPU each, anywhere.
  const std::string file = kResources + "/scenarios/juno.json";
  const auto text = readTextFile(file);
  ASSERT_TRUE(text.ok());
  const auto r = readScenario(file, text.value(), kResources, {});
  ASSERT_TRUE(r.ok());
  std::vector<std::string> pins;
  for (const ThreadProgram& t : r.value().workload.threads) {
    ASSERT_EQ(t.phases.size(), 2U);
    pins.push_back(t.phases[0].settings.cpus->list());
    EXPECT_EQ(t.phases[0].events.at(0).ns, 100'000'000U);
    EXPECT_FALSE(t.phases[1].settings.cpus);
    EXPECT_EQ(t.phases[1].events.at(0).ns, 10'000'000'000U);
  }
  EXPECT_THAT(pins, testing::ElementsAre("1", "1", "2", "0", "3", "4"));
  EXPECT_EQ(r.value().hardware.find(CpuId{5})->throughput, 383U);
}

}  // namespace
}  // namespace rqscope
