// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/juno_pelt.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "evaluate/hand_machine.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxTime = std::uint64_t{1} << 62;
constexpr std::size_t kShown = 8;

/// One entry of pelt_ticks.
struct Tick {
  double time = 0;
  int cpu = 0;
  std::string task;
  std::uint64_t clockPelt = 0, weight = 0;
  SchedAvg avg;  ///< load and runnable sums are not recorded
};

struct Switch {
  double time = 0;
  std::string task;
};

enum class Mode { Running, Waiting };

struct Update {
  std::uint64_t now = 0;
  Mode mode = Mode::Running;
};

/// A task's states since one recorded state, replayed for any value of the sums that were not recorded.
class Chain {
 public:
  Chain(const Tick& seed, const KernelProfile& profile)
      : m_machine(handMachine(HandTopology(1).finish(), profile)), m_seed(seed.avg) {
    m_entity = m_machine.task(addTask(m_machine, NewTask{})).se;
    SchedEntity& se = m_machine.entity(m_entity);
    se.load = {seed.weight, 0};
    se.onRq = true;
    const std::uint64_t weight = seWeight(se);
    // Where the sum can stand: at the last boundary the average was weight * sum / divider, with any divider;
    // since then less than a period was added.
    m_load = {seed.avg.loadAvg * kPeltMinDivider / weight,
              (seed.avg.loadAvg + 1) * kLoadAvgMax / weight + kPeltPeriod};
    m_runnable = {seed.avg.runnableAvg * kPeltMinDivider,
                  (seed.avg.runnableAvg + 1) * kLoadAvgMax + kPeltPeriod * kCapacityScale};
  }

  void add(std::uint64_t now, Mode mode) { m_updates.push_back({now, mode}); }
  /// The state now, for the lowest possible sums.
  SchedAvg state() { return replay(m_load.low, m_runnable.low); }
  /// Narrows the possible sums to those that give the averages; false when there are none.
  bool narrow(std::uint64_t loadAvg, std::uint64_t runnableAvg) {
    return narrowOne(m_load, loadAvg, [this](std::uint64_t sum) { return replay(sum, 0).loadAvg; }) &&
           narrowOne(m_runnable, runnableAvg,
                     [this](std::uint64_t sum) { return replay(0, sum).runnableAvg; });
  }

 private:
  struct Range {
    std::uint64_t low = 0, high = 0;
  };

  /// Averages rise with the sums, so that both ends can be searched by halving.
  template <class F>
  static bool narrowOne(Range& range, std::uint64_t wanted, F&& averageOf) {
    const auto firstAtLeast = [&](std::uint64_t target) {
      std::uint64_t low = range.low, high = range.high + 1;
      while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (averageOf(middle) < target)
          low = middle + 1;
        else
          high = middle;
      }
      return low;
    };
    const std::uint64_t first = firstAtLeast(wanted), end = firstAtLeast(wanted + 1);
    if (first >= end) return false;
    range = {first, end - 1};
    return true;
  }

  SchedAvg replay(std::uint64_t loadSum, std::uint64_t runnableSum) {
    SchedEntity& se = m_machine.entity(m_entity);
    CfsRq& queue = m_machine.queue(se.cfsRq);
    se.avg = m_seed;
    se.avg.loadSum = loadSum;
    se.avg.runnableSum = runnableSum;
    for (const Update& update : m_updates) {
      queue.curr = queue.hCurr = update.mode == Mode::Running ? m_entity : EntityId{};
      updateLoadAvgSe(m_machine, update.now, queue, m_entity);
    }
    return se.avg;
  }

  Machine m_machine;
  EntityId m_entity;
  SchedAvg m_seed;
  Range m_load, m_runnable;
  std::vector<Update> m_updates;
};

struct JunoRun {
  std::string kernel;
  std::vector<Tick> ticks;
  std::map<std::string, double> unpinned;       ///< when each task freed itself
  std::map<int, std::vector<Switch>> switches;  ///< by CPU, in order
};

Result<Tick> tickOf(const json& object) {
  RecordReader in(object);
  Tick tick;
  tick.time =
      object.is_object() && object.contains("t") && object["t"].is_number() ? object["t"].get<double>() : 0;
  tick.cpu = static_cast<int>(in.bounded("cpu", UINT16_MAX));
  tick.task = in.text("task");
  tick.clockPelt = in.bounded("clkp", kMaxTime);
  tick.weight = in.positive("w", kMaxTime);
  tick.avg.lastUpdateTime = in.bounded("lut", kMaxTime);
  tick.avg.utilSum = static_cast<std::uint32_t>(in.bounded("usum", UINT32_MAX));
  tick.avg.periodContrib = static_cast<std::uint32_t>(in.bounded("pc", kPeltPeriod - 1));
  tick.avg.loadAvg = in.bounded("la", UINT32_MAX);
  tick.avg.runnableAvg = in.bounded("ra", UINT32_MAX);
  tick.avg.utilAvg = in.bounded("ua", UINT32_MAX);
  if (!in.ok()) return in.error();
  return tick;
}

/// The records write 6.12 as "612", and "612old" for the same kernel without the patch under study.
std::string profileNameOf(std::string kernel) {
  if (kernel.ends_with("old")) kernel.erase(kernel.size() - 3);
  if (kernel.size() > 1 && kernel.find('.') == std::string::npos) kernel.insert(1, ".");
  return "v" + kernel;
}

/// Marks of the workload: [time, "lbw2 unpin cpu=1"].
void readMarks(RecordReader& in, JunoRun& run) {
  if (!in.has("marks")) return;
  for (const json& row : in.array("marks")) {
    if (!row.is_array() || row.size() != 2 || !row[0].is_number() || !row[1].is_string()) continue;
    const std::string text = row[1].get<std::string>();
    const auto space = text.find(' ');
    if (space != std::string::npos && text.compare(space, 7, " unpin ") == 0)
      run.unpinned[text.substr(0, space)] = row[0].get<double>();
  }
}

Result<JunoRun> readRun(const json& document) {
  RecordReader in(document);
  JunoRun run;
  run.kernel = profileNameOf(in.text("kernel"));
  for (const json& object : in.array("pelt_ticks")) {
    Result<Tick> tick = tickOf(object);
    if (!tick) return tick.diagnostics();
    run.ticks.push_back(std::move(tick.value()));
  }
  for (const json& row : in.array("timeline")) {
    const bool fits = row.is_array() && row.size() == 3 && row[0].is_number() && row[1].is_number_integer() &&
                      row[2].is_string();
    if (!fits) return Diagnostic{Severity::Error, {}, "a row of \"timeline\" is not [time, CPU, task]", ""};
    run.switches[row[1].get<int>()].push_back({row[0].get<double>(), row[2].get<std::string>()});
  }
  readMarks(in, run);
  if (!in.ok()) return in.error();
  std::stable_sort(run.ticks.begin(), run.ticks.end(),
                   [](const Tick& a, const Tick& b) { return a.time < b.time; });
  return run;
}

class JunoReplay {
 public:
  JunoReplay(const JunoRun& run, const KernelProfile& profile) : m_run(run), m_profile(profile) {}

  ReplayReport replay() {
    for (const Tick& tick : m_run.ticks) take(tick);
    return std::move(m_report);
  }

 private:
  struct Carried {
    int cpu = 0;
    Chain chain;
  };

  void take(const Tick& tick) {
    ++m_report.records;
    followSwitches(tick);
    const auto it = m_chains.find(tick.task);
    const bool carried = it != m_chains.end() && it->second.cpu == tick.cpu;
    bool isKnown = carried;
    if (carried) {
      it->second.chain.add(tick.avg.lastUpdateTime, m_enteredWaiting ? Mode::Waiting : Mode::Running);
      isKnown = compare(it->second.chain, tick);
    } else {
      ++m_report.notDerivable;
    }
    if (!isKnown) m_chains.insert_or_assign(tick.task, Carried{tick.cpu, Chain(tick, m_profile)});
    m_chains.at(tick.task).chain.add(tick.clockPelt, Mode::Running);
    m_lastTick[tick.cpu] = tick;
  }

  /// What happened on the CPU since its last tick.
  void followSwitches(const Tick& tick) {
    m_enteredWaiting = false;
    const auto last = m_lastTick.find(tick.cpu);
    const std::vector<Switch> since = switchesSince(tick);
    if (last == m_lastTick.end() || since.empty()) return;
    const std::string& previous = last->second.task;
    const bool isOneSwitch = since.size() == 1 && since[0].task == tick.task && previous != tick.task;
    // A task that frees itself is taken off and put back: it then shows that time, not the switch's.
    const auto freed = m_run.unpinned.find(tick.task);
    const bool showsSwitch =
        freed == m_run.unpinned.end() || freed->second < last->second.time || freed->second > tick.time;
    if (!isOneSwitch || !showsSwitch) {  // somebody was put back at a time that is not recorded
      m_chains.erase(previous);
      m_chains.erase(tick.task);
      for (const Switch& s : since) m_chains.erase(s.task);
      return;
    }
    m_enteredWaiting = true;
    // The switch updated both tasks at the same clock value, which the new one still shows.
    const auto left = m_chains.find(previous);
    if (left != m_chains.end() && left->second.cpu == tick.cpu)
      left->second.chain.add(tick.avg.lastUpdateTime, Mode::Running);
  }

  std::vector<Switch> switchesSince(const Tick& tick) {
    std::vector<Switch> out;
    const auto all = m_run.switches.find(tick.cpu);
    if (all == m_run.switches.end()) return out;
    std::size_t& next = m_nextSwitch[tick.cpu];
    for (; next < all->second.size() && all->second[next].time <= tick.time; ++next)
      out.push_back(all->second[next]);
    return out;
  }

  bool compare(Chain& chain, const Tick& tick) {
    const SchedAvg ours = chain.state();
    std::string what;
    const auto check = [&](std::string_view name, std::uint64_t kernel, std::uint64_t here) {
      if (kernel != here) what += fmt::format(" {}: kernel {}, here {};", name, kernel, here);
    };
    check("lut", tick.avg.lastUpdateTime, ours.lastUpdateTime);
    check("pc", tick.avg.periodContrib, ours.periodContrib);
    check("usum", tick.avg.utilSum, ours.utilSum);
    check("ua", tick.avg.utilAvg, ours.utilAvg);
    if (!chain.narrow(tick.avg.loadAvg, tick.avg.runnableAvg)) {
      check("la", tick.avg.loadAvg, ours.loadAvg);
      check("ra", tick.avg.runnableAvg, ours.runnableAvg);
      if (what.empty()) what = " la, ra: no sum gives both this tick and the ones before;";
    }
    if (what.empty()) {
      ++m_report.equal;
      return true;
    }
    ++m_report.different;
    if (m_report.firstDifferent.size() < kShown)
      m_report.firstDifferent.push_back(
          fmt::format("t={} cpu={} task={}:{}", tick.time, tick.cpu, tick.task, what));
    return false;
  }

  const JunoRun& m_run;
  const KernelProfile& m_profile;
  ReplayReport m_report;
  std::map<std::string, Carried> m_chains;
  std::map<int, Tick> m_lastTick;
  std::map<int, std::size_t> m_nextSwitch;
  bool m_enteredWaiting = false;  ///< the task of this tick was switched in since the last one
};

Diagnostic located(Diagnostic error, const std::string& path) {
  error.where.file = path;
  return error;
}

}  // namespace

Result<ReplayReport> verifyJunoPelt(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Diagnostic{Severity::Error, {path}, "cannot be read", ""};
  json document = json::parse(file, nullptr, false);
  if (!document.is_object()) return Diagnostic{Severity::Error, {path}, "is not a JSON object", ""};
  const Result<JunoRun> run = readRun(document);
  if (!run) return located(run.error(), path);
  const Result<KernelProfile> profile = kernelProfile(run.value().kernel);
  if (!profile) return located(profile.error(), path);
  ReplayReport report = JunoReplay(run.value(), profile.value()).replay();
  report.file = path;
  report.kernel = profile.value().name;
  return report;
}

std::string textOf(const ReplayReport& report) {
  std::string out = fmt::format(
      "{} ({}): {} states, {} equal, {} different, {} not derivable from the record\n", report.file,
      report.kernel, report.records, report.equal, report.different, report.notDerivable);
  for (const std::string& line : report.firstDifferent) out += "  " + line + "\n";
  return out;
}

}  // namespace rqscope
