// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/juno_trace.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "formats/line_reader.h"
#include "formats/trace_line.h"

namespace rqscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr double kNsPerMs = 1e6;

/// The stopper of a CPU works for the balancing, which the model does itself.
bool isStopper(std::string_view name) { return name.starts_with("migration/"); }

/// Simplified: a real-time thread is taken as a fair one of the greatest weight.
int niceOf(std::uint64_t prio) {
  constexpr int kNice0 = 120, kLeast = -20, kMost = 19;
  return std::clamp(static_cast<int>(prio) - kNice0, kLeast, kMost);
}

class TraceReader {
 public:
  explicit TraceReader(const json& run) {
    for (const json& task : run.at("tasks")) m_workers.insert(task.at("pid").get<std::uint64_t>());
  }

  void take(const TraceLine& line) {
    if (line.event == "tick") {
      m_lastTick[line.cpu] = m_trace.ticks.size();
      m_trace.ticks.push_back({line.ns, line.number("clk"), static_cast<std::size_t>(line.cpu), -1, -1});
    } else if (line.event == "sched_switch")
      takeSwitch(line);
    else if (line.event == "sched_wakeup" || line.event == "sched_wakeup_new")
      takeWakeup(line);
    else if (line.event.starts_with("lb_"))
      takeCall(line);
  }
  JunoTrace finish() {
    m_trace.isWhole = true;
    return std::move(m_trace);
  }

 private:
  /// A thread from outside, by its number.
  struct Thread {
    std::optional<std::uint64_t> wokenNs;  ///< not yet switched to
    bool isNew = false;
    std::optional<std::size_t> turn;  ///< its present one
    std::uint64_t runsFromNs = 0;
  };

  bool isForeign(std::uint64_t pid) const { return pid != 0 && !m_workers.contains(pid); }

  void takeWakeup(const TraceLine& line) {
    const std::uint64_t pid = line.number("pid");
    if (!isForeign(pid)) return;
    Thread& thread = m_threads[pid];
    if (thread.turn) return;
    thread.wokenNs = line.ns;
    thread.isNew = line.event == "sched_wakeup_new";
  }

  void takeSwitch(const TraceLine& line) {
    const std::uint64_t prev = line.number("prev_pid"), next = line.number("next_pid");
    if (prev != 0 && next != 0 && line.value("prev_state").starts_with("R"))
      noteDelay(line, &JunoTrace::Tick::switchNs);
    if (isForeign(prev)) {
      Thread& thread = m_threads[prev];
      if (thread.turn) m_trace.turns[*thread.turn].runNs += line.ns - thread.runsFromNs;
      if (!line.value("prev_state").starts_with("R")) thread = {};
    }
    if (!isForeign(next)) return;
    const std::string_view name = line.valueUpTo("next_comm", "next_pid=");
    if (isStopper(name)) return;
    Thread& thread = m_threads[next];
    if (!thread.turn || m_trace.turns[*thread.turn].cpu != line.cpu) {
      thread.turn = m_trace.turns.size();
      m_trace.turns.push_back({std::string(name), next, line.cpu, niceOf(line.number("next_prio")),
                               thread.wokenNs.value_or(line.ns), 0, thread.isNew});
      thread.wokenNs.reset();
      thread.isNew = false;
    }
    thread.runsFromNs = line.ns;
  }

  /// What comes first after a tick of the CPU, while it is still on its way out of it.
  void noteDelay(const TraceLine& line, std::int32_t JunoTrace::Tick::*delay) {
    constexpr std::uint64_t kLongestNs = 500'000;
    const auto last = m_lastTick.find(line.cpu);
    if (last == m_lastTick.end()) return;
    JunoTrace::Tick& tick = m_trace.ticks[last->second];
    if (line.ns - tick.ns < kLongestNs && tick.startNs < 0 && tick.switchNs < 0)
      tick.*delay = static_cast<std::int32_t>(line.ns - tick.ns);
  }

  /// The clock of the source's queue is read under its lock, for the first candidate.
  void takeCall(const TraceLine& line) {
    constexpr std::uint64_t kNewlyIdle = 2;  // in both kernels
    std::optional<JunoTrace::Call>& call = m_calls[line.cpu];
    std::uint64_t& before = m_before[line.cpu];
    bool& isFirst = m_isFirst[line.cpu];
    if (line.event == "lb_pass") {
      if (line.pid != 0) noteDelay(line, &JunoTrace::Tick::startNs);
      before = line.ns;
      isFirst = line.number("cpu") == static_cast<std::uint64_t>(line.cpu);
    }
    if (line.event == "lb_enter") {
      call.reset();
      if (line.number("idle") == kNewlyIdle) return;
      call = JunoTrace::Call{std::string(line.value("sd")), line.pid == 0, before, isFirst, 0, 0, 0};
    }
    if (!call) return;
    if (line.event == "lb_stats" && call->readNs == 0) call->readNs = line.ns;  // a redo reads again
    if (line.event == "lb_cand" && call->lockNs == 0) call->lockNs = line.number("srcclk");
    if (line.event != "lb_exit") return;
    call->endNs = before = line.ns;
    isFirst = false;
    if (call->readNs != 0) m_trace.calls.push_back(std::move(*call));
    call.reset();
  }

  JunoTrace m_trace;
  std::map<int, std::optional<JunoTrace::Call>> m_calls;  ///< by the CPU that runs them
  std::map<int, std::uint64_t> m_before;                  ///< where the CPU's softirq stands
  std::map<int, std::size_t> m_lastTick;                  ///< position in the trace's ticks
  std::map<int, bool> m_isFirst;                          ///< no call came before in it
  std::set<std::uint64_t> m_workers;
  std::map<std::uint64_t, Thread> m_threads;
};

std::optional<fs::path> rawTraceOf(const std::string& path) {
  for (const char* name : {"trace.txt.gz", "trace.txt"})
    if (const fs::path raw = fs::path(path).parent_path() / name; fs::exists(raw)) return raw;
  return std::nullopt;
}

/// What the record itself tells. A thread is taken as woken when it is switched to.
JunoTrace recordedTrace(const json& run) {
  JunoTrace trace;
  const auto zero = run.at("trace_clock_at_t0_ns").get<std::int64_t>();
  const auto nsOf = [&](const json& ms) {
    return static_cast<std::uint64_t>(zero + std::llround(ms.get<double>() * kNsPerMs));
  };
  for (const json& tick : run.at("pelt_ticks"))
    trace.ticks.push_back(
        {nsOf(tick.at("t")), tick.at("clk").get<std::uint64_t>(), tick.at("cpu").get<std::size_t>(), -1, -1});
  std::set<std::string> workers{"idle"};
  for (const json& task : run.at("tasks")) workers.insert(task.at("name").get<std::string>());
  std::map<int, std::optional<std::size_t>> current;
  for (const json& s : run.at("timeline")) {
    const int cpu = s.at(1).get<int>();
    const auto name = s.at(2).get<std::string>();
    if (current[cpu]) {
      JunoTrace::Turn& turn = trace.turns[*current[cpu]];
      turn.runNs = nsOf(s.at(0)) - turn.wokenNs;
    }
    current[cpu].reset();
    if (workers.contains(name) || isStopper(name)) continue;
    current[cpu] = trace.turns.size();
    trace.turns.push_back({name, 0, cpu, 0, nsOf(s.at(0)), 0, false});
  }
  return trace;
}

}  // namespace

Result<JunoTrace> junoTrace(const json& run, const std::string& path) {
  const auto raw = rawTraceOf(path);
  if (!raw) return recordedTrace(run);
  auto lines = LineReader::open(raw->string());
  if (!lines) return lines.error();
  TraceReader reader(run);
  std::string text;
  while (lines.value().next(text))
    if (const auto line = splitTraceLine(text)) reader.take(*line);
  if (lines.value().error()) return *lines.value().error();
  return reader.finish();
}

}  // namespace rqscope
