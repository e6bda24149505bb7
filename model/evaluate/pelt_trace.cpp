// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/pelt_trace.h"

#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "evaluate/hand_machine.h"
#include "formats/line_reader.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr std::size_t kShown = 8;

/// The value after " key=" (or "key=" at the start), up to the next space; empty when absent.
std::string_view valueOf(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const std::size_t equals = at + key.size();
    const bool isWhole = (at == 0 || text[at - 1] == ' ') && equals < text.size() && text[equals] == '=';
    if (!isWhole) continue;
    const std::string_view rest = text.substr(equals + 1);
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

std::uint64_t numberOf(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint64_t field(std::string_view text, std::string_view key) { return numberOf(valueOf(text, key)); }

/// "    wl-202     [000] d..2.     5.015109: pelt_se: ..."
struct TraceLine {
  std::uint64_t pid = 0;  ///< the current task
  int cpu = 0;
  std::string_view event;
  std::string_view body;
};

std::optional<TraceLine> parseLine(std::string_view text) {
  const std::size_t open = text.find(" [");
  const std::size_t close = text.find("] ", open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos || text.starts_with("#"))
    return std::nullopt;
  TraceLine line;
  std::string_view head = text.substr(0, open);
  while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  line.pid = numberOf(head.substr(head.rfind('-') + 1));
  line.cpu = static_cast<int>(numberOf(text.substr(open + 2, close - open - 2)));
  const std::size_t time = text.find(": ", close);
  if (time == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(time + 2);
  const std::size_t name = rest.find(": ");
  if (name == std::string_view::npos) return std::nullopt;
  line.event = rest.substr(0, name);
  line.body = rest.substr(name + 2);
  return line;
}

class PeltTraceReplay {
 public:
  explicit PeltTraceReplay(const KernelProfile& profile)
      : m_machine(handMachine(HandTopology(1).finish(), profile)),
        m_entity(m_machine.task(addTask(m_machine, NewTask{})).se) {}

  void take(const TraceLine& line, int lineNumber) {
    if (line.event == "pelt_se" || line.event == "pelt_bl")
      takeUpdate(line, lineNumber);
    else if (line.event == "sched_switch")
      takeSwitch(line.body);
    else if (line.event == "sched_wakeup" || line.event == "sched_wakeup_new")
      m_asleep.erase(field(line.body, "pid"));
    else if (line.event == "sched_process_exit")
      m_exiting.insert(field(line.body, "pid"));
  }
  ReplayReport report() { return std::move(m_report); }

 private:
  struct State {
    SchedAvg avg;
    std::uint64_t weight = 0;
    int cpu = 0;
  };

  void takeSwitch(std::string_view body) {
    const std::uint64_t prev = field(body, "prev_pid");
    if (!valueOf(body, "prev_state").starts_with("R")) m_asleep.insert(prev);
    m_asleep.erase(field(body, "next_pid"));
  }

  static SchedAvg recorded(std::string_view body) {
    SchedAvg avg;
    avg.lastUpdateTime = field(body, "lut");
    avg.loadSum = field(body, "load_sum");
    avg.runnableSum = field(body, "run_sum");
    avg.utilSum = static_cast<std::uint32_t>(field(body, "util_sum"));
    avg.periodContrib = static_cast<std::uint32_t>(field(body, "contrib"));
    avg.loadAvg = field(body, "load");
    avg.runnableAvg = field(body, "run");
    avg.utilAvg = field(body, "util");
    return avg;
  }

  void takeUpdate(const TraceLine& line, int lineNumber) {
    const std::uint64_t pid = field(line.body, "pid");
    const SchedAvg kernel = recorded(line.body);
    const std::uint64_t weight = field(line.body, "weight");
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
    const std::uint64_t now = field(line.body, "now");
    if (line.event == "pelt_bl") return updateLoadAvgBlockedSe(now, se);
    se.onRq = field(line.body, "on_rq") != 0;
    se.schedDelayed = se.onRq && m_asleep.contains(pid);
    CfsRq& queue = m_machine.queue(se.cfsRq);
    queue.curr = queue.hCurr = line.pid == pid && !se.schedDelayed ? m_entity : EntityId{};
    return updateLoadAvgSe(m_machine, now, queue, m_entity);
  }

  void compare(const SchedAvg& kernel, bool decayed, const TraceLine& line, int lineNumber) {
    const SchedAvg& ours = m_machine.entity(m_entity).avg;
    std::string what;
    const auto check = [&](std::string_view name, std::uint64_t theirs, std::uint64_t here) {
      if (theirs != here) what += fmt::format(" {}: kernel {}, here {};", name, theirs, here);
    };
    check("ret", field(line.body, "ret"), decayed ? 1 : 0);
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
          fmt::format("line {} pid {}:{}", lineNumber, field(line.body, "pid"), what));
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
    if (const auto line = parseLine(text)) replay.take(*line, reader.value().lineNumber());
  if (reader.value().error()) return *reader.value().error();
  ReplayReport report = replay.report();
  report.file = tracePathOf(path);
  report.kernel = profile.value().name;
  return report;
}

}  // namespace rqscope
