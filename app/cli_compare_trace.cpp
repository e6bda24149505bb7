// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli_commands.h"
#include "cli_compare_trace.h"
#include "cli_output.h"
#include "look/ladder_text.h"
#include "look/words.h"
#include "rqscope/trace_comparison.h"

namespace rqscope::app {

namespace {

constexpr std::size_t kRowsShown = 24;

using Row = std::vector<std::string>;

std::string shareText(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? "-"
                    : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string countOf(std::size_t part, std::size_t whole) { return fmt::format("{} of {}", part, whole); }

std::string headText(const api::TraceReport& r) {
  std::string text = fmt::format(
      "{} ({}): {} from {:.6f} s on, {} tasks\nbeside the model: {} CPUs ({}), {}{}\n", r.file, r.dialect,
      look::timeText(r.lengthNs), static_cast<double>(r.startNs) / 1e9, r.tasks.size(), r.cpus.size(),
      r.machineName, r.kernel, r.patches.empty() ? "" : fmt::format(", {}", fmt::join(r.patches, ", ")));
  if (r.tasksLeftOut != 0)
    text += fmt::format("{} tasks of other classes ({}) are left out\n", r.tasksLeftOut,
                        look::timeText(r.leftOutNs));
  if (r.lostEvents != 0) text += fmt::format("{} events of the trace were lost\n", r.lostEvents);
  return text +
         "The work is the trace's: each task is woken when and from where it was, and computes as long as it "
         "did.\nWhere it runs, in which order, and what is moved, the model decides (behaves; what it costs "
         "is "
         "not modelled).\n";
}

std::string sideText(const api::SideMoment::Cpu& cpu) {
  std::string text = cpu.running.empty() ? "idle" : cpu.running;
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < cpu.waiting.size() && i < kShown; ++i)
    text += (i == 0 ? " | " : ", ") + cpu.waiting[i];
  if (cpu.waiting.size() > kShown) text += fmt::format(", {} more", cpu.waiting.size() - kShown);
  return text;
}

/// CPUs on which the two sides differ; those of the parting in any case.
std::string momentText(const api::BothSides<api::SideMoment>& moment, const api::Parting& parting) {
  std::vector<Row> rows{{"", "machine: runs | waits", "model: runs | waits"}};
  for (std::size_t i = 0; i < moment.machine.cpus.size() && i < moment.model.cpus.size(); ++i) {
    const auto &a = moment.machine.cpus[i], &b = moment.model.cpus[i];
    const bool isOfParting = a.cpu == parting.cpu || a.cpu == parting.cpus.machine ||
                             a.cpu == parting.cpus.model || a.cpu == parting.fromCpu;
    if (!isOfParting && sideText(a) == sideText(b)) continue;
    if (rows.size() > kRowsShown) break;
    rows.push_back({fmt::format("CPU {}", a.cpu), sideText(a), sideText(b)});
  }
  return tableText(rows);
}

void printFirst(api::TraceComparison& comparison) {
  const api::TraceReport& r = comparison.report();
  if (r.partings.empty()) {
    fmt::print("\nMachine and model never part (within {}).\n", look::timeText(r.windowNs));
    return;
  }
  const api::Parting& first = r.partings.front();
  fmt::print("\nMachine and model part first at {} ({:.6f} s of the trace):\n{}\n\n{}",
             look::timeText(first.timeNs), static_cast<double>(r.startNs + first.timeNs) / 1e9, first.text(),
             momentText(comparison.at(first.timeNs), first));
  if (first.kind == api::Parting::Kind::Turn) return;
  if (const auto ladder = comparison.decisionAt(first))
    fmt::print("\nThe model's decision:\n{}", look::ladderText(*ladder));
  else
    fmt::print("\nThe model takes no decision for CPU {} within {}.\n",
               first.kind == api::Parting::Kind::Wakeup ? first.cpus.model : first.cpu,
               look::timeText(r.windowNs));
}

std::string latencyText(const api::LatencyFigures& latency, std::size_t at) {
  return at < latency.percentiles.size() ? look::timeText(latency.percentiles[at].second) : "-";
}

Row countRow(const std::string& name, const api::MatchedCount& count) {
  return {name, fmt::format("{}", count.machine), fmt::format("{}", count.model),
          count.machine == 0 ? "-" : countOf(count.agree, count.machine)};
}

std::string outcomesText(const api::TraceReport& r) {
  std::vector<Row> rows{{"", "machine", "model", "agree"}};
  rows.push_back(
      {"context switches", fmt::format("{}", r.switches.machine), fmt::format("{}", r.switches.model), ""});
  rows.push_back(countRow("wakeups, on the same CPU", r.wakeups));
  rows.push_back(countRow("migrations by wakeups", r.wakeupMoves));
  rows.push_back(countRow("other migrations", r.otherMoves));
  for (std::size_t i = 0;
       i < std::max(r.latency.machine.percentiles.size(), r.latency.model.percentiles.size()); ++i) {
    const auto& from = i < r.latency.machine.percentiles.size() ? r.latency.machine : r.latency.model;
    const double percent = from.percentiles[i].first;
    rows.push_back(
        {percent == 100 ? "wakeup latency, longest" : fmt::format("wakeup latency, {:g} %", percent),
         latencyText(r.latency.machine, i), latencyText(r.latency.model, i), ""});
  }
  rows.push_back({"idle while work waited", r.hasWakeups ? look::timeText(r.idleWhileWaitingNs.machine) : "-",
                  look::timeText(r.idleWhileWaitingNs.model), ""});
  rows.push_back({"CPUs run the same task", "", "", shareText(r.sameCpuNs, r.comparedCpuNs)});
  rows.push_back({"tasks run on the same CPU", "", "", shareText(r.sameRunNs, r.eitherRunNs)});
  return tableText(rows);
}

std::string cpusText(const api::TraceReport& r) {
  std::vector<Row> rows{{"CPU", "same task", "busy, machine", "model", "switches, machine", "model"}};
  for (const api::CpuAgreement& c : r.cpus) {
    if (rows.size() > kRowsShown) break;
    rows.push_back({fmt::format("{}", c.cpu), shareText(c.sameNs, c.comparedNs),
                    look::timeText(c.busyNs.machine), look::timeText(c.busyNs.model),
                    fmt::format("{}", c.switches.machine), fmt::format("{}", c.switches.model)});
  }
  std::string text = tableText(rows);
  if (r.cpus.size() > kRowsShown)
    text += fmt::format("... and {} CPUs more (--json has all)\n", r.cpus.size() - kRowsShown);
  return text;
}

/// The tasks that ran longest come first.
std::string tasksText(const api::TraceReport& r) {
  std::vector<const api::TaskAgreement*> tasks;
  for (const api::TaskAgreement& task : r.tasks) tasks.push_back(&task);
  std::ranges::stable_sort(tasks, std::ranges::greater{}, [](const auto* t) { return t->ranNs.machine; });
  std::vector<Row> rows{{"task", "ran, machine", "model", "same CPU, of running", "of awake",
                         "migrations, machine", "model", "agree"}};
  for (const api::TaskAgreement* t : tasks) {
    if (rows.size() > kRowsShown) break;
    rows.push_back({fmt::format("{}-{}", t->name, t->pid), look::timeText(t->ranNs.machine),
                    look::timeText(t->ranNs.model), shareText(t->sameRunNs, t->eitherRunNs),
                    shareText(t->samePlaceNs, t->eitherAwakeNs), fmt::format("{}", t->moves.machine),
                    fmt::format("{}", t->moves.model), fmt::format("{}", t->moves.agree)});
  }
  std::string text = tableText(rows);
  if (tasks.size() > kRowsShown)
    text += fmt::format("... and {} tasks more (--json has all)\n", tasks.size() - kRowsShown);
  return text;
}

std::string segmentsText(const api::TraceReport& r) {
  if (!r.segments) return "";
  const api::SegmentAgreement& s = *r.segments;
  if (s.segments == 0)
    return fmt::format("\nThe trace is too short for segments of {}.\n", look::timeText(s.lengthNs));
  std::string text = fmt::format(
      "\nAnew from the trace's state every {}: {} segments\n"
      "  the machine's next migration is the model's too in {}; of segments without one the model moves none "
      "in {}\n"
      "  migrations {}, wakeups on the same CPU {}, CPUs run the same task {}\n  without a parting {}{}\n",
      look::timeText(s.lengthNs), s.segments, countOf(s.nextMoveAgrees, s.withMove),
      countOf(s.noMoveInBoth, s.noMove), countOf(s.moves.agree, s.moves.machine),
      countOf(s.wakeups.agree, s.wakeups.machine), shareText(s.sameCpuNs.model, s.sameCpuNs.machine),
      countOf(s.withoutParting, s.segments),
      s.medianPartingNs < 0 ? std::string{}
                            : fmt::format(", half part within {}", look::timeText(s.medianPartingNs)));
  text += fmt::format("  first partings: {} wakeups, {} migrations, {} turns\n", s.firstPartings[0],
                      s.firstPartings[1], s.firstPartings[2]);
  return text + fmt::format(
                    "Event by event, each from the trace's state: the model picks the same next task in {} "
                    "switches,\n"
                    "and the same CPU in {} wakeups\n",
                    countOf(s.picksAgree, s.switches), countOf(s.choicesAgree, s.choices));
}

std::string partingsText(const api::TraceReport& r, std::size_t shown) {
  std::string text =
      fmt::format("\n{} partings, {} of them fresh (the task was at the same place in both until then)\n",
                  r.partingsInAll, r.freshPartings);
  std::size_t count = 0;
  for (const api::Parting& p : r.partings) {
    if (count++ == shown) break;
    text +=
        fmt::format("  {:>12}  {}{}\n", look::timeText(p.timeNs), p.isFresh ? "" : "(follows) ", p.text());
  }
  return text;
}

}  // namespace

int compareTrace(const CliOptions& options) {
  api::TraceComparisonOptions how;
  how.windowNs = options.windowNs;
  how.segmentNs = options.segmentNs;
  auto opened = api::TraceComparison::open(options.paths.front(), options.overrides, how);
  printProblems(opened.problems);
  if (opened.comparison == nullptr) return kBadInput;
  api::TraceComparison& comparison = *opened.comparison;
  {
    Progress progress(options.paths.front(), options.quiet);
    constexpr int kAtOnceMs = 250;
    while (!comparison.run(kAtOnceMs)) progress.say(comparison.progress());
  }
  if (options.json) {
    printJson(traceComparisonJson(comparison));
    return kDone;
  }
  const api::TraceReport& report = comparison.report();
  fmt::print("{}", headText(report));
  printFirst(comparison);
  fmt::print("\n{}\n{}\n{}{}{}", outcomesText(report), cpusText(report), tasksText(report),
             segmentsText(report), partingsText(report, static_cast<std::size_t>(options.shown)));
  return kDone;
}

}  // namespace rqscope::app
