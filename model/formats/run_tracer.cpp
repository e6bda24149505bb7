// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/run_tracer.h"

#include "runqueue/machine.h"

namespace rqscope {

namespace {

constexpr std::int32_t kNice0Prio = 120;
/// Migration threads have no task in the model; their pids lie above those of tasks.
constexpr std::int32_t kFirstStopperPid = 3'000'000;

}  // namespace

RunTracer::RunTracer(const SimState& start, PidOf pidOf)
    : m_pidOf(std::move(pidOf)),
      m_originNs(start.originNs),
      m_cpus(static_cast<std::int32_t>(start.cpus.size())) {
  tellStart(start);
}

/// Tasks that run are switched to, and those that wait are woken, at the first moment.
void RunTracer::tellStart(const SimState& start) {
  const Machine& m = start.machine;
  for (std::size_t slot = 0; slot < start.workload.threads.size(); ++slot) {
    const TaskId task{static_cast<std::int32_t>(slot)};
    if (start.workload.threads[slot].program < 0) continue;
    const Task& t = m.task(task);
    if (t.state != TaskState::Running) continue;
    add(m, TraceEventKind::Wakeup, t.cpu, pidOf(m, task)).targetCpu = t.cpu.value;
  }
  for (CpuId cpu = m.topology->online.first(); cpu.isValid(); cpu = m.topology->online.next(cpu))
    if (const TaskId task = m.rq(cpu).curr; task.isValid())
      add(m, TraceEventKind::Switch, cpu, pidOf(m, task)).otherPid = 0;
}

std::int32_t RunTracer::pidOf(const Machine& m, TaskId task) {
  const std::int32_t pid = m_pidOf ? m_pidOf(m, task) : m.task(task).pid;
  if (pid > 0) m_names.try_emplace(pid, m.task(task).name);
  return pid;
}

std::int32_t RunTracer::pidOf(const Machine& m, TaskId task, Thread kind, CpuId cpu) {
  if (kind == Thread::Stopper) {
    m_names.try_emplace(kFirstStopperPid + cpu.value, "migration/" + std::to_string(cpu.value));
    return kFirstStopperPid + cpu.value;
  }
  return task.isValid() ? pidOf(m, task) : 0;
}

TraceEvent& RunTracer::add(const Machine& m, TraceEventKind kind, CpuId cpu, std::int32_t pid) {
  TraceEvent& event = m_events.emplace_back();
  event.ns = m.nowNs - m_originNs;
  event.cpu = cpu.value;
  event.kind = kind;
  event.pid = pid;
  event.line = static_cast<std::int32_t>(m_events.size());
  return event;
}

void RunTracer::onSwitch(const Machine& m, const Switch& sw) {
  TraceEvent& event = add(m, TraceEventKind::Switch, sw.cpu, pidOf(m, sw.next, sw.nextKind, sw.cpu));
  event.otherPid = pidOf(m, sw.prev, sw.prevKind, sw.cpu);
  event.staysRunnable =
      sw.prev.isValid() ? m.task(sw.prev).state == TaskState::Running : sw.prevKind == Thread::Idle;
  event.prio = sw.nextKind == Thread::Stopper ? 0
               : sw.next.isValid()            ? kNice0Prio + m.task(sw.next).nice
                                              : kNice0Prio;
}

void RunTracer::onSetTaskCpu(const Machine& m, TaskId task, CpuId from, CpuId to, MigrationReason reason) {
  if (reason == MigrationReason::Fork) return;  // __set_task_cpu() has no tracepoint
  const bool isByWaker = reason == MigrationReason::Wakeup && m_call.task == task;
  TraceEvent& event = add(m, TraceEventKind::Migrate, isByWaker ? m_call.wakerCpu : to, pidOf(m, task));
  event.fromCpu = from.value;
  event.targetCpu = to.value;
  event.prio = kNice0Prio + m.task(task).nice;
}

void RunTracer::onPlacementBegin(const Machine& m, const PlacementCall& call) {
  m_call = call;
  const bool isNew = call.task.index() < m_isNew.size() && m_isNew[call.task.index()];
  if (isNew || m.task(call.task).state != TaskState::Sleeping) return;
  TraceEvent& event = add(m, TraceEventKind::Waking, call.wakerCpu, pidOf(m, call.task));
  event.targetCpu = call.prevCpu.value;
  event.prio = kNice0Prio + m.task(call.task).nice;
}

void RunTracer::onWakeup(const Machine& m, TaskId task, CpuId cpu) {
  const bool isNew = task.index() < m_isNew.size() && m_isNew[task.index()];
  if (isNew) m_isNew[task.index()] = false;
  const CpuId waker = m_call.task == task ? m_call.wakerCpu : cpu;
  TraceEvent& event =
      add(m, isNew ? TraceEventKind::WakeupNew : TraceEventKind::Wakeup, waker, pidOf(m, task));
  event.targetCpu = cpu.value;
  event.prio = kNice0Prio + m.task(task).nice;
  m_call = {};
}

void RunTracer::onNewTask(const Machine& m, TaskId task) {
  if (m.task(task).state != TaskState::New) return;  // it was there before, asleep
  if (task.index() >= m_isNew.size()) m_isNew.resize(task.index() + 1);
  m_isNew[task.index()] = true;
}

void RunTracer::onTaskDead(const Machine& m, TaskId task) {
  add(m, TraceEventKind::Exit, m.task(task).cpu, pidOf(m, task)).prio = kNice0Prio + m.task(task).nice;
}

Trace RunTracer::take(const std::string& file) {
  Trace trace;
  trace.file = file;
  trace.dialect = TraceDialect::Tracefs;
  trace.cpus = m_cpus;
  trace.isWhole = true;
  trace.events = std::move(m_events);
  std::erase_if(trace.events, [](const TraceEvent& e) { return e.pid < 0 || e.otherPid < -1; });
  trace.names = m_names;
  for (const TraceEvent& e : trace.events) {
    trace.firstNs.try_emplace(e.cpu, e.ns);
  }
  m_events.clear();
  return trace;
}

}  // namespace rqscope
