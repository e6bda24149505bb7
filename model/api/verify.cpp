// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "evaluate/eval_line.h"
#include "evaluate/function_table.h"
#include "evaluate/juno_pelt.h"
#include "evaluate/stepped.h"
#include "evaluate/topology_records.h"
#include "evaluate/verify_vectors.h"
#include "topology/machine_file.h"

namespace rqscope::api {

namespace fs = std::filesystem;

namespace {

void takeShown(std::vector<std::string>& out, std::string line, const VerifyOptions& options) {
  if (out.size() < static_cast<std::size_t>(std::max(options.shown, 0))) out.push_back(std::move(line));
}

VerifyRow failed(const std::string& file, std::string kind, const Diagnostic& error) {
  VerifyRow row;
  row.file = file;
  row.kind = std::move(kind);
  row.error = error.text();
  return row;
}

VerifyRow runVectors(const std::string& path, const VerifyOptions& options) {
  rqscope::VerifyOptions inner;
  inner.kernel = options.kernel;
  inner.shownCases = options.shown;
  const auto report = verifyVectors(path, inner);
  if (!report) return failed(path, "vectors", report.error());
  const VectorReport& r = report.value();
  VerifyRow row{path,
                "vectors",
                r.kernel,
                static_cast<std::uint64_t>(r.cases),
                static_cast<std::uint64_t>(r.equal),
                static_cast<std::uint64_t>(r.different),
                0,
                "",
                {}};
  for (const CaseDifference& d : r.firstDifferent) {
    std::string line = fmt::format("line {} {}: ", d.line, d.function);
    if (d.fields.empty())
      line += d.error;
    else
      line +=
          fmt::format("{}: kernel {}, model {}", d.fields[0].path, d.fields[0].expected, d.fields[0].actual);
    takeShown(row.details, std::move(line), options);
  }
  return row;
}

VerifyRow runStepped(const std::string& folder, const VerifyOptions& options) {
  const auto report = verifySteppedRun(folder, static_cast<std::size_t>(std::max(options.shown, 0)));
  if (!report) return failed(folder, "stepped", report.error());
  const SteppedReport& r = report.value();
  VerifyRow row{folder, "stepped", r.kernel, r.lines, r.equal, r.lines - r.equal + r.extraLines, 0, "", {}};
  for (const SteppedDifference& d : r.first)
    takeShown(row.details,
              fmt::format("tick {} {} {}.{}: kernel {}, model {}", d.tick, d.phase, d.line, d.field, d.kernel,
                          d.model),
              options);
  return row;
}

VerifyRow runTopology(const nlohmann::json& record, const std::string& path, const VerifyOptions& options) {
  const auto report = verifyTopologyRecord(record, path);
  if (!report) return failed(path, "topology", report.error());
  const TopologyRecordReport& r = report.value();
  const auto compared = static_cast<std::uint64_t>(std::max(r.comparedFields, 0));
  const auto different = std::min<std::uint64_t>(compared, r.differences.size());
  VerifyRow row{path, "topology", r.profile, compared, compared - different, r.differences.size(), 0, "", {}};
  for (const FieldDifference& d : r.differences)
    takeShown(row.details, fmt::format("{}: kernel {}, model {}", d.field, d.expected, d.actual), options);
  return row;
}

VerifyRow runPelt(const std::string& path, const VerifyOptions& options) {
  const auto report = verifyJunoPelt(path);
  if (!report) return failed(path, "pelt_ticks", report.error());
  const ReplayReport& r = report.value();
  VerifyRow row{path,
                "pelt_ticks",
                r.kernel,
                static_cast<std::uint64_t>(r.equal + r.different),
                static_cast<std::uint64_t>(r.equal),
                static_cast<std::uint64_t>(r.different),
                static_cast<std::uint64_t>(r.notDerivable),
                "",
                {}};
  for (const std::string& line : r.firstDifferent) takeShown(row.details, line, options);
  return row;
}

bool isSteppedRun(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "scenario.json", error) &&
         (fs::exists(folder / "output.jsonl.gz", error) || fs::exists(folder / "output.jsonl", error));
}

/// A JSON record by what is in it; nothing when it is no record.
std::optional<VerifyRow> runJson(const std::string& path, const VerifyOptions& options) {
  const auto text = readWholeFile(path);
  if (!text) return failed(path, "", text.error());
  const auto json = nlohmann::json::parse(text.value(), nullptr, false);
  if (json.is_discarded() || !json.is_object()) return std::nullopt;
  if (isTopologyRecord(json)) return runTopology(json, path, options);
  if (json.contains("pelt_ticks")) return runPelt(path, options);
  return std::nullopt;
}

std::optional<VerifyRow> runFile(const std::string& path, const VerifyOptions& options) {
  const std::string name = fs::path(path).filename().string();
  const bool isLines = name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
  if (name.find(".balance.jsonl") != std::string::npos) return std::nullopt;
  if (!isLines && !name.ends_with(".json")) return std::nullopt;
  if (options.onRecord) options.onRecord(path);
  if (isLines) return runVectors(path, options);
  return runJson(path, options);
}

void runFolder(const fs::path& folder, const VerifyOptions& options, VerifyReport& report) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (fs::is_directory(entry, error)) {
      if (isSteppedRun(entry)) {
        if (options.onRecord) options.onRecord(entry.string());
        report.rows.push_back(runStepped(entry.string(), options));
      } else {
        runFolder(entry, options, report);
      }
      continue;
    }
    if (auto row = runFile(entry.string(), options))
      report.rows.push_back(std::move(*row));
    else
      report.skipped.push_back(entry.string());
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
  if (!fs::exists(path, error)) {
    report.rows.push_back(
        failed(path, "", {Severity::Error, {path, 0, 0}, "there is no such file or folder", ""}));
  } else if (fs::is_directory(path, error)) {
    if (isSteppedRun(path))
      report.rows.push_back(runStepped(path, options));
    else
      runFolder(path, options, report);
    if (report.rows.empty())
      report.rows.push_back(failed(path, "",
                                   {Severity::Error,
                                    {path, 0, 0},
                                    "there is no record in this folder",
                                    "records are topology files, vectors and stepped runs"}));
  } else if (auto row = runFile(path, options)) {
    report.rows.push_back(std::move(*row));
  } else {
    report.rows.push_back(failed(path, "",
                                 {Severity::Error,
                                  {path, 0, 0},
                                  "this is no record of a kernel",
                                  "records are topology files (.json), vectors (.jsonl, .jsonl.gz), "
                                  "folders of stepped runs and decisions.json with pelt_ticks"}));
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
