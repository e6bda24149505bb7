// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "rqscope/simulation.h"
#include "scenarios/case_run.h"
#include "workload/json_document.h"

namespace rqscope::cases {
namespace {

TEST(CaseList, EachReportHasAScenarioAndARow) {
  const std::string file = std::string(RQSCOPE_SHARED_DIR) + "/cases/field-cases.json";
  std::ifstream in(file);
  if (!in) {
    std::printf("%s is absent: not checked that each report has a scenario\n", file.c_str());
    SUCCEED();
    return;
  }
  const auto list = readTextFile(std::string(RQSCOPE_SOURCE_DIR) + "/resources/help/cases.md");
  ASSERT_TRUE(list.ok());
  int checked = 0;
  const nlohmann::json all = nlohmann::json::parse(in);
  for (const auto& one : all["cases"]) {
    const std::string id = one["id"];
    // Trace files are not read: these three say so in the list.
    const bool isTrace = id == "TR-01" || id == "TR-02" || id == "TR-07";
    const std::string kind = id.substr(0, id.find('-'));
    const bool isListed = kind == "LB" || kind == "NU" || kind == "WK" || kind == "CA" || kind == "TG" ||
                          kind == "TR" || id == "EV-01";
    if (!isListed || isTrace) continue;
    ++checked;
    EXPECT_NE(list.value().find("| " + id + " |"), std::string::npos) << id;
    const api::Opened opened = api::Simulation::open(id, {});
    EXPECT_NE(opened.simulation, nullptr) << id;
  }
  EXPECT_GT(checked, 15);
}

}  // namespace
}  // namespace rqscope::cases
