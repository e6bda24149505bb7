// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include "evaluate/balance_records.h"
#include "runqueue/queue.h"
#include "runqueue/tree.h"

namespace rqscope {
namespace {

using nlohmann::json;

/// Tasks of a record on one CPU, newest enqueued first, as rq->cfs_tasks has them.
struct LaidTasks {
  std::vector<TaskId> tasks;
  std::map<int, int> idOfTask;  ///< task slot to the record's id
};

/// Averages and time since the last run, as the record has them at the start of the pass.
void layAverages(Machine& m, RecordReader& in, TaskId task) {
  SchedEntity& se = m.se(task);
  const Rq& rq = m.rq(m.task(task).cpu);
  se.avg.lastUpdateTime = m.rootCfs(m.task(task).cpu).avg.lastUpdateTime;
  se.avg.loadAvg = in.number("load_avg");
  se.avg.utilAvg = in.number("util_avg");
  se.avg.runnableAvg = se.avg.utilAvg;
  se.avg.utilEst = static_cast<std::uint32_t>(in.has("util_est_enqueued") ? in.number("util_est_enqueued")
                                                                          : in.number("util_est"));
  se.avg.utilEstEwma = static_cast<std::uint32_t>(in.number("util_est_ewma", 0));
  se.execStart = rq.clockTask - in.number("ns_since_exec_start");
}

/// Delayed tasks sleep but stay queued; v7.3 counts them apart.
void markDelayed(Machine& m, TaskId task) {
  CfsRq& cfs = m.rootCfs(m.task(task).cpu);
  m.se(task).schedDelayed = true;
  m.task(task).state = TaskState::Sleeping;
  ++cfs.hNrDelayed;
  --cfs.hNrRunnable;
}

/// Gives all tasks of a v7.3 queue their virtual times; the reference point is 0.
void layVirtualTimes(Machine& m, CpuId cpu, const LaidTasks& laid,
                     const std::vector<std::int64_t>& vruntimes) {
  CfsRq& cfs = m.rootCfs(cpu);
  QueueTree<QueueKind::FlatEevdf> tree(m.entities.data(), cfs);
  const auto isInTree = [&](TaskId task) { return m.rq(cpu).curr != task; };
  for (const TaskId task : laid.tasks)
    if (isInTree(task)) tree.erase(m.task(task).se);
  cfs.zeroVruntime = cfs.sumWeight = 0;
  cfs.sumWVruntime = 0;
  for (std::size_t i = 0; i < laid.tasks.size(); ++i) {
    const TaskId task = laid.tasks[i];
    SchedEntity& se = m.se(task);
    se.vruntime = static_cast<std::uint64_t>(vruntimes[i]);
    se.deadline = se.vruntime + se.slice;
    se.minVruntime = se.vruntime;
    se.minSlice = se.maxSlice = se.slice;
    if (!isInTree(task)) continue;
    cfs.sumWVruntime += vruntimes[i] * static_cast<std::int64_t>(se.hLoad.weight);
    cfs.sumWeight += se.hLoad.weight;
    tree.insert(m.task(task).se);
  }
}

/// One task: created, enqueued, and made current when it runs.
TaskId layOne(Context& ctx, RecordReader& in, CpuId cpu, const CpuMask& allowed) {
  Machine& m = ctx.m;
  NewTask spec;
  spec.cpu = cpu;
  spec.cpusAllowed = allowed;
  const TaskId task = addTask(m, spec);
  m.task(task).state = TaskState::Running;
  m.task(task).newTask = false;
  enqueueTaskFair(ctx, cpu, task, kEnqueueNoclock);
  m.task(task).onRq = true;
  if (!in.flag("running")) return task;
  m.rq(cpu).curr = task;
  m.task(task).onCpu = true;
  setNextTaskFair(ctx, cpu, task);
  return task;
}

/// Puts the record's tasks on `cpu`. `allowedOf` reads a task's affinity.
template <class AllowedOf>
Result<LaidTasks> layTasks(Context& ctx, CpuId cpu, const json& rows, AllowedOf&& allowedOf) {
  Machine& m = ctx.m;
  LaidTasks laid;
  for (const json& row : rows) {
    RecordReader in(row);
    const CpuMask allowed = allowedOf(in);
    const int id = static_cast<int>(in.integer("id"));
    in.flag("running");
    if (!in.ok()) return in.error();
    const TaskId task = layOne(ctx, in, cpu, allowed);
    laid.tasks.push_back(task);
    laid.idOfTask[task.value] = id;
  }
  std::vector<std::int64_t> vruntimes;
  for (std::size_t i = 0; i < laid.tasks.size(); ++i) {
    RecordReader in(rows[i]);
    layAverages(m, in, laid.tasks[i]);
    if (in.has("vruntime")) vruntimes.push_back(in.integer("vruntime"));
    if (in.flag("delayed", false)) markDelayed(m, laid.tasks[i]);
    if (!in.ok()) return in.error();
  }
  if (m.profile->queue == QueueKind::FlatEevdf && vruntimes.size() == laid.tasks.size())
    layVirtualTimes(m, cpu, laid, vruntimes);
  for (const TaskId task : laid.tasks) listRemove(m, cpu, task);
  for (auto task = laid.tasks.rbegin(); task != laid.tasks.rend(); ++task) listAddHead(m, cpu, *task);
  return laid;
}

json idsOf(const LaidTasks& laid, const std::vector<TaskId>& tasks) {
  json out = json::array();
  for (const TaskId task : tasks) out.push_back(laid.idOfTask.at(task.value));
  return out;
}

json listAfter(const Machine& m, const LaidTasks& laid, CpuId cpu) {
  json out = json::array();
  for (TaskId t = m.rq(cpu).listHead; t.isValid(); t = m.task(t).listNext)
    out.push_back(laid.idOfTask.at(t.value));
  return out;
}

// detach_tasks: the destination is CPU 0, its group CPUs 0 and 2, the source CPU 1, a third cache CPU 3.
constexpr CpuId kDst{0}, kSrc{1}, kSameGroup{2}, kElsewhere{3};

CpuMask detachAffinity(RecordReader& in) {
  CpuMask allowed = CpuMask::of(kSrc);
  if (in.flag("allowed_on_dst")) allowed.set(kDst);
  if (in.flag("allowed_on_cpu2")) allowed.set(kSameGroup);
  return allowed;
}

/// What the record says of the build and the tunables.
KernelProfile recordProfile(const json& object, RecordReader& in, const KernelProfile& given) {
  KernelProfile profile = given;
  profile.tunables.preemption = in.flag("config_preemption");
  profile.tunables.migrationCostNs = in.number("migration_cost_ns", profile.tunables.migrationCostNs);
  const auto check = object.find("util_check");
  if (check != object.end() && *check == "plain") profile.behaviours.migrateUtilShrBound = false;
  return profile;
}

/// Caches and processes of a record of cache-aware balancing.
Result<bool> layCaches(BalanceBench& bench, RecordReader& in, const LaidTasks& laid, const json& rows) {
  Machine& m = bench.machine();
  if (auto ok = layLlcRecord(m.shared[0], in.object("dst_llc")); !ok) return ok;
  if (auto ok = layLlcRecord(m.shared[1], in.object("src_llc")); !ok) return ok;
  for (std::size_t i = 0; i < laid.tasks.size(); ++i) {
    RecordReader row(rows[i]);
    Task& task = m.task(laid.tasks[i]);
    task.preferredLlc = static_cast<std::int32_t>(row.integer("preferred_llc"));
    task.threads = static_cast<std::int32_t>(row.integer("process_threads"));
    const std::int64_t llcCpu = row.integer("process_llc_cpu");
    const std::uint64_t running = row.number("process_nr_running_avg");
    if (!row.ok()) return row.error();
    if (llcCpu == -2) continue;  // no process record
    const auto same = std::ranges::find_if(m.processes, [&](const CacheProcess& p) {
      return p.llcCpu.value == llcCpu && p.nrRunningAvg == running;
    });
    task.process = static_cast<std::int32_t>(same - m.processes.begin());
    if (same != m.processes.end()) continue;
    CacheProcess& process = m.processes.emplace_back();
    process.llcCpu = CpuId{static_cast<std::int32_t>(llcCpu)};
    process.nrRunningAvg = running;
  }
  return true;
}

void addDetachCaches(BalanceBench& bench, RecordReader& in) {
  SchedTopology& t = bench.topology();
  t.sharedCount = 2;
  t.sharedSpan.resize(2);
  const CpuId dstLlc{static_cast<std::int32_t>(in.integer("dst_llc_id"))};
  const CpuId srcLlc{static_cast<std::int32_t>(in.integer("src_llc_id"))};
  for (std::size_t cpu = 0; cpu < t.cpus.size(); ++cpu) {
    t.cpus[cpu].llcSize = static_cast<int>(in.integer("llc_size"));
    t.cpus[cpu].llcShared = SharedId{cpu == kSrc.index() ? 1 : 0};
    t.cpus[cpu].llcId = dstLlc;
  }
  t.cpus[kSrc.index()].llcId = srcLlc;
  t.cpus[kElsewhere.index()].llcId = CpuId{std::max(dstLlc.value, srcLlc.value) + 1};
  if (in.number("smt_threads") > 1) bench.pairSiblings();
}

// load_balance_pass: CPU 0 pulls.

/// Watches which task moves where.
class MoveLog : public Observer {
 public:
  void onSetTaskCpu(const Machine&, TaskId task, CpuId from, CpuId to, MigrationReason) override {
    m_moves.push_back({task, from, to});
  }
  struct Move {
    TaskId task;
    CpuId from, to;
  };
  const std::vector<Move>& moves() const { return m_moves; }

 private:
  std::vector<Move> m_moves;
};

CpuMask passAffinity(RecordReader& in) {
  CpuMask allowed;
  for (const int cpu : in.list("allowed")) allowed.set(CpuId{cpu});
  return allowed;
}

/// One CPU of the pass: its tasks, then its averages as given.
Result<bool> layPassCpu(Context& ctx, BalanceBench& bench, const json& row, LaidTasks& all) {
  RecordReader in(row);
  const CpuId cpu{static_cast<std::int32_t>(in.integer("cpu"))};
  if (!in.ok() || cpu.value < 0 || cpu.value >= bench.topology().cpuLimit)
    return Diagnostic{Severity::Error, {}, "a CPU row has no usable number", ""};
  Machine& m = ctx.m;
  bench.topology().cpuCapacity[cpu.index()] = static_cast<std::uint32_t>(in.number("capacity_orig"));
  m.rq(cpu).cpuCapacity = in.number("capacity");
  const auto laid = layTasks(ctx, cpu, in.array("tasks_newest_first"), passAffinity);
  if (!laid) return laid.error();
  all.idOfTask.insert(laid.value().idOfTask.begin(), laid.value().idOfTask.end());
  SchedAvg& avg = m.rootCfs(cpu).avg;
  avg.loadAvg = in.number("load");
  avg.utilAvg = in.number("util_avg");
  avg.utilEst = static_cast<std::uint32_t>(in.number("util_est"));
  avg.runnableAvg = in.number("runnable_avg");
  if (!in.ok()) return in.error();
  return true;
}

json movesOf(const MoveLog& log, const LaidTasks& laid) {
  json out = json::array();
  for (const MoveLog::Move& move : log.moves())
    out.push_back(
        {{"id", laid.idOfTask.at(move.task.value)}, {"from", move.from.value}, {"to", move.to.value}});
  return out;
}

json activeRequests(const Machine& m) {
  json out = json::array();
  for (const StopperWork& work : m.stopperWork)
    out.push_back({{"busiest_cpu", work.cpu.value}, {"push_cpu", m.rq(work.cpu).pushCpu.value}});
  return out;
}

}  // namespace

Result<json> runDetachTasks(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  const auto idle = idleOfRecord(object);
  const auto migration = migrationOfRecord(object);
  const auto flags = sdFlagsOfRecord(in.array("sd_flags"));
  const KernelProfile profile = recordProfile(object, in, given);
  if (!in.ok()) return in.error();
  if (!idle) return idle.error();
  if (!migration) return migration.error();
  if (!flags) return flags.error();
  BalanceBench bench(4, profile);
  bench.addDomain(kDst.value, flags.value(), 117, {{{0, 2}, 0, 2}, {{1, 3}, 0, 2}});
  bench.domain().cacheNiceTries = static_cast<int>(in.integer("cache_nice_tries"));
  const bool isCacheRecord = in.has("dst_llc");
  if (isCacheRecord) addDetachCaches(bench, in);
  Machine& m = bench.machine();
  const json& rows = in.array("tasks_newest_first");
  const auto laid = layTasks(bench.context(), kSrc, rows, detachAffinity);
  if (!laid) return laid.error();
  if (isCacheRecord)
    if (auto ok = layCaches(bench, in, laid.value(), rows); !ok) return ok.error();
  m.rootCfs(kSrc).avg.loadAvg = in.number("cfs_load_avg");
  if (in.has("cached_h_load")) {
    m.rootCfs(kSrc).hLoad = in.number("cached_h_load");
    m.rootCfs(kSrc).lastHLoadUpdate = m.jiffies;
  }
  m.rq(kSrc).nrRunning = static_cast<std::uint32_t>(in.number("src_nr_running"));
  m.rq(kDst).nrRunning = static_cast<std::uint32_t>(in.number("dst_nr_running"));
  m.rootCfs(kDst).nrQueued = m.rootCfs(kDst).hNrQueued =
      static_cast<std::uint32_t>(in.number("dst_cfs_h_nr", in.number("dst_nr_running")));
  m.domains[bench.domainId().index()].nrBalanceFailed =
      static_cast<std::uint32_t>(in.number("nr_balance_failed"));
  BalanceEnv env = bench.env(idle.value());
  env.src = kSrc;
  env.migration = migration.value();
  env.imbalance = in.integer("imbalance");
  env.loop = static_cast<std::uint32_t>(in.number("loop"));
  env.loopMax = static_cast<std::uint32_t>(in.number("loop_max"));
  env.loopBreak = static_cast<std::uint32_t>(in.number("loop_break"));
  env.flags = static_cast<std::uint32_t>(in.number("flags"));
  if (in.has("new_dst_cpu")) env.newDst = CpuId{static_cast<std::int32_t>(in.number("new_dst_cpu"))};
  if (!in.ok()) return in.error();
  std::vector<TaskId> moved;
  const std::uint32_t count = detachTasks(env, moved);
  return json{{"detached", count},
              {"order", idsOf(laid.value(), moved)},
              {"imbalance", env.imbalance},
              {"flags", env.flags},
              {"loop", env.loop},
              {"loop_break", env.loopBreak},
              {"new_dst_cpu", env.newDst.isValid() ? json(env.newDst.value) : json(nullptr)},
              {"cfs_load_avg", m.rootCfs(kSrc).avg.loadAvg},
              {"list_after", listAfter(m, laid.value(), kSrc)}};
}

Result<json> runLoadBalancePass(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  const auto idle = idleOfRecord(object);
  const auto flags = sdFlagsOfRecord(in.array("sd_flags"));
  const auto rows = groupRowsOfRecord(in.array("groups"));
  const KernelProfile profile = recordProfile(object, in, given);
  const int dst = static_cast<int>(in.integer("this_cpu"));
  if (!in.ok()) return in.error();
  if (!idle) return idle.error();
  if (!flags) return flags.error();
  if (!rows) return rows.error();
  BalanceBench bench(std::max(rows.value().cpuLimit, highestCpu(in.array("cpus")) + 1), profile);
  if (in.flag("smt_active")) bench.pairSiblings();
  const bool serialize = in.flag("serialize", false);
  const std::uint32_t childFlags = in.flag("child_prefer_sibling", false) ? kSdPreferSibling : 0U;
  bench.addDomain(dst, flags.value() | (serialize ? kSdSerialize : 0U),
                  static_cast<int>(in.integer("imbalance_pct")), rows.value().specs, true, childFlags);
  bench.domain().cacheNiceTries = static_cast<int>(in.integer("cache_nice_tries"));
  bench.domain().minIntervalMs = static_cast<int>(in.integer("min_interval"));
  bench.domain().maxIntervalMs = static_cast<int>(in.integer("max_interval"));
  HandTopology::GroupSpec everyone;
  for (const auto& spec : rows.value().specs)
    everyone.cpus.insert(everyone.cpus.end(), spec.cpus.begin(), spec.cpus.end());
  const DomainId parent{bench.topology().domains.size()};
  bench.hand().addDomain({dst}, 0, 117, {everyone}, HandTopology::Ring::AsGiven);
  bench.machine();
  applyGroupRows(bench, rows.value(), 0);
  MoveLog log;
  Machine& m = bench.machine();
  Context ctx{m, log};
  LaidTasks all;
  for (const json& row : in.array("cpus"))
    if (auto laid = layPassCpu(ctx, bench, row, all); !laid) return laid.error();
  const SchedDomain& above = bench.topology().domain(parent);
  GroupCapacity& parentGroup = m.capacities[bench.topology().group(above.groups.front()).capacity.index()];
  parentGroup.imbalance = in.flag("parent_group_imbalance");
  DomainState& state = m.domains[bench.domainId().index()];
  state.nrBalanceFailed = static_cast<std::uint32_t>(in.number("nr_balance_failed"));
  state.balanceIntervalMs = static_cast<std::uint32_t>(in.number("balance_interval"));
  m.serializeBusy = in.flag("other_balancer_running", false);
  if (!in.ok()) return in.error();
  BalancePass pass;
  pass.runOn = pass.dstCpu = CpuId{dst};
  pass.domain = bench.domainId();
  pass.idle = idle.value();
  bool goOn = true;
  const int moved = schedBalanceRq(ctx, pass, goOn);
  json out{{"moved", moved},
           {"continue_balancing", goOn ? 1 : 0},
           {"moves", movesOf(log, all)},
           {"nr_balance_failed", state.nrBalanceFailed},
           {"balance_interval", state.balanceIntervalMs},
           {"parent_group_imbalance", parentGroup.imbalance ? 1 : 0},
           {"active_balance", activeRequests(m)}};
  if (in.has("other_balancer_running")) out["serialize_mark_after"] = m.serializeBusy;
  return out;
}

}  // namespace rqscope
