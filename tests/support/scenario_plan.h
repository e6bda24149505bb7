// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/sim_state.h"
#include "scenario/scenario.h"
#include "workload/json_document.h"

namespace rqscope::test {

/// What the program runs for a scenario.
inline std::shared_ptr<SimPlan> scenarioPlan(const Scenario& scenario) {
  auto plan = std::make_shared<SimPlan>();
  plan->topology = buildSchedTopology(scenario.hardware, scenario.profile).value();
  plan->profile = std::make_shared<const KernelProfile>(scenario.profile);
  plan->workload = scenario.workload;
  plan->operations = scenario.operations;
  plan->untilNs = scenario.untilNs;
  plan->seed = scenario.seed;
  plan->costs = scenario.costs;
  return plan;
}

/// The built-in scenario of that name, "juno" or "cases/LB-01".
inline Scenario builtinScenario(const std::string& name, const ScenarioOverrides& overrides) {
  const std::string resources = std::string(RQSCOPE_SOURCE_DIR) + "/resources";
  const std::string path = resources + "/scenarios/" + name + ".json";
  auto text = readTextFile(path);
  EXPECT_TRUE(text.ok()) << path;
  auto scenario = readScenario(path, text.value(), resources, overrides);
  EXPECT_TRUE(scenario.ok()) << (scenario.ok() ? "" : scenario.error().text());
  return std::move(scenario).value();
}

}  // namespace rqscope::test
