// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/resource_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "rqscope/names.h"
#include "rqscope/reproduce.h"
#include "support/temporary_folder.h"

namespace rqscope::api {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class ResourceFolder : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(m_folder.path() / "empty" / "bin"); }

  std::string at(const std::string& name) const { return (m_folder.path() / name).string(); }
  /// Resources in a folder of that name, as far as the search looks.
  void put(const std::string& name) const {
    fs::create_directories(m_folder.path() / name / "scenarios");
    std::ofstream(m_folder.path() / name / "scenarios" / "juno.json") << "{}";
  }

 private:
  TemporaryFolder m_folder;
};

TEST_F(ResourceFolder, IsBesideTheProgramAboveItOrInItsShare) {
  put("tree/resources");
  EXPECT_EQ(searchResources({at("tree"), "", {}}).folder, at("tree/resources"));
  EXPECT_EQ(searchResources({at("tree/build/release"), "", {}}).folder, at("tree/resources"));
  put("usr/share/rqscope");
  EXPECT_EQ(searchResources({at("usr/bin"), "", {}}).folder, at("usr/share/rqscope"));
}

TEST_F(ResourceFolder, IsWhereItWasBuiltWhenTheProgramWasMoved) {
  put("source/resources");
  put("installed");
  const ResourceHints hints{at("empty/bin"), "", {at("source/resources"), at("installed")}};
  EXPECT_EQ(searchResources(hints).folder, at("source/resources"));
  EXPECT_EQ(searchResources({at("empty/bin"), "", {at("gone"), at("installed")}}).folder, at("installed"));
}

TEST_F(ResourceFolder, IsTheGivenOneAndNoOther) {
  put("tree/resources");
  put("given");
  EXPECT_EQ(searchResources({at("tree"), at("given"), {}}).folder, at("given"));
  const ResourceSearch wrong = searchResources({at("tree"), at("empty"), {at("tree/resources")}});
  EXPECT_EQ(wrong.folder, "");
  EXPECT_THAT(wrong.places, ElementsAre(at("empty")));
}

TEST_F(ResourceFolder, SaysWhereItLookedWhenThereIsNone) {
  const ResourceSearch search = searchResources({at("empty/bin"), "", {at("gone")}});
  EXPECT_EQ(search.folder, "");
  EXPECT_THAT(search.places, Contains(at("empty/bin/resources")));
  EXPECT_THAT(search.places, Contains(at("empty/share/rqscope")));
  EXPECT_EQ(search.places.back(), at("gone"));
}

TEST_F(ResourceFolder, MissingOneIsSaidInsteadOfAnUnknownName) {
  EXPECT_FALSE(missingResources().has_value());
  ASSERT_EQ(setenv("RQSCOPE_RESOURCES", at("empty").c_str(), 1), 0);
  const Reproduction table = publishedTable("spawn");
  const auto scenario = unknownInput("juno"), machine = unknownMachine("juno-r2");
  unsetenv("RQSCOPE_RESOURCES");
  ASSERT_EQ(table.problems.size(), 1U);
  EXPECT_THAT(table.problems[0].text(), HasSubstr("RQSCOPE_RESOURCES names this folder"));
  ASSERT_EQ(scenario.size(), 1U);
  EXPECT_THAT(scenario[0].text(), HasSubstr("RQSCOPE_RESOURCES names this folder"));
  ASSERT_EQ(machine.size(), 1U);
  EXPECT_THAT(machine[0].text(), HasSubstr(at("empty")));
  EXPECT_TRUE(publishedTable("spawn").problems.empty());
}

}  // namespace
}  // namespace rqscope::api
