// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/verify_records.h"
#include "evaluate/decision_records.h"
#include "evaluate/eval_line.h"
#include "evaluate/function_table.h"
#include "evaluate/juno_pelt.h"
#include "evaluate/pelt_trace.h"
#include "evaluate/record_problem.h"
#include "evaluate/spawn_trace.h"
#include "evaluate/topology_records.h"
#include "topology/machine_file.h"

namespace rqscope::api {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRecordsHint =
    "records are topology files (.json), vectors (.jsonl, .jsonl.gz), folders of stepped runs, "
    "decisions.json "
    "of a run, *.balance.jsonl, spawn and PELT traces (.txt)";

bool isSteppedRun(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "scenario.json", error) &&
         (fs::exists(folder / "output.jsonl.gz", error) || fs::exists(folder / "output.jsonl", error));
}

/// JSON records by what is in them; none when the file is no record.
std::vector<VerifyRow> runJson(const std::string& path, const VerifyOptions& options) {
  const auto text = readWholeFile(path);
  if (!text) return {failedRow(path, "", text.error())};
  const auto json = nlohmann::json::parse(text.value(), nullptr, false);
  if (json.is_discarded() || !json.is_object()) return {};
  if (isTopologyRecord(json)) return {runTopology(json, path, options)};
  std::vector<VerifyRow> rows;
  if (json.contains("pelt_ticks")) {
    rows.push_back(runReplay(path, "pelt_ticks", verifyJunoPelt(path), options));
    rows.push_back(runDecisions(path, verifyJunoDecisions(path, options.shown), options));
    rows.push_back(runFree(path, freeRunJuno(path), options));
  }
  return rows;
}

/// What the line-oriented file holds, by its name and its first line.
std::vector<VerifyRow> runLines(const std::string& path, const VerifyOptions& options) {
  if (fs::path(path).filename().string().find(".balance.jsonl") != std::string::npos)
    return {runDecisions(path, verifyBalanceTrace(path, options.shown), options),
            runFree(path, freeRunTrace(path), options)};
  return {runVectors(path, options)};
}

/// Spawn traces have state lines such as "DT pid=...", PELT traces probes named pelt_se; other traces are not
/// replayed.
std::vector<VerifyRow> runTrace(const std::string& path, const VerifyOptions& options) {
  const std::string kernel = options.kernel.empty() ? "v6.12" : options.kernel;
  const auto spawn = verifySpawnTrace(path, kernel);
  if (!spawn || spawn.value().records != 0) return {runReplay(path, "spawn_trace", spawn, options)};
  const auto pelt = verifyPeltTrace(path, kernel);
  if (!pelt || pelt.value().records != 0) return {runReplay(path, "pelt_trace", pelt, options)};
  return {};
}

/// Whatever a record lacks becomes a row that says so: a damaged record ends neither the program nor the
/// others.
template <class Run>
std::vector<VerifyRow> guarded(const std::string& path, const Run& run) {
  try {
    return run();
  } catch (const std::exception& e) {
    return {failedRow(path, "", recordProblem(path, e))};
  }
}

std::vector<VerifyRow> runFolderOfSteps(const std::string& path, const VerifyOptions& options) {
  if (options.onRecord) options.onRecord(path);
  return guarded(path, [&] { return std::vector<VerifyRow>{runStepped(path, options)}; });
}

std::vector<VerifyRow> runFile(const std::string& path, const VerifyOptions& options) {
  const std::string name = fs::path(path).filename().string();
  const bool isLines = name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
  const bool isTrace = name.ends_with(".txt") || name.ends_with(".txt.gz") || name.ends_with(".pelt.csv");
  if (!isLines && !isTrace && !name.ends_with(".json")) return {};
  if (options.onRecord) options.onRecord(path);
  return guarded(path, [&] {
    if (isLines) return runLines(path, options);
    return isTrace ? runTrace(path, options) : runJson(path, options);
  });
}

void take(std::vector<VerifyRow> rows, const std::string& path, VerifyReport& report) {
  if (rows.empty()) report.skipped.push_back(path);
  for (VerifyRow& row : rows) report.rows.push_back(std::move(row));
}

void runFolder(const fs::path& folder, const VerifyOptions& options, VerifyReport& report) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (fs::is_directory(entry, error)) {
      if (isSteppedRun(entry))
        take(runFolderOfSteps(entry.string(), options), entry.string(), report);
      else
        runFolder(entry, options, report);
      continue;
    }
    take(runFile(entry.string(), options), entry.string(), report);
  }
}

}  // namespace

bool VerifyReport::allEqual() const {
  return !rows.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const VerifyRow& r) { return r.allEqual(); });
}

VerifyReport verifyPath(const std::string& path, const VerifyOptions& options) {
  VerifyReport report;
  std::error_code error;
  const auto refuse = [&](std::string message, std::string hint) {
    report.skipped.clear();
    report.rows.push_back(
        failedRow(path, "", {Severity::Error, {path, 0, 0}, std::move(message), std::move(hint)}));
  };
  if (!fs::exists(path, error)) {
    refuse("there is no such file or folder", "");
  } else if (fs::is_directory(path, error)) {
    if (isSteppedRun(path))
      take(runFolderOfSteps(path, options), path, report);
    else
      runFolder(path, options, report);
    if (report.rows.empty()) refuse("there is no record in this folder", kRecordsHint);
  } else {
    take(runFile(path, options), path, report);
    if (report.rows.empty()) refuse("this is no record of a kernel", kRecordsHint);
  }
  return report;
}

std::string evalLine(const std::string& line, const std::string& kernel, int lineNumber) {
  const auto profile = kernelProfile(kernel);
  if (profile) return rqscope::evalLine(line, profile.value(), lineNumber);
  const nlohmann::json error = {
      {"error", {{"message", profile.error().message}, {"hint", profile.error().hint}}}};
  return error.dump();
}

std::vector<std::string> evalFunctions() {
  std::vector<std::string> names;
  for (const std::string_view name : evalFunctionNames()) names.emplace_back(name);
  return names;
}

}  // namespace rqscope::api
