// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
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

/// The lines of a pipe (mutex, head and tail, the page) come from the CPU that used it last.
void Simulator::takePipeLines(CpuId cpu, TaskId task, PipeState& pipe, const ProgramPipe& what) {
  const CpuId from = pipe.lastCpu;
  pipe.lastCpu = cpu;
  const auto& distances = m_state.contention.distances;
  if (what.lines == 0 || distances == nullptr || !from.isValid() || from == cpu) return;
  const std::uint64_t each = lineTransferNs(m_state.plan->costs, distances->between(from, cpu));
  thread(task).overheadNs += each * static_cast<std::uint64_t>(what.lines);
}

// Simplified: the mutex of a pipe is not contended, and a message is never split between two pages.

/// Kernel: pipe_write() of v6.1. A message joins the newest page only when the writer did not wait.
Simulator::Progress Simulator::writePipe(CpuId cpu, TaskId task, std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  const ProgramPipe& what = program().pipes[index];
  PipeState& pipe = m_state.workload.pipes[index];
  const bool hasWaited = thread(task).stage != 0;
  const bool wasEmpty = pipe.messages == 0;
  if (!hasWaited && pipe.pages != 0 && pipe.newestFill < what.messagesPerPage) {
    mergeIntoNewest(pipe);
    takePipeLines(cpu, task, pipe, what);
    return Progress::Next;
  }
  if (isFull(pipe, what)) {
    thread(task).stage = 1;
    return block(cpu, task, WaitKind::PipeWrite, number);
  }
  takeNewPage(pipe);
  takePipeLines(cpu, task, pipe, what);
  if (wasEmpty) wakeFirst(m_state.workload.pipes[index].readers, cpu, kWfSync);
  if (hasWaited && !isFull(pipe, what)) wakeFirst(m_state.workload.pipes[index].writers, cpu, kWfSync);
  return Progress::Next;
}

/// Kernel: pipe_read() of v6.1; v6.14 and later wake a writer only when a page became free.
Simulator::Progress Simulator::readPipe(CpuId cpu, TaskId task, std::int32_t number) {
  const auto index = static_cast<std::size_t>(number);
  const ProgramPipe& what = program().pipes[index];
  PipeState& pipe = m_state.workload.pipes[index];
  if (pipe.messages == 0) {
    thread(task).stage = 1;
    return block(cpu, task, WaitKind::PipeRead, number);
  }
  const bool hasWaited = thread(task).stage != 0;
  const bool wasFull = isFull(pipe, what);
  const bool freedPage = takeMessage(pipe);
  takePipeLines(cpu, task, pipe, what);
  if (wasFull && (freedPage || what.wakesWriterStillFull)) wakeFirst(pipe.writers, cpu, kWfSync);
  if (hasWaited && pipe.messages != 0) wakeFirst(pipe.readers, cpu, kWfSync);
  return Progress::Next;
}

}  // namespace rqscope
