// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/generator_parts.h"

namespace rqscope::generator {

ProgramEvent event(Kind kind, std::int64_t ns, std::int32_t target, std::int64_t jitterNs) {
  ProgramEvent e;
  e.kind = kind;
  e.ns = static_cast<std::uint64_t>(ns);
  e.target = target;
  e.jitterNs = static_cast<std::uint64_t>(jitterNs);
  return e;
}

ProgramEvent work(std::int64_t ns, std::int64_t jitter) {
  return event(Kind::Run, ns, -1, ns * jitter / 100);
}

ProgramPhase phase(std::int64_t loops, std::vector<ProgramEvent> events) {
  ProgramPhase p;
  p.loops = loops;
  p.events = std::move(events);
  return p;
}

ThreadProgram thread(std::string name, std::int64_t instances, std::vector<ProgramPhase> phases) {
  ThreadProgram t;
  t.name = std::move(name);
  t.instances = static_cast<std::int32_t>(instances);
  t.phases = std::move(phases);
  return t;
}

std::int32_t addSemaphore(Workload& w, std::string name, std::int64_t initial) {
  w.semaphores.push_back({std::move(name), static_cast<std::int32_t>(initial)});
  return static_cast<std::int32_t>(w.semaphores.size() - 1);
}

std::int32_t addPipe(Workload& w, std::string name, std::int32_t pages, std::int32_t messagesPerPage) {
  ProgramPipe pipe;
  pipe.name = std::move(name);
  pipe.pages = pages;
  pipe.messagesPerPage = messagesPerPage;
  w.pipes.push_back(std::move(pipe));
  return static_cast<std::int32_t>(w.pipes.size() - 1);
}

}  // namespace rqscope::generator
