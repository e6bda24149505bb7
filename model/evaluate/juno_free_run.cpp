// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "balance/balance.h"
#include "evaluate/free_run_state.h"
#include "evaluate/juno_record.h"
#include "evaluate/juno_start.h"
#include "evaluate/record_problem.h"
#include "evaluate/recorded_hardware.h"
#include "evaluate/stats_record.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr double kNsPerMs = 1e6;
constexpr double kToleranceMs = 4.5;  // a tick and what the emulator's turns add
// A move is stamped when its turn comes after the lock: the README says up to 0.1 ms late.
constexpr double kTurnsMs = 0.1 + 1e-9;
constexpr double kTenths = 10;  // the spans are published in tenths of a millisecond
constexpr double kNeverMs = 1e9;

CpuIdleType idleOf(const std::string& name) {
  if (name == "CPU_NOT_IDLE") return CpuIdleType::NotIdle;
  return name == "CPU_IDLE" ? CpuIdleType::Idle : CpuIdleType::NewlyIdle;
}

std::string verdictOf(const json& c) {
  constexpr double kHotMs = 0.5;  // sysctl_sched_migration_cost
  if (c.value("running", false)) return "running";
  if (c.at("can_migrate").get<int>() == 0)
    return c.at("ms_since_exec_start").get<double>() < kHotMs ? "hot" : "pinned";
  return c.value("accepted", true) ? "detached" : "too big";
}

std::optional<GroupType> typeOf(const json& object) {
  return groupTypeOfRecord(withoutPrefix(object.at("type").get<std::string>(), "group_"));
}

FreePass passOf(const json& d) {
  FreePass out;
  out.ms = d.at("t").get<double>();
  out.dst = d.at("cpu").get<int>();
  out.domain = d.at("domain").get<std::string>();
  out.idle = idleOf(d.at("idle").get<std::string>());
  out.shouldBalance = d.at("should_we_balance").get<bool>();
  out.failedBefore = d.at("nr_balance_failed").get<std::uint32_t>();
  out.intervalMsBefore = d.at("balance_interval").get<std::uint32_t>();
  out.moved = d.value("moved", 0);
  if (d.contains("jiffies") && d.contains("last_balance"))
    out.jiffiesSinceLast = d["jiffies"].get<std::uint64_t>() - d["last_balance"].get<std::uint64_t>();
  if (!d.contains("local")) return out;
  out.local = typeOf(d["local"]);
  out.localUtil = d["local"].value("util", std::uint64_t{0});
  out.localLoad = d["local"].value("load", std::uint64_t{0});
  out.localRunning = d["local"].value("nr_running", std::uint32_t{0});
  out.localIsOneCpu = d["local"].at("cpus").size() == 1;
  if (!d.at("busiest").is_null()) {
    out.busiest = typeOf(d["busiest"]);
    out.busiestUtil = d["busiest"].value("util", std::uint64_t{0});
    out.busiestLoad = d["busiest"].value("load", std::uint64_t{0});
    out.busiestRunning = d["busiest"].value("nr_running", std::uint32_t{0});
  }
  if (!d.value("imbalanced", false)) return out;
  out.decision = withoutPrefix(d.at("migration_type").get<std::string>(), "migrate_");
  out.imbalance = d.at("imbalance").get<std::int64_t>();
  if (d.contains("cands"))
    for (const json& c : d["cands"])
      out.candidates.push_back({c.at("task").is_string() ? c["task"].get<std::string>() : std::string("?"),
                                c.at("ms_since_exec_start").get<double>(), verdictOf(c)});
  return out;
}

FreeTrack trackOf(const json& run) {
  FreeTrack track;
  for (const json& d : run.at("all_decisions")) track.passes.push_back(passOf(d));
  std::map<std::string, bool> isWorker;
  for (const json& t : run.at("tasks")) {
    isWorker[t.at("name").get<std::string>()] = true;
    if (t.contains("end") && t["end"].is_number())
      track.lastEndMs = std::max(track.lastEndMs, t["end"].get<double>());
  }
  for (const json& m : run.at("migrations")) {
    FreeMove move{m.at("t").get<double>(), m.at("task").get<std::string>(), m.at("from").get<int>(),
                  m.at("to").get<int>(),   m.at("by").get<std::string>(),   {}};
    if (m.contains("nr_balance_failed")) move.failed = m["nr_balance_failed"].get<std::uint32_t>();
    if (isWorker.contains(move.task)) track.moves.push_back(move);
  }
  for (const json& s : run.at("timeline")) {
    const auto name = s.at(2).get<std::string>();
    if (name != "idle" && !isWorker.contains(name) && !name.starts_with("migration/"))
      track.foreign.push_back({s.at(0).get<double>(), s.at(1).get<int>(), name});
  }
  return track;
}

std::vector<RecordedDomainSpan> domainsOf(const json& machine, KernelVersion version) {
  std::vector<RecordedDomainSpan> out;
  for (const json& cpu : machine.at("cpus")) {
    const int number = cpu.at("cpu").get<int>();
    int index = 0;
    for (const json& d : machine.at("domains").at(fmt::format("cpu{}", number))) {
      CpuMask span;
      for (const json& c : d.at("span")) span.set(CpuId{c.get<int>()});
      out.push_back({CpuId{number}, index++, span, sdFlagsOfNames(d.at("flags"), version)});
    }
  }
  return out;
}

/// The first time that a CPU without a task at the un-pinning took one from a CPU with two.
const FreeMove* firstPull(const FreeTrack& track, const json& run, double unpinMs) {
  std::map<int, int> tasksOn;
  for (const json& t : run.at("tasks")) ++tasksOn[t.at("pin").get<int>()];
  const auto capacity = [&](int cpu) { return run.at("caps").at(static_cast<std::size_t>(cpu)).get<int>(); };
  const FreeMove* found = nullptr;
  for (const FreeMove& move : track.moves)
    if (move.ms >= unpinMs && !tasksOn.contains(move.to) && capacity(move.from) > capacity(move.to))
      if (found == nullptr || move.ms < found->ms) found = &move;
  return found;
}

/// The layout whose spans are published: all of nice 0, one big CPU with two tasks, one little CPU idle.
bool isMainLayout(const json& run) {
  std::map<int, int> tasksOn;
  for (const json& t : run.at("tasks")) {
    if (t.at("nice").get<int>() != 0) return false;
    ++tasksOn[t.at("pin").get<int>()];
  }
  int doubled = 0;
  for (const auto& [cpu, count] : tasksOn) doubled += count == 2 ? 1 : 0;
  return run.at("tasks").size() == 6 && tasksOn.size() == 5 && doubled == 1;
}

std::string pullText(const FreeMove* move, double unpinMs) {
  if (move == nullptr) return "never";
  return fmt::format("+{:.1f} ms at nr_balance_failed {}", move->ms - unpinMs,
                     move->failed ? std::to_string(*move->failed) : std::string("?"));
}

/// Is it what all real runs of the main layout do? `before` is the kernel without the patch.
bool isSpannedPull(const FreeMove* pull, bool before, double unpinMs) {
  if (before || pull == nullptr) return before == (pull == nullptr);
  // The skewed kernel pulled at +54.5; all others at +10.0 to +17.5 or +54.6 to +70.2, published to 0.1 ms.
  const double late = std::round((pull->ms - unpinMs) * kTenths) / kTenths;
  const auto within = [&](double from, double to) {
    return late >= from - kTurnsMs && late <= to + kTurnsMs;
  };
  return (within(10.0, 17.5) || within(54.5, 70.2)) && pull->failed &&
         (*pull->failed == 1 || *pull->failed == 2);
}

const FreeMove* firstPullWhileAllRun(const FreeTrack& track, const json& run, double unpinMs) {
  const FreeMove* pull = firstPull(track, run, unpinMs);
  const double firstEnd = run.at("summary").value("first_end_ms", kNeverMs);
  return pull != nullptr && pull->ms > firstEnd ? nullptr : pull;
}

/// Whether a sampler ran beside the workload, which left its readings beside the record. It disturbs the
/// placement, so the record's README counts such a run to none of the spans.
bool wasSampled(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(path).parent_path() / "proc_sched.txt", ignored);
}

/// What all real runs of the main layout span.
void checkSpans(const json& run, bool before, const FreeTrack& model, double unpinMs, FreeRunReport& report) {
  if (!isMainLayout(run)) return;
  const FreeMove* pull = firstPullWhileAllRun(model, run, unpinMs);
  report.checks.push_back({"first pull by the idle little CPU",
                           before ? "never" : "+10 to +17.5 or +54.5 to +70.2 ms at nr_balance_failed 1 or 2",
                           pullText(pull, unpinMs), isSpannedPull(pull, before, unpinMs)});
  if (run.at("work_ms").get<double>() <= 0) return;
  const double end = (model.lastEndMs - unpinMs) / 1000, wanted = before ? 22.2 : 20.2;
  report.checks.push_back({"end of the last task", fmt::format("{:.1f} s", wanted),
                           fmt::format("{:.2f} s", end), std::abs(end - wanted) < 0.1});
}

Result<FreeTrack> runFrom(JunoStart& start, const std::vector<FreePass>& passes) {
  auto state = start.make(passes);
  if (!state) return state.error();
  Simulator simulator(std::move(state.value()));
  FreeRunWatcher watcher(start.base().zeroNs);
  simulator.setObserver(&watcher);
  runFreely(simulator, UINT64_MAX, [] { return false; });
  return watcher.track();
}

Result<FreeRunReport> run(const JunoRecord& record, const std::string& path) {
  const json& r = record.run;
  const auto domains = domainsOf(record.machine, record.profile.version);
  std::vector<std::uint32_t> capacities;
  for (const json& c : record.machine.at("cpus")) capacities.push_back(c.at("capacity").get<std::uint32_t>());
  auto topology = topologyOfDomains(hardwareOfDomains(domains, capacities, MaskRules::ArchTopology),
                                    record.profile, domains);
  if (!topology) return topology.error();
  const FreeTrack real = trackOf(r);
  const double unpinMs = r.at("pin_ms").get<double>();
  const auto trace = junoTrace(r, path);
  if (!trace) return trace.error();
  JunoStart start(r, trace.value(), record.profile, topology.value());
  auto model = runFrom(start, real.passes);
  if (!model) return model.error();
  const FreeRunWindow window{start.fromMs(), r.at("all_decisions_up_to_ms").get<double>(), kToleranceMs};
  FreeRunReport report = compareFreeRun(real, model.value(), window);
  report.file = path;
  report.kernel = record.profile.name;
  if (r.at("work_ms").get<double>() <= 0) report.endReal = -1;  // cut off
  report.pullReal = pullText(firstPull(real, r, unpinMs), unpinMs);
  report.pullModel = pullText(firstPull(model.value(), r, unpinMs), unpinMs);
  if (wasSampled(path))
    report.pullReal += " (sampled)";
  else
    checkSpans(r, record.isBefore, model.value(), unpinMs, report);
  return report;
}

}  // namespace

Result<FreeRunReport> freeRunJuno(const std::string& path) {
  auto record = openJunoRecord(path);
  if (!record) return record.error();
  try {  // nlohmann reports a missing or wrong member by exception
    return run(record.value(), path);
  } catch (const json::exception& e) {
    return recordProblem(path, e);
  }
}

}  // namespace rqscope
