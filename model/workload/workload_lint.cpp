// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "base/profile.h"
#include "workload/rt_app.h"

namespace rqscope {

namespace {

/// Who uses one mutex, condition, suspend point, semaphore: the two sides of it.
struct Use {
  const ProgramEvent* blocks = nullptr;  ///< first event that waits on it (lock for a mutex)
  const ProgramEvent* wakes = nullptr;   ///< first event that wakes (unlock)
};

struct Uses {
  std::vector<Use> mutexes, conditions, suspendPoints, semaphores;
};

void note(Use& use, bool blocks, const ProgramEvent& event) {
  const ProgramEvent*& side = blocks ? use.blocks : use.wakes;
  if (side == nullptr) side = &event;
}

void collect(const ProgramEvent& event, Uses& uses) {
  const auto target = static_cast<std::size_t>(event.target);
  switch (event.kind) {
    case ProgramEventKind::Lock:
    case ProgramEventKind::Unlock:
      note(uses.mutexes[target], event.kind == ProgramEventKind::Lock, event);
      break;
    case ProgramEventKind::Sync:
      note(uses.conditions[target], false, event);
      [[fallthrough]];
    case ProgramEventKind::Wait:
      note(uses.conditions[target], true, event);
      break;
    case ProgramEventKind::Signal:
    case ProgramEventKind::Broadcast:
      note(uses.conditions[target], false, event);
      break;
    case ProgramEventKind::Suspend:
    case ProgramEventKind::Resume:
      note(uses.suspendPoints[target], event.kind == ProgramEventKind::Suspend, event);
      break;
    case ProgramEventKind::SemWait:
    case ProgramEventKind::SemPost:
      note(uses.semaphores[target], event.kind == ProgramEventKind::SemWait, event);
      break;
    default:
      break;
  }
}

void warn(JsonLint& lint, const ProgramEvent& at, std::string message, std::string hint) {
  lint.add(Severity::Warning, at.where.line, at.where.column, std::move(message), std::move(hint));
}

void lintSuspendPoints(const Workload& workload, const Uses& uses, JsonLint& lint) {
  std::vector<std::string_view> suspended;
  for (std::size_t i = 0; i < uses.suspendPoints.size(); ++i)
    if (uses.suspendPoints[i].blocks != nullptr) suspended.push_back(workload.suspendPoints[i]);
  for (std::size_t i = 0; i < uses.suspendPoints.size(); ++i) {
    const Use& use = uses.suspendPoints[i];
    const std::string& name = workload.suspendPoints[i];
    if (use.blocks != nullptr && use.wakes == nullptr)
      warn(lint, *use.blocks, fmt::format("nothing resumes \"{}\": the task sleeps for ever here", name),
           fmt::format("add \"resume\" : \"{}\" to another task", name));
    if (use.wakes == nullptr || use.blocks != nullptr) continue;
    const std::string_view near = nearestName(name, suspended);
    warn(lint, *use.wakes, fmt::format("nothing suspends on \"{}\": this resume wakes nobody", name),
         near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
}

void lintPairs(const Workload& workload, const Uses& uses, JsonLint& lint) {
  for (std::size_t i = 0; i < uses.conditions.size(); ++i) {
    const Use& use = uses.conditions[i];
    if (use.blocks != nullptr && use.wakes == nullptr)
      warn(lint, *use.blocks,
           fmt::format("nothing signals \"{}\": the task waits for ever", workload.conditions[i]),
           "add \"signal\" or \"broad\" to another task");
    if (use.blocks == nullptr && use.wakes != nullptr)
      warn(lint, *use.wakes,
           fmt::format("nothing waits on \"{}\": this signal wakes nobody", workload.conditions[i]), "");
  }
  for (std::size_t i = 0; i < uses.semaphores.size(); ++i) {
    const Use& use = uses.semaphores[i];
    if (use.blocks != nullptr && use.wakes == nullptr && workload.semaphores[i].initial == 0)
      warn(lint, *use.blocks,
           fmt::format("nothing posts \"{}\": the task waits for ever", workload.semaphores[i].name),
           "add \"sem_post\" to another task");
  }
  for (std::size_t i = 0; i < uses.mutexes.size(); ++i) {
    const Use& use = uses.mutexes[i];
    if (use.blocks != nullptr && use.wakes == nullptr)
      warn(lint, *use.blocks, fmt::format("\"{}\" is locked and never unlocked", workload.mutexes[i]),
           fmt::format("add \"unlock\" : \"{}\"", workload.mutexes[i]));
    if (use.blocks == nullptr && use.wakes != nullptr)
      warn(lint, *use.wakes, fmt::format("\"{}\" is unlocked and never locked", workload.mutexes[i]), "");
  }
}

/// Whether simulated time passes, or another task decides, or the thread ends in it.
bool takesTime(const ProgramEvent& event) {
  switch (event.kind) {
    case ProgramEventKind::Run:
    case ProgramEventKind::Runtime:
    case ProgramEventKind::Sleep:
    case ProgramEventKind::Timer:
      return event.ns != 0;
    case ProgramEventKind::Wait:
    case ProgramEventKind::Sync:
    case ProgramEventKind::Barrier:
    case ProgramEventKind::Suspend:
    case ProgramEventKind::Exit:
      return true;
    default:
      return false;
  }
}

bool takesTime(const ProgramPhase& phase) {
  return phase.loops != 0 && std::any_of(phase.events.begin(), phase.events.end(),
                                         [](const ProgramEvent& e) { return takesTime(e); });
}

void lintEndlessLoops(const ThreadProgram& thread, JsonLint& lint) {
  const bool anyTime = std::any_of(thread.phases.begin(), thread.phases.end(),
                                   [](const ProgramPhase& p) { return takesTime(p); });
  for (const ProgramPhase& phase : thread.phases) {
    const bool standsStill = (phase.loops < 0 && !takesTime(phase)) || (thread.loops < 0 && !anyTime);
    if (!standsStill) continue;
    const SourcePosition& at = phase.events.empty() ? thread.where : phase.events.front().where;
    lint.add(Severity::Error, at.line, at.column,
             fmt::format("task \"{}\" repeats for ever without running or sleeping: time would stand still",
                         thread.name),
             "add \"run\" or \"sleep\" to the loop, or give the loop a number");
    return;
  }
}

}  // namespace

void lintWorkload(const Workload& workload, JsonLint& lint) {
  Uses uses;
  uses.mutexes.resize(workload.mutexes.size());
  uses.conditions.resize(workload.conditions.size());
  uses.suspendPoints.resize(workload.suspendPoints.size());
  uses.semaphores.resize(workload.semaphores.size());
  std::vector<bool> forked(workload.threads.size(), false);
  for (const ThreadProgram& thread : workload.threads)
    for (const ProgramPhase& phase : thread.phases)
      for (const ProgramEvent& event : phase.events) {
        collect(event, uses);
        if (event.kind == ProgramEventKind::Fork) forked[static_cast<std::size_t>(event.target)] = true;
        if (event.kind == ProgramEventKind::Barrier &&
            workload.barriers[static_cast<std::size_t>(event.target)].count < 2)
          warn(lint, event,
               fmt::format("only one task uses the barrier \"{}\"",
                           workload.barriers[static_cast<std::size_t>(event.target)].name),
               "a barrier waits for all that name it; it does nothing here");
      }
  lintSuspendPoints(workload, uses, lint);
  lintPairs(workload, uses, lint);
  for (std::size_t i = 0; i < workload.threads.size(); ++i) {
    const ThreadProgram& thread = workload.threads[i];
    lintEndlessLoops(thread, lint);
    if (thread.instances == 0 && !forked[i])
      lint.add(Severity::Warning, thread.where.line, thread.where.column,
               fmt::format("task \"{}\" has 0 instances and no task forks it", thread.name),
               "a script can still start it with the operation \"fork\"");
  }
}

}  // namespace rqscope
