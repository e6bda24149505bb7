// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "evaluate/decision_checker.h"
#include "evaluate/hand_machine.h"
#include "evaluate/juno_record.h"
#include "evaluate/record_problem.h"
#include "evaluate/stats_record.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr std::uint64_t kClockNs = 1'000'000'000'000;  // far enough from 0 for every ms_since_exec_start
constexpr std::uint64_t kNsPerUs = 1000;

/// The recorded machine as a topology: its domains, groups, capacities.
std::shared_ptr<const SchedTopology> topologyOf(const json& machine, KernelVersion version) {
  const int count = static_cast<int>(machine.at("cpus").size());
  HandTopology hand(count);
  std::map<std::pair<int, std::string>, std::uint32_t> childFlags;  // of the lower domain, by CPU and name
  for (int level = 0; level < 8; ++level) {
    std::set<std::vector<int>> done;
    for (int cpu = 0; cpu < count; ++cpu) {
      const json& domains = machine.at("domains").at(fmt::format("cpu{}", cpu));
      if (level >= static_cast<int>(domains.size())) continue;
      const json& domain = domains[static_cast<std::size_t>(level)];
      const auto span = domain.at("span").get<std::vector<int>>();
      if (!done.insert(span).second) continue;
      std::vector<HandTopology::GroupSpec> groups;
      for (const json& group : domain.at("groups")) {
        const auto cpus = group.at("span").get<std::vector<int>>();
        const json& below = machine.at("domains").at(fmt::format("cpu{}", cpus.front()));
        const std::uint32_t flags =
            level == 0 ? 0 : sdFlagsOfNames(below[static_cast<std::size_t>(level - 1)].at("flags"), version);
        groups.push_back({cpus, flags, 0});
      }
      hand.addDomain(span, sdFlagsOfNames(domain.at("flags"), version), domain.at("imbalance_pct").get<int>(),
                     groups);
      for (SchedDomain& added : hand.topology().domains) {
        if (added.name.empty()) added.name = domain.at("name").get<std::string>();
        if (added.index == level && added.span.test(CpuId{span.front()}))
          added.cacheNiceTries = domain.at("cache_nice_tries").get<int>();
      }
    }
  }
  for (const json& cpu : machine.at("cpus"))
    hand.topology().cpuCapacity[cpu.at("cpu").get<std::size_t>()] = cpu.at("capacity").get<std::uint32_t>();
  hand.topology().asymCapacityActive = true;
  return hand.finish();
}

Result<GroupStats> statsOf(const json& object) {
  GroupStats stats;
  const auto number = [&](const char* key) { return object.value(key, std::uint64_t{0}); };
  const auto type = groupTypeOfRecord(withoutPrefix(object.value("type", std::string{}), "group_"));
  if (!type) return Diagnostic{Severity::Error, {}, "a group has no known type", ""};
  stats.type = *type;
  stats.groupLoad = number("load");
  stats.groupUtil = number("util");
  stats.groupRunnable = number("runnable");
  stats.groupCapacity = number("capacity");
  stats.sumNrRunning = static_cast<std::uint32_t>(number("nr_running"));
  stats.sumHNrRunning = static_cast<std::uint32_t>(number("h_nr_running"));
  stats.idleCpus = static_cast<std::uint32_t>(number("idle_cpus"));
  stats.groupWeight = static_cast<std::uint32_t>(number("weight"));
  stats.groupMisfitTaskLoad = number("misfit_task_load");
  if (stats.type == GroupType::Overloaded && stats.groupCapacity != 0)
    stats.avgLoad = stats.groupLoad * kCapacityScale / stats.groupCapacity;
  return stats;
}

CpuMask maskOf(const json& cpus) {
  CpuMask mask;
  for (const json& cpu : cpus) mask.set(CpuId{cpu.get<int>()});
  return mask;
}

MigrationType migrationTypeOf(std::string_view name) {
  for (const auto type :
       {MigrationType::Load, MigrationType::Util, MigrationType::Task, MigrationType::Misfit})
    if (migrationTypeName(type) == name) return type;
  return MigrationType::LlcTask;
}

CpuIdleType idleOf(const std::string& name) {
  if (name == "CPU_NOT_IDLE") return CpuIdleType::NotIdle;
  return name == "CPU_IDLE" ? CpuIdleType::Idle : CpuIdleType::NewlyIdle;
}

/// When each worker removed its affinity, ms after T0, and where it was pinned.
struct Worker {
  int pin = -1;
  double unpinMs = 0;
};

class JunoRun {
 public:
  JunoRun(const json& run, std::shared_ptr<const SchedTopology> topology, const KernelProfile& profile,
          DecisionTally& tally)
      : m_topology(std::move(topology)), m_profile(profile), m_tally(tally) {
    for (const json& task : run.at("tasks"))
      m_workers[task.at("name").get<std::string>()] = {task.at("pin").get<int>(), task.value("unpin", 0.0)};
  }

  void check(const json& d) {
    if (!d.contains("local")) return;  // should_we_balance said no
    const CpuId cpu{d.at("cpu").get<int>()};
    const DomainId domain = domainOf(cpu, d.at("domain").get<std::string>());
    const std::string where = fmt::format("t={} ms CPU {} {}", d.at("t").get<double>(), cpu.value,
                                          d.at("domain").get<std::string>());
    RQS_CHECK(domain.isValid(), "a recorded domain that the recorded machine lacks");
    Machine m = handMachine(m_topology, m_profile);
    Observer observer;
    Context ctx{m, observer};
    BalanceEnv env(ctx, domain, cpu, idleOf(d.at("idle").get<std::string>()));
    env.state.nrBalanceFailed = d.at("nr_balance_failed").get<std::uint32_t>();
    auto choice = choiceOf(d, env);
    if (!choice) {
      m_tally.compare("record", where, "readable", choice.error().message);
      return;
    }
    checkGroupTypes(m_tally, where, env, choice.value());
    checkFindSrcGroup(m_tally, where, env, choice.value());
    if (!choice.value().isImbalanced || !d.contains("busiest_cpu") || d["busiest_cpu"].is_null()) return;
    const auto rounds = roundsOf(d);
    for (std::size_t i = 0; i < rounds.size(); ++i) checkRound(d, rounds[i], i == 0, where);
    if (d.contains("need_active_balance")) checkNeedActive(d, rounds.size(), where);
  }

 private:
  DomainId domainOf(CpuId cpu, const std::string& name) const {
    for (std::size_t i = 0; i < m_topology->domains.size(); ++i)
      if (m_topology->domains[i].cpu == cpu && m_topology->domains[i].name == name) return DomainId{i};
    return DomainId{};
  }

  Result<RecordedChoice> choiceOf(const json& d, const BalanceEnv& env) const {
    RecordedChoice choice;
    auto local = statsOf(d.at("local"));
    if (!local) return local.error();
    choice.local = local.value();
    if (!d.at("busiest").is_null()) {
      auto busiest = statsOf(d["busiest"]);
      if (!busiest) return busiest.error();
      choice.busiest = busiest.value();
      choice.busiestPosition = groupPosition(*m_topology, env.sd, maskOf(d["busiest"].at("cpus")));
      if (choice.busiestPosition < 0)
        return Diagnostic{Severity::Error, {}, "the busiest group is none of the domain's groups", ""};
    }
    choice.totalLoad = d.at("total_load").get<std::uint64_t>();
    choice.totalCapacity = d.at("total_capacity").get<std::uint64_t>();
    choice.preferSibling = d.at("prefer_sibling").get<int>() != 0;
    choice.isImbalanced = d.at("imbalanced").get<bool>();
    if (choice.isImbalanced) {
      choice.migrationType = withoutPrefix(d.at("migration_type").get<std::string>(), "migrate_");
      choice.imbalance = d.at("imbalance").get<std::int64_t>();
    }
    return choice;
  }

  /// The candidates of each round: a redo without the pinned CPU starts its loop counter anew.
  static std::vector<std::vector<json>> roundsOf(const json& d) {
    std::vector<std::vector<json>> rounds;
    if (!d.contains("cands")) return rounds;
    int last = 0;
    for (const json& c : d["cands"]) {
      const int loop = c.at("loop").get<int>();
      if (rounds.empty() || loop <= last) rounds.emplace_back();
      rounds.back().push_back(c);
      last = loop;
    }
    return rounds;
  }

  /// A machine and pass environment for one question about the decision.
  template <class F>
  void withEnv(const json& d, F&& f) {
    const CpuId cpu{d.at("cpu").get<int>()};
    Machine m = handMachine(m_topology, m_profile);
    Observer observer;
    Context ctx{m, observer};
    BalanceEnv env(ctx, domainOf(cpu, d.at("domain").get<std::string>()), cpu,
                   idleOf(d.at("idle").get<std::string>()));
    env.state.nrBalanceFailed = d.at("nr_balance_failed").get<std::uint32_t>();
    env.src = CpuId{d.at("busiest_cpu").get<int>()};
    f(env);
  }

  /// Runs detach_tasks() over one round's candidates. Only the first round's queue length is recorded.
  void checkRound(const json& d, const std::vector<json>& cands, bool isFirst, const std::string& where) {
    withEnv(d, [&](BalanceEnv& env) {
      env.migration = migrationTypeOf(withoutPrefix(d.at("migration_type").get<std::string>(), "migrate_"));
      const auto nr = d.value("busiest_nr_running", std::uint32_t{0});
      laySource(d, cands, isFirst ? nr : static_cast<std::uint32_t>(cands.size()), env);
      checkCandidates(d, cands, where, env);
    });
  }

  void checkNeedActive(const json& d, std::size_t rounds, const std::string& where) {
    if (rounds > 1) {
      m_tally.take("need_active_balance", "the source of a redo is not recorded");
      return;
    }
    withEnv(d, [&](BalanceEnv& env) {
      env.migration = migrationTypeOf(withoutPrefix(d.at("migration_type").get<std::string>(), "migrate_"));
      laySource(d, {}, d.value("busiest_nr_running", std::uint32_t{0}), env);
      env.state.nrBalanceFailed = d.at("nr_balance_failed_after").get<std::uint32_t>();
      m_tally.compare("need_active_balance", where, d["need_active_balance"].get<int>() != 0 ? "yes" : "no",
                      needActiveBalance(env) != BalancePass::ActiveReason::No ? "yes" : "no");
    });
  }

  /// The source queue as far as the record tells it: its tasks in list order, their number, both capacities.
  void laySource(const json& d, const std::vector<json>& cands, std::uint32_t nr, BalanceEnv& env) {
    Machine& m = env.m;
    Rq& rq = m.rq(env.src);
    rq.clock = rq.clockTask = rq.clockPelt = m.nowNs = kClockNs;
    m.rq(env.dst).clock = m.rq(env.dst).clockTask = kClockNs;
    rq.cpuCapacity = m_topology->cpuCapacity[env.src.index()];
    m.rq(env.dst).cpuCapacity = m_topology->cpuCapacity[env.dst.index()];
    std::uint64_t load = 0;
    for (const json& c : cands) load += layTask(env, d, c);
    CfsRq& queue = m.rootCfs(env.src);
    rq.nrRunning = nr;
    queue.hNrQueued = queue.hNrRunnable = nr;
    const bool isOneCpu = d["busiest"].at("cpus").size() == 1;
    queue.avg.loadAvg = isOneCpu ? d["busiest"].at("load").get<std::uint64_t>() : load;
    queue.avg.loadSum = queue.avg.loadAvg * peltDivider(queue.avg);
  }

  /// A queued task with the recorded signals; returns its load_avg. First laid is the list's tail.
  std::uint64_t layTask(BalanceEnv& env, const json& d, const json& c) {
    Machine& m = env.m;
    NewTask spec;
    spec.name = c.at("task").is_string() ? c.at("task").get<std::string>() : std::string{};
    spec.cpu = env.src;
    spec.cpusAllowed = m_topology->online;
    const TaskId id = addTask(m, spec);
    Task& task = m.task(id);
    task.state = TaskState::Running;
    enqueueTaskFair(env.ctx, env.src, id, kEnqueueNoclock);
    task.onRq = true;
    task.onCpu = c.at("running").get<bool>();
    restrictAffinity(task, d, c);
    SchedEntity& se = m.se(id);
    const auto sinceUs =
        static_cast<std::uint64_t>(std::llround(c.at("ms_since_exec_start").get<double>() * 1000.0));
    se.execStart = sinceUs * kNsPerUs > kClockNs ? 0 : kClockNs - sinceUs * kNsPerUs;
    se.avg.utilAvg = c.at("util_avg").get<std::uint64_t>();
    se.avg.loadAvg = c.at("load_avg").get<std::uint64_t>();
    if (c.contains("task_util_est")) se.avg.utilEst = c["task_util_est"].get<std::uint32_t>();
    return se.avg.loadAvg;
  }

  /// Workers are pinned until they unpin themselves; of kernel threads the record tells only the outcome.
  void restrictAffinity(Task& task, const json& d, const json& c) {
    const auto worker = m_workers.find(task.name);
    int pin = -1;
    if (worker != m_workers.end()) {
      if (d.at("t").get<double>() < worker->second.unpinMs) pin = worker->second.pin;
    } else if (c.at("can_migrate").get<int>() == 0 && !task.onCpu) {
      m_tally.take("candidates", "the affinity of a kernel thread is not recorded");
      pin = task.cpu.value;
    }
    if (pin < 0) return;
    task.cpusAllowed = CpuMask::of(CpuId{pin});
    task.nrCpusAllowed = 1;
  }

  /// Runs detach_tasks() over the recorded candidates and compares each verdict and compared value.
  void checkCandidates(const json& d, const std::vector<json>& cands, const std::string& where,
                       BalanceEnv& env) {
    env.imbalance = d.at("imbalance").get<std::int64_t>();
    env.loopMax = std::min(env.m.tunables().nrMigrate, env.m.rq(env.src).nrRunning);
    env.flags = kLbfAllPinned;
    BalanceRound round;
    env.round = &round;
    std::vector<TaskId> moved;
    detachTasks(env, moved);
    std::string expected, actual;
    for (std::size_t i = 0; i < cands.size(); ++i) {
      expected = recordedVerdict(cands[i]);
      actual = i < round.candidates.size() ? foundVerdict(round.candidates[i]) : "not looked at";
      m_tally.compare("candidates", fmt::format("{} candidate {}", where, i), expected, actual);
    }
    m_tally.compare("candidate_count", where, std::to_string(cands.size()),
                    std::to_string(round.candidates.size()));
  }

  static std::string recordedVerdict(const json& c) {
    if (c.at("can_migrate").get<int>() == 0) return "may not migrate";
    if (!c.contains("accepted")) return "detached";  // migrate_task, migrate_misfit: nothing is compared
    const char* key = c.contains("compared_util") ? "compared_util" : "compared_load";
    return fmt::format("{} {} of {}", c["accepted"].get<bool>() ? "detached" : "too big",
                       c.at(key).get<std::uint64_t>(), c.at("imbalance").get<std::int64_t>());
  }

  static std::string foundVerdict(const BalanceCandidate& c) {
    using Verdict = BalanceCandidate::Verdict;
    switch (c.verdict) {
      case Verdict::Running:
      case Verdict::Affinity:
      case Verdict::PerCpuKthread:
      case Verdict::Hot:
      case Verdict::Throttled:
        return "may not migrate";
      case Verdict::LoadTooBig:
      case Verdict::UtilTooBig:
        return fmt::format("too big {} of {}", c.compared, c.limit);
      case Verdict::Detached:
        return c.value == 0 && c.limit == 0 ? "detached"
                                            : fmt::format("detached {} of {}", c.compared, c.limit);
      default:
        return "other";
    }
  }

  std::shared_ptr<const SchedTopology> m_topology;
  KernelProfile m_profile;
  DecisionTally& m_tally;
  std::map<std::string, Worker> m_workers;
};

}  // namespace

Result<DecisionReport> verifyJunoDecisions(const std::string& path, int shown) {
  auto record = openJunoRecord(path);
  if (!record) return record.error();
  try {  // nlohmann reports a missing or wrong member by exception
    const KernelProfile& profile = record.value().profile;
    const json& run = record.value().run;
    DecisionReport report{path, profile.name, {}, {}};
    DecisionTally tally(report, shown);
    JunoRun checker(run, topologyOf(record.value().machine, profile.version), profile, tally);
    std::set<std::string> seen;
    for (const char* list : {"all_decisions", "decisions_imbalanced"})
      for (const json& d : run.at(list))
        if (seen.insert(d.dump()).second) checker.check(d);  // the lists overlap
    return report;
  } catch (const json::exception& e) {
    return recordProblem(path, e);
  }
}

}  // namespace rqscope
