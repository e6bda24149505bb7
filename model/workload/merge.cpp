// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/merge.h"

#include "workload/rt_app.h"

namespace rqscope {

namespace {

/// Where the parts of the added workload begin in the whole.
struct Offsets {
  std::int32_t threads, mutexes, conditions, suspendPoints, barriers, semaphores, timers, pipes;
};

void shift(ProgramEvent& event, const Offsets& by) {
  if (event.mutex >= 0) event.mutex += by.mutexes;
  switch (event.kind) {
    case ProgramEventKind::Timer:
      if (event.target >= 0) event.target += by.timers;
      break;
    case ProgramEventKind::Lock:
    case ProgramEventKind::Unlock:
      event.target += by.mutexes;
      break;
    case ProgramEventKind::Wait:
    case ProgramEventKind::Signal:
    case ProgramEventKind::Broadcast:
    case ProgramEventKind::Sync:
      event.target += by.conditions;
      break;
    case ProgramEventKind::Barrier:
      event.target += by.barriers;
      break;
    case ProgramEventKind::Suspend:
    case ProgramEventKind::Resume:
      event.target += by.suspendPoints;
      break;
    case ProgramEventKind::Fork:
      event.target += by.threads;
      break;
    case ProgramEventKind::SemWait:
    case ProgramEventKind::SemPost:
      event.target += by.semaphores;
      break;
    case ProgramEventKind::PipeWrite:
    case ProgramEventKind::PipeRead:
      event.target += by.pipes;
      break;
    case ProgramEventKind::Run:
    case ProgramEventKind::Runtime:
    case ProgramEventKind::Sleep:
    case ProgramEventKind::Yield:
    case ProgramEventKind::Exec:
    case ProgramEventKind::ExitMove:
    case ProgramEventKind::Exit:
      break;
  }
}

void shiftGroup(ProgramSettings& settings, const std::vector<std::int32_t>& groups) {
  if (settings.group && *settings.group >= 0)
    settings.group = groups[static_cast<std::size_t>(*settings.group)];
}

template <class T>
std::int32_t append(std::vector<T>& whole, std::vector<T>& part) {
  const auto offset = static_cast<std::int32_t>(whole.size());
  whole.insert(whole.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  return offset;
}

}  // namespace

void mergeWorkload(Workload& whole, Workload part) {
  std::vector<std::int32_t> groups;
  for (const WorkloadGroup& group : part.groups) groups.push_back(findOrAddGroupPath(whole, group.name));
  const Offsets by{static_cast<std::int32_t>(whole.threads.size()),
                   append(whole.mutexes, part.mutexes),
                   append(whole.conditions, part.conditions),
                   append(whole.suspendPoints, part.suspendPoints),
                   append(whole.barriers, part.barriers),
                   append(whole.semaphores, part.semaphores),
                   append(whole.timers, part.timers),
                   append(whole.pipes, part.pipes)};
  for (ThreadProgram& thread : part.threads) {
    shiftGroup(thread.settings, groups);
    for (ProgramPhase& phase : thread.phases) {
      shiftGroup(phase.settings, groups);
      for (ProgramEvent& event : phase.events) shift(event, by);
    }
    whole.threads.push_back(std::move(thread));
  }
  if (whole.file.empty()) whole.file = part.file;
  if (part.durationNs > whole.durationNs) whole.durationNs = part.durationNs;
}

}  // namespace rqscope
