// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "api/trace_agreement.h"

namespace rqscope::api {

namespace {

using Track = TraceTrack;

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

std::string nameOf(const Track::Task& task) { return fmt::format("{}-{}", task.name, task.pid); }

class Finder {
 public:
  Finder(const Track& machine, const Track& model, std::uint64_t windowNs)
      : m_machine(machine), m_model(model), m_windowNs(windowNs) {}

  std::vector<Parting> find() {
    for (std::size_t i = 0; i < m_machine.tasks.size(); ++i) {
      wakeups(i);
      moves(i, true);
      moves(i, false);
    }
    for (std::size_t cpu = 0; cpu < std::min(m_machine.cpus.size(), m_model.cpus.size()); ++cpu) turns(cpu);
    std::ranges::stable_sort(m_out, {}, &Parting::timeNs);
    return std::move(m_out);
  }

 private:
  /// Until right before a moment both sides have the task at the same place.
  bool isTogether(std::size_t task, std::uint64_t ns) const {
    const std::uint64_t before = ns == 0 ? 0 : ns - 1;
    const std::int32_t a = Track::cpuAt(m_machine.tasks[task], before);
    const std::int32_t b = Track::cpuAt(m_model.tasks[task], before);
    return a == b || a < 0 || b < 0;
  }

  Parting partingOf(Parting::Kind kind, std::size_t task, std::uint64_t ns) const {
    Parting out;
    out.kind = kind;
    out.timeNs = static_cast<std::int64_t>(ns);
    out.pid = m_machine.tasks[task].pid;
    out.task = nameOf(m_machine.tasks[task]);
    out.isFresh = isTogether(task, ns);
    return out;
  }

  void wakeups(std::size_t task);
  void moves(std::size_t task, bool isMachines);
  void turns(std::size_t cpu);
  void turn(std::size_t cpu, std::uint64_t beginNs, std::uint64_t endNs, std::int32_t machine,
            std::int32_t model);

  const Track& m_machine;
  const Track& m_model;
  std::uint64_t m_windowNs;
  std::vector<Parting> m_out;
};

void Finder::wakeups(std::size_t task) {
  const auto &a = m_machine.tasks[task].wakes, &b = m_model.tasks[task].wakes;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (distance(a[i].ns, b[j].ns) > m_windowNs) {
      ++(a[i].ns < b[j].ns ? i : j);
      continue;
    }
    if (a[i].cpu >= 0 && a[i].cpu != b[j].cpu) {
      const std::uint64_t ns = std::min(a[i].ns, b[j].ns);
      Parting out = partingOf(Parting::Kind::Wakeup, task, ns);
      out.cpus = {a[i].cpu, b[j].cpu};
      out.cpu = a[i].cpu;
      out.fromCpu = ns == 0 ? -1 : Track::cpuAt(m_machine.tasks[task], ns - 1);
      out.isFork = a[i].isNew;
      m_out.push_back(std::move(out));
    }
    ++i, ++j;
  }
}

/// Moves of waiting or running tasks that the other side does not make, nor has made in another way.
void Finder::moves(std::size_t task, bool isMachines) {
  const Track::Task& mine = (isMachines ? m_machine : m_model).tasks[task];
  const Track::Task& other = (isMachines ? m_model : m_machine).tasks[task];
  std::vector<bool> isTaken(other.moves.size(), false);
  for (const Track::Move& move : mine.moves) {
    if (move.isWakeup) continue;
    bool isMatched = false;
    for (std::size_t j = 0; j < other.moves.size() && !isMatched; ++j) {
      const Track::Move& partner = other.moves[j];
      isMatched = !isTaken[j] && !partner.isWakeup && partner.from == move.from && partner.to == move.to &&
                  distance(partner.ns, move.ns) <= m_windowNs;
      if (isMatched) isTaken[j] = true;
    }
    const std::int32_t there = Track::cpuAt(other, move.ns);
    if (isMatched || there == move.to) continue;
    Parting out = partingOf(Parting::Kind::Move, task, move.ns);
    out.isMachines = isMachines;
    out.fromCpu = move.from;
    out.cpu = move.to;
    out.cpus = isMachines ? BothSides<std::int32_t>{move.to, there} : BothSides<std::int32_t>{there, move.to};
    m_out.push_back(std::move(out));
  }
}

/// Different tasks, both of which are on this CPU's queue on both sides.
void Finder::turn(std::size_t cpu, std::uint64_t beginNs, std::uint64_t endNs, std::int32_t machine,
                  std::int32_t model) {
  if (machine <= 0 || model <= 0 || machine == model || endNs - beginNs < m_windowNs) return;
  const auto a = m_machine.indexOf(machine), b = m_model.indexOf(model);
  if (a < 0 || b < 0) return;
  const Track::Span* const waitsInModel = Track::spanAt(m_model.tasks[static_cast<std::size_t>(a)], beginNs);
  const Track::Span* const waitsInMachine =
      Track::spanAt(m_machine.tasks[static_cast<std::size_t>(b)], beginNs);
  const auto here = static_cast<std::int32_t>(cpu);
  if (waitsInModel == nullptr || waitsInModel->cpu != here || waitsInMachine == nullptr ||
      waitsInMachine->cpu != here)
    return;
  Parting out = partingOf(Parting::Kind::Turn, static_cast<std::size_t>(a), beginNs);
  out.cpu = here;
  out.cpus = {here, here};
  out.modelPid = model;
  out.modelTask = nameOf(m_model.tasks[static_cast<std::size_t>(b)]);
  out.lastsNs = static_cast<std::int64_t>(endNs - beginNs);
  m_out.push_back(std::move(out));
}

void Finder::turns(std::size_t cpu) {
  const auto &x = m_machine.cpus[cpu], &y = m_model.cpus[cpu];
  std::size_t i = 0, j = 0;
  std::uint64_t now = 0;
  const std::uint64_t length = m_machine.lengthNs;
  while (now < length) {
    const std::uint64_t endX = i + 1 < x.size() ? x[i + 1].ns : length;
    const std::uint64_t endY = j + 1 < y.size() ? y[j + 1].ns : length;
    const std::uint64_t end = std::min({endX, endY, length});
    if (end > now) turn(cpu, now, end, x[i].pid, y[j].pid);
    now = std::max(now, end);
    if (endX <= end && i + 1 < x.size()) ++i;
    if (endY <= end && j + 1 < y.size()) ++j;
    if (end >= length) return;
  }
}

}  // namespace

void findPartings(const TraceTrack& machine, const TraceTrack& model, TraceReport& report) {
  report.partings = Finder(machine, model, static_cast<std::uint64_t>(report.windowNs)).find();
  report.partingsInAll = report.partings.size();
  report.freshPartings = static_cast<std::size_t>(
      std::ranges::count_if(report.partings, [](const Parting& p) { return p.isFresh; }));
  if (report.partings.size() > TraceComparison::kMostPartings)
    report.partings.resize(TraceComparison::kMostPartings);
}

std::string Parting::text() const {
  const auto where = [](std::int32_t c) {
    return c < 0 ? std::string("nowhere yet") : fmt::format("CPU {}", c);
  };
  switch (kind) {
    case Kind::Wakeup:
      return fmt::format("{} of {}{}: the machine chooses {}, the model {}", isFork ? "fork" : "wakeup", task,
                         fromCpu < 0 ? std::string{} : fmt::format(", last on CPU {}", fromCpu),
                         where(cpus.machine), where(cpus.model));
    case Kind::Move:
      if (isMachines)
        return fmt::format("the machine moves {} from {} to {}; in the model it is on {}", task,
                           where(fromCpu), where(cpu), where(cpus.model));
      return fmt::format("the model moves {} from {} to {}; in the machine it is on {}", task, where(fromCpu),
                         where(cpu), where(cpus.machine));
    case Kind::Turn:
      break;
  }
  return fmt::format("{} runs {} in the machine and {} in the model, for {:.3f} ms", where(cpu), task,
                     modelTask, static_cast<double>(lastsNs) / 1e6);
}

}  // namespace rqscope::api
