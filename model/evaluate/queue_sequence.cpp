// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/queue_sequence.h"

#include <algorithm>

#include "evaluate/signal_records.h"
#include "runqueue/cfs.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr CpuId kCpu{0};
constexpr std::uint64_t kSequenceStart = std::uint64_t{1} << 32;  // ns
constexpr std::uint64_t kMostNs = std::uint64_t{1} << 40;
constexpr std::size_t kMostTasks = 100;

Machine startMachine(const KernelProfile& profile, int cpus) {
  Machine m = signalMachine(profile, cpus, kCapacityScale);
  m.nowNs = kSequenceStart;
  Rq& rq = m.rq(kCpu);
  rq.clock = rq.clockTask = rq.clockPelt = kSequenceStart;
  rq.clockIdle = rq.clockPeltIdle = kSequenceStart;
  m.rootCfs(kCpu).avg.lastUpdateTime = kSequenceStart;
  return m;
}

SchedPolicy policyOf(RecordReader& op) {
  const std::string word = op.text("policy");
  if (word == "batch") return SchedPolicy::Batch;
  if (word == "idle") return SchedPolicy::Idle;
  if (word != "normal") op.fail("\"policy\" is not normal, batch or idle");
  return SchedPolicy::Normal;
}

int niceOf(RecordReader& op) {
  const std::int64_t nice = op.integer("nice");
  if (nice < -20 || nice > 19) op.fail("\"nice\" is not in -20..19");
  return op.ok() ? static_cast<int>(nice) : 0;
}

}  // namespace

SequenceDriver::SequenceDriver(const KernelProfile& profile, int cpus)
    : m_machine(startMachine(profile, cpus)), m_ctx{m_machine, m_nobody} {}

std::int64_t SequenceDriver::idOf(TaskId task) const {
  for (const auto& [id, t] : m_tasks)
    if (t == task) return id;
  return -1;
}

std::int64_t SequenceDriver::idOf(EntityId entity) const {
  return entity.isValid() ? idOf(m_machine.entity(entity).task) : -1;
}

TaskId SequenceDriver::taskOf(RecordReader& op) {
  const auto at = m_tasks.find(op.integer("id"));
  if (at != m_tasks.end()) return at->second;
  op.fail("there is no task with that id yet");
  return {};
}

void SequenceDriver::advance(std::uint64_t ns) {
  m_machine.nowNs += ns;
  updateRqClock(m_ctx, kCpu);
}

void SequenceDriver::fork(RecordReader& op, GroupId group) {
  NewTask spec;
  spec.group = group;
  spec.policy = policyOf(op);
  spec.nice = niceOf(op);
  if (op.has("slice_ns")) spec.sliceNs = op.bounded("slice_ns", kMaxRecordSlice);
  const std::int64_t id = op.integer("id");
  if (m_tasks.contains(id)) op.fail("there is a task with that id already");
  if (m_tasks.size() >= kMostTasks) op.fail("more than 100 tasks");
  if (!op.ok()) return;
  const TaskId task = addTask(m_machine, spec);
  m_tasks.emplace(id, task);
  taskForkFair(m_ctx, task);
  m_machine.task(task).state = TaskState::Running;
  setTaskRq(m_machine, task, kCpu);
  updateRqClock(m_ctx, kCpu);  // without post_init_entity_util_avg(), which the records' harness lacks
  const bool isCfs = m_machine.profile->queue == QueueKind::Cfs;
  enqueueTaskFair(m_ctx, kCpu, task, kEnqueueNoclock | (isCfs ? 0U : kEnqueueInitial));
  m_machine.task(task).onRq = true;
  wakeupPreempt(m_ctx, kCpu, task, kWfFork);
}

void SequenceDriver::wake(TaskId task) {
  Task& t = m_machine.task(task);
  if (t.state == TaskState::Running) return;
  t.state = TaskState::Running;
  updateRqClock(m_ctx, kCpu);
  if (t.onRq) {
    if (m_machine.se(task).schedDelayed) requeueDelayedTask(m_ctx, kCpu, task);
    if (m_machine.rq(kCpu).curr != task) wakeupPreempt(m_ctx, kCpu, task, kWfTtwu);
    return;
  }
  enqueueTaskFair(m_ctx, kCpu, task, kEnqueueWakeup | kEnqueueNoclock);
  t.onRq = true;
  wakeupPreempt(m_ctx, kCpu, task, kWfTtwu);
}

void SequenceDriver::schedule() {
  Rq& rq = m_machine.rq(kCpu);
  updateRqClock(m_ctx, kCpu);
  const TaskId prev = rq.curr;
  if (prev.isValid() && m_machine.task(prev).state == TaskState::Sleeping &&
      dequeueTaskFair(m_ctx, kCpu, prev, kDequeueSleep | kDequeueNoclock))
    m_machine.task(prev).onRq = false;
  const TaskId next = pickTaskFair(m_ctx, kCpu);
  if (next.isValid() || prev.isValid()) switchFair(m_ctx, kCpu, prev, next);
  rq.needResched = rq.needReschedLazy = false;
  rq.curr = next;
}

void SequenceDriver::sleep(TaskId task) {
  if (m_machine.rq(kCpu).curr != task) return;
  m_machine.task(task).state = TaskState::Sleeping;
  schedule();
}

template <class Change>
void SequenceDriver::whileDequeued(TaskId task, std::uint32_t extraFlags, Change&& change) {
  const bool isQueued = m_machine.task(task).onRq;
  const bool isRunning = m_machine.rq(kCpu).curr == task;
  const std::uint32_t flags = kDequeueSave | kDequeueNoclock | extraFlags;
  updateRqClock(m_ctx, kCpu);
  if (isQueued) dequeueTaskFair(m_ctx, kCpu, task, flags);
  if (isRunning) putPrevTaskFair(m_ctx, kCpu, task);
  change();
  if (isQueued) enqueueTaskFair(m_ctx, kCpu, task, flags);
  if (isRunning) setNextTaskFair(m_ctx, kCpu, task, false);
}

void SequenceDriver::renice(TaskId task, int nice) {
  Task& t = m_machine.task(task);
  const int old = t.nice;
  if (old == nice) return;
  whileDequeued(task, 0, [&] {
    t.nice = static_cast<std::int8_t>(nice);
    reweightTask(m_ctx, task, loadWeightOf(nice, t.policy));
  });
  if (!t.onRq || isOnlyCompetitor(m_machine, kCpu)) return;
  if (m_machine.rq(kCpu).curr != task)
    wakeupPreempt(m_ctx, kCpu, task, 0);
  else if (nice > old)
    reschedCurr(m_machine, kCpu);
}

void SequenceDriver::setSlice(TaskId task, std::uint64_t sliceNs) {
  whileDequeued(task, 0, [&] {
    SchedEntity& se = m_machine.se(task);
    se.customSlice = sliceNs != 0;
    se.slice = sliceNs != 0 ? sliceNs : m_machine.baseSliceNs;
  });
}

void SequenceDriver::addGroupOfRecord(RecordReader& row) {
  const std::int64_t parent = row.integer("parent");
  const auto above = m_groups.find(parent);
  if (parent >= 0 && above == m_groups.end()) row.fail("a group stands before its parent");
  if (m_groups.size() >= kMostTasks) row.fail("more than 100 groups");
  const std::int64_t id = row.integer("id");
  const std::uint64_t shares = row.positive("shares", kMaxRecordWeight);
  if (!row.ok()) return;
  const GroupId group =
      addGroup(m_machine, "group " + std::to_string(id), parent < 0 ? GroupId{0} : above->second);
  m_machine.group(group).shares = shares;
  m_groups.emplace(id, group);
}

void SequenceDriver::apply(RecordReader& op) {
  const std::string word = op.text("op");
  Rq& rq = m_machine.rq(kCpu);
  if (word == "new") {
    const auto at = op.has("group") ? m_groups.find(op.integer("group")) : m_groups.end();
    fork(op, at == m_groups.end() ? GroupId{0} : at->second);
  } else if (word == "run" || word == "tick") {
    advance(op.bounded("ns", kMostNs));
    if (!rq.curr.isValid()) return;
    if (word == "run") return updateCurr(m_ctx, CfsRqId{0});
    if (rq.needReschedLazy) reschedCurr(m_machine, kCpu);
    taskTickFair(m_ctx, kCpu, rq.curr);
  } else if (word == "hrtick") {
    advance(op.bounded("ns", kMostNs));
    rq.hrtickArmed = true;  // the record says when it fires
    hrtickFair(m_ctx, kCpu);
  } else if (word == "schedule") {
    schedule();
  } else {
    const TaskId task = taskOf(op);
    if (!op.ok()) return;
    if (word == "wake") {
      wake(task);
    } else if (word == "sleep") {
      sleep(task);
    } else if (word == "yield") {
      if (rq.curr != task) return;
      yieldTaskFair(m_ctx, kCpu);
      schedule();
    } else if (word == "renice") {
      const int nice = niceOf(op);
      if (op.ok()) renice(task, nice);
    } else if (word == "set_slice") {
      setSlice(task, op.bounded("slice_ns", kMaxRecordSlice));
    } else {
      op.fail("there is no operation \"" + word + "\"");
    }
  }
}

namespace {

bool isFlat(const Machine& m) { return m.profile->queue == QueueKind::FlatEevdf; }

json taskRecord(SequenceDriver& driver, std::int64_t id, TaskId task) {
  const Machine& m = driver.machine();
  const SchedEntity& se = m.se(task);
  json out = {{"id", id},
              {"on_rq", se.onRq},
              {"vruntime", signedOf(se.vruntime)},
              {"sum_exec_runtime", se.sumExecRuntime},
              {"deadline", signedOf(se.deadline)},
              {"vlag", se.vlag},
              {"slice", se.slice},
              {"delayed", se.schedDelayed},
              {"rel_deadline", se.relDeadline}};
  if (isFlat(m)) out["vprot"] = signedOf(se.vprot);
  if (se.onRq) out["eligible"] = isEntityEligible(m, CfsRqId{0}, m.task(task).se);
  return out;
}

json stepRecord(SequenceDriver& driver) {
  const Machine& m = driver.machine();
  const CfsRq& queue = m.rootCfs(kCpu);
  json tasks = json::array();
  for (const auto& [id, task] : driver.tasks()) tasks.push_back(taskRecord(driver, id, task));
  const EntityId pick = queue.nrQueued != 0 ? pickEevdf(m, CfsRqId{0}) : EntityId{};
  const Rq& rq = m.rq(kCpu);
  json out = {{"curr", driver.idOf(m.rq(kCpu).curr)},
              {"need_resched", rq.needResched || rq.needReschedLazy},
              {"nr_running", queue.nrQueued},
              {"h_nr_queued", queue.hNrQueued},
              {"h_nr_runnable", queue.hNrRunnable},
              {"zero_vruntime", signedOf(queue.zeroVruntime)},
              {"sum_key_weight", queue.sumWVruntime},
              {"sum_weight", queue.sumWeight},
              {"next_buddy", driver.idOf(queue.next)},
              {"would_pick", driver.idOf(pick)},
              {"tasks", std::move(tasks)}};
  if (isFlat(m)) {
    out["need_resched_lazy_only"] = rq.needReschedLazy && !rq.needResched;
    out["hrtick_in_ns"] = rq.hrtickArmed ? json(virtualDelta(rq.hrtickAtNs, m.nowNs)) : json();
  }
  return out;
}

json groupRecord(const Machine& m, std::int64_t id, GroupId group) {
  const CfsRq& queue = m.queue(queueOf(m, group, kCpu));
  const SchedEntity& se = m.entity(groupEntity(m, group, kCpu));
  return {{"id", id},
          {"on_rq", se.onRq},
          {"se_weight", se.load.weight},
          {"cfs_load_weight", queue.load.weight},
          {"h_nr_queued", queue.hNrQueued},
          {"h_nr_runnable", queue.hNrRunnable},
          {"cfs_load_avg", queue.avg.loadAvg},
          {"cfs_runnable_avg", queue.avg.runnableAvg},
          {"tg_load_avg", m.group(group).loadAvg},
          {"tg_runnable_avg", m.group(group).runnableAvg},
          {"tg_load_avg_contrib", queue.tgLoadAvgContrib}};
}

json groupStepRecord(SequenceDriver& driver) {
  json out = stepRecord(driver);
  std::size_t i = 0;
  for (const auto& [id, task] : driver.tasks())
    out["tasks"][i++]["h_weight"] = driver.machine().se(task).hLoad.weight;
  json groups = json::array();
  for (const auto& [id, group] : driver.groups()) groups.push_back(groupRecord(driver.machine(), id, group));
  out["groups"] = std::move(groups);
  return out;
}

json cfsTaskRecord(SequenceDriver& driver, std::int64_t id, TaskId task) {
  const SchedEntity& se = driver.machine().se(task);
  return {{"id", id},
          {"on_rq", se.onRq},
          {"vruntime", signedOf(se.vruntime)},
          {"sum_exec_runtime", se.sumExecRuntime},
          {"prev_sum_exec_runtime", se.prevSumExecRuntime}};
}

json cfsStepRecord(SequenceDriver& driver) {
  Machine& m = driver.machine();
  const CfsRq& queue = m.rootCfs(kCpu);
  json tasks = json::array();
  for (const auto& [id, task] : driver.tasks()) tasks.push_back(cfsTaskRecord(driver, id, task));
  const bool competes = queue.curr.isValid() && m.entity(queue.curr).onRq;
  const EntityId pick =
      queue.nrQueued != 0 ? cfs::pick(m, queue, competes ? queue.curr : EntityId{}) : EntityId{};
  return {{"curr", driver.idOf(m.rq(kCpu).curr)},
          {"need_resched", m.rq(kCpu).needResched},
          {"nr_running", queue.nrQueued},
          {"min_vruntime", signedOf(queue.zeroVruntime)},
          {"next_buddy", driver.idOf(queue.next)},
          {"last_buddy", driver.idOf(queue.last)},
          {"skip_buddy", driver.idOf(queue.skip)},
          {"would_pick", driver.idOf(pick)},
          {"tasks", std::move(tasks)}};
}

/// Applies all operations and gives the record of the state after each.
template <class StepRecord>
Result<json> runSteps(RecordReader& in, SequenceDriver& driver, StepRecord&& record) {
  json steps = json::array();
  driver.machine().rq(kCpu).needResched = in.flag("idle_need_resched", false);
  for (const json& row : in.array("ops")) {
    RecordReader op(row);
    driver.apply(op);
    in.join(op);
    if (!in.ok()) return in.error();
    steps.push_back(record(driver));
  }
  if (!in.ok()) return in.error();
  return json{{"steps", std::move(steps)}};
}

}  // namespace

Result<json> runEevdfSequence(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  KernelProfile profile = given;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  profile.tunables.hz = static_cast<int>(kSecond / in.positive("tick_ns", kSecond));
  SequenceDriver driver(profile);
  driver.machine().baseSliceNs = in.bounded("base_slice_ns", kMaxRecordSlice);
  return runSteps(in, driver, stepRecord);
}

Result<json> runEevdfGroupSequence(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  KernelProfile profile = given;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr std::uint64_t kMostCpus = 256;
  profile.tunables.hz = static_cast<int>(kSecond / in.positive("tick_ns", kSecond));
  if (in.text("group_mode") != "concur") in.fail("\"group_mode\" is not concur");
  SequenceDriver driver(profile, static_cast<int>(in.positive("nr_cpus", kMostCpus)));
  driver.machine().baseSliceNs = in.bounded("base_slice_ns", kMaxRecordSlice);
  for (const json& row : in.array("groups")) {
    RecordReader group(row);
    driver.addGroupOfRecord(group);
    in.join(group);
    if (!in.ok()) return in.error();
  }
  return runSteps(in, driver, groupStepRecord);
}

Result<json> runCfsSequence(const json& object, const KernelProfile& given) {
  RecordReader in(object);
  KernelProfile profile = given;
  profile.tunables.idleMinGranularityNs = in.bounded("idle_min_granularity_ns", kMaxRecordSlice);
  SequenceDriver driver(profile);
  Machine& m = driver.machine();
  m.latencyNs = in.bounded("latency_ns", kMaxRecordSlice);
  m.minGranularityNs = in.bounded("min_granularity_ns", kMaxRecordSlice);
  m.wakeupGranularityNs = in.bounded("wakeup_granularity_ns", kMaxRecordSlice);
  if (in.number("nr_latency") != 8) in.fail("\"nr_latency\" is not the 8 that v6.1 has");
  if (in.number("start_clock") != kSequenceStart) in.fail("\"start_clock\" is not 2^32");
  return runSteps(in, driver, cfsStepRecord);
}

}  // namespace rqscope
