// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/hand_machine.h"
#include "evaluate/placement_records.h"
#include "placement/select_task_rq.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr int kCpus = 8, kCpusPerCache = 4;
constexpr std::uint32_t kOpenFlags = kSdWakeAffine | kSdBalanceFork | kSdBalanceExec;

/// CPUs 0-3 and 4-7 share a cache each; a domain per cache, one over all. Two nodes when asked.
std::shared_ptr<const SchedTopology> twoCaches(int imbalancePct, int imbNumaNr, bool nodePerCache) {
  HandTopology hand(kCpus);
  std::vector<HandTopology::GroupSpec> caches;
  for (int first = 0; first < kCpus; first += kCpusPerCache) {
    HandTopology::GroupSpec& cache = caches.emplace_back();
    std::vector<HandTopology::GroupSpec> singles;
    for (int c = first; c < first + kCpusPerCache; ++c) {
      cache.cpus.push_back(c);
      singles.push_back({{c}});
      if (nodePerCache) hand.topology().node[static_cast<std::size_t>(c)] = NodeId{first / kCpusPerCache};
    }
    cache.flags = kOpenFlags | kSdShareLlc;
    hand.addDomain(cache.cpus, kOpenFlags | kSdShareLlc, imbalancePct, singles);
    hand.addCache(cache.cpus);
  }
  std::vector<int> all;
  for (int c = 0; c < kCpus; ++c) all.push_back(c);
  hand.addDomain(all, kOpenFlags | (nodePerCache ? std::uint32_t{kSdNuma} : 0U), imbalancePct, caches);
  for (SchedDomain& domain : hand.topology().domains)
    if (domain.index == 1) domain.imbNumaNr = imbNumaNr;
  return hand.finish();
}

/// Groups hold the sums of their CPUs' capacities.
void sumCapacities(Machine& m) {
  for (const SchedGroup& group : m.topology->groups) {
    GroupCapacity& capacity = m.capacities[group.capacity.index()];
    capacity = GroupCapacity{0, ~std::uint64_t{0}, 0, 0, false};
    for (const CpuId cpu : group.cpus) {
      const std::uint64_t one = m.rq(cpu).cpuCapacity;
      capacity.capacity += one;
      capacity.minCapacity = std::min(capacity.minCapacity, one);
      capacity.maxCapacity = std::max(capacity.maxCapacity, one);
    }
    if (capacity.capacity == 0) capacity.capacity = 1;
  }
}

/// The waker as the record gives it: its flips, its last wakee, its load.
void layWaker(Machine& m, RecordReader& in, CpuId thisCpu, TaskId wakee) {
  const auto flips = static_cast<std::uint32_t>(in.number("waker_flips"));
  const std::uint64_t decay = m.jiffies - in.number("jiffies_since_flip_decay");
  const TaskId last = in.flag("same_wakee_as_last") ? wakee : TaskId{};
  const std::uint64_t load = in.bounded("waker_load_avg", kMaxAverage);
  Rq& rq = m.rq(thisCpu);
  if (in.flag("waker_is_idle_task") || !rq.curr.isValid()) {
    rq.curr = TaskId{};
    rq.idleWakeeFlips = flips;
    rq.idleWakeeFlipDecayJiffies = decay;
    rq.idleLastWakee = last;
    return;
  }
  Task& waker = m.task(rq.curr);
  waker.wakeeFlips = flips;
  waker.wakeeFlipDecayJiffies = decay;
  waker.lastWakee = last;
  m.se(rq.curr).avg.loadAvg = load;
}

std::uint32_t wakeFlagsOf(const std::string& kind, bool sync) {
  if (kind == "fork") return kWfFork;
  if (kind == "exec") return kWfExec;
  return kWfTtwu | (sync ? kWfSync : 0U);
}

}  // namespace

Result<json> runSelectTaskRq(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  KernelProfile profile = given;
  profile.tunables.hz = static_cast<int>(in.integer("hz"));
  Machine m = handMachine(twoCaches(static_cast<int>(in.integer("imbalance_pct")),
                                    static_cast<int>(in.integer("imb_numa_nr")), in.flag("node_per_llc")),
                          profile);
  for (const json& row : in.array("cpus"))
    if (auto laid = layCpuRow(m, row); !laid) return laid.diagnostics();
  sumCapacities(m);
  const std::vector<int> scans = in.list("nr_idle_scan");
  for (std::size_t i = 0; i < scans.size() && i < m.shared.size(); ++i) m.shared[i].nrIdleScan = scans[i];
  const Result<TaskId> made = layTask(m, in.object("task"), in.list("allowed_cpus"));
  const std::int64_t prev = in.integer("prev_cpu"), thisCpu = in.integer("this_cpu");
  const std::int64_t recent = in.integer("recent_used_cpu");
  const bool sync = in.flag("sync");
  const std::string kind = object.value("kind", "wakeup");
  if (!in.ok()) return in.error();
  if (!made) return made.diagnostics();
  for (const std::int64_t cpu : {prev, thisCpu, recent})
    if (cpu < 0 || cpu >= kCpus)
      return Diagnostic{Severity::Error, {}, "a CPU number is out of range", "0 to 7"};
  const TaskId task = made.value();
  const CpuId waker{static_cast<std::int32_t>(thisCpu)};
  m.task(task).recentUsedCpu = CpuId{static_cast<std::int32_t>(recent)};
  m.task(task).wakeeFlips = static_cast<std::uint32_t>(in.number("wakee_flips"));
  if (kind == "exec" && m.rq(waker).curr.isValid()) m.rq(waker).curr = task;
  layWaker(m, in, waker, task);
  Observer none;
  Context ctx{m, none};
  const CpuId chosen = selectTaskRqFair(ctx, task, CpuId{static_cast<std::int32_t>(prev)}, waker,
                                        wakeFlagsOf(kind, sync), nullptr);
  const TaskId current = m.rq(waker).curr;
  return json{{"cpu", chosen.value},
              {"waker_flips", current.isValid() ? m.task(current).wakeeFlips : m.rq(waker).idleWakeeFlips}};
}

}  // namespace rqscope
