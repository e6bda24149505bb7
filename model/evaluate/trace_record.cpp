// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/trace_record.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "evaluate/recorded_hardware.h"
#include "evaluate/stats_record.h"
#include "evaluate/trace_threads.h"
#include "formats/line_reader.h"

namespace rqscope {
namespace {

using nlohmann::json;
using Kind = RecordedEvent::Kind;
namespace fs = std::filesystem;

constexpr double kUsPerMs = 1000, kNsPerMs = 1e6;
constexpr int kHexBase = 16;

double msOf(const RecordedEvent& e) { return static_cast<double>(e.us) / kUsPerMs; }

/// Moves of the workload's tasks and the appearances of all other threads.
class TrackReader {
 public:
  TrackReader(const json& run, const TraceText& text, FreeTrack& track)
      : m_controller(text.controllerPid), m_track(track) {
    for (const json& t : run.at("tasks")) m_names[t.at("pid").get<int>()] = t.at("name").get<std::string>();
    for (const RecordedEvent& e : text.events) take(e);
  }

 private:
  void take(const RecordedEvent& e) {
    switch (e.kind) {
      case Kind::BalanceBegin:
        m_inBalance.insert(e.cpu);
        break;
      case Kind::BalanceEnd:
        m_inBalance.erase(e.cpu);
        break;
      case Kind::WakeupNew:
        note(e, e.cpu, "fork");
        break;
      case Kind::Migrate:
        note(e, e.from,
             m_inBalance.contains(e.cpu)     ? "load_balance"
             : m_stoppers.contains(e.writer) ? "active_balance"
                                             : "wakeup_or_exec");
        break;
      case Kind::Switch:
        noteSwitch(e);
        if (e.next == 0 || e.next == m_controller || m_names.contains(e.next)) break;
        if (e.name.starts_with("migration/"))
          m_stoppers.insert(e.next);
        else
          m_track.foreign.push_back({msOf(e), e.cpu, e.name});
        break;
      default:
        break;
    }
  }

  void noteSwitch(const RecordedEvent& e) {
    const auto at = m_names.find(e.next);
    m_track.switches.push_back({msOf(e), e.cpu, at == m_names.end() ? std::string{} : at->second});
  }

  void note(const RecordedEvent& e, int from, const char* by) {
    const auto at = m_names.find(e.task);
    if (at != m_names.end()) m_track.moves.push_back({msOf(e), at->second, from, e.to, by, {}});
  }

  int m_controller;
  FreeTrack& m_track;
  std::map<int, std::string> m_names;
  std::set<int> m_inBalance, m_stoppers;
};

fs::path besideOf(const fs::path& path, const char* ending) {
  std::string name = path.filename().string();
  name.resize(std::min(name.find(".balance.jsonl"), name.size()));
  return path.parent_path() / (name + ending);
}

CpuIdleType idleOf(const std::string& name) {
  if (name == "not_idle") return CpuIdleType::NotIdle;
  return name == "idle" ? CpuIdleType::Idle : CpuIdleType::NewlyIdle;
}

void noteGroups(const json& pass, FreePass& out) {
  out.local = groupTypeOfRecord(pass.at("local").at("group_type").get<std::string>());
  out.localUtil = pass["local"].value("group_util", std::uint64_t{0});
  out.localLoad = pass["local"].value("group_load", std::uint64_t{0});
  out.localRunning = pass["local"].value("sum_nr_running", std::uint32_t{0});
  if (!pass.at("busiest").is_null()) {
    out.busiest = groupTypeOfRecord(pass["busiest"].at("group_type").get<std::string>());
    out.busiestUtil = pass["busiest"].value("group_util", std::uint64_t{0});
    out.busiestLoad = pass["busiest"].value("group_load", std::uint64_t{0});
    out.busiestRunning = pass["busiest"].value("sum_nr_running", std::uint32_t{0});
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

/// When jiffies advance, in ms modulo a tick: the busy CPUs' passes follow a tick, each as late as its CPU's
/// turn in the emulator, so nearly all come after that moment.
double tickPhaseMs(const FreeTrack& real, double periodMs) {
  std::vector<double> phases;
  for (const FreePass& pass : real.passes)
    if (pass.idle == CpuIdleType::NotIdle && pass.ms >= 0) phases.push_back(std::fmod(pass.ms, periodMs));
  if (phases.empty()) return 0;
  std::ranges::sort(phases);
  // Counted from behind the widest gap, since they may lie on both sides of a period's end.
  std::size_t first = 0;
  double widest = phases.front() + periodMs - phases.back();
  for (std::size_t i = 1; i < phases.size(); ++i)
    if (phases[i] - phases[i - 1] > widest) {
      widest = phases[i] - phases[i - 1];
      first = i;
    }
  constexpr std::size_t kEarlyPart = 20;  // one in twenty may be a straggler of the tick before
  return phases[(first + phases.size() / kEarlyPart) % phases.size()];
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

}  // namespace

Result<TraceRecord> readTraceRecord(const std::string& path) {
  TraceRecord record;
  record.path = path;
  const fs::path file = besideOf(path, ".json");
  std::ifstream in(file);
  if (!in) return Diagnostic{Severity::Error, {file.string(), 0, 0}, "the file cannot be read", ""};
  record.run = json::parse(in, nullptr, false);
  if (record.run.is_discarded())
    return Diagnostic{Severity::Error, {file.string(), 0, 0}, "this is not JSON", ""};
  fs::path trace = besideOf(path, ".trace.txt");
  if (!fs::exists(trace)) trace = besideOf(path, ".trace.txt.gz");
  auto text = readTraceText(trace.string());
  if (!text) return text.error();
  record.text = std::move(text.value());
  auto real = readPasses(path, record.run);
  if (!real) return real.error();
  record.real = std::move(real.value());
  TrackReader(record.run, record.text, record.real);
  auto profile = profileOf(record.run);
  if (!profile) return profile.error();
  record.profile = profile.value();
  const auto domains = domainsOf(record.run);
  auto topology = topologyOfDomains(hardwareOfDomains(domains, {}, MaskRules::X86), record.profile, domains);
  if (!topology) return topology.error();
  record.topology = topology.value();
  record.tickPhaseMs = tickPhaseMs(record.real, static_cast<double>(record.tickNs()) / kNsPerMs);
  record.clockReadNs = clockReadOfTrace(record.run, record.text, record.tickNs());
  for (const json& action : record.run.at("actions"))
    if (action.at("action") == "end") record.endMs = action.at("t_us").get<double>() / kUsPerMs;
  return record;
}

}  // namespace rqscope
