// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "rqscope/simulation.h"

namespace rqscope::api {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(Catalog, FindsResourcesFromTheBuildFolder) {
  EXPECT_TRUE(fs::equivalent(resourceDirectory(), std::string{RQSCOPE_SOURCE_DIR} + "/resources"));
}

TEST(Catalog, ListsScenariosWithTheDefaultFirst) {
  const auto list = builtinScenarios();
  ASSERT_GT(list.size(), 10U);
  EXPECT_EQ(list[0].name, "juno");
  for (const Named& n : list) EXPECT_FALSE(n.description.empty()) << n.name;
}

TEST(Catalog, ListsMachinesKernelsPatchesAndFeatures) {
  EXPECT_GE(builtinMachines().size(), 6U);
  EXPECT_EQ(kernels().size(), 3U);
  EXPECT_FALSE(patchesOf("v6.12").empty());
  EXPECT_TRUE(patchesOf("v0").empty());
  EXPECT_FALSE(featuresOf("v6.1").empty());
}

/// All problems of a file with that content.
std::string checked(const std::string& name, const std::string& content) {
  const fs::path file = fs::path(testing::TempDir()) / name;
  std::ofstream(file) << content;
  std::string all;
  for (const Problem& p : checkFile(file.string())) all += p.text() + "\n";
  fs::remove(file);
  return all;
}

TEST(CheckFile, ReadsEachKindOfFile) {
  EXPECT_EQ(checked("a.json", R"({"tasks" : {"A" : {"loop" : 1, "run" : 1}}})"), "");
  EXPECT_THAT(checked("b.json", "{\"tasks\" : {\"A\" : {\n\"run\" : -1}}}"), HasSubstr("b.json:2:9: error:"));
  EXPECT_THAT(checked("c.json", "{\"schema\" : \"rqscope-machine/1\",\n \"cpus\" : [{\"cpsu\" : \"0\"}]}"),
              HasSubstr("c.json:2:"));
  EXPECT_THAT(checked("d.json", "{\"rqscope-scenario\" : 1}"), HasSubstr("no \"machine\""));
  EXPECT_THAT(checked("e.json", ""), HasSubstr("error"));
  EXPECT_THAT(checkFile("/no/such").at(0).text(), HasSubstr("no such file"));
  for (const Named& n : builtinScenarios())
    EXPECT_TRUE(checkFile(resourceDirectory() + "/scenarios/" + n.name + ".json").empty()) << n.name;
  for (const Named& n : builtinMachines())
    EXPECT_TRUE(checkFile(resourceDirectory() + "/topologies/" + n.name + ".json").empty()) << n.name;
}

}  // namespace
}  // namespace rqscope::api
