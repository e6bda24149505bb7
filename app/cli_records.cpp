// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <iostream>

#include "cli_commands.h"
#include "cli_output.h"
#include "rqscope/lesson.h"
#include "rqscope/verify.h"

namespace rqscope::app {

namespace {

Json segmentsJson(const api::FreeRunSegments& s) {
  Json causes = Json::array();
  for (const api::FreeRunCauses& cause : s.causes)
    causes.push_back({{"kind", cause.kind}, {"count", cause.count}, {"first", cause.example}});
  return {{"count", s.segments},
          {"length_ms", s.lengthMs},
          {"without_difference", s.withoutDifference},
          {"median_ms_to_first_difference", s.medianMs},
          {"passes", {{"record", s.passesReal}, {"model", s.passesModel}, {"agree", s.passesAgree}}},
          {"migrations", {{"record", s.movesReal}, {"model", s.movesModel}, {"agree", s.movesAgree}}},
          {"picks", {{"record", s.switches}, {"agree", s.picksAgree}}},
          {"wakeup_cpus", {{"record", s.wakeups}, {"agree", s.choicesAgree}}},
          {"causes", std::move(causes)}};
}

Json freeRunJson(const api::FreeRun& run) {
  Json rows = Json::array(), checks = Json::array();
  for (const auto& [real, model] : run.rows) rows.push_back({{"record", real}, {"model", model}});
  for (const api::FreeRunCheck& check : run.checks)
    checks.push_back({{"what", check.what},
                      {"real_runs", check.allowed},
                      {"model", check.found},
                      {"inside", check.isInside}});
  Json out{{"from_ms", run.fromMs},
           {"passes_to_ms", run.passesToMs},
           {"passes", {{"record", run.passesReal}, {"model", run.passesModel}, {"agree", run.passesAgree}}},
           {"migrations", {{"record", run.movesReal}, {"model", run.movesModel}, {"agree", run.movesAgree}}},
           {"passes_before_first_difference", run.passesBeforeDifference},
           {"first_difference_ms", run.firstDifferenceMs},
           {"first_difference", run.firstDifference},
           {"cause", run.cause},
           {"first_pull", {{"record", run.pullReal}, {"model", run.pullModel}}},
           {"end_ms", {{"record", run.endReal}, {"model", run.endModel}}},
           {"side_by_side", std::move(rows)},
           {"spans", std::move(checks)}};
  if (run.segments) out["segments"] = segmentsJson(*run.segments);
  return out;
}

Json verifyJson(const api::VerifyReport& report) {
  Json rows = Json::array();
  for (const api::VerifyRow& row : report.rows) {
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
    if (row.freeRun) rows.back()["free_run"] = freeRunJson(*row.freeRun);
  }
  return {{"all_equal", report.allEqual()}, {"records", std::move(rows)}, {"skipped", report.skipped}};
}

std::string endText(double ms) { return ms < 0 ? std::string{} : fmt::format("{:.2f} s", ms / 1000); }

/// The two runs in two columns; what only one of them has leaves the other side empty.
void printSideBySide(const api::VerifyRow& row) {
  std::vector<std::vector<std::string>> rows{{"record", "model"}};
  for (const auto& [real, model] : row.freeRun->rows) rows.push_back({real, model});
  fmt::print("\n{}\n{}", row.file, tableText(rows));
}

/// The engine let loose on recorded workloads: how far it goes as the real kernel did, and what comes then.
void printFreeRuns(const api::VerifyReport& report) {
  std::vector<std::vector<std::string>> rows{{"free run", "kernel", "passes", "agree", "migrations", "agree",
                                              "first pull", "model", "end", "model", "differs at"}};
  std::vector<const api::VerifyRow*> runs;
  for (const api::VerifyRow& row : report.rows) {
    if (!row.freeRun) continue;
    const api::FreeRun& r = *row.freeRun;
    runs.push_back(&row);
    rows.push_back(
        {row.file, row.kernel, fmt::format("{} / {}", r.passesReal, r.passesModel),
         fmt::format("{}", r.passesAgree), fmt::format("{} / {}", r.movesReal, r.movesModel),
         fmt::format("{}", r.movesAgree), r.pullReal, r.pullModel, endText(r.endReal), endText(r.endModel),
         r.firstDifferenceMs < 0 ? std::string("nowhere") : fmt::format("{:.1f} ms", r.firstDifferenceMs)});
  }
  if (runs.empty()) return;
  fmt::print("\nThe model runs the recorded workload by itself; record / model:\n{}", tableText(rows));
  constexpr std::size_t kShownSideBySide = 2;
  for (const api::VerifyRow* row : runs) {
    if (runs.size() <= kShownSideBySide) printSideBySide(*row);
    if (row->freeRun->firstDifferenceMs < 0) continue;
    fmt::print("{}: after {} passes that agree: {}\n  cause: {}\n", row->file,
               row->freeRun->passesBeforeDifference, row->freeRun->firstDifference, row->freeRun->cause);
  }
  fmt::print("\n");
}

/// Records that tell the state at any moment, piece by piece.
void printSegments(const api::VerifyReport& report) {
  std::vector<std::vector<std::string>> rows{{"restarted from the record", "pieces", "no difference",
                                              "first after", "passes", "agree", "migrations", "agree",
                                              "picks agree", "wakeup CPUs agree"}};
  std::vector<std::vector<std::string>> causes{{"first differences", "pieces", "kind", "for example"}};
  double lengthMs = 0;
  for (const api::VerifyRow& row : report.rows) {
    if (!row.freeRun || !row.freeRun->segments) continue;
    const api::FreeRunSegments& s = *row.freeRun->segments;
    lengthMs = s.lengthMs;
    rows.push_back(
        {row.file, fmt::format("{}", s.segments), fmt::format("{}", s.withoutDifference),
         s.medianMs < 0 ? fmt::format("> {:.0f} ms", s.lengthMs) : fmt::format("{:.1f} ms", s.medianMs),
         fmt::format("{} / {}", s.passesReal, s.passesModel), fmt::format("{}", s.passesAgree),
         fmt::format("{} / {}", s.movesReal, s.movesModel), fmt::format("{}", s.movesAgree),
         fmt::format("{} of {}", s.picksAgree, s.switches),
         s.wakeups == 0 ? std::string{} : fmt::format("{} of {}", s.choicesAgree, s.wakeups)});
    for (const api::FreeRunCauses& cause : s.causes)
      causes.push_back({row.file, fmt::format("{}", cause.count), cause.kind, cause.example});
  }
  if (rows.size() == 1) return;
  fmt::print(
      "The same, let loose every {:.0f} ms from the state that the record leads to; record / model, first "
      "difference in the median:\n{}\nWhat the pieces' first differences come from:\n{}\n",
      lengthMs, tableText(rows), tableText(causes));
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
  printFreeRuns(report);
  printSegments(report);
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
  if (wants("lessons")) give("lessons", api::lessonNames());
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
