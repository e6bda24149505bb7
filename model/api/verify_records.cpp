// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/verify_records.h"

#include <fmt/format.h>

#include <algorithm>

#include "evaluate/stepped.h"
#include "evaluate/topology_records.h"
#include "evaluate/verify_vectors.h"

namespace rqscope::api {

namespace {

void takeShown(std::vector<std::string>& out, std::string line, const VerifyOptions& options) {
  if (out.size() < static_cast<std::size_t>(std::max(options.shown, 0))) out.push_back(std::move(line));
}

}  // namespace

VerifyRow failedRow(const std::string& file, std::string kind, const Diagnostic& error) {
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
  if (!report) return failedRow(path, "vectors", report.error());
  const VectorReport& r = report.value();
  VerifyRow row{path,
                "vectors",
                r.kernel,
                static_cast<std::uint64_t>(r.cases),
                static_cast<std::uint64_t>(r.equal),
                static_cast<std::uint64_t>(r.different),
                0,
                "",
                {},
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
  if (!report) return failedRow(folder, "stepped", report.error());
  const SteppedReport& r = report.value();
  VerifyRow row{folder, "stepped", r.kernel, r.lines, r.equal, r.lines - r.equal + r.extraLines,
                0,      "",        {},       {}};
  for (const SteppedDifference& d : r.first)
    takeShown(row.details,
              fmt::format("tick {} {} {}.{}: kernel {}, model {}", d.tick, d.phase, d.line, d.field, d.kernel,
                          d.model),
              options);
  return row;
}

VerifyRow runTopology(const nlohmann::json& record, const std::string& path, const VerifyOptions& options) {
  const auto report = verifyTopologyRecord(record, path);
  if (!report) return failedRow(path, "topology", report.error());
  const TopologyRecordReport& r = report.value();
  const auto compared = static_cast<std::uint64_t>(std::max(r.comparedFields, 0));
  const auto different = std::min<std::uint64_t>(compared, r.differences.size());
  VerifyRow row{path, "topology", r.profile, compared, compared - different, r.differences.size(),
                0,    "",         {},        {}};
  for (const FieldDifference& d : r.differences)
    takeShown(row.details, fmt::format("{}: kernel {}, model {}", d.field, d.expected, d.actual), options);
  return row;
}

VerifyRow runReplay(const std::string& path, const std::string& kind, const Result<ReplayReport>& report,
                    const VerifyOptions& options) {
  if (!report) return failedRow(path, kind, report.error());
  const ReplayReport& r = report.value();
  VerifyRow row{path,
                kind,
                r.kernel,
                static_cast<std::uint64_t>(r.equal + r.different),
                static_cast<std::uint64_t>(r.equal),
                static_cast<std::uint64_t>(r.different),
                static_cast<std::uint64_t>(r.notDerivable),
                "",
                {},
                {}};
  for (const std::string& line : r.firstDifferent) takeShown(row.details, line, options);
  return row;
}

VerifyRow runDecisions(const std::string& path, const Result<DecisionReport>& report,
                       const VerifyOptions& options) {
  if (!report) return failedRow(path, "decisions", report.error());
  VerifyRow row;
  row.file = path;
  row.kind = "decisions";
  row.kernel = report.value().kernel;
  for (const CheckedKind& kind : report.value().kinds) {
    row.compared += static_cast<std::uint64_t>(kind.compared);
    row.equal += static_cast<std::uint64_t>(kind.equal);
    row.different += static_cast<std::uint64_t>(kind.different);
    row.notDerivable += static_cast<std::uint64_t>(kind.taken);
  }
  for (const std::string& line : report.value().firstDifferent) takeShown(row.details, line, options);
  return row;
}

namespace {

FreeRunSegments segmentsOf(const SegmentsReport& s) {
  FreeRunSegments out{s.segments,    s.withoutDifference, s.lengthMs,  s.medianMs,     s.passesReal,
                      s.passesModel, s.passesAgree,       s.movesReal, s.movesModel,   s.movesAgree,
                      s.switches,    s.picksAgree,        s.wakeups,   s.choicesAgree, {}};
  for (const CauseCount& cause : s.causes) out.causes.push_back({cause.kind, cause.count, cause.example});
  return out;
}

}  // namespace

VerifyRow runFree(const std::string& path, const Result<FreeRunReport>& report,
                  const VerifyOptions& options) {
  if (!report) return failedRow(path, "free_run", report.error());
  const FreeRunReport& r = report.value();
  VerifyRow row;
  row.file = path;
  row.kind = "free_run";
  row.kernel = r.kernel;
  FreeRun out{r.fromMs,
              r.passesToMs,
              r.passesReal,
              r.passesModel,
              r.passesAgree,
              r.movesReal,
              r.movesModel,
              r.movesAgree,
              r.passesBeforeDifference,
              r.firstDifferenceMs,
              r.firstDifference,
              r.cause,
              r.pullReal,
              r.pullModel,
              r.endReal,
              r.endModel,
              {},
              {},
              {}};
  if (r.segments) out.segments = segmentsOf(*r.segments);
  for (const SideBySide& line : r.rows) out.rows.emplace_back(line.real, line.model);
  for (const SpanCheck& check : r.checks) {
    out.checks.push_back({check.what, check.allowed, check.found, check.isInside});
    ++row.compared;
    ++(check.isInside ? row.equal : row.different);
    if (!check.isInside)
      takeShown(row.details,
                fmt::format("free run: {}: real runs {}, model {}", check.what, check.allowed, check.found),
                options);
  }
  row.freeRun = std::move(out);
  return row;
}

}  // namespace rqscope::api
