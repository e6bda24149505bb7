// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulator.h"
#include "runqueue/queue.h"

namespace rqscope {
namespace {

// ThreadState::stage of a thread at a pipe.
constexpr std::uint8_t kStageHasWaited = 1, kStageHasTurn = 2;

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

/// Takes the pipe's mutex, in the order of asking, and its lines. True when others have it first: the thread
/// spins until it has done its part under the mutex, and comes again.
/// Simplified: a waiter always spins, as its owner always runs; a free mutex is given at once and the part
/// under it paid afterwards; one that loses its CPU while it spins has had its turn.
bool Simulator::mustWaitForPipe(CpuId cpu, TaskId task, std::int32_t number) {
  const ProgramPipe& what = program().pipes[static_cast<std::size_t>(number)];
  if (what.lockedNs == 0) return false;
  PipeState& pipe = m_state.workload.pipes[static_cast<std::size_t>(number)];
  ThreadState& t = thread(task);
  if ((t.stage & kStageHasTurn) != 0) {
    t.stage &= static_cast<std::uint8_t>(~kStageHasTurn);
    return false;
  }
  const std::uint64_t held = pipeLinesNs(cpu, pipe, what) + slowed(cpu, what.lockedNs);
  t.overheadNs += held;
  const std::uint64_t now = m_state.machine.nowNs;
  const std::uint64_t from = std::max(now, pipe.lockFreeNs);
  pipe.lockFreeNs = from + held;
  LockCounters& counters = m_state.contention.pipeLocks;
  ++counters.taken;
  if (from == now) return false;
  ++counters.contended;
  counters.waitedNs += from - now;
  t.overheadNs += from - now;
  t.stage |= kStageHasTurn;
  return true;
}

/// Kernel: pipe_write() of v6.1. A message joins the newest page only when the writer did not wait.
/// Simplified: a message is never split between two pages.
Simulator::Progress Simulator::writePipe(CpuId cpu, TaskId task, std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  const ProgramPipe& what = program().pipes[index];
  if (mustWaitForPipe(cpu, task, number)) return Progress::Again;
  PipeState& pipe = m_state.workload.pipes[index];
  const bool hasWaited = thread(task).stage != 0;
  const bool wasEmpty = pipe.messages == 0;
  if (!hasWaited && pipe.pages != 0 && pipe.newestFill < what.messagesPerPage) {
    mergeIntoNewest(pipe);
    payPipeLines(cpu, task, pipe, what);
    return Progress::Next;
  }
  if (isFull(pipe, what)) {
    thread(task).stage = kStageHasWaited;
    return block(cpu, task, WaitKind::PipeWrite, number);
  }
  takeNewPage(pipe);
  payPipeLines(cpu, task, pipe, what);
  if (wasEmpty) wakeFirst(m_state.workload.pipes[index].readers, cpu, kWfSync);
  if (hasWaited && !isFull(pipe, what)) wakeFirst(m_state.workload.pipes[index].writers, cpu, kWfSync);
  return Progress::Next;
}

/// Kernel: pipe_read() of v6.1; v6.14 and later wake a writer only when a page became free.
Simulator::Progress Simulator::readPipe(CpuId cpu, TaskId task, std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  const ProgramPipe& what = program().pipes[index];
  if (mustWaitForPipe(cpu, task, number)) return Progress::Again;
  PipeState& pipe = m_state.workload.pipes[index];
  if (pipe.messages == 0) {
    thread(task).stage = kStageHasWaited;
    return block(cpu, task, WaitKind::PipeRead, number);
  }
  const bool hasWaited = thread(task).stage != 0;
  const bool wasFull = isFull(pipe, what);
  const bool freedPage = takeMessage(pipe);
  payPipeLines(cpu, task, pipe, what);
  if (wasFull && (freedPage || what.wakesWriterStillFull)) wakeFirst(pipe.writers, cpu, kWfSync);
  if (hasWaited && pipe.messages != 0) wakeFirst(pipe.readers, cpu, kWfSync);
  return Progress::Next;
}

}  // namespace rqscope
