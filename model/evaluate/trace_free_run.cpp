// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>

#include "evaluate/free_run_state.h"
#include "evaluate/recorded_hardware.h"
#include "evaluate/stats_record.h"
#include "evaluate/trace_workload.h"
#include "formats/line_reader.h"

namespace rqscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr double kUsPerMs = 1000, kMsPerSecond = 1000, kNsPerMs = 1e6;
constexpr double kToleranceMs = 4.5;              // a tick and what the emulator's turns add
constexpr std::uint64_t kKickLatencyNs = 20'000;  // the emulator's turn of a CPU is 50 us
constexpr std::uint64_t kJiffiesBefore = 200;
constexpr int kHexBase = 16;

/// Value of `key=` in a trace line; empty when it has none.
std::string valueOf(const std::string& line, const std::string& key) {
  const auto at = line.find(" " + key + "=");
  if (at == std::string::npos) return {};
  const auto begin = at + key.size() + 2;
  return line.substr(begin, line.find_first_of(" \n", begin) - begin);
}

int numberOf(const std::string& line, const std::string& key) {
  return std::atoi(valueOf(line, key).c_str());  // 0 when it is not there: the idle task, CPU 0
}

/// The scheduling events of a trace's text that a free run is compared with.
class TraceText {
 public:
  /// Time and thread of the mark at which the workload begins.
  TraceText(const json& run, double startMs, int controllerPid)
      : m_startMs(startMs), m_controller(controllerPid) {
    beginTurn(0);
    m_runsFromMs = 0;
    for (const json& t : run.at("tasks")) m_names[t.at("pid").get<int>()] = t.at("name").get<std::string>();
  }

  void take(const std::string& line) {
    const auto bracket = line.find('[');
    const auto colon = line.find(": ");
    if (bracket == std::string::npos || colon == std::string::npos || colon < bracket) return;
    const int cpu = std::atoi(line.c_str() + bracket + 1);
    const auto timeAt = line.rfind(' ', colon) + 1;
    const double ms = std::strtod(line.c_str() + timeAt, nullptr) * kMsPerSecond - m_startMs;
    const std::string event = line.substr(colon + 2, line.find(':', colon + 2) - colon - 2);
    const std::string comm = line.substr(line.find_first_not_of(' '), 10);
    if (event == "lbin") m_inBalance.insert(cpu);
    if (event == "lbout") m_inBalance.erase(cpu);
    if (event == "sched_wakeup_new") noteMove(line, ms, cpu, numberOf(line, "target_cpu"), "fork");
    if (event == "sched_migrate_task")
      noteMove(line, ms, numberOf(line, "orig_cpu"), numberOf(line, "dest_cpu"),
               m_inBalance.contains(cpu)        ? "load_balance"
               : comm.starts_with("migration/") ? "active_balance"
                                                : "wakeup_or_exec");
    if (event == "sched_switch") noteSwitch(line, ms, cpu);
    if (ms >= 0) noteController(line, ms, event);
  }

  FreeTrack& track() { return m_track; }
  const std::vector<ControllerTurn>& turns() const { return m_turns; }

 private:
  void beginTurn(double ms) {
    m_turns.push_back({static_cast<std::uint64_t>(std::llround(ms * kNsPerMs)), {}});
    m_isAwake = true;
  }
  /// Adds what the controller has run since it got the CPU, or since the last piece.
  void endPiece(double ms, int forkedPid) {
    if (m_runsFromMs < 0) return;
    const auto ran = static_cast<std::uint64_t>(std::llround((ms - m_runsFromMs) * kNsPerMs));
    std::vector<ControllerTurn::Piece>& pieces = m_turns.back().pieces;
    if (!pieces.empty() && pieces.back().forkedPid < 0)
      pieces.back() = {pieces.back().runNs + ran, forkedPid};
    else
      pieces.push_back({ran, forkedPid});
  }

  void noteController(const std::string& line, double ms, const std::string& event) {
    if (event == "sched_wakeup" && numberOf(line, "pid") == m_controller && !m_isAwake) beginTurn(ms);
    if (event == "sched_process_fork" && numberOf(line, "pid") == m_controller) {
      endPiece(ms, numberOf(line, "child_pid"));
      m_runsFromMs = ms;
    }
    if (event != "sched_switch") return;
    if (numberOf(line, "prev_pid") == m_controller) {
      endPiece(ms, -1);
      m_runsFromMs = -1;
      m_isAwake = valueOf(line, "prev_state").starts_with("R");
    }
    if (numberOf(line, "next_pid") == m_controller) m_runsFromMs = ms;
  }

  void noteMove(const std::string& line, double ms, int from, int to, const char* by) {
    const auto at = m_names.find(numberOf(line, "pid"));
    if (at != m_names.end()) m_track.moves.push_back({ms, at->second, from, to, by, {}});
  }

  void noteSwitch(const std::string& line, double ms, int cpu) {
    const int pid = numberOf(line, "next_pid");
    const std::string name = valueOf(line, "next_comm");
    if (pid == 0 || m_names.contains(pid) || name == kControllerName || name.starts_with("migration/"))
      return;
    m_track.foreign.push_back({ms, cpu, name});
  }

  double m_startMs;
  int m_controller;
  bool m_isAwake = false;
  double m_runsFromMs = -1;  ///< below 0: the controller does not run
  std::vector<ControllerTurn> m_turns;
  std::map<int, std::string> m_names;  ///< of the workload's tasks
  std::set<int> m_inBalance;
  FreeTrack m_track;
};

/// When and where the controlling process began, and what it did.
struct Marker {
  double ms = 0;
  CpuId cpu{0};
  int pid = 0;
  std::vector<ControllerTurn> turns;
};

fs::path besideOf(const fs::path& path, const char* ending) {
  std::string name = path.filename().string();
  name.resize(std::min(name.find(".balance.jsonl"), name.size()));
  return path.parent_path() / (name + ending);
}

Result<Marker> readTrace(const fs::path& path, const json& run, FreeTrack& track) {
  fs::path file = besideOf(path, ".trace.txt");
  if (!fs::exists(file)) file = besideOf(path, ".trace.txt.gz");
  std::vector<std::string> lines;
  auto reader = LineReader::open(file.string());
  if (!reader) return reader.error();
  Marker marker;
  bool isFound = false;
  for (std::string line; reader.value().next(line);) {
    if (!isFound && line.find("tracing_mark_write: wl start") != std::string::npos) {
      isFound = true;
      const auto colon = line.find(": ");
      marker.cpu = CpuId{std::atoi(line.c_str() + line.find('[') + 1)};
      marker.ms = std::strtod(line.c_str() + line.rfind(' ', colon) + 1, nullptr) * kMsPerSecond;
      marker.pid = std::atoi(line.c_str() + line.rfind('-', line.find('[')) + 1);
    }
    lines.push_back(line);
  }
  if (reader.value().error()) return *reader.value().error();
  if (!isFound)
    return Diagnostic{Severity::Error, {file.string(), 0, 0}, "the trace has no start of the workload", ""};
  TraceText text(run, marker.ms, marker.pid);
  for (const std::string& line : lines) text.take(line);
  track.moves = text.track().moves;
  track.foreign = text.track().foreign;
  marker.turns = text.turns();
  return marker;
}

CpuIdleType idleOf(const std::string& name) {
  if (name == "not_idle") return CpuIdleType::NotIdle;
  return name == "idle" ? CpuIdleType::Idle : CpuIdleType::NewlyIdle;
}

void noteGroups(const json& pass, FreePass& out) {
  out.local = groupTypeOfRecord(pass.at("local").at("group_type").get<std::string>());
  out.localUtil = pass["local"].value("group_util", std::uint64_t{0});
  if (!pass.at("busiest").is_null()) {
    out.busiest = groupTypeOfRecord(pass["busiest"].at("group_type").get<std::string>());
    out.busiestUtil = pass["busiest"].value("group_util", std::uint64_t{0});
  }
  if (pass.at("decision").is_null()) return;
  out.decision = pass["decision"].at("migration_type").get<std::string>().substr(sizeof("migrate_") - 1);
  out.imbalance = pass["decision"].at("imbalance").get<std::int64_t>();
}

FreePass passOf(const json& call, const std::map<std::pair<int, int>, std::string>& domainNames) {
  FreePass out;
  out.ms = call.at("t_us").get<double>() / kUsPerMs;
  out.dst = call.at("dst_cpu").get<int>();
  const auto name = domainNames.find({out.dst, call.at("level").get<int>()});
  if (name != domainNames.end()) out.domain = name->second;
  out.idle = idleOf(call.at("idle").get<std::string>());
  out.failedBefore = call.at("nr_balance_failed_before").get<std::uint32_t>();
  out.intervalMsBefore = call.at("balance_interval_before").get<std::uint32_t>();
  out.moved = call.value("moved", 0);
  out.shouldBalance = !call.at("passes").empty();
  if (out.shouldBalance) noteGroups(call["passes"].back(), out);
  return out;
}

std::vector<RecordedDomainSpan> domainsOf(const json& run) {
  std::vector<RecordedDomainSpan> out;
  for (const json& d : run.at("domains")) {
    const auto span = CpuMask::parseList(d.at("span").get<std::string>());
    if (!span) continue;
    const std::string flags = d.at("flags_hex").get<std::string>();
    out.push_back({CpuId{d.at("cpu").get<int>()}, d.at("index").get<int>(), span.value(),
                   static_cast<std::uint32_t>(std::stoul(flags, nullptr, kHexBase))});
  }
  return out;
}

Result<FreeTrack> readPasses(const std::string& path, const json& run) {
  std::map<std::pair<int, int>, std::string> names;
  for (const json& d : run.at("domains"))
    names[{d.at("cpu").get<int>(), d.at("level").get<int>()}] = d.at("name").get<std::string>();
  auto reader = LineReader::open(path);
  if (!reader) return reader.error();
  FreeTrack track;
  for (std::string line; reader.value().next(line);) track.passes.push_back(passOf(json::parse(line), names));
  if (reader.value().error()) return *reader.value().error();
  return track;
}

/// When the ticks are, in ms modulo a tick: the middle of the busy CPUs' passes, which follow a tick.
double tickPhaseMs(const FreeTrack& real, double periodMs) {
  std::vector<double> phases;
  for (const FreePass& pass : real.passes)
    if (pass.idle == CpuIdleType::NotIdle && pass.ms >= 0) phases.push_back(std::fmod(pass.ms, periodMs));
  if (phases.empty()) return 0;
  std::ranges::sort(phases);
  return phases[phases.size() / 2];
}

Result<KernelProfile> profileOf(const json& run) {
  auto profile = kernelProfile("v6.12");
  if (!profile) return profile;
  for (const json& feature : run.at("features")) {
    auto with = withFeature(profile.value(), feature.get<std::string>());
    if (with) profile = with;  // features of other kernels' builds are not the model's
  }
  return profile;
}

Result<SimState> startOf(std::shared_ptr<const SimPlan> plan, const FreeTrack& real, double phaseMs,
                         TimeBase& base) {
  SimState fresh = makeSimState(plan);
  base.zeroNs = fresh.machine.nowNs;
  base.periodNs = fresh.machine.tunables().tickNs();
  base.originNs =
      base.zeroNs + static_cast<std::uint64_t>(phaseMs * kNsPerMs) - kJiffiesBefore * base.periodNs;
  Simulator simulator(std::move(fresh));
  while (simulator.nextEvent().kind == SimEventKind::Launch) simulator.stepEvent();
  SimState state = std::move(simulator.state());
  setTimeBase(state, base);
  auto moved = std::make_shared<SimPlan>(*plan);
  for (Operation& op : moved->operations) op.atNs += base.zeroNs - base.originNs;
  moved->costs.idleWakeupNs = kKickLatencyNs;  // the launch was at once
  moved->untilNs += base.zeroNs - base.originNs;
  state.plan = moved;
  takeOverDomains(state, real.passes, 0, base);
  return state;
}

Result<FreeRunReport> run(const std::string& path, const json& record) {
  auto real = readPasses(path, record);
  if (!real) return real.error();
  auto marker = readTrace(path, record, real.value());
  if (!marker) return marker.error();
  auto profile = profileOf(record);
  if (!profile) return profile.error();
  const auto domains = domainsOf(record);
  auto topology = topologyOfDomains(hardwareOfDomains(domains, {}, MaskRules::X86), profile.value(), domains);
  if (!topology) return topology.error();
  auto plan = std::make_shared<SimPlan>();
  plan->topology = topology.value();
  plan->profile = std::make_shared<const KernelProfile>(profile.value());
  plan->tickOffsetsNs.assign(static_cast<std::size_t>(topology.value()->cpuLimit), 0);
  fillTraceWorkload(record, marker.value().cpu, marker.value().turns, 0, *plan);
  const double periodMs = static_cast<double>(profile.value().tunables.tickNs()) / kNsPerMs;
  TimeBase base;
  auto state = startOf(plan, real.value(), tickPhaseMs(real.value(), periodMs), base);
  if (!state) return state.error();
  const double endMs = static_cast<double>(plan->untilNs) / kNsPerMs;
  Simulator simulator(std::move(state.value()));
  FreeRunWatcher watcher(base.zeroNs);
  simulator.setObserver(&watcher);
  runFreely(simulator, base.nsOf(endMs), [] { return false; });
  FreeTrack model = watcher.track();
  for (FreeMove& move : model.moves)  // the only instance of its program
    if (move.task.ends_with("-0")) move.task.resize(move.task.size() - 2);
  std::erase_if(model.moves, [](const FreeMove& m) { return m.task == kControllerName; });
  FreeRunReport report = compareFreeRun(real.value(), model, {0, endMs, kToleranceMs});
  report.file = path;
  report.kernel = profile.value().name;
  report.endReal = report.endModel = -1;  // the run is cut off
  return report;
}

}  // namespace

Result<FreeRunReport> freeRunTrace(const std::string& path) {
  const fs::path file = besideOf(path, ".json");
  std::ifstream in(file);
  if (!in) return Diagnostic{Severity::Error, {file.string(), 0, 0}, "the file cannot be read", ""};
  const json record = json::parse(in, nullptr, false);
  if (record.is_discarded())
    return Diagnostic{Severity::Error, {file.string(), 0, 0}, "this is not JSON", ""};
  try {  // nlohmann reports a missing or wrong member by exception
    return run(path, record);
  } catch (const std::exception& e) {
    return Diagnostic{
        Severity::Error, {path, 0, 0}, std::string("the record is not as its README says: ") + e.what(), ""};
  }
}

}  // namespace rqscope
