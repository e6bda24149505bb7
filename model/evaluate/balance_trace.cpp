// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>

#include "evaluate/decision_checker.h"
#include "evaluate/hand_machine.h"
#include "evaluate/record_problem.h"
#include "evaluate/stats_record.h"
#include "formats/line_reader.h"

namespace rqscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// "dir/NAME.json" for "dir/NAME.balance.jsonl[.gz]".
fs::path machineFileOf(const fs::path& path) {
  std::string name = path.filename().string();
  name.resize(std::min(name.find(".balance.jsonl"), name.size()));
  return path.parent_path() / (name + ".json");
}

std::uint32_t hexFlags(const std::string& text) {
  std::uint32_t flags = 0;
  const char* begin = text.data() + (text.starts_with("0x") ? 2 : 0);
  std::from_chars(begin, text.data() + text.size(), flags, 16);
  return flags;  // the bits of 6.12 are SdFlag's
}

std::vector<int> cpusOf(const std::string& list) {
  std::vector<int> out;
  if (auto mask = CpuMask::parseList(list)) mask.value().forEach([&](CpuId c) { out.push_back(c.value); });
  return out;
}

struct RecordedDomain {
  int level = 0;
  std::vector<int> span;
  std::uint32_t flags = 0;
  std::vector<std::string> groups;
};

/// Allowed NUMA imbalance, from the domains alone. Kernel: the imb_numa_nr part of build_sched_domains().
void setImbNumaNr(SchedTopology& t) {
  for (const CpuDomains& cpu : t.cpus) {
    int imb = 0;
    int imbSpan = 1;
    for (DomainId id = cpu.lowest; id.isValid(); id = t.domain(id).parent) {
      SchedDomain& sd = t.domains[id.index()];
      const bool childShares = sd.child.isValid() && (t.domain(sd.child).flags & kSdShareLlc) != 0;
      if ((sd.flags & kSdShareLlc) == 0 && childShares) {
        // A NUMA level right above the cache: the package level equalled the cache and is gone, but counted.
        const int below = t.domain(sd.child).spanWeight;
        const int weight = (sd.flags & kSdNuma) != 0 ? below : sd.spanWeight;
        imb = std::max(1, weight == below ? weight >> 3 : weight / below);
        DomainId numa = id;
        while (numa.isValid() && (t.domain(numa).flags & kSdNuma) == 0) numa = t.domain(numa).parent;
        imbSpan = numa.isValid() ? t.domain(numa).spanWeight : sd.spanWeight;
      }
      if ((sd.flags & kSdShareLlc) == 0) {
        sd.imbNumaNr = imb * std::max(1, sd.spanWeight / imbSpan);
      }
    }
  }
}

constexpr int kSmtImbalancePct = 110;
constexpr int kImbalancePct = 117;
constexpr int kNumaTries = 2;

std::shared_ptr<const SchedTopology> topologyOf(const json& run) {
  std::map<int, std::vector<RecordedDomain>> byCpu;
  int count = 0;
  for (const json& d : run.at("domains")) {
    RecordedDomain domain{d.at("level").get<int>(), cpusOf(d.at("span").get<std::string>()),
                          hexFlags(d.at("flags_hex").get<std::string>()),
                          d.at("groups").get<std::vector<std::string>>()};
    const int cpu = d.at("cpu").get<int>();
    count = std::max(count, cpu + 1);
    byCpu[cpu].push_back(std::move(domain));
  }
  HandTopology hand(count);
  SchedTopology& t = hand.topology();
  std::size_t levels = 0;
  for (const auto& [cpu, list] : byCpu) levels = std::max(levels, list.size());
  for (std::size_t i = 0; i < levels; ++i) {
    std::set<std::vector<int>> done;
    for (const auto& [cpu, list] : byCpu) {
      if (i >= list.size() || !done.insert(list[i].span).second) continue;
      std::vector<HandTopology::GroupSpec> groups;
      for (const std::string& text : list[i].groups) {
        const auto cpus = cpusOf(text);
        const auto& below = byCpu[cpus.front()];
        const std::uint32_t childFlags = i == 0 ? 0 : below[i - 1].flags;
        const bool isSmtGroup = (childFlags & kSdShareCpucapacity) != 0;
        groups.push_back({cpus, childFlags, isSmtGroup ? 1 : 0});
      }
      const bool isSmt = (list[i].flags & kSdShareCpucapacity) != 0;
      hand.addDomain(list[i].span, list[i].flags, isSmt ? kSmtImbalancePct : kImbalancePct, groups);
    }
  }
  for (SchedDomain& d : t.domains) {
    d.level = byCpu[d.cpu.value][static_cast<std::size_t>(d.index)].level;
    const bool isNuma = (d.flags & kSdNuma) != 0;
    d.cacheNiceTries = (d.flags & kSdShareCpucapacity) != 0 ? 0 : isNuma ? kNumaTries : 1;
  }
  for (SchedGroup& g : t.groups)  // a core counts once
    if (g.cores == g.weight) {
      CpuMask left = g.span;
      g.cores = 0;
      for (CpuId c = left.first(); c.isValid(); c = left.first()) {
        ++g.cores;
        const DomainId lowest = t.cpus[c.index()].lowest;
        if (lowest.isValid() && (t.domain(lowest).flags & kSdShareCpucapacity) != 0)
          left -= t.domain(lowest).span;
        left.clear(c);
      }
    }
  for (std::size_t c = 0; c < t.cpus.size(); ++c) {
    const DomainId lowest = t.cpus[c].lowest;
    if (!lowest.isValid() || (t.domain(lowest).flags & kSdShareCpucapacity) == 0) continue;
    t.smtMask[c] = t.domain(lowest).span;
    t.smtActive = true;
  }
  setImbNumaNr(t);
  return hand.finish();
}

CpuIdleType idleOf(const std::string& name) {
  if (name == "not_idle") return CpuIdleType::NotIdle;
  return name == "idle" ? CpuIdleType::Idle : CpuIdleType::NewlyIdle;
}

Result<GroupStats> statsOf(const json& object) {
  GroupStats stats;
  const auto type = groupTypeOfRecord(object.at("group_type").get<std::string>());
  if (!type) return Diagnostic{Severity::Error, {}, "a group has no known type", ""};
  stats.type = *type;
  const auto number = [&](const char* key) { return object.value(key, std::uint64_t{0}); };
  stats.groupLoad = number("group_load");
  stats.groupCapacity = number("group_capacity");
  stats.groupUtil = number("group_util");
  stats.groupRunnable = number("group_runnable");
  stats.avgLoad = number("avg_load");
  stats.sumNrRunning = static_cast<std::uint32_t>(number("sum_nr_running"));
  stats.sumHNrRunning = static_cast<std::uint32_t>(number("sum_h_nr_running"));
  stats.idleCpus = static_cast<std::uint32_t>(number("idle_cpus"));
  stats.groupWeight = static_cast<std::uint32_t>(number("group_weight"));
  return stats;
}

class TraceChecker {
 public:
  TraceChecker(std::shared_ptr<const SchedTopology> topology, KernelProfile profile, DecisionTally& tally)
      : m_topology(std::move(topology)), m_profile(std::move(profile)), m_tally(tally) {}

  void check(const json& call) {
    const CpuId dst{call.at("dst_cpu").get<int>()};
    const int level = call.at("level").get<int>();
    DomainId domain;
    for (std::size_t i = 0; i < m_topology->domains.size(); ++i)
      if (m_topology->domains[i].cpu == dst && m_topology->domains[i].level == level) domain = DomainId{i};
    const std::string where =
        fmt::format("t={} us CPU {} level {}", call.at("t_us").dump(), dst.value, level);
    if (!domain.isValid()) {
      m_tally.compare("record", where, "a domain of the recorded machine", "none");
      return;
    }
    for (const json& pass : call.at("passes")) checkPass(call, pass, domain, where);
  }

 private:
  void checkPass(const json& call, const json& pass, DomainId domain, const std::string& where) {
    Machine m = handMachine(m_topology, m_profile);
    Observer observer;
    Context ctx{m, observer};
    const CpuId dst{call.at("dst_cpu").get<int>()};
    BalanceEnv env(ctx, domain, dst, idleOf(call.at("idle").get<std::string>()));
    env.state.nrBalanceFailed = call.at("nr_balance_failed_before").get<std::uint32_t>();
    RecordedChoice choice;
    if (!readChoice(pass, env, choice)) {
      m_tally.compare("record", where, "readable statistics", "not readable");
      return;
    }
    checkGroupTypes(m_tally, where, env, choice);
    checkFindSrcGroup(m_tally, where, env, choice);
    if (pass.contains("detached")) checkDetached(pass, where, choice);
  }

  bool readChoice(const json& pass, const BalanceEnv& env, RecordedChoice& choice) const {
    auto local = statsOf(pass.at("local"));
    if (!local) return false;
    choice.local = local.value();
    choice.totalLoad = pass.at("total_load").get<std::uint64_t>();
    choice.totalCapacity = pass.at("total_capacity").get<std::uint64_t>();
    choice.preferSibling = pass.at("prefer_sibling").get<int>() != 0;
    if (!pass.at("busiest").is_null()) {
      auto busiest = statsOf(pass["busiest"]);
      auto span = CpuMask::parseList(pass["busiest"].at("cpus").get<std::string>());
      if (!busiest || !span) return false;
      choice.busiest = busiest.value();
      choice.busiestPosition = groupPosition(*m_topology, env.sd, span.value());
      if (choice.busiestPosition < 0) return false;
      // Follows from what is recorded; the flag itself is not.
      choice.busiest->groupSmtBalance = isSmtBalance(env, env.group(choice.busiestPosition), *choice.busiest);
    }
    choice.isImbalanced = !pass.at("decision").is_null();
    if (choice.isImbalanced) {
      choice.migrationType =
          pass["decision"].at("migration_type").get<std::string>().substr(sizeof("migrate_") - 1);
      choice.imbalance = pass["decision"].at("imbalance").get<std::int64_t>();
    }
    return true;
  }

  /// What each detached task took off: one, or its full load (known to within task_h_load()'s division).
  void checkDetached(const json& pass, const std::string& where, const RecordedChoice& choice) {
    if (choice.migrationType != "task") return;
    std::int64_t left = choice.imbalance;
    for (const json& task : pass["detached"]) {
      --left;
      m_tally.compare("imbalance_left", where, task.at("imbalance_left").dump(), std::to_string(left));
    }
  }

  std::shared_ptr<const SchedTopology> m_topology;
  KernelProfile m_profile;
  DecisionTally& m_tally;
};

}  // namespace

Result<DecisionReport> verifyBalanceTrace(const std::string& path, int shown) {
  const fs::path machineFile = machineFileOf(path);
  std::ifstream in(machineFile);
  if (!in)
    return Diagnostic{Severity::Error,
                      {path, 0, 0},
                      "the machine of this trace is not known",
                      "put " + machineFile.filename().string() + " beside it"};
  const json run = json::parse(in, nullptr, false);
  if (run.is_discarded())
    return Diagnostic{Severity::Error, {machineFile.string(), 0, 0}, "this is not JSON", ""};
  auto reader = LineReader::open(path);
  if (!reader) return reader.error();
  try {  // nlohmann reports a missing or wrong member by exception
    auto profile = kernelProfile("v6.12");
    DecisionReport report{path, profile.value().name, {}, {}};
    DecisionTally tally(report, shown);
    TraceChecker checker(topologyOf(run), profile.value(), tally);
    for (std::string line; reader.value().next(line);) checker.check(json::parse(line));
    if (reader.value().error()) return *reader.value().error();
    return report;
  } catch (const json::exception& e) {
    return recordProblem(path, e, reader.value().lineNumber());
  }
}

}  // namespace rqscope
