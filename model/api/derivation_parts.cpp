// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/derivation_parts.h"

#include <algorithm>

#include "api/ladder_parts.h"
#include "balance/balance_env.h"
#include "runqueue/load_tracking.h"
#include "runqueue/queue.h"

namespace rqscope::api {
namespace {

using Sources = DerivationSources;

Operand capacityOperand(const char* name, std::uint64_t value) {
  return operand(name, value, Unit::Capacity);
}

/// How much of the CPU's load belongs to a queue: all of it for the root queue, a share for a group's.
Derivation hLoadOf(const Machine& m, CfsRqId id) {
  const CfsRq& queue = m.queue(id);
  Derivation out{operand("h_load", queue.hLoad, Unit::Load)};
  const ValueRef loadRef{"cfs_rq.load_avg", queue.cpu.value, -1,
                         queue.group.value == 0 ? -1 : queue.group.value};
  const EntityId entity = entityOfQueue(m, queue);
  if (!entity.isValid()) {
    out.formula = "load_avg of the CPU's queue when it was last needed";
    out.parts = {leaf(operand("cfs_rq.load_avg", queue.avg.loadAvg, Unit::Load), loadRef)};
    return out;
  }
  const SchedEntity& se = m.entity(entity);
  const CfsRq& parent = m.queue(se.cfsRq);
  out.formula = "h_load of the parent * load_avg of the group's entity / (load_avg of the parent + 1)";
  out.parts = {
      hLoadOf(m, se.cfsRq),
      leaf(operand("load_avg", se.avg.loadAvg, Unit::Load),
           {"load_avg", queue.cpu.value, -1, queue.group.value}),
      leaf(operand("cfs_rq.load_avg", parent.avg.loadAvg, Unit::Load),
           {"cfs_rq.load_avg", parent.cpu.value, -1, parent.group.value == 0 ? -1 : parent.group.value})};
  return out;
}

Derivation taskLoadOf(Machine& m, TaskId task, const char* name) {
  const std::uint64_t load = taskHLoad(m, task);  // brings h_load up to date
  const SchedEntity& se = m.se(task);
  const CfsRq& queue = m.queue(se.cfsRq);
  Derivation out{operand(name, load, Unit::Load), "load_avg * h_load / (load_avg of its queue + 1)"};
  out.parts = {
      leaf(operand("load_avg", se.avg.loadAvg, Unit::Load), ofTask("load_avg", task)), hLoadOf(m, se.cfsRq),
      leaf(operand("cfs_rq.load_avg", queue.avg.loadAvg, Unit::Load),
           {"cfs_rq.load_avg", queue.cpu.value, -1, queue.group.value == 0 ? -1 : queue.group.value})};
  return out;
}

Derivation loadOfCpu(const Machine& m, CpuId cpu) {
  return leaf(about(cpuSubject(cpu), operand("cpu_load", cpuLoad(m, cpu), Unit::Load)),
              ofCpu("cfs_rq.load_avg", cpu));
}

Derivation capacityOfCpu(const Machine& m, CpuId cpu) {
  return leaf(about(cpuSubject(cpu), capacityOperand("capacity_of", m.rq(cpu).cpuCapacity)),
              ofCpu("capacity", cpu));
}

/// The two sides of wake_affine_weight().
void deriveEffectiveLoad(const Sources& s, bool isThis, Derivation& out) {
  Machine& m = s.m;
  out.formula = isThis ? "(cpu_load(this_cpu) + task_h_load) * 100 * capacity_of(prev_cpu)"
                       : "(cpu_load(prev_cpu) - task_h_load) * (100 + (imbalance_pct - 100) / 2) * "
                         "capacity_of(this_cpu)";
  if (!m.features().waBias) out.formula += ", without the bias (WA_BIAS is off)";
  const CpuId own = isThis ? s.waker : s.prev, other = isThis ? s.prev : s.waker;
  out.parts = {loadOfCpu(m, own), taskLoadOf(m, s.placed, "task_h_load"), capacityOfCpu(m, other)};
  out.note = "a synchronous wakeup takes the waker's own load off, and adds 1 to prev_eff_load";
}

/// Whether a CPU is idle: what idle_cpu() looks at.
void deriveIdle(const Machine& m, CpuId cpu, Derivation& out) {
  const Rq& rq = m.rq(cpu);
  out.formula = "rq->curr is the idle task, nr_running is 0, no wakeup is pending";
  out.parts = {leaf(operand("nr_running", rq.nrRunning, Unit::Tasks), ofCpu("nr_running", cpu)),
               Derivation{operand("ttwu_pending", rq.ttwuPending, Unit::Bool)}};
}

void deriveFlips(const Sources& s, Derivation& out) {
  const Machine& m = s.m;
  const std::string& name = out.what.name;
  if (name == "waker flips" || name == "wakee flips") {
    out.formula = "how often it woke another task than the time before, halved each second";
  } else if (name == "sd_llc_size" || name == "factor") {
    out.formula = "number of CPUs that share the waker's last-level cache";
  } else if (name == "slave" || name == "master" || name == "slave * factor") {
    const TaskId waker = m.rq(s.waker).curr;
    const std::uint32_t a = waker.isValid() ? m.task(waker).wakeeFlips : m.rq(s.waker).idleWakeeFlips;
    out.formula = name == "slave"    ? "the smaller of the flips"
                  : name == "master" ? "the larger of the flips"
                                     : "the smaller of the flips * sd_llc_size";
    out.parts = {Derivation{operand("waker flips", a)},
                 Derivation{operand("wakee flips", m.task(s.placed).wakeeFlips)}};
    out.note = "the waker's flips as they were before this wakeup was recorded";
  }
}

void deriveEnergy(const Sources& s, CpuId cpu, Derivation& out) {
  const Machine& m = s.m;
  const std::string& name = out.what.name;
  if (name == "util") {
    out.formula = "cpu_util() with the task on the CPU";
    out.parts = {leaf(capacityOperand("util", cpuUtilCfs(m, cpu)), ofCpu("util", cpu)),
                 leaf(capacityOperand("util_avg", m.se(s.placed).avg.utilAvg), ofTask("util_avg", s.placed))};
  } else if (name == "capacity_of") {
    out.value = ofCpu("capacity", cpu);
  } else if (name == "energy" || name == "base_energy") {
    out.formula = "cost of the performance state * busy_time";
  } else if (name == "delta" || name == "best_delta" || name == "prev_delta") {
    out.formula = "energy - base_energy";
  } else if (name == "task_busy_time") {
    out.formula = "task_util_est(), less the share of interrupts";
    out.parts = {
        leaf(capacityOperand("util_avg", m.se(s.placed).avg.utilAvg), ofTask("util_avg", s.placed)),
        leaf(capacityOperand("util_est", taskUtilEstRaw(m, s.placed)), ofTask("util_est", s.placed))};
  }
}

}  // namespace

Derivation leaf(Operand what, ValueRef ref) {
  Derivation out;
  out.what = std::move(what);
  out.value = std::move(ref);
  return out;
}

ValueRef ofCpu(const char* name, CpuId cpu) { return {name, cpu.value, -1, -1}; }
ValueRef ofTask(const char* name, TaskId task) { return {name, -1, task.value, -1}; }

void deriveQueue(const Sources& s, CpuId cpu, Derivation& out) {
  const Machine& m = s.m;
  const SchedAvg& avg = m.rootCfs(cpu).avg;
  if (out.what.name == "util") {
    out.formula = "max(util_avg, util_est, runnable_avg), at most the capacity";
    out.parts = {
        leaf(capacityOperand("cfs_rq.util_avg", avg.utilAvg), ofCpu("cfs_rq.util_avg", cpu)),
        leaf(capacityOperand("cfs_rq.util_est", avg.utilEst & ~kUtilAvgUnchanged),
             ofCpu("cfs_rq.util_est", cpu)),
        leaf(capacityOperand("cfs_rq.runnable_avg", avg.runnableAvg), ofCpu("cfs_rq.runnable_avg", cpu))};
  } else if (out.what.name == "load") {
    out.value = ofCpu("cfs_rq.load_avg", cpu);
  } else if (out.what.name == "nr_running") {
    out.value = ofCpu("nr_running", cpu);
  } else if (out.what.name == "capacity") {
    out.value = ofCpu("capacity", cpu);
  }
}

void deriveTask(const Sources& s, TaskId task, Derivation& out) {
  Machine& m = s.m;
  const SchedEntity& se = m.se(task);
  if (out.what.name == "util") {
    out.formula = "max(util_avg, util_est)";
    out.parts = {leaf(capacityOperand("util_avg", se.avg.utilAvg), ofTask("util_avg", task)),
                 leaf(capacityOperand("util_est", taskUtilEstRaw(m, task)), ofTask("util_est", task))};
  } else if (out.what.name == "load") {
    const Derivation load = taskLoadOf(m, task, "load");
    out.formula = load.formula;
    out.parts = load.parts;
  } else if (out.what.name == "since_exec_start") {
    out.formula = "rq_clock_task(source) - se.exec_start";
    out.parts = {Derivation{operand("exec_start", se.execStart, Unit::Nanoseconds)}};
  }
}

void deriveOnRung(const Sources& s, const Ladder& ladder, const Rung& rung, Subject subject,
                  Derivation& out) {
  const bool isCpu = subject.kind == SubjectKind::Cpu && subject.id >= 0;
  const CpuId cpu{isCpu ? subject.id : 0};
  const std::string& name = out.what.name;
  if (isCpu && (name == "idle_cpu" || name == "this_cpu idle" || name == "prev_cpu idle"))
    return deriveIdle(s.m, cpu, out);
  if (isCpu && (rung.kind == "should_we_balance" || rung.kind == "dst_cpu" || rung.kind == "idle_sibling"))
    deriveQueue(s, cpu, out);
  if (ladder.kind != Ladder::Kind::Placement || !s.placed.isValid()) return;
  if (name == "this_eff_load" || name == "prev_eff_load")
    return deriveEffectiveLoad(s, name == "this_eff_load", out);
  if (rung.kind == "wake_wide") return deriveFlips(s, out);
  if (rung.kind == "energy") return deriveEnergy(s, cpu, out);
}

void deriveCounter(const Sources& s, const Ladder& ladder, Derivation& out) {
  const bool hasDomain = ladder.domain >= 0 && static_cast<std::size_t>(ladder.domain) < s.m.domains.size();
  if (!hasDomain) return;
  const DomainState& state = s.m.domains[static_cast<std::size_t>(ladder.domain)];
  if (out.what.name == "nr_balance_failed") {
    out.formula = "failed passes of this CPU at this domain since the last that moved or found balance";
  } else if (out.what.name == "last_balance + interval") {
    out.formula = "last_balance + balance_interval in jiffies, times busy_factor on a busy CPU";
    out.parts = {Derivation{operand("last_balance", state.lastBalance, Unit::Jiffies)},
                 Derivation{operand("balance_interval", state.balanceIntervalMs, Unit::Milliseconds)}};
  } else if (out.what.name == "curr_cost + max_newidle_lb_cost") {
    out.formula = "cost of the domains below + max_newidle_lb_cost of this one";
    out.parts = {Derivation{operand("max_newidle_lb_cost", state.maxNewidleLbCost, Unit::Nanoseconds)}};
  } else if (out.what.name == "avg_idle") {
    out.formula =
        "how long the CPU's idle periods last, averaged by update_avg(), at most twice its largest cost";
  } else if (out.what.name == "imbalance after") {
    out.formula = "imbalance - what the task takes of it";
  }
}

}  // namespace rqscope::api
