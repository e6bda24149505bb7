// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <iostream>

#include "cli_commands.h"
#include "cli_output.h"
#include "rqscope/verify.h"

namespace rqscope::app {

namespace {

Json verifyJson(const api::VerifyReport& report) {
  Json rows = Json::array();
  for (const api::VerifyRow& row : report.rows)
    rows.push_back({{"file", row.file},
                    {"kind", row.kind},
                    {"kernel", row.kernel},
                    {"compared", row.compared},
                    {"equal", row.equal},
                    {"different", row.different},
                    {"not_derivable", row.notDerivable},
                    {"all_equal", row.allEqual()},
                    {"error", row.error},
                    {"details", row.details}});
  return {{"all_equal", report.allEqual()}, {"records", std::move(rows)}, {"skipped", report.skipped}};
}

void printReport(const api::VerifyReport& report) {
  std::vector<std::vector<std::string>> rows{{"record", "kind", "kernel", "compared", "equal", "different"}};
  std::uint64_t compared = 0, equal = 0, different = 0, failed = 0;
  for (const api::VerifyRow& row : report.rows) {
    rows.push_back({row.file, row.kind, row.kernel, fmt::format("{}", row.compared),
                    fmt::format("{}", row.equal),
                    row.error.empty() ? fmt::format("{}", row.different) : "not run"});
    compared += row.compared;
    equal += row.equal;
    different += row.different;
    failed += row.error.empty() ? 0 : 1;
  }
  fmt::print("{}", tableText(rows));
  for (const api::VerifyRow& row : report.rows) {
    if (!row.error.empty()) fmt::print("{}\n", row.error);
    for (const std::string& line : row.details) fmt::print("{}: {}\n", row.file, line);
  }
  if (!report.skipped.empty()) fmt::print("{} other files were passed over\n", report.skipped.size());
  fmt::print("{} records, {} compared, {} equal, {} different{}\n", report.rows.size(), compared, equal,
             different, failed == 0 ? std::string{} : fmt::format(", {} not run", failed));
}

}  // namespace

int verifyRecords(const CliOptions& options) {
  api::VerifyReport report;
  Progress progress("verify", options.quiet);
  for (const std::string& path : options.paths) {
    api::VerifyOptions verify;
    verify.kernel = options.kernel;
    verify.shown = options.shown;
    verify.onRecord = [&progress](const std::string& file) { progress.say(file); };
    api::VerifyReport part = api::verifyPath(path, verify);
    report.rows.insert(report.rows.end(), part.rows.begin(), part.rows.end());
    report.skipped.insert(report.skipped.end(), part.skipped.begin(), part.skipped.end());
  }
  if (options.json)
    printJson(verifyJson(report));
  else
    printReport(report);
  return report.allEqual() ? kDone : kBadInput;
}

int evaluateLines(const CliOptions& options) {
  if (options.list) {
    for (const std::string& name : api::evalFunctions()) fmt::print("{}\n", name);
    return kDone;
  }
  int status = kDone, number = 0;
  std::string line;
  while (std::getline(std::cin, line)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string answer = api::evalLine(line, options.kernel, number);
    if (answer.starts_with("{\"error\"")) status = kBadInput;
    fmt::print("{}\n", answer);
  }
  return status;
}

int checkFiles(const CliOptions& options) {
  int status = kDone;
  Json files = Json::array();
  for (const std::string& path : options.paths) {
    const std::vector<api::Problem> problems = api::checkFile(path);
    Json list = Json::array();
    bool bad = false;
    for (const api::Problem& problem : problems) {
      bad = bad || problem.severity == api::Problem::Severity::Error;
      if (options.json)
        list.push_back(jsonOf(problem));
      else
        fmt::print("{}\n", problem.text());
    }
    if (bad) status = kBadInput;
    if (options.json)
      files.push_back({{"file", path}, {"ok", !bad}, {"problems", std::move(list)}});
    else if (problems.empty())
      fmt::print("{}: ok\n", path);
  }
  if (options.json) printJson({{"ok", status == kDone}, {"files", std::move(files)}});
  return status;
}

int listBuiltins(const CliOptions& options) {
  Json json = Json::object();
  const auto wants = [&](const char* what) {
    return options.paths.empty() ||
           std::find(options.paths.begin(), options.paths.end(), what) != options.paths.end();
  };
  const auto give = [&](const char* what, const std::vector<api::Named>& list) {
    if (!wants(what)) return;
    Json entries = Json::array();
    if (!options.json) fmt::print("{}\n", what);
    for (const api::Named& named : list) {
      entries.push_back({{"name", named.name}, {"title", named.title}, {"description", named.description}});
      if (!options.json) fmt::print("  {:24} {}\n", named.name, named.description);
    }
    json[what] = std::move(entries);
  };
  if (wants("scenarios")) give("scenarios", api::builtinScenarios());
  if (wants("machines")) give("machines", api::builtinMachines());
  if (wants("kernels")) give("kernels", api::kernels());
  if (wants("patches")) give("patches", api::patchesOf(options.kernel));
  std::vector<api::Named> features;
  for (const auto& [name, on] : api::featuresOf(options.kernel))
    features.push_back({name, name, on ? "on" : "off"});
  give("features", features);
  if (options.json) printJson(json);
  return kDone;
}

}  // namespace rqscope::app
