// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/script_effects.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/open_input.h"
#include "api/problems.h"
#include "api/simulation_impl.h"
#include "workload/json_document.h"
#include "workload/json_reader.h"

namespace rqscope::api {

namespace {

/// Moments of the run that are looked at again: each costs a replay from the snapshot before it.
constexpr int kMostLooks = 64;

/// A task by its own name, or as one of the instances of a thread.
bool isNamed(const std::string& task, const std::string& name) {
  if (name == "*" || task == name) return true;
  return task.size() > name.size() + 1 && task.starts_with(name) && task[name.size()] == '-' &&
         task.find_first_not_of("0123456789", name.size() + 1) == std::string::npos;
}

/// Every task it names had ended: when the last did; -1: not all had, or it names none.
std::int64_t endOfNamed(const Operation& op, const Outcome& outcome) {
  std::int64_t last = -1;
  for (const Outcome::TaskEnd& task : outcome.tasks) {
    if (!isNamed(task.name, op.task)) continue;
    if (task.endNs < 0 || task.endNs > static_cast<std::int64_t>(op.atNs)) return -1;
    last = std::max(last, task.endNs);
  }
  return last;
}

bool sleepsBefore(Simulation& simulation, const Operation& op) {
  simulation.seekTime(std::max<std::int64_t>(static_cast<std::int64_t>(op.atNs) - 1, 0));
  const auto frame = simulation.frame();
  return std::any_of(frame->tasks.begin(), frame->tasks.end(), [&](const TaskFrame& task) {
    return task.state == "sleeping" && isNamed(task.name, op.task);
  });
}

Problem warningAt(const Operation& op, const std::string& message, const std::string& hint) {
  Problem problem;
  problem.severity = Problem::Severity::Warning;
  problem.file = op.where.file;
  problem.line = op.where.line;
  problem.column = op.where.column;
  problem.message = "the operation had no effect: " + message;
  problem.hint = hint;
  return problem;
}

}  // namespace

std::vector<Problem> operationsWithoutEffect(Simulation& simulation, const std::string& name,
                                             const Overrides& overrides) {
  std::vector<Problem> out;
  const std::string path = scenarioPath(name);
  auto text = readTextFile(path);
  if (!text.ok() || text.value().find("\"script\"") == std::string::npos) return out;
  const auto scenario = readScenario(path, text.value(), resourceDirectory(), overridesOf(overrides));
  if (!scenario.ok()) return out;
  const Outcome outcome = simulation.outcome();
  int looks = 0;
  for (const Operation& op : scenario.value().operations) {
    const auto atNs = static_cast<std::int64_t>(op.atNs);
    if (scenario.value().untilNs != 0 && op.atNs > scenario.value().untilNs) continue;  // told by the file
    if (atNs > outcome.timeNs) {
      out.push_back(warningAt(
          op, fmt::format("the run ended at {}, before {}", durationText(outcome.timeNs), durationText(atNs)),
          "an earlier \"at\", or an \"until\" that is later"));
      continue;
    }
    if (op.task.empty() || op.kind == OperationKind::Fork) continue;
    if (const std::int64_t end = endOfNamed(op, outcome); end >= 0)
      out.push_back(warningAt(
          op, fmt::format("{} had ended by {}", op.task == "*" ? "every task" : op.task, durationText(end)),
          "an \"at\" before that"));
    else if (op.kind == OperationKind::Wake && ++looks <= kMostLooks && !sleepsBefore(simulation, op))
      out.push_back(
          warningAt(op, fmt::format("{} then", op.task == "*" ? "no task slept" : op.task + " did not sleep"),
                    "wake it while it sleeps or waits"));
  }
  if (looks > 0) simulation.seekTime(outcome.timeNs);
  return out;
}

}  // namespace rqscope::api
