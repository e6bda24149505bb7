// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <fstream>

#include "api/problems.h"
#include "api/simulation_impl.h"
#include "formats/run_tracer.h"
#include "rqscope/trace_comparison.h"

namespace rqscope::api {

namespace {

Problem cannotWrite(const std::string& file) {
  Problem problem;
  problem.file = file;
  problem.message = "the trace cannot be written";
  problem.hint = "check that the folder is there and may be written to";
  return problem;
}

}  // namespace

std::vector<Problem> writeTraceOfRun(const std::string& name, const Overrides& overrides,
                                     const std::string& file) {
  std::vector<Problem> problems;
  const auto input = inputText(name, overrides, problems);
  if (!input) return problems;
  auto scenario = readScenario(input->file, input->text, resourceDirectory(), overridesOf(overrides));
  if (!scenario) return problemsOf(scenario.diagnostics());
  auto plan = planOf(scenario.value(), problems);
  if (plan == nullptr) return problems;
  std::ofstream out(file, std::ios::binary);
  if (!out) return {cannotWrite(file)};
  Simulator simulator(makeSimState(std::move(plan)));
  RunTracer tracer(simulator.state());
  simulator.setObserver(&tracer);
  while (simulator.stepEvent()) {
  }
  out << traceText(tracer.take(file));
  out.close();
  if (!out) return {cannotWrite(file)};
  return {};
}

}  // namespace rqscope::api
