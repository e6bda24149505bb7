// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/pelt_trace.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "evaluate/hand_machine.h"
#include "formats/line_reader.h"
#include "formats/trace_line.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr std::size_t kShown = 8;

class PeltTraceReplay {
 public:
  explicit PeltTraceReplay(const KernelProfile& profile)
      : m_machine(handMachine(HandTopology(1).finish(), profile)),
        m_entity(m_machine.task(addTask(m_machine, NewTask{})).se) {}

  void take(const TraceLine& line, int lineNumber) {
    if (line.event == "pelt_se" || line.event == "pelt_bl")
      takeUpdate(line, lineNumber);
    else if (line.event == "sched_switch")
      takeSwitch(line);
    else if (line.event == "sched_wakeup" || line.event == "sched_wakeup_new")
      m_asleep.erase(line.number("pid"));
    else if (line.event == "sched_process_exit")
      m_exiting.insert(line.number("pid"));
  }
  ReplayReport report() { return std::move(m_report); }

 private:
  struct State {
    SchedAvg avg;
    std::uint64_t weight = 0;
    int cpu = 0;
  };

  void takeSwitch(const TraceLine& line) {
    const std::uint64_t prev = line.number("prev_pid");
    if (!line.value("prev_state").starts_with("R")) m_asleep.insert(prev);
    m_asleep.erase(line.number("next_pid"));
  }

  static SchedAvg recorded(const TraceLine& line) {
    SchedAvg avg;
    avg.lastUpdateTime = line.number("lut");
    avg.loadSum = line.number("load_sum");
    avg.runnableSum = line.number("run_sum");
    avg.utilSum = static_cast<std::uint32_t>(line.number("util_sum"));
    avg.periodContrib = static_cast<std::uint32_t>(line.number("contrib"));
    avg.loadAvg = line.number("load");
    avg.runnableAvg = line.number("run");
    avg.utilAvg = line.number("util");
    return avg;
  }

  void takeUpdate(const TraceLine& line, int lineNumber) {
    const std::uint64_t pid = line.number("pid");
    const SchedAvg kernel = recorded(line);
    const std::uint64_t weight = line.number("weight");
    ++m_report.records;
    const auto before = m_states.find(pid);
    const bool follows =
        before != m_states.end() && before->second.cpu == line.cpu && !m_exiting.contains(pid);
    if (!follows || weight == 0) {
      ++m_report.notDerivable;
    } else {
      const bool decayed = update(before->second, line, pid, weight);
      compare(kernel, decayed, line, lineNumber);
    }
    m_states.insert_or_assign(pid, State{kernel, weight, line.cpu});
  }

  bool update(const State& before, const TraceLine& line, std::uint64_t pid, std::uint64_t weight) {
    SchedEntity& se = m_machine.entity(m_entity);
    se.avg = before.avg;
    se.load = {weight, 0};
    // A new weight in between has recomputed the average from the sum. Kernel: reweight_entity().
    if (before.weight != weight) se.avg.loadAvg = seWeight(se) * se.avg.loadSum / peltDivider(se.avg);
    const std::uint64_t now = line.number("now");
    if (line.event == "pelt_bl") return updateLoadAvgBlockedSe(now, se);
    se.onRq = line.number("on_rq") != 0;
    se.schedDelayed = se.onRq && m_asleep.contains(pid);
    CfsRq& queue = m_machine.queue(se.cfsRq);
    queue.curr = queue.hCurr =
        static_cast<std::uint64_t>(line.pid) == pid && !se.schedDelayed ? m_entity : EntityId{};
    return updateLoadAvgSe(m_machine, now, queue, m_entity);
  }

  void compare(const SchedAvg& kernel, bool decayed, const TraceLine& line, int lineNumber) {
    const SchedAvg& ours = m_machine.entity(m_entity).avg;
    std::string what;
    const auto check = [&](std::string_view name, std::uint64_t theirs, std::uint64_t here) {
      if (theirs != here) what += fmt::format(" {}: kernel {}, here {};", name, theirs, here);
    };
    check("ret", line.number("ret"), decayed ? 1 : 0);
    check("lut", kernel.lastUpdateTime, ours.lastUpdateTime);
    check("contrib", kernel.periodContrib, ours.periodContrib);
    check("load_sum", kernel.loadSum, ours.loadSum);
    check("run_sum", kernel.runnableSum, ours.runnableSum);
    check("util_sum", kernel.utilSum, ours.utilSum);
    check("load", kernel.loadAvg, ours.loadAvg);
    check("run", kernel.runnableAvg, ours.runnableAvg);
    check("util", kernel.utilAvg, ours.utilAvg);
    if (what.empty()) {
      ++m_report.equal;
      return;
    }
    ++m_report.different;
    if (m_report.firstDifferent.size() < kShown)
      m_report.firstDifferent.push_back(
          fmt::format("line {} pid {}:{}", lineNumber, line.number("pid"), what));
  }

  Machine m_machine;
  EntityId m_entity;
  std::map<std::uint64_t, State> m_states;  ///< by pid
  std::set<std::uint64_t> m_asleep;         ///< switched out to sleep, not woken since
  std::set<std::uint64_t> m_exiting;
  ReplayReport m_report;
};

/// The trace that a .pelt.csv was made from.
std::string tracePathOf(const std::string& path) {
  constexpr std::string_view kEnding = ".pelt.csv";
  if (!path.ends_with(kEnding)) return path;
  const std::string plain = path.substr(0, path.size() - kEnding.size()) + ".trace.txt";
  return std::filesystem::exists(plain) ? plain : plain + ".gz";
}

}  // namespace

Result<ReplayReport> verifyPeltTrace(const std::string& path, const std::string& kernel) {
  const Result<KernelProfile> profile = kernelProfile(kernel);
  if (!profile) return profile.diagnostics();
  Result<LineReader> reader = LineReader::open(tracePathOf(path));
  if (!reader) return reader.diagnostics();
  PeltTraceReplay replay(profile.value());
  std::string text;
  while (reader.value().next(text))
    if (const auto line = splitTraceLine(text)) replay.take(*line, reader.value().lineNumber());
  if (reader.value().error()) return *reader.value().error();
  ReplayReport report = replay.report();
  report.file = tracePathOf(path);
  report.kernel = profile.value().name;
  return report;
}

}  // namespace rqscope
