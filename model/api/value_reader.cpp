// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/value_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "runqueue/cfs.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope::api {
namespace {

constexpr unsigned kTask = static_cast<unsigned>(ValueScope::Task);
constexpr unsigned kOnCpu = static_cast<unsigned>(ValueScope::GroupOnCpu);
constexpr unsigned kCpu = static_cast<unsigned>(ValueScope::Cpu);
constexpr unsigned kGroup = static_cast<unsigned>(ValueScope::Group);
constexpr unsigned kEntity = kTask | kOnCpu, kQueue = kCpu | kOnCpu;

std::int64_t asSigned(std::uint64_t value) { return static_cast<std::int64_t>(value); }

const SchedEntity& entityOf(const Machine& m, const ValueSubject& s) { return m.entity(s.entity); }
const CfsRq& queueOf(const Machine& m, const ValueSubject& s) { return m.queue(s.queue); }
bool hasV(const Machine& m) { return m.profile->queue != QueueKind::Cfs; }

std::int64_t relative(const Machine& m, const ValueSubject& s, std::uint64_t virtualTime) {
  return virtualDelta(virtualTime, m.queue(s.competesIn).zeroVruntime);
}

std::int64_t lagOf(const SimState& state, const ValueSubject& s) {
  const Machine& m = state.machine;
  if (!hasV(m)) return 0;
  const SchedEntity& se = entityOf(m, s);
  return se.onRq ? virtualDelta(avgVruntime(m, s.competesIn), se.vruntime) : se.vlag;
}

std::int64_t sliceOf(const SimState& state, const ValueSubject& s) {
  const Machine& m = state.machine;
  if (hasV(m)) return asSigned(entityOf(m, s).slice);
  return asSigned(cfs::sliceNow(m, entityOf(m, s).cfsRq, s.entity));
}

std::int64_t averageOf(const SimState& state, const ValueSubject& s) {
  const Machine& m = state.machine;
  return hasV(m) ? virtualDelta(avgVruntime(m, s.queue), queueOf(m, s).zeroVruntime) : 0;
}

constexpr ValueKind kKinds[] = {
    // Entities.
    {"vruntime", kEntity, true, Unit::VirtualNs,
     "time it has run, in its own virtual time, from the queue's zero point",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return relative(m, s, entityOf(m, s).vruntime);
     }},
    {"deadline", kEntity, true, Unit::VirtualNs, "virtual time by which it should have had its slice",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return hasV(m) ? relative(m, s, entityOf(m, s).deadline) : 0;
     }},
    {"lag", kEntity, true, Unit::VirtualNs, "how much virtual time it is owed; not below 0: eligible",
     &lagOf},
    {"slice", kEntity, true, Unit::Nanoseconds,
     "how long it may run before another's turn (EEVDF: the length of a request)", &sliceOf},
    {"weight", kEntity, true, Unit::Weight, "its share against the others of its queue",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(seWeight(entityOf(m, s)));
     }},
    {"util_avg", kEntity, true, Unit::Capacity, "how much of a CPU it used of late",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(entityOf(m, s).avg.utilAvg);
     }},
    {"load_avg", kEntity, true, Unit::Load, "its weight times how much of late it wanted to run",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(entityOf(m, s).avg.loadAvg);
     }},
    {"runnable_avg", kEntity, true, Unit::Capacity, "how much of late it ran or waited to run",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(entityOf(m, s).avg.runnableAvg);
     }},
    {"util_est", kTask, true, Unit::Capacity, "what it used when it last ran out of work, smoothed",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(taskUtilEstRaw(m, s.task));
     }},
    {"se.vruntime", kEntity, false, Unit::VirtualNs, "vruntime as the kernel has it, from a zero of its own",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(entityOf(m, s).vruntime);
     }},
    {"se.deadline", kEntity, false, Unit::VirtualNs, "deadline as the kernel has it",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(entityOf(m, s).deadline);
     }},
    {"load.weight", kEntity, false, Unit::Weight, "weight in 1/1024",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(entityOf(m, s).load.weight);
     }},
    {"h_load.weight", kTask, false, Unit::Weight, "its share of the whole CPU, through its groups, in 1/1024",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(entityOf(m, s).hLoad.weight);
     }},
    // Queues.
    {"avg_vruntime", kQueue, true, Unit::VirtualNs, "V: where in virtual time the queue is, lag 0",
     &averageOf},
    {"min_vruntime", kQueue, true, Unit::VirtualNs,
     "where in virtual time the queue is: the least vruntime on it, but never going back",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(queueOf(m, s).zeroVruntime);
     }},
    {"load_weight", kQueue, true, Unit::Weight, "sum of the weights on the queue",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(scaleLoadDown(queueOf(m, s).load.weight));
     }},
    {"cfs_rq.util_avg", kQueue, true, Unit::Capacity, "how much of the CPU the queue used of late",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(queueOf(m, s).avg.utilAvg);
     }},
    {"cfs_rq.load_avg", kQueue, true, Unit::Load, "load of everything on the queue",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(queueOf(m, s).avg.loadAvg);
     }},
    {"cfs_rq.runnable_avg", kQueue, true, Unit::Capacity, "tasks that ran or waited of late, times 1024",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(queueOf(m, s).avg.runnableAvg);
     }},
    {"cfs_rq.util_est", kCpu, true, Unit::Capacity, "what the runnable tasks are expected to use",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return std::int64_t{queueOf(m, s).avg.utilEst & ~kUtilAvgUnchanged};
     }},
    {"cfs_rq.load.weight", kQueue, false, Unit::Weight, "sum of the weights on the queue, in 1/1024",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(queueOf(m, s).load.weight);
     }},
    {"cfs_rq.sum_w_vruntime", kQueue, false, Unit::None, "sum of key times weight over the tree",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return queueOf(m, s).sumWVruntime;
     }},
    {"cfs_rq.sum_weight", kQueue, false, Unit::Weight, "sum of the weights in the tree",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(queueOf(m, s).sumWeight);
     }},
    {"cfs_rq.zero_vruntime", kQueue, false, Unit::VirtualNs, "the zero point of the queue's virtual time",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(queueOf(m, s).zeroVruntime);
     }},
    {"nr_running", kCpu, true, Unit::Tasks, "tasks on the queue, those of all groups",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return std::int64_t{m.rq(s.cpu).nrRunning};
     }},
    {"util", kCpu, true, Unit::Capacity, "what balance and placement take for the CPU's utilisation",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(cpuUtilCfs(m, s.cpu));
     }},
    {"capacity", kCpu, true, Unit::Capacity, "what is left of the CPU for fair tasks",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(m.rq(s.cpu).cpuCapacity);
     }},
    {"freq_capacity", kCpu, true, Unit::Capacity,
     "its frequency, 1024 = the highest (arch_scale_freq_capacity)",
     [](const SimState& state, const ValueSubject& s) {
       return std::int64_t{state.machine.rq(s.cpu).freqCapacity};
     }},
    {"actual_capacity", kCpu, true, Unit::Capacity, "capacity_orig less what pressure takes of it",
     [](const SimState& state, const ValueSubject& s) {
       return asSigned(actualCpuCapacity(state.machine, s.cpu));
     }},
    {"throughput", kCpu, true, Unit::Capacity,
     "what the CPU really does; the scheduler is not told (modelled)",
     [](const SimState& state, const ValueSubject& s) {
       return std::int64_t{state.cpus[s.cpu.index()].throughput};
     }},
    // Groups.
    {"calc_group_shares", kOnCpu, true, Unit::Weight,
     "the weight that the group deserves on this CPU now, in 1/1024",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(calcGroupShares(m, s.queue));
     }},
    {"tg_load_avg_contrib", kOnCpu, true, Unit::Load, "what of this CPU is counted in the group's load",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(queueOf(m, s).tgLoadAvgContrib);
     }},
    {"shares", kGroup, true, Unit::Weight, "the group's weight, to be spread over CPUs",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(scaleLoadDown(m.group(s.group).shares));
     }},
    {"tg.load_avg", kGroup, true, Unit::Load, "load of the group on all CPUs, as far as published",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return m.group(s.group).loadAvg;
     }},
    {"tg.shares", kGroup, false, Unit::Weight, "the group's weight in 1/1024",
     [](const SimState& state, const ValueSubject& s) {
       const Machine& m = state.machine;
       return asSigned(m.group(s.group).shares);
     }},
};

}  // namespace

std::span<const ValueKind> valueKinds() { return kKinds; }

std::optional<ValueSubject> subjectOf(const SimState& state, const ValueRef& ref) {
  const Machine& m = state.machine;
  ValueSubject out;
  const auto root = [&] { return CfsRqId{out.cpu.value}; };
  if (ref.task >= 0) {
    out.task = TaskId{ref.task};
    if (out.task.index() >= m.tasks.size() || !m.task(out.task).se.isValid()) return std::nullopt;
    out.scope = ValueScope::Task;
    out.entity = m.task(out.task).se;
    out.cpu = m.task(out.task).cpu;
    out.group = m.task(out.task).group;
    out.competesIn = m.profile->queue == QueueKind::FlatEevdf ? root() : m.entity(out.entity).cfsRq;
    return out.competesIn.isValid() ? std::optional(out) : std::nullopt;
  }
  if (ref.cpu >= 0) {
    out.cpu = CpuId{ref.cpu};
    if (out.cpu.index() >= m.rqs.size() || !state.allCpus.test(out.cpu)) return std::nullopt;
    out.queue = root();
  }
  if (ref.group < 0) return ref.cpu >= 0 ? std::optional(out) : std::nullopt;
  out.group = GroupId{ref.group};
  if (out.group.index() >= m.groups.size() || m.group(out.group).removed) return std::nullopt;
  if (ref.cpu < 0) {
    out.scope = ValueScope::Group;
    return out;
  }
  if (ref.group == 0) return std::nullopt;  // the root group has no entity
  out.scope = ValueScope::GroupOnCpu;
  out.queue = rqscope::queueOf(m, out.group, out.cpu);
  out.entity = groupEntity(m, out.group, out.cpu);
  out.competesIn = m.profile->queue == QueueKind::FlatEevdf ? root() : m.entity(out.entity).cfsRq;
  return out;
}

std::string subjectText(const SimState& state, const ValueSubject& subject) {
  const Machine& m = state.machine;
  switch (subject.scope) {
    case ValueScope::Task:
      return "task " + m.task(subject.task).name;
    case ValueScope::GroupOnCpu:
      return fmt::format("group {} on CPU {}", m.group(subject.group).name, subject.cpu.value);
    case ValueScope::Group:
      return "group " + m.group(subject.group).name;
    case ValueScope::Cpu:
      break;
  }
  return fmt::format("CPU {}", subject.cpu.value);
}

const ValueKind* kindOf(const ValueRef& ref, const ValueSubject& subject) {
  const std::span<const ValueKind> kinds = valueKinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const ValueKind& kind) {
    return ref.name == kind.name && (kind.scopes & static_cast<unsigned>(subject.scope)) != 0;
  });
  return it == kinds.end() ? nullptr : &*it;
}

std::optional<std::int64_t> readValue(const SimState& state, const ValueRef& ref) {
  const auto subject = subjectOf(state, ref);
  const ValueKind* kind = subject ? kindOf(ref, *subject) : nullptr;
  if (kind == nullptr || !isOfQueueKind(!hasV(state.machine), kind->name)) return std::nullopt;
  return kind->read(state, *subject);
}

std::uint64_t virtualWeight(const Machine& m, const SchedEntity& se) {
  return m.profile->queue == QueueKind::FlatEevdf ? se.hLoad.weight : seWeight(se);
}

bool isOfQueueKind(bool isCfs, std::string_view name) {
  if (!isCfs) return name != "min_vruntime";
  return name != "deadline" && name != "lag" && name != "avg_vruntime" && name != "se.deadline" &&
         name != "cfs_rq.sum_w_vruntime" && name != "cfs_rq.sum_weight" && name != "cfs_rq.zero_vruntime";
}

namespace {

/// v7.3 gives groups no virtual time: their tasks compete in the CPU's own queue.
bool hasIt(const Machine& m, const ValueKind& kind, const ValueSubject& subject) {
  if ((kind.scopes & static_cast<unsigned>(subject.scope)) == 0 || !isOfQueueKind(!hasV(m), kind.name))
    return false;
  if (m.profile->queue != QueueKind::FlatEevdf || subject.scope != ValueScope::GroupOnCpu) return true;
  const std::string_view name = kind.name;
  return name != "vruntime" && name != "deadline" && name != "lag" && name != "slice" &&
         name != "avg_vruntime";
}

void addSubject(const SimState& state, ValueRef ref, std::vector<ShownValue>& out) {
  const auto subject = subjectOf(state, ref);
  if (!subject) return;
  const std::string text = subjectText(state, *subject);
  for (const ValueKind& kind : valueKinds()) {
    if (!kind.isShown || !hasIt(state.machine, kind, *subject)) continue;
    ref.name = kind.name;
    out.push_back({ref, text, kind.read(state, *subject), kind.unit});
  }
}

}  // namespace

std::vector<ShownValue> shownValues(const SimState& state, CpuId cpu) {
  std::vector<ShownValue> out;
  const Machine& m = state.machine;
  ValueRef ref;
  ref.cpu = cpu.value;
  if (!subjectOf(state, ref)) return out;
  addSubject(state, ref, out);
  for (std::size_t slot = 0; slot < m.tasks.size(); ++slot) {
    const Task& task = m.tasks[slot];
    if (!task.se.isValid() || !task.onRq || task.cpu != cpu) continue;
    ValueRef own;
    own.task = static_cast<std::int32_t>(slot);
    addSubject(state, own, out);
  }
  for (std::size_t g = 1; g < m.groups.size(); ++g) {
    if (m.groups[g].removed || !m.entity(groupEntity(m, GroupId{g}, cpu)).onRq) continue;
    ref.group = static_cast<std::int32_t>(g);
    addSubject(state, ref, out);
    ValueRef whole;
    whole.group = ref.group;
    addSubject(state, whole, out);
  }
  return out;
}

}  // namespace rqscope::api
