// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "evaluate/function_table.h"
#include "evaluate/hand_machine.h"
#include "evaluate/placement_records.h"
#include "placement/idle_sibling.h"
#include "placement/select_task_rq.h"
#include "placement/wake_affine.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

using nlohmann::json;

json cpuOrNull(CpuId cpu) { return cpu.isValid() ? json(cpu.value) : json(nullptr); }

/// Two CPUs, 0 = this and 1 = prev, with the rows of a record.
constexpr CpuId kThis{0}, kPrev{1};

json roleOf(CpuId cpu) {
  if (!cpu.isValid()) return nullptr;
  return cpu == kThis ? "this" : "prev";
}

Result<json> runRecordWakee(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  KernelProfile profile = given;
  profile.tunables.hz = static_cast<int>(in.integer("hz"));
  Machine m = handMachine(HandTopology(1).finish(), profile);
  const TaskId waker = addTask(m, NewTask{}), wakee = addTask(m, NewTask{});
  m.rq(kThis).curr = waker;
  m.jiffies = in.number("jiffies");
  Task& t = m.task(waker);
  t.wakeeFlips = static_cast<std::uint32_t>(in.number("wakee_flips"));
  t.wakeeFlipDecayJiffies = in.number("flip_decay_ts");
  if (in.flag("same_wakee_as_last")) t.lastWakee = wakee;
  if (!in.ok()) return in.error();
  recordWakee(m, kThis, wakee);
  return json{{"wakee_flips", m.task(waker).wakeeFlips},
              {"flip_decay_ts", m.task(waker).wakeeFlipDecayJiffies}};
}

Result<json> runWakeWide(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  HandTopology hand(1);
  hand.topology().cpus[0].llcSize = static_cast<int>(in.integer("llc_size"));
  Machine m = handMachine(hand.finish(), profile);
  const TaskId waker = addTask(m, NewTask{}), wakee = addTask(m, NewTask{});
  m.rq(kThis).curr = waker;
  m.task(waker).wakeeFlips = static_cast<std::uint32_t>(in.number("waker_flips"));
  m.task(wakee).wakeeFlips = static_cast<std::uint32_t>(in.number("wakee_flips"));
  if (!in.ok()) return in.error();
  return json{{"wide", wakeWide(m, kThis, wakee).isWide ? 1 : 0}};
}

Result<json> runWakeAffineIdle(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  HandTopology hand(2);
  if (in.flag("share_cache")) hand.addCache({0, 1});
  Machine m = handMachine(hand.finish(), profile);
  for (json row : in.array("cpus")) {
    if (!row.is_object()) return Diagnostic{Severity::Error, {}, "a CPU row is not an object", ""};
    row["cpu"] = row.value("role", "") == "prev" ? kPrev.value : kThis.value;
    if (auto laid = layCpuRow(m, row); !laid) return laid.diagnostics();
  }
  const bool sync = in.flag("sync");
  if (!in.ok()) return in.error();
  return json{{"cpu", roleOf(wakeAffineIdle(m, kThis, kPrev, sync).cpu)}};
}

/// A task whose hierarchical load is the given one: the queue's factor of this jiffy is made 1.
TaskId taskOfLoad(Machine& m, CpuId cpu, std::uint64_t load) {
  NewTask spec;
  spec.cpu = cpu;
  const TaskId task = addTask(m, spec);
  m.se(task).avg.loadAvg = load;
  CfsRq& queue = m.rootCfs(cpu);
  queue.hLoad = queue.avg.loadAvg + 1;
  queue.lastHLoadUpdate = m.jiffies;
  return task;
}

Result<json> runWakeAffineWeight(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  HandTopology hand(2);
  hand.addDomain({0, 1}, kSdWakeAffine, static_cast<int>(in.integer("imbalance_pct")), {{{0}}, {{1}}});
  Machine m = handMachine(hand.finish(), profile);
  m.rootCfs(kThis).avg.loadAvg = in.bounded("this_load", kMaxAverage);
  m.rootCfs(kPrev).avg.loadAvg = in.bounded("prev_load", kMaxAverage);
  m.rq(kThis).cpuCapacity = in.number("this_capacity");
  m.rq(kPrev).cpuCapacity = in.number("prev_capacity");
  m.rq(kThis).curr = taskOfLoad(m, kThis, in.bounded("current_h_load", kMaxAverage));
  const TaskId task = taskOfLoad(m, kPrev, in.bounded("task_h_load", kMaxAverage));
  const bool sync = in.flag("sync");
  if (!in.ok()) return in.error();
  const SchedDomain& domain = m.topology->domain(m.topology->cpus[0].lowest);
  return json{{"cpu", roleOf(wakeAffineWeight(m, domain, task, kThis, kPrev, sync).cpu)}};
}

/// SMT siblings 2k and 2k+1.
void pairSiblings(SchedTopology& t) {
  t.smtActive = true;
  for (int cpu = 0; cpu < t.cpuLimit; ++cpu)
    for (int s = cpu & ~1; s <= (cpu | 1) && s < t.cpuLimit; ++s)
      t.smtMask[static_cast<std::size_t>(cpu)].set(CpuId{s});
}

CpuMask maskOf(const std::vector<int>& cpus) {
  CpuMask mask;
  for (const int cpu : cpus) mask.set(CpuId{cpu});
  return mask;
}

void allow(Machine& m, TaskId task, const std::vector<int>& cpus) {
  m.task(task).cpusAllowed = maskOf(cpus);
  m.task(task).nrCpusAllowed = m.task(task).cpusAllowed.weight();
}

bool inRange(const std::vector<int>& cpus, int limit) {
  return std::ranges::all_of(cpus, [&](int c) { return c >= 0 && c < limit; });
}

Diagnostic cpuOutOfRange() {
  return {Severity::Error, {}, "a CPU is named that has no row", "give every CPU a row in \"cpus\""};
}

Result<json> runSelectIdleSibling(const json& object, const KernelProfile& profile) {
  RecordReader in(object);
  const int limit = static_cast<int>(in.array("cpus").size());
  HandTopology hand(limit);
  if (in.flag("smt_active")) pairSiblings(hand.topology());
  const json& llcs = in.array("llcs");
  for (const json& llc : llcs) {
    RecordReader cache(llc);
    const std::vector<int> cpus = cache.list("cpus");
    if (!inRange(cpus, limit)) return cpuOutOfRange();
    std::vector<HandTopology::GroupSpec> groups;
    for (const int cpu : cpus) groups.push_back({{cpu}});
    hand.addDomain(cpus, kSdShareLlc | kSdWakeAffine, 117, groups);
    hand.addCache(cpus);
  }
  Machine m = handMachine(hand.finish(), profile);
  for (const json& row : in.array("cpus"))
    if (auto laid = layCpuRow(m, row); !laid) return laid.diagnostics();
  for (std::size_t i = 0; i < llcs.size(); ++i) {
    RecordReader cache(llcs[i]);
    m.shared[i].hasIdleCores = cache.flag("has_idle_cores");
    m.shared[i].nrIdleScan = static_cast<std::int32_t>(cache.integer("nr_idle_scan"));
    if (!cache.ok()) return cache.error();
  }
  const auto cpuOf = [&](const char* key) { return CpuId{static_cast<std::int32_t>(in.integer(key))}; };
  const CpuId prev = cpuOf("prev"), target = cpuOf("target"), waker = cpuOf("this_cpu");
  const CpuId recent = cpuOf("recent_used_cpu");
  const std::vector<int> allowed = in.list("allowed_cpus");
  if (!in.ok()) return in.error();
  if (!inRange({prev.value, target.value, waker.value, recent.value}, limit) || !inRange(allowed, limit))
    return cpuOutOfRange();
  NewTask spec;
  spec.cpu = prev;
  spec.policy = in.flag("wakee_is_sched_idle", false) ? SchedPolicy::Idle : SchedPolicy::Normal;
  const TaskId task = addTask(m, spec);
  allow(m, task, allowed);
  m.task(task).recentUsedCpu = recent;
  if (in.flag("waker_is_per_cpu_kthread") && m.rq(waker).curr.isValid())
    m.task(m.rq(waker).curr).isPerCpuKthread = true;
  Observer none;
  Context ctx{m, none};
  const CpuId chosen = selectIdleSibling(ctx, task, prev, target, waker, nullptr);
  json idleCores = json::array();
  for (const DomainShared& shared : m.shared) idleCores.push_back(shared.hasIdleCores ? 1 : 0);
  return json{{"cpu", cpuOrNull(chosen)},
              {"recent_used_cpu", m.task(task).recentUsedCpu.value},
              {"has_idle_cores", idleCores}};
}

constexpr std::array kFunctions{
    EvalFunction{"record_wakee", runRecordWakee},
    EvalFunction{"wake_wide", runWakeWide},
    EvalFunction{"wake_affine_idle", runWakeAffineIdle},
    EvalFunction{"wake_affine_weight", runWakeAffineWeight},
    EvalFunction{"select_idle_sibling", runSelectIdleSibling},
    EvalFunction{"select_task_rq", runSelectTaskRq},
    EvalFunction{"update_pick_idlest", runUpdatePickIdlest},
    EvalFunction{"find_dst_group_decide", runFindDstGroupDecide},
    EvalFunction{"find_dst_group_full", runFindDstGroupFull},
    EvalFunction{"find_dst_group_cpu", runFindDstGroupCpu},
};

}  // namespace

std::span<const EvalFunction> placementFunctions() { return kFunctions; }

}  // namespace rqscope
