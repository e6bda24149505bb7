// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/juno_timing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace rqscope {
namespace {

using nlohmann::json;

constexpr double kNsPerMs = 1e6;
constexpr std::uint64_t kTurnNs = 20'000;  // of one CPU of the emulator, says the records' README
constexpr std::uint64_t kTurnsNs =
    100'000;  // the emulator's other CPUs take their turns first: ticks are late

constexpr std::uint64_t kLongestReadNs = 1'500'000;  // says the records' workload.md

/// One entry of the record in order of time.
struct Entry {
  double ms = 0, endMs = 0;
  bool isPass = false;
  const json* value = nullptr;
};

class TimingReader {
 public:
  TimingReader(const json& run, const JunoTrace& trace, const SchedTopology& topology, std::uint64_t periodNs)
      : m_run(run), m_topology(topology), m_period(periodNs) {
    const std::uint64_t zero = nsOf(0);  // before, the machine boots
    for (const JunoTrace::Tick& tick : trace.ticks)
      if (tick.clockNs >= zero) m_ticks.push_back(tick);
    const std::uint64_t unpin = nsOf(run.at("pin_ms").get<double>());
    for (const JunoTrace::Call& call : trace.calls)
      if (call.fromNs >= zero && call.endNs < unpin) m_calls.push_back(call);
  }

  JunoTiming read() {
    readGrid();
    readPinnedPhase();
    readRounds();
    m_timing.turns.turnNs = kTurnNs;
    m_timing.turns.timekeeper = timekeeper();
    readJiffies();
    m_timing.softirq.kicksNs = {medianOf(kicksNs())};
    m_timing.softirq.startsNs = startsNs();
    m_timing.softirq.switchesNs = switchesNs();
    readCalls();
    m_timing.workClock = {kLongestReadNs, returnNs()};
    return std::move(m_timing);
  }

 private:
  std::uint64_t nsOf(double ms) const {
    const auto zero = m_run.at("trace_clock_at_t0_ns").get<std::int64_t>();
    return static_cast<std::uint64_t>(zero + std::llround(ms * kNsPerMs));
  }
  std::uint64_t afterGrid(std::uint64_t ns) const { return (ns + m_period - m_timing.phaseNs) % m_period; }

  /// A tick is late by the emulator's turns and never early. With all moments modulo a period on a circle,
  /// the grid begins behind the widest gap; each CPU's own moment is its earliest one.
  void readGrid() {
    std::vector<std::uint64_t> moments;
    for (const JunoTrace::Tick& tick : m_ticks) moments.push_back(tick.clockNs % m_period);
    m_timing.offsetsNs.assign(static_cast<std::size_t>(m_topology.cpuLimit), UINT64_MAX);
    if (moments.empty()) return;
    std::ranges::sort(moments);
    std::uint64_t widest = moments.front() + m_period - moments.back();
    m_timing.phaseNs = moments.front();
    for (std::size_t i = 1; i < moments.size(); ++i)
      if (moments[i] - moments[i - 1] > widest) {
        widest = moments[i] - moments[i - 1];
        m_timing.phaseNs = moments[i];
      }
    for (const JunoTrace::Tick& tick : m_ticks) {
      std::uint64_t& offset = m_timing.offsetsNs.at(tick.cpu);
      offset = std::min(offset, afterGrid(tick.clockNs));
    }
    fillOffsets();
  }

  /// A CPU that never ticked in the record: as all others, or (skew_tick) at its place in the half period
  /// over which they are spread. Without skew_tick what is left of the turns is no offset.
  void fillOffsets() {
    std::vector<std::uint64_t>& offsets = m_timing.offsetsNs;
    const bool isSkewed =
        std::ranges::any_of(offsets, [](std::uint64_t o) { return o != UINT64_MAX && o > kTurnsNs; });
    for (std::size_t cpu = 0; cpu < offsets.size(); ++cpu)
      if (!isSkewed)
        offsets[cpu] = 0;
      else if (offsets[cpu] == UINT64_MAX)
        offsets[cpu] = m_period / 2 / offsets.size() * cpu;
  }

  void readPinnedPhase() {
    const double end = m_run.at("pin_ms").get<double>();
    for (const json& pass : m_run.at("passes"))
      m_entries.push_back({pass.at("t").get<double>(), 0, true, &pass});
    for (const json& call : m_run.at("all_decisions"))
      m_entries.push_back({call.at("t").get<double>(), call.at("t_end").get<double>(), false, &call});
    std::erase_if(m_entries, [&](const Entry& e) { return e.ms < 0 || e.ms >= end; });
    std::ranges::stable_sort(m_entries, [](const Entry& a, const Entry& b) {
      return a.ms != b.ms ? a.ms < b.ms : a.isPass && !b.isPass;
    });
  }

  /// From the CPU's last recorded tick; none when that is no tick of this round.
  std::optional<std::uint64_t> sinceTickOf(double ms, std::size_t cpu) const {
    const std::uint64_t at = nsOf(ms);
    std::uint64_t last = 0;
    for (const auto& [round, ticks] : m_rounds)
      if (const auto tick = ticks.find(cpu); tick != ticks.end() && tick->second <= at) last = tick->second;
    if (last == 0 || at - last >= m_period) return std::nullopt;
    return at - last;
  }
  /// The same of the CPUs that kick in the pinned phase: those with two tasks.
  std::optional<std::uint64_t> sinceKick(double ms) const {
    std::map<std::size_t, int> tasksOn;
    for (const json& task : m_run.at("tasks")) ++tasksOn[task.at("pin").get<std::size_t>()];
    std::optional<std::uint64_t> least;
    for (const auto& [cpu, count] : tasksOn)
      if (count > 1)
        if (const auto since = sinceTickOf(ms, cpu); since && (!least || *since < *least)) least = since;
    return least;
  }

  /// The CPU whose tick advances jiffies: a busy CPU that ticks before it in a round still reads the old
  /// value, and its pass, due by next_balance, comes a round later. Taken is the CPU against which fewest
  /// late passes speak, then fewest punctual ones (a tick cut by the end of a turn reads its clock in the
  /// next).
  CpuId timekeeper() {
    const std::vector<Due> due = duePasses();
    CpuId best;
    std::pair<int, int> fewest{INT32_MAX, INT32_MAX};
    for (CpuId keeper = m_topology.online.first(); keeper.isValid();
         keeper = m_topology.online.next(keeper)) {
      int seen = 0;
      const std::pair<int, int> against = speakAgainst(due, keeper.index(), seen);
      if (seen * 2 < static_cast<int>(due.size()) || against >= fewest) continue;
      fewest = against;
      best = keeper;
    }
    return best;
  }

  /// A busy CPU's pass, and the round in which jiffies stood at its next_balance.
  struct Due {
    std::size_t cpu = 0;
    std::uint64_t round = 0;
    std::int64_t ahead = 0;  ///< next_balance against the round
  };
  std::vector<Due> duePasses() const {
    std::vector<Due> due;
    for (const json& p : m_run.at("passes")) {
      const double ms = p.at("t").get<double>();
      if (p.at("idle") != "CPU_NOT_IDLE" || p.at("cpu") != p.at("run_on") || ms < 0) continue;
      const std::uint64_t round = roundOf(nsOf(ms));
      due.push_back({p.at("cpu").get<std::size_t>(), round,
                     p.at("next_balance").get<std::int64_t>() - static_cast<std::int64_t>(round)});
    }
    return due;
  }

  /// Late passes whose CPU ticked after `keeper` in the round before, and punctual ones that ticked before
  /// it.
  std::pair<int, int> speakAgainst(const std::vector<Due>& due, std::size_t keeper, int& seen) {
    std::int64_t newest = INT64_MIN;
    for (const Due& d : due) newest = std::max(newest, d.ahead);
    std::pair<int, int> against{0, 0};
    for (const Due& d : due) {
      const std::int64_t late = newest - d.ahead;
      if (late > 1) continue;
      const auto& ticks = m_rounds[d.round - static_cast<std::uint64_t>(late)];
      const auto& clocks = m_clocks[d.round - static_cast<std::uint64_t>(late)];
      const auto own = ticks.find(d.cpu);
      const auto its = clocks.find(keeper);
      if (own == ticks.end() || its == clocks.end()) continue;
      ++seen;
      const bool isOld = own->second < its->second;
      if (late == 1 && !isOld) ++against.first;
      if (late == 0 && isOld) ++against.second;
    }
    return against;
  }

  /// A tick counts from the moment at which it is traced: right before it looks whether to balance. A CPU
  /// whose turn ended in the tick gets there in its next one only.
  void readRounds() {
    for (const JunoTrace::Tick& tick : m_ticks) {
      const std::uint64_t round = roundOf(tick.clockNs);
      m_rounds[round][tick.cpu] = tick.ns;
      m_clocks[round][tick.cpu] = tick.clockNs;
      JunoTiming::Round& known = m_timing.rounds[round];
      for (auto* values : {&known.lateNs, &known.startsNs, &known.switchesNs})
        values->resize(m_timing.offsetsNs.size(), -1);
      known.lateNs[tick.cpu] = static_cast<std::int32_t>(tick.ns - m_timing.phaseNs - round * m_period -
                                                         m_timing.offsetsNs[tick.cpu]);
      known.startsNs[tick.cpu] = tick.startNs;
      known.switchesNs[tick.cpu] = tick.switchNs;
    }
  }
  void readJiffies() {
    const std::size_t keeper = m_timing.turns.timekeeper.isValid() ? m_timing.turns.timekeeper.index() : 0;
    for (const auto& [round, clocks] : m_clocks)
      if (const auto clk = clocks.find(keeper); clk != clocks.end())
        m_timing.rounds[round].jiffyLateNs = static_cast<std::int32_t>(
            clk->second - m_timing.phaseNs - round * m_period - m_timing.offsetsNs.at(keeper));
  }
  std::uint64_t roundOf(std::uint64_t ns) const { return (ns - m_timing.phaseNs) / m_period; }

  std::vector<std::uint64_t> kicksNs() const {
    std::vector<std::uint64_t> found;
    for (const json& kick : m_run.at("nohz_kicks")) {
      const double at = kick.at(0).get<double>();
      const auto pass = std::ranges::find_if(m_entries, [&](const Entry& e) {
        return e.isPass && e.ms >= at && e.value->at("run_on") == kick.at(1);
      });
      if (pass == m_entries.end() || at < 0 || pass->ms >= at + 1) continue;
      if (const auto since = sinceKick(pass->ms)) found.push_back(*since);
    }
    if (found.empty()) found.push_back(kTurnsNs);
    return found;
  }

  std::vector<std::uint64_t> startsNs() const {
    std::vector<std::uint64_t> found;
    for (const Entry& e : m_entries)
      if (e.isPass && e.value->at("idle") == "CPU_NOT_IDLE")
        if (const auto since = sinceTickOf(e.ms, e.value->at("cpu").get<std::size_t>()))
          found.push_back(*since);
    return found;
  }

  /// From a tick to the switch between two of the workload's tasks.
  std::vector<std::uint64_t> switchesNs() const {
    std::set<std::string> workers;
    for (const json& task : m_run.at("tasks")) workers.insert(task.at("name").get<std::string>());
    std::map<std::size_t, std::string> current;
    std::vector<std::uint64_t> found;
    for (const json& s : m_run.at("timeline")) {
      const double ms = s.at(0).get<double>();
      if (ms >= m_run.at("pin_ms").get<double>()) break;
      const auto cpu = s.at(1).get<std::size_t>();
      std::string& task = current[cpu];
      const auto next = s.at(2).get<std::string>();
      if (ms >= 0 && workers.contains(task) && workers.contains(next))
        if (const auto since = sinceTickOf(ms, cpu)) found.push_back(*since);
      task = next;
    }
    return found;
  }

  /// Samples of a call's times, by SoftirqTiming::callKind() and domain.
  struct CallSamples {
    std::vector<std::uint64_t> read, lock, over, readToLock;
  };
  using CallKey = std::pair<std::size_t, std::string>;

  /// What lies between statistics and lock is the same in every domain; where no call of a kind locked a
  /// queue so far, others tell. Further calls of a softirq are as its first where there is none.
  void readCalls() {
    std::map<CallKey, CallSamples> samples;
    if (m_calls.empty())
      sampleRecord(samples);
    else
      sampleTrace(samples);
    std::vector<std::uint64_t> toLock;
    for (const auto& [key, s] : samples)
      toLock.insert(toLock.end(), s.readToLock.begin(), s.readToLock.end());
    CpuId widest;
    for (CpuId cpu = m_topology.online.first(); cpu.isValid(); cpu = m_topology.online.next(cpu))
      if (!widest.isValid() || levelsOf(cpu).size() > levelsOf(widest).size()) widest = cpu;
    for (const std::size_t kind : {0U, 1U, 2U, 3U})
      for (const std::string& name : levelsOf(widest))
        m_timing.softirq.calls[kind].push_back(timingOf(samples, kind, name, medianOf(toLock)));
  }

  /// The nearest kind that the record shows: the same CPU's first or further call, then the other kind of
  /// CPU's.
  static CallTiming timingOf(std::map<CallKey, CallSamples>& samples, std::size_t kind,
                             const std::string& domain, std::uint64_t readToLockNs) {
    std::array<const CallSamples*, 4> nearest{};
    for (std::size_t i = 0; i < nearest.size(); ++i) nearest[i] = &samples[{kind ^ i, domain}];
    const auto median = [&](std::vector<std::uint64_t> CallSamples::*field) {
      for (const CallSamples* s : nearest)
        if (!(s->*field).empty()) return medianOf(s->*field);
      return std::uint64_t{0};
    };
    CallTiming timing{median(&CallSamples::read), 0, median(&CallSamples::over)};
    const std::vector<std::uint64_t>& locks = nearest.front()->lock;
    timing.lockNs = locks.empty() ? timing.readNs + readToLockNs : medianOf(locks);
    timing.readNs = std::min(timing.readNs, timing.lockNs);
    return timing;
  }

  /// The raw trace has each step.
  void sampleTrace(std::map<CallKey, CallSamples>& samples) const {
    for (const JunoTrace::Call& call : m_calls) {
      CallSamples& s = samples[{SoftirqTiming::callKind(call.isIdle, !call.isFirst), call.domain}];
      s.read.push_back(call.readNs - call.fromNs);
      if (call.lockNs > call.readNs) {
        s.lock.push_back(call.lockNs - call.fromNs);
        s.readToLock.push_back(call.lockNs - call.readNs);
      } else if (call.lockNs == 0) {
        s.over.push_back(call.endNs - call.fromNs);
      }
    }
  }

  /// The record has beginning and end, and of some calls the lock: statistics are taken as read at the
  /// beginning. Counted from the end of what the softirq did before.
  void sampleRecord(std::map<CallKey, CallSamples>& samples) const {
    std::map<int, std::uint64_t> before;  // by CPU that runs it: where its softirq stands
    for (const Entry& e : m_entries) {
      const int runOn = e.value->at("run_on").get<int>();
      const auto at = before.find(runOn);
      if (!e.isPass && at != before.end()) {
        const bool isIdle = e.value->at("idle") == "CPU_IDLE";
        CallSamples& s =
            samples[{SoftirqTiming::callKind(isIdle, false), e.value->at("domain").get<std::string>()}];
        if (const std::uint64_t lock = lockNs(e); lock != 0) {
          s.lock.push_back(lock - at->second);
          s.readToLock.push_back(lock - at->second);
        } else if (isBalanced(*e.value)) {
          s.over.push_back(nsOf(e.endMs) - at->second);
        }
      }
      before[runOn] = nsOf(e.isPass ? e.ms : e.endMs);
    }
  }

  /// When an idle CPU's call locked the source: a candidate that runs has its exec_start from its last tick
  /// or from its switch, and the record says how long ago that was. 0: the record does not tell.
  std::uint64_t lockNs(const Entry& e) const {
    if (!e.value->contains("cands") || e.value->at("idle") != "CPU_IDLE") return 0;
    for (const json& c : e.value->at("cands")) {
      if (!c.value("running", false)) continue;
      const std::uint64_t start = execStartOf(c.at("task"), nsOf(e.endMs));
      const std::uint64_t lock =
          start + static_cast<std::uint64_t>(c.at("ms_since_exec_start").get<double>() * kNsPerMs);
      return start != 0 && lock >= nsOf(e.ms) && lock <= nsOf(e.endMs) ? lock : 0;
    }
    return 0;
  }
  std::uint64_t execStartOf(const json& task, std::uint64_t endNs) const {
    std::uint64_t last = 0;
    for (const json& tick : m_run.at("pelt_ticks"))
      if (const auto clk = tick.at("clk").get<std::uint64_t>(); tick.at("task") == task && clk <= endNs)
        last = std::max(last, clk);
    for (const json& s : m_run.at("timeline"))
      if (const std::uint64_t at = nsOf(s.at(0).get<double>()); s.at(2) == task && at <= endNs)
        last = std::max(last, at);
    return last;
  }
  static bool isBalanced(const json& call) {
    return call.at("should_we_balance").get<bool>() && !call.value("imbalanced", false) &&
           !call.contains("cands");
  }
  std::vector<std::string> levelsOf(CpuId cpu) const {
    std::vector<std::string> names;
    for (DomainId id = m_topology.cpus[cpu.index()].lowest; id.isValid(); id = m_topology.domain(id).parent)
      names.push_back(m_topology.domain(id).name);
    return names;
  }

  /// From the switch to a worker to its first clock read, as at its start.
  /// The mean, as these times add up.
  std::uint64_t returnNs() const {
    std::uint64_t sum = 0, count = 0;
    for (const json& task : m_run.at("tasks")) {
      if (!task.contains("start") || !task["start"].is_number()) continue;
      const std::uint64_t start = nsOf(task["start"].get<double>());
      std::uint64_t in = 0;
      for (const json& s : m_run.at("timeline"))
        if (const std::uint64_t at = nsOf(s.at(0).get<double>()); s.at(2) == task.at("name") && at <= start)
          in = at;
      if (in == 0 || start - in >= kLongestReadNs) continue;
      sum += start - in;
      ++count;
    }
    return count == 0 ? 0 : sum / count;
  }

  const json& m_run;
  const SchedTopology& m_topology;
  std::uint64_t m_period;
  std::vector<JunoTrace::Tick> m_ticks;
  std::vector<JunoTrace::Call> m_calls;  ///< of the pinned phase
  JunoTiming m_timing;
  std::vector<Entry> m_entries;  ///< passes and calls of the pinned phase
  std::map<std::uint64_t, std::map<std::size_t, std::uint64_t>> m_rounds;  ///< moments of the ticks, by CPU
  std::map<std::uint64_t, std::map<std::size_t, std::uint64_t>> m_clocks;  ///< their clocks: the interrupt
};

}  // namespace

std::uint64_t medianOf(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

JunoTiming junoTiming(const json& run, const JunoTrace& trace, const SchedTopology& topology,
                      std::uint64_t periodNs) {
  return TimingReader(run, trace, topology, periodNs).read();
}

}  // namespace rqscope
