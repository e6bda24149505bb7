// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/reproduce_work.h"

namespace rqscope::api {
namespace {

constexpr double kSameScalePercent = 5;

using Rows = std::vector<ReproducedRow>;

/// The rows of one case, base first.
struct Case {
  std::size_t begin = 0, end = 0;
};

std::vector<Case> casesOf(const Rows& rows) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (cases.empty() || rows[cases.back().begin].caseName != rows[i].caseName) cases.push_back({i, i});
    cases.back().end = i + 1;
  }
  return cases;
}

constexpr const char* kSame = "same sign";
constexpr const char* kOther = "other sign";
constexpr const char* kNoEffect = "model's change within its spread";

/// Change against base in percent, and how far both figures may be off as published.
double changePercent(double ratio) { return 100 * (ratio - 1); }
double spreadOf(const ReproducedRow& row, const ReproducedRow& base) {
  return row.publishedSpreadPercent +
         (row.publishedBase > 0 ? row.publishedBaseSpreadPercent : base.publishedSpreadPercent);
}

/// Percentiles of wakeup latencies and the build beside them have no published spread, so their changes have
/// no sign to judge.
bool isLatency(const ReproducedRow& row) { return row.unit == "us"; }
bool isCheck(const ReproducedRow& row) { return isLatency(row) || row.unit == "builds/h"; }

/// How far the seeds of the row are apart in the model, in percent.
double seedSpreadOf(const ReproducedRow& row) {
  for (const auto& [key, value] : row.figures)
    if (key == kSeedSpreadKey) return value;
  return 0;
}

void judgeRow(ReproducedRow& row, const ReproducedRow& base) {
  const double publishedBase = row.publishedBase > 0 ? row.publishedBase : base.published;
  if (base.model > 0) row.modelRatio = row.model / base.model;
  if (publishedBase <= 0 || row.published <= 0) return;
  row.publishedRatio = row.published / publishedBase;
  row.deviationPercent = 100 * (row.modelRatio / row.publishedRatio - 1);
  if (&row == &base || isCheck(row)) return;
  const double published = changePercent(row.publishedRatio), model = changePercent(row.modelRatio);
  if (std::abs(published) <= spreadOf(row, base))
    row.verdict = "published change within its spread";
  else if (std::abs(model) <= std::max(seedSpreadOf(row), seedSpreadOf(base)))
    row.verdict = kNoEffect;
  else
    row.verdict = (published > 0) == (model > 0) ? kSame : kOther;
}

/// "3 of 4 ..., not: a, b".
std::string countText(std::size_t good, std::size_t all, const std::string& what,
                      const std::vector<std::string>& bad) {
  std::string text = fmt::format("{} of {} {}", good, all, what);
  for (std::size_t i = 0; i < bad.size(); ++i) text += (i == 0 ? "; not: " : "; ") + bad[i];
  return text;
}

/// Of the table's own variants, or of those that were published against another base.
std::string signFinding(const Rows& rows, bool ofAnotherTable) {
  std::size_t all = 0, good = 0;
  std::vector<std::string> bad;
  for (const ReproducedRow& row : rows) {
    const bool isJudged = row.verdict == kSame || row.verdict == kOther || row.verdict == kNoEffect;
    if (row.label == "fitted" || !isJudged) continue;
    if ((row.publishedBase > 0) != ofAnotherTable) continue;
    ++all;
    if (row.verdict == kSame)
      ++good;
    else
      bad.push_back(fmt::format("{} {} ({:+.1f} % published, {:+.1f} % model{})", row.caseName, row.name,
                                changePercent(row.publishedRatio), changePercent(row.modelRatio),
                                row.verdict == kNoEffect ? ", within its spread" : ""));
  }
  return countText(good, all,
                   ofAnotherTable ? "changes of the later posting beyond their spread have the published sign"
                                  : "changes beyond their published spread have the published sign",
                   bad);
}

std::string orderFinding(const Rows& rows, const std::vector<Case>& cases) {
  std::size_t all = 0, good = 0;
  std::vector<std::string> bad;
  for (const Case& c : cases) {
    if (c.end - c.begin < 3 || !rows[c.begin].caseName.ends_with("SPR")) continue;
    ++all;
    const double base = rows[c.begin].model, node = rows[c.begin + 1].model, delay = rows[c.begin + 2].model;
    if (base <= node && node <= delay)
      ++good;
    else
      bad.push_back(fmt::format("{} (1, {:.3f}, {:.3f})", rows[c.begin].caseName, node / base, delay / base));
  }
  return countText(good, all, "cases on SPR have base <= node <= delay", bad);
}

std::string scaleFinding(const Rows& rows) {
  double worst = 0;
  std::string where;
  for (const ReproducedRow& row : rows) {
    if (row.model <= 0 || row.otherScale <= 0) continue;
    const double off = 100 * std::abs(row.otherScale / row.model - 1);
    if (off <= worst) continue;
    worst = off;
    where = row.caseName + " " + row.name;
  }
  return fmt::format("half the measured time gives the same figures within {:.1f} % (most in {}){}", worst,
                     where, worst <= kSameScalePercent ? "" : ": too far for that row");
}

/// Name without the load and the load as a number: "netperf UDP_RR on SPR", 75.
std::pair<std::string, int> splitLoad(const std::string& caseName) {
  const std::size_t comma = caseName.find(", "), equals = caseName.find('='), on = caseName.find(" on ");
  if (comma == std::string::npos || equals == std::string::npos || on == std::string::npos)
    return {caseName, 0};
  return {caseName.substr(0, comma) + caseName.substr(on), std::atoi(caseName.c_str() + equals + 1)};
}

/// The last variant of the case's own table.
const ReproducedRow& wholeSeries(const Rows& rows, const Case& c) {
  std::size_t last = c.begin;
  for (std::size_t i = c.begin; i < c.end; ++i)
    if (rows[i].published > 0 && rows[i].publishedBase == 0) last = i;
  return rows[last];
}

/// How the percentiles of latency change in both, at most.
std::string latencyFinding(const Rows& rows) {
  double low = 0, high = 0, publishedLow = 0, publishedHigh = 0;
  bool any = false;
  for (const ReproducedRow& row : rows) {
    if (!isLatency(row) || row.publishedRatio == 1) continue;
    const auto widen = [&](double& least, double& most, double change) {
      least = any ? std::min(least, change) : change;
      most = any ? std::max(most, change) : change;
    };
    widen(publishedLow, publishedHigh, changePercent(row.publishedRatio));
    widen(low, high, changePercent(row.modelRatio));
    any = true;
  }
  if (!any) return {};
  return fmt::format(
      "latency check: the series moves the percentiles of schbench by {:+.0f} to {:+.0f} % in the model, by "
      "{:+.0f} to {:+.0f} % as published",
      low, high, publishedLow, publishedHigh);
}

/// Whether the best gain moves with the load in the model as it does in the table.
std::vector<std::string> loadFindings(const Rows& rows, const std::vector<Case>& cases) {
  std::vector<std::string> out;
  for (std::size_t a = 0; a < cases.size(); ++a) {
    const auto [name, load] = splitLoad(rows[cases[a].begin].caseName);
    for (std::size_t b = 0; b < cases.size(); ++b) {
      const auto [otherName, otherLoad] = splitLoad(rows[cases[b].begin].caseName);
      if (name != otherName || load >= otherLoad) continue;
      const bool isNext = std::none_of(cases.begin(), cases.end(), [&](const Case& c) {
        const auto [n, l] = splitLoad(rows[c.begin].caseName);
        return n == name && l > load && l < otherLoad;
      });
      if (!isNext) continue;
      const ReproducedRow& low = wholeSeries(rows, cases[a]);
      const ReproducedRow& high = wholeSeries(rows, cases[b]);
      const bool publishedGrows = high.publishedRatio > low.publishedRatio;
      const bool modelGrows = high.modelRatio > low.modelRatio;
      out.push_back(
          fmt::format("{}: from load {} to {} the whole series' gain goes from {:+.0f} % to {:+.0f} % as "
                      "published and from {:+.0f} % to {:+.0f} % in the model{}",
                      name, load, otherLoad, changePercent(low.publishedRatio),
                      changePercent(high.publishedRatio), changePercent(low.modelRatio),
                      changePercent(high.modelRatio), publishedGrows == modelGrows ? "" : ": the other way"));
    }
  }
  return out;
}

}  // namespace

void judgeRatios(Reproduction& out) {
  const std::vector<Case> cases = casesOf(out.rows);
  for (const Case& c : cases)
    for (std::size_t i = c.begin; i < c.end; ++i) judgeRow(out.rows[i], out.rows[c.begin]);
  out.findings = {signFinding(out.rows, false), orderFinding(out.rows, cases)};
  for (std::string& finding : loadFindings(out.rows, cases)) out.findings.push_back(std::move(finding));
  const bool hasLater = std::any_of(out.rows.begin(), out.rows.end(),
                                    [](const ReproducedRow& row) { return row.publishedBase > 0; });
  if (hasLater) out.findings.push_back(signFinding(out.rows, true));
  if (std::string finding = latencyFinding(out.rows); !finding.empty())
    out.findings.push_back(std::move(finding));
  out.findings.push_back(scaleFinding(out.rows));
}

}  // namespace rqscope::api
