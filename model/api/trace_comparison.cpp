// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/trace_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "api/layout_builder.h"
#include "api/problems.h"
#include "api/simulation_impl.h"
#include "api/trace_agreement.h"
#include "api/trace_comparison_impl.h"

namespace rqscope::api {

bool isTrace(const std::string& path) { return isTraceFile(path); }

TraceText textOfTrace(const std::string& path, const Overrides& overrides, const std::stop_token& stop) {
  auto scenario = scenarioFromTrace(path, overrides.machine, stop);
  if (!scenario) return {"", "", problemsOf(scenario.diagnostics())};
  return {scenario.value().file, scenario.value().text, {}};
}

namespace {

using Clock = std::chrono::steady_clock;
using Stage = TraceComparisonStage;

std::string secondsText(std::uint64_t ns) { return fmt::format("{:.3f} s", static_cast<double>(ns) / 1e9); }

}  // namespace

void TraceComparison::Impl::begin() {
  for (const TraceTask& task : input.tasks.tasks) pidByName.emplace(programNameOf(task), task.pid);
  for (const ThreadProgram& program : plan->workload.threads) {
    const auto at = pidByName.find(program.name);
    pidByProgram.push_back(at == pidByName.end() ? -1 : at->second);
  }
  layout = std::make_shared<const MachineLayout>(buildLayout(*plan->topology, *plan->profile));
  lengthNs = input.tasks.lengthNs;
  if (overrides.untilNs > 0) lengthNs = std::min(lengthNs, static_cast<std::uint64_t>(overrides.untilNs));
  simulator = std::make_unique<Simulator>(makeSimState(plan));
  tracer = std::make_unique<RunTracer>(simulator->state(), [this](const Machine&, TaskId task) {
    const std::int32_t program = simulator->state().workload.threads[task.index()].program;
    const std::int32_t pid = program < 0 ? -1 : pidByProgram[static_cast<std::size_t>(program)];
    if (pid > 0) slotByPid[pid] = task.value;
    return pid;
  });
  simulator->setObserver(tracer.get());
  report.file = input.trace.file;
  report.dialect = traceDialectName(input.trace.dialect);
  report.machineName = layout->name;
  report.kernel = layout->kernel;
  report.patches = layout->patches;
  report.startNs = static_cast<std::int64_t>(input.tasks.startNs);
  report.lengthNs = static_cast<std::int64_t>(lengthNs);
  report.windowNs = options.windowNs;
  report.events = input.trace.events.size();
  report.tasksLeftOut = input.tasks.realTime;
  report.leftOutNs = static_cast<std::int64_t>(input.tasks.realTimeNs);
  report.lostEvents = input.trace.lostEvents;
  report.hasMoves = hasMoves();
  report.hasWakeups = std::ranges::any_of(input.trace.events, [](const TraceEvent& e) {
    return e.kind == TraceEventKind::Wakeup || e.kind == TraceEventKind::Waking;
  });
}

bool TraceComparison::Impl::runModel(Clock::time_point until) {
  constexpr int kEventsAtOnce = 256;
  while (!simulator->state().isAtEnd && simulator->state().timeNs() < lengthNs) {
    for (int i = 0; i < kEventsAtOnce && !simulator->state().isAtEnd; ++i) {
      const SimEvent next = simulator->nextEvent();
      if (next.kind == SimEventKind::None || next.timeNs - simulator->state().originNs > lengthNs)
        return true;
      simulator->stepEvent();
    }
    if (isOver(until)) return false;
  }
  return true;
}

void TraceComparison::Impl::compareWhole() {
  const auto& tasks = input.tasks;
  machine = trackOf(input.trace, tasks.tasks, tasks.startNs, lengthNs, report.hasMoves);
  model = trackOf(tracer->take("model"), tasks.tasks, 0, lengthNs, report.hasMoves);
  const std::size_t cpus = std::max(machine.cpus.size(), model.cpus.size());
  for (TraceTrack* track : {&machine, &model}) {
    track->switches.resize(cpus);
    while (track->cpus.size() < cpus) track->cpus.push_back({{0, TraceTrack::kIdle}});
  }
  compareTracks(machine, model, report);
  simulator.reset();
  tracer.reset();
}

/// Both sides from the trace's state at the segment's beginning, the model by itself.
void TraceComparison::Impl::oneSegment() {
  const auto length = static_cast<std::uint64_t>(options.segmentNs);
  const auto windowNs = static_cast<std::uint64_t>(options.windowNs);
  replay->followTo(segmentFromNs);
  TraceTrack modelLong = replay->runFreely(length + windowNs);
  modelLong.cpus.resize(machine.cpus.size(), {{0, TraceTrack::kIdle}});
  modelLong.switches.resize(machine.cpus.size());
  const TraceTrack realLong = partOf(machine, segmentFromNs, segmentFromNs + length + windowNs);
  const TraceTrack real = partOf(realLong, 0, length), ours = partOf(modelLong, 0, length);
  TraceReport part;
  part.windowNs = options.windowNs;
  compareTracks(real, ours, part);
  SegmentAgreement& sum = *report.segments;
  ++sum.segments;
  const MatchedCount moves = matchedMoves(real, modelLong, windowNs);
  sum.moves.machine += moves.machine;
  sum.moves.agree += moves.agree;
  sum.moves.model += part.wakeupMoves.model + part.otherMoves.model;
  sum.wakeups.machine += part.wakeups.machine;
  sum.wakeups.model += part.wakeups.model;
  sum.wakeups.agree += part.wakeups.agree;
  sum.sameCpuNs.machine += part.comparedCpuNs;
  sum.sameCpuNs.model += part.sameCpuNs;
  if (const FirstMove next = firstMove(real, length); next.move != nullptr) {
    ++sum.withMove;
    sum.nextMoveAgrees += hasMove(modelLong, next, windowNs) ? 1 : 0;
  } else {
    ++sum.noMove;
    sum.noMoveInBoth += firstMove(ours, length).move == nullptr ? 1 : 0;
  }
  findPartings(realLong, modelLong, part);
  const bool hasParted = !part.partings.empty() && part.partings.front().timeNs < options.segmentNs;
  if (hasParted)
    ++sum.firstPartings[static_cast<std::size_t>(part.partings.front().kind)];
  else
    ++sum.withoutParting;
  firstPartingsNs.push_back(hasParted ? part.partings.front().timeNs : INT64_MAX);
  segmentFromNs += length;
}

void TraceComparison::Impl::finishSegments() {
  SegmentAgreement& sum = *report.segments;
  std::ranges::sort(firstPartingsNs);
  if (!firstPartingsNs.empty() && firstPartingsNs[firstPartingsNs.size() / 2] != INT64_MAX)
    sum.medianPartingNs = firstPartingsNs[firstPartingsNs.size() / 2];
  replay->followTo(lengthNs);
  const ReplayCounts& counts = replay->counts();
  sum.switches = counts.switches;
  sum.picksAgree = counts.picksAgree;
  sum.choices = counts.wakeups;
  sum.choicesAgree = counts.choicesAgree;
  replay.reset();
}

bool TraceComparison::Impl::runSegments(Clock::time_point until) {
  if (options.segmentNs <= 0) return true;
  if (replay == nullptr) {
    report.segments.emplace();
    report.segments->lengthNs = options.segmentNs;
    replay = std::make_unique<TraceReplay>(plan, input.trace, input.tasks, machine);
  }
  while (segmentFromNs + static_cast<std::uint64_t>(options.segmentNs) <= lengthNs) {
    if (isOver(until)) return false;
    oneSegment();
  }
  finishSegments();
  return true;
}

TraceComparison::TraceComparison(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
TraceComparison::~TraceComparison() = default;

OpenedTraceComparison TraceComparison::open(const std::string& path, const Overrides& overrides,
                                            const TraceComparisonOptions& options,
                                            const std::stop_token& stop) {
  OpenedTraceComparison out;
  auto input = openTrace(path, overrides.machine, stop);
  if (!input) {
    out.problems = problemsOf(input.diagnostics());
    return out;
  }
  auto impl = std::make_unique<Impl>();
  impl->input = std::move(input).value();
  impl->overrides = overrides;
  impl->options = options;
  const ScenarioText& text = impl->input.scenario;
  auto scenario = readScenario(text.file, text.text, resourceDirectory(), overridesOf(overrides));
  out.problems = problemsOf(scenario.diagnostics());
  if (!scenario) return out;
  impl->plan = planOf(scenario.value(), out.problems);
  if (impl->plan == nullptr) return out;
  impl->begin();
  out.comparison.reset(new TraceComparison(std::move(impl)));
  return out;
}

bool TraceComparison::run(int wallBudgetMs) {
  Impl& impl = *m_impl;
  const auto until = Clock::now() + std::chrono::milliseconds(wallBudgetMs);
  if (impl.stage == Stage::Model) {
    if (!impl.runModel(until)) return false;
    impl.compareWhole();
    impl.stage = Stage::Segments;
  }
  if (impl.stage == Stage::Segments) {
    if (!impl.runSegments(until)) return false;
    impl.stage = Stage::Complete;
  }
  return true;
}

void TraceComparison::cancel() { m_impl->cancelled.store(true, std::memory_order_relaxed); }

std::string TraceComparison::progress() const {
  const Impl& impl = *m_impl;
  if (impl.stage == Stage::Model)
    return fmt::format("the model has run {} of {}",
                       secondsText(impl.simulator == nullptr ? 0 : impl.simulator->state().timeNs()),
                       secondsText(impl.lengthNs));
  return fmt::format("the trace is followed, {} of {}", secondsText(impl.segmentFromNs),
                     secondsText(impl.lengthNs));
}

const TraceReport& TraceComparison::report() const { return m_impl->report; }
std::shared_ptr<const MachineLayout> TraceComparison::layout() const { return m_impl->layout; }

BothSides<SideMoment> TraceComparison::at(std::int64_t timeNs) const {
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(timeNs, 0));
  return {momentOf(m_impl->machine, ns), momentOf(m_impl->model, ns)};
}

}  // namespace rqscope::api
