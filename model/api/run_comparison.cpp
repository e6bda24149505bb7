// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/run_comparison.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace rqscope::api {

namespace {

using Summary = Simulation::DecisionSummary;
constexpr std::size_t kManyDecisions = 10'000'000;
constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
/// A run that does not move for so many slices of time has nothing left to happen.
constexpr int kPatience = 40;

bool isSamePlace(const Summary& a, const Summary& b) {
  return a.timeNs == b.timeNs && a.cpu == b.cpu && a.kind == b.kind && a.domainName == b.domainName;
}

bool isSame(const Summary& a, const Summary& b) { return isSamePlace(a, b) && a.result == b.result; }

std::vector<Summary> decisionsOf(const Simulation& run) { return run.decisions(0, kForever, kManyDecisions); }

/// Decisions of one moment of both runs, matched by CPU, kind and domain in their order.
void matchMoment(const std::vector<Summary>& a, std::size_t beginA, std::size_t endA,
                 const std::vector<Summary>& b, std::size_t beginB, std::size_t endB,
                 std::vector<Difference>& out) {
  std::vector<bool> isTaken(endB - beginB);
  const auto add = [&](const Summary& s, const Summary* ofA, const Summary* ofB) {
    if (out.size() >= RunComparison::kMostDifferences) return;
    Difference d{s.timeNs, s.cpu, s.kind, s.domainName, {}, {}, {}, {}};
    if (ofA != nullptr) {
      d.a = ofA->index;
      d.resultA = ofA->result;
    }
    if (ofB != nullptr) {
      d.b = ofB->index;
      d.resultB = ofB->result;
    }
    out.push_back(std::move(d));
  };
  for (std::size_t i = beginA; i < endA; ++i) {
    const Summary* match = nullptr;
    for (std::size_t k = beginB; k < endB && match == nullptr; ++k) {
      if (isTaken[k - beginB] || !isSamePlace(a[i], b[k])) continue;
      isTaken[k - beginB] = true;
      match = &b[k];
    }
    if (match == nullptr || match->result != a[i].result) add(a[i], &a[i], match);
  }
  for (std::size_t k = beginB; k < endB; ++k)
    if (!isTaken[k - beginB]) add(b[k], nullptr, &b[k]);
}

std::int64_t lastEnd(const Outcome& outcome) {
  std::int64_t last = -1;
  for (const Outcome::TaskEnd& task : outcome.tasks) last = std::max(last, task.endNs);
  return last;
}

std::optional<double> timeOf(std::int64_t ns) {
  return ns < 0 ? std::nullopt : std::optional(static_cast<double>(ns));
}

Series finishedOf(const Outcome& outcome, const std::string& name) {
  std::vector<std::int64_t> ends;
  for (const Outcome::TaskEnd& task : outcome.tasks)
    if (task.endNs >= 0) ends.push_back(task.endNs);
  std::ranges::sort(ends);
  Series series;
  series.name = name;
  series.isStep = true;
  series.timeNs.push_back(0);
  series.value.push_back(0);
  for (const std::int64_t end : ends) {
    series.timeNs.push_back(end);
    series.value.push_back(series.value.back() + 1);
  }
  if (outcome.timeNs > series.timeNs.back()) {
    series.timeNs.push_back(outcome.timeNs);
    series.value.push_back(series.value.back());
  }
  return series;
}

constexpr std::array kSideNames{"A", "B"};

}  // namespace

int firstDifferentRung(const Ladder& a, const Ladder& b) {
  const std::size_t common = std::min(a.rungs.size(), b.rungs.size());
  for (std::size_t i = 0; i < common; ++i)
    if (a.rungs[i] != b.rungs[i]) return static_cast<int>(i);
  if (a.rungs.size() == b.rungs.size() || common == 0) return -1;
  return static_cast<int>(common) - 1;
}

OpenedRunComparison RunComparison::open(const std::string& name, const std::string& text, const Overrides& a,
                                        const Overrides& b) {
  return open(ComparedRun{name, text, a}, ComparedRun{name, text, b});
}

OpenedRunComparison RunComparison::open(const ComparedRun& a, const ComparedRun& b) {
  OpenedRunComparison out;
  std::unique_ptr<RunComparison> comparison(new RunComparison());
  bool isGood = true;
  const std::array sides{&a, &b};
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const auto& [name, text, overrides] = *sides[side];
    Opened opened =
        text.empty() ? Simulation::open(name, overrides) : Simulation::openText(name, text, overrides);
    out.problems[side] = std::move(opened.problems);
    isGood = isGood && opened.simulation != nullptr;
    comparison->m_runs[side] = std::move(opened.simulation);
  }
  if (isGood) out.comparison = std::move(comparison);
  return out;
}

void RunComparison::cancel() {
  for (const auto& run : m_runs) run->cancel();
}

std::int64_t RunComparison::timeNs() const {
  std::int64_t least = kForever;
  for (const auto& run : m_runs) least = std::min(least, run->frame()->timeNs);
  return least;
}

bool RunComparison::run(int wallBudgetMs) {
  for (std::size_t side = 0; side < m_runs.size(); ++side) {
    if (m_isOver[side]) continue;
    Simulation& run = *m_runs[side];
    m_isOver[side] = run.runUntil({}, wallBudgetMs / 2 + 1);
    const auto frame = run.frame();
    m_still[side] = frame->eventIndex == m_lastEvent[side] ? m_still[side] + 1 : 0;
    m_lastEvent[side] = frame->eventIndex;
    m_isOver[side] = m_isOver[side] || frame->atEnd || m_still[side] >= kPatience;
    if (m_isOver[side]) m_outcomes[side] = run.outcome();
  }
  if (!m_isOver[0] || !m_isOver[1]) return false;
  findDifferences();
  return true;
}

void RunComparison::findDifferences() {
  const std::vector<Summary> a = decisionsOf(*m_runs[0]);
  const std::vector<Summary> b = decisionsOf(*m_runs[1]);
  const std::size_t common = std::min(a.size(), b.size());
  m_same = 0;
  while (m_same < common && isSame(a[m_same], b[m_same])) ++m_same;
  if (m_same < a.size()) m_first[0] = a[m_same];
  if (m_same < b.size()) m_first[1] = b[m_same];
  m_differences.clear();
  std::size_t i = m_same;
  std::size_t k = m_same;
  while (i < a.size() || k < b.size()) {
    const std::int64_t now =
        std::min(i < a.size() ? a[i].timeNs : kForever, k < b.size() ? b[k].timeNs : kForever);
    std::size_t endA = i;
    std::size_t endB = k;
    while (endA < a.size() && a[endA].timeNs == now) ++endA;
    while (endB < b.size() && b[endB].timeNs == now) ++endB;
    matchMoment(a, i, endA, b, k, endB, m_differences);
    i = endA;
    k = endB;
  }
}

std::vector<OutcomeRow> RunComparison::outcomes() const {
  const Outcome& a = m_outcomes[0];
  const Outcome& b = m_outcomes[1];
  std::vector<OutcomeRow> rows;
  const auto time = [&](const std::string& name, std::int64_t ofA, std::int64_t ofB) {
    rows.push_back({name, true, timeOf(ofA), timeOf(ofB)});
  };
  const auto count = [&](const std::string& name, std::uint64_t ofA, std::uint64_t ofB) {
    rows.push_back({name, false, static_cast<double>(ofA), static_cast<double>(ofB)});
  };
  time("last task ends", lastEnd(a), lastEnd(b));
  time("idle while work waited", static_cast<std::int64_t>(a.idleWhileWaitingNs),
       static_cast<std::int64_t>(b.idleWhileWaitingNs));
  count("migrations", a.migrations, b.migrations);
  count("balance passes", a.passes, b.passes);
  count("failed balances", a.failedPasses, b.failedPasses);
  count("placements", a.placements, b.placements);
  std::map<std::string, std::int64_t> endsOfB;
  for (const Outcome::TaskEnd& task : b.tasks) endsOfB.try_emplace(task.name, task.endNs);
  for (const Outcome::TaskEnd& task : a.tasks)
    if (const auto other = endsOfB.find(task.name); other != endsOfB.end())
      time(task.name + " ends", task.endNs, other->second);
  return rows;
}

ComparedMoment RunComparison::at(std::size_t difference) {
  ComparedMoment out;
  const Difference& d = m_differences.at(difference);
  const std::array wanted{d.a, d.b};
  for (std::size_t side = 0; side < m_runs.size(); ++side)
    if (wanted[side]) out.ladders[side] = m_runs[side]->ladder(*wanted[side]);
  if (out.ladders[0] && out.ladders[1]) out.rung = firstDifferentRung(*out.ladders[0], *out.ladders[1]);
  for (std::size_t side = 0; side < m_runs.size(); ++side) {
    Simulation& run = *m_runs[side];
    run.setViewpoint(d.cpu);
    if (!wanted[side] || !run.seekPass(*wanted[side])) {
      run.seekTime(d.timeNs);
    } else {
      for (int rung = 0; rung < out.rung; ++rung) run.step(StepKind::Rung, Direction::Forward);
    }
    out.frames[side] = run.frame();
  }
  return out;
}

ChartData RunComparison::tasksFinished() const {
  ChartData chart;
  chart.id = "tasks_finished";
  chart.title = "Tasks finished";
  chart.xLabel = "time";
  chart.yLabel = "tasks";
  for (std::size_t side = 0; side < m_runs.size(); ++side)
    chart.series.push_back(finishedOf(m_outcomes[side], kSideNames[side]));
  return chart;
}

ChartData RunComparison::chartOfCpu(const std::string& id, std::size_t cpu, int bins) const {
  ChartData out;
  const std::int64_t end = std::max(m_outcomes[0].timeNs, m_outcomes[1].timeNs);
  for (std::size_t side = 0; side < m_runs.size(); ++side) {
    ChartData chart = m_runs[side]->chart(id, 0, end, bins);
    if (side == 0) {
      out = chart;
      out.series.clear();
    }
    if (cpu >= chart.series.size()) continue;
    Series series = std::move(chart.series[cpu]);
    series.name = std::string(kSideNames[side]) + ": " + series.name;
    out.series.push_back(std::move(series));
  }
  return out;
}

}  // namespace rqscope::api
