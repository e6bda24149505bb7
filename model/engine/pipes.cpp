// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipe_stage.h"
#include "engine/simulator.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

bool isFull(const PipeState& pipe, const ProgramPipe& what) { return pipe.pages >= what.pages; }

std::int32_t& unreadOf(PipeState& pipe, std::int32_t page) {
  return pipe.unread[static_cast<std::size_t>((pipe.oldest + page) % kMostPipePages)];
}

void takeNewPage(PipeState& pipe) {
  ++pipe.messages;
  unreadOf(pipe, pipe.pages++) = 1;
  pipe.newestFill = 1;
}

void mergeIntoNewest(PipeState& pipe) {
  ++pipe.messages;
  ++unreadOf(pipe, pipe.pages - 1);
  ++pipe.newestFill;
}

/// True when the read emptied a page.
bool takeMessage(PipeState& pipe) {
  --pipe.messages;
  if (--unreadOf(pipe, 0) != 0) return false;
  pipe.oldest = (pipe.oldest + 1) % kMostPipePages;
  --pipe.pages;
  return true;
}

}  // namespace

/// Without a mutex to wait for, only an operation that succeeds pays for the lines.
void Simulator::payPipeLines(CpuId cpu, TaskId task, PipeState& pipe, const ProgramPipe& what) {
  if (what.lockedNs == 0) thread(task).overheadNs += pipeLinesNs(cpu, pipe, what);
}

/// The lines of a pipe (mutex, head and tail, the page) come from the CPU that used it last.
std::uint64_t Simulator::pipeLinesNs(CpuId cpu, PipeState& pipe, const ProgramPipe& what) {
  const CpuId from = pipe.lastCpu;
  pipe.lastCpu = cpu;
  const auto& distances = m_state.contention.distances;
  if (what.lines == 0 || distances == nullptr || !from.isValid()) return 0;
  const CacheDistance distance = from == cpu ? CacheDistance::Own : distances->between(from, cpu);
  ++m_state.contention.pipeTransfers[static_cast<std::size_t>(distance)];
  return lineTransferNs(m_state.plan->costs, distance) * static_cast<std::uint64_t>(what.lines);
}

/// A thread of several that share a table of files counts each use of a file up and down. Kernel:
/// __fget_light(), fput().
std::uint64_t Simulator::fileLineNs(CpuId cpu, PipeState& pipe, const ProgramPipe& what) {
  if (!what.isFileShared || m_state.contention.distances == nullptr) return 0;
  return pipe.writersFile.access(accessEnvironment(cpu), cpu, true, m_state.contention.fileLines);
}

/// At the end of a write: what its beginning cost, which must not count as a part under the mutex, and the
/// end.
void Simulator::payFileLine(CpuId cpu, TaskId task, PipeState& pipe, const ProgramPipe& what) {
  if (!what.isFileShared) return;
  thread(task).overheadNs += thread(task).fileLineNs + fileLineNs(cpu, pipe, what);
  thread(task).fileLineNs = 0;
}

Simulator::Progress Simulator::waitAtPipe(CpuId cpu, TaskId task, WaitKind kind, std::int32_t number) {
  Contention& c = m_state.contention;
  ++(kind == WaitKind::PipeRead ? c.pipeEmptyWaits : c.pipeFullWaits);
  thread(task).stage = kStageHasWaited;
  return block(cpu, task, kind, number);
}

/// Wakes the first of those who wait. At a socket that happens in a softirq, and the time that it takes is
/// not the task's. Kernel: irqtime_account_irq(), with CONFIG_IRQ_TIME_ACCOUNTING.
void Simulator::wakeAtPipe(WaitQueue& queue, CpuId cpu, const ProgramPipe& what) {
  if (queue.head < 0) return;
  const std::uint64_t before = owedUntil(cpu);
  wakeFirst(queue, cpu, kWfSync);
  if (what.softirqNs == 0) return;
  m_state.machine.rq(cpu).irqTimePendingNs +=
      owedUntil(cpu) - before + slowed(cpu, m_state.plan->costs.wakeupNs);
}

/// Kernel: pipe_write() of v6.1. A message joins the newest page only when the writer did not wait; one that
/// was woken looks whether there is room before it asks for the mutex again.
/// Simplified: a message is never split between two pages.
Simulator::Progress Simulator::writePipe(CpuId cpu, TaskId task, std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  const ProgramPipe& what = program().pipes[index];
  PipeState& pipe = m_state.workload.pipes[index];
  const bool hasWaited = (thread(task).stage & kStageHasWaited) != 0;
  if (thread(task).stage == 0) thread(task).fileLineNs = fileLineNs(cpu, pipe, what);
  if (thread(task).stage == kStageHasWaited && isFull(pipe, what))
    return waitAtPipe(cpu, task, WaitKind::PipeWrite, number);
  if (what.lockedNs != 0)
    if (const Progress progress = lockPipe(cpu, task, number); progress != Progress::Next) return progress;
  const bool wasEmpty = pipe.messages == 0;
  if (!hasWaited && pipe.pages != 0 && pipe.newestFill < what.messagesPerPage) {
    mergeIntoNewest(pipe);
    payPipeLines(cpu, task, pipe, what);
    unlockPipe(cpu, task, number);
    payFileLine(cpu, task, pipe, what);
    return Progress::Next;
  }
  if (isFull(pipe, what)) {
    unlockPipe(cpu, task, number);
    return waitAtPipe(cpu, task, WaitKind::PipeWrite, number);
  }
  takeNewPage(pipe);
  payPipeLines(cpu, task, pipe, what);
  if (what.softirqNs != 0) m_state.machine.rq(cpu).irqTimePendingNs += slowed(cpu, what.softirqNs);
  const bool wakesWriter = hasWaited && !isFull(pipe, what);
  unlockPipe(cpu, task, number);
  if (wasEmpty) wakeAtPipe(m_state.workload.pipes[index].readers, cpu, what);
  if (wakesWriter) wakeAtPipe(m_state.workload.pipes[index].writers, cpu, what);
  payFileLine(cpu, task, pipe, what);
  return Progress::Next;
}

/// Kernel: pipe_read() of v6.1; v6.14 and later wake a writer only when a page became free.
Simulator::Progress Simulator::readPipe(CpuId cpu, TaskId task, std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  const ProgramPipe& what = program().pipes[index];
  PipeState& pipe = m_state.workload.pipes[index];
  if (thread(task).stage == kStageHasWaited && pipe.messages == 0)
    return waitAtPipe(cpu, task, WaitKind::PipeRead, number);
  if (what.lockedNs != 0)
    if (const Progress progress = lockPipe(cpu, task, number); progress != Progress::Next) return progress;
  if (pipe.messages == 0) {
    unlockPipe(cpu, task, number);
    return waitAtPipe(cpu, task, WaitKind::PipeRead, number);
  }
  const bool hasWaited = (thread(task).stage & kStageHasWaited) != 0;
  const bool wasFull = isFull(pipe, what);
  const bool freedPage = takeMessage(pipe);
  payPipeLines(cpu, task, pipe, what);
  const bool wakesReader = hasWaited && pipe.messages != 0;
  unlockPipe(cpu, task, number);
  if (wasFull && (freedPage || what.wakesWriterStillFull))
    wakeAtPipe(m_state.workload.pipes[index].writers, cpu, what);
  if (wakesReader) wakeAtPipe(m_state.workload.pipes[index].readers, cpu, what);
  return Progress::Next;
}

}  // namespace rqscope
