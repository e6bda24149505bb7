// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "api/ladder_builder.h"
#include "api/ladder_keys.h"
#include "api/layout_builder.h"
#include "api/open_input.h"
#include "api/problems.h"
#include "api/simulation_impl.h"
#include "api/trace_input.h"
#include "rqscope/names.h"
#include "workload/json_document.h"

namespace rqscope::api {
namespace {

constexpr std::size_t kRecentMigrations = 24;
constexpr std::size_t kRecentLadders = 64;

}  // namespace

void DecisionCapture::onBalancePass(const Machine& m, const BalancePass& pass) {
  ladders.push_back(std::make_shared<const Ladder>(
      balanceLadder(m, pass, {m_place.index++, m_place.event, m_place.originNs})));
}

void DecisionCapture::onPlacement(const Machine& m, const Placement& placement) {
  ladders.push_back(std::make_shared<const Ladder>(
      placementLadder(m, placement, {m_place.index++, m_place.event, m_place.originNs})));
}

ScenarioOverrides overridesOf(const Overrides& overrides) {
  ScenarioOverrides out;
  if (!overrides.kernel.empty()) out.kernel = overrides.kernel;
  if (!overrides.machine.empty()) out.machine = overrides.machine;
  out.patches = overrides.patches;
  out.features = overrides.features;
  if (overrides.untilNs >= 0) out.untilNs = static_cast<std::uint64_t>(overrides.untilNs);
  if (overrides.seed >= 0) out.seed = static_cast<std::uint64_t>(overrides.seed);
  return out;
}

std::shared_ptr<const SimPlan> planOf(const Scenario& scenario, std::vector<Problem>& problems) {
  auto topology = buildSchedTopology(scenario.hardware, scenario.profile);
  const std::vector<Problem> found = problemsOf(topology.diagnostics());
  problems.insert(problems.end(), found.begin(), found.end());
  if (!topology.ok()) return nullptr;
  auto plan = std::make_shared<SimPlan>();
  plan->topology = std::move(topology).value();
  plan->profile = std::make_shared<const KernelProfile>(scenario.profile);
  plan->workload = scenario.workload;
  plan->operations = scenario.operations;
  plan->untilNs = scenario.untilNs;
  plan->seed = scenario.seed;
  plan->costs = scenario.costs;
  return plan;
}

Simulation::Simulation() = default;
Simulation::~Simulation() = default;

std::optional<ScenarioText> inputText(const std::string& name, const Overrides& overrides,
                                      std::vector<Problem>& problems) {
  const std::string path = scenarioPath(name);
  const auto taken = [&](Result<ScenarioText> text) -> std::optional<ScenarioText> {
    if (text.ok()) return std::move(text).value();
    problems = problemsOf(text.diagnostics());
    return std::nullopt;
  };
  if (path == name && isTraceFile(path)) return taken(scenarioFromTrace(path, overrides.machine));
  if (path == name && (path.ends_with(".csv") || path.ends_with(".tsv"))) {
    problems = problemsOf({Diagnostic{Severity::Error,
                                      {path},
                                      "a table of results is not run",
                                      fmt::format("rqscope results {} computes its changes", path)}});
    return std::nullopt;
  }
  if (const auto machine = path == name ? machineInput(name) : std::nullopt)
    return taken(hogsOn(*machine, name));
  if (path == name) problems = unknownInput(name);
  if (!problems.empty()) return std::nullopt;
  auto text = readTextFile(path);
  if (!text.ok()) {
    problems = problemsOf(text.diagnostics());
    return std::nullopt;
  }
  return ScenarioText{path, std::move(text).value()};
}

Opened Simulation::open(const std::string& name, const Overrides& overrides) {
  Opened refused;
  const auto input = inputText(name, overrides, refused.problems);
  if (!input) return refused;
  return openText(input->file, input->text, overrides);
}

Opened Simulation::openText(const std::string& fileName, const std::string& text,
                            const Overrides& overrides) {
  auto scenario = readScenario(fileName, text, resourceDirectory(), overridesOf(overrides));
  Opened opened;
  opened.problems = problemsOf(scenario.diagnostics());
  if (!scenario.ok()) return opened;
  auto plan = planOf(scenario.value(), opened.problems);
  if (plan == nullptr) return opened;
  opened.simulation.reset(new Simulation());
  opened.simulation->m_impl = std::make_unique<Impl>(std::move(scenario).value(), text, std::move(plan));
  return opened;
}

std::string Simulation::scenarioName() const { return m_impl->scenario.name; }
std::string Simulation::scenarioText() const { return m_impl->text; }
std::shared_ptr<const MachineLayout> Simulation::layout() const { return m_impl->known().layout; }
std::int64_t Simulation::untilNs() const { return static_cast<std::int64_t>(m_impl->scenario.untilNs); }
void Simulation::cancel() { m_impl->cancelled.store(true, std::memory_order_relaxed); }
void Simulation::setHistoryBudget(std::uint64_t bytes) { m_impl->history.setBudget(bytes); }

/// The layout of the present topology; a hotplug made another, going back finds the old one again.
const Simulation::Impl::KnownLayout& Simulation::Impl::known() const {
  const SimState& state = history.state();
  const SchedTopology& topology = *state.machine.topology;
  for (const KnownLayout& entry : layouts)
    if (entry.topology == state.machine.topology || entry.topology->online == topology.online) return entry;
  auto layout = std::make_shared<const MachineLayout>(buildLayout(topology, *state.machine.profile));
  return layouts.emplace_back(KnownLayout{state.machine.topology, std::move(layout), frameTables(state)});
}

std::uint64_t Simulation::Impl::layoutVersion() const {
  const KnownLayout* const entry = &known();
  return static_cast<std::uint64_t>(entry - layouts.data());
}

std::int64_t Simulation::Impl::nowNs() const {
  const SimState& state = history.state();
  if (cursor) return cursor->ladder().timeNs;
  return static_cast<std::int64_t>(std::max(state.timeNs(), viewNs));
}

void Simulation::Impl::addMigrations(Frame& frame) const {
  const auto& log = history.recorder().migrations().items;
  const std::uint64_t position = history.position();
  auto end = std::partition_point(log.begin(), log.end(),
                                  [&](const MigrationRecord& r) { return r.event < position; });
  while (end != log.begin() && frame.recentMigrations.size() < kRecentMigrations) {
    --end;
    frame.recentMigrations.push_back(
        {static_cast<std::int64_t>(end->timeNs), end->slot, end->from, end->to, keyOf(end->reason)});
  }
}

/// From the few kept, or by replay. Null when the run has not come so far.
std::shared_ptr<const Ladder> Simulation::Impl::ladderOf(std::uint64_t index) const {
  for (const auto& ladder : recentLadders)
    if (ladder->index == index) return ladder;
  std::uint64_t first = 0;
  std::uint64_t event = 0;
  // The numbers are known only after the event was found, so the capture counts from 0.
  DecisionCapture capture(0, 0, history.state().originNs);
  if (!history.replayDecision(index, capture, first, event)) return nullptr;
  std::shared_ptr<const Ladder> wanted;
  for (const auto& ladder : capture.ladders) {
    Ladder numbered = *ladder;
    numbered.index += first;
    numbered.eventIndex = event;
    auto kept = std::make_shared<const Ladder>(std::move(numbered));
    if (kept->index == index) wanted = kept;
    recentLadders.push_back(std::move(kept));
  }
  if (recentLadders.size() > kRecentLadders)
    recentLadders.erase(recentLadders.begin(), recentLadders.end() - kRecentLadders / 2);
  return wanted;
}

/// The last decision, or the last of the same moment that the viewpoint's CPU made. There is one.
std::uint64_t Simulation::Impl::decisionToShow() const {
  const std::uint64_t decisions = history.state().counters.decisions();
  if (shownDecision < decisions) return shownDecision;
  const auto& log = history.recorder().decisions();
  const auto record = [&](std::uint64_t index) -> const DecisionRecord* {
    const bool isKept = index >= log.dropped && index - log.dropped < log.items.size();
    return isKept ? &log.items[index - log.dropped] : nullptr;
  };
  const DecisionRecord* const last = record(decisions - 1);
  if (last == nullptr || !viewpoint.isValid()) return decisions - 1;
  for (std::uint64_t index = decisions; index-- > 0;) {
    const DecisionRecord* const at = record(index);
    if (at == nullptr || at->timeNs != last->timeNs) break;
    if (at->cpu == viewpoint.value) return index;
  }
  return decisions - 1;
}

void Simulation::setViewpoint(std::int32_t cpu) { m_impl->viewpoint = CpuId{cpu}; }

namespace {

/// Inside a decision the groups it looked at have the types it gave them, whoever else looks.
void takeGroupTypes(const Ladder& ladder, Frame& frame) {
  for (const Rung& rung : ladder.rungs)
    for (const RungRow& row : rung.rows) {
      const bool isGroup =
          row.subject.kind == SubjectKind::Group && row.subject.id >= 0 && !row.groupType.empty();
      if (isGroup && static_cast<std::size_t>(row.subject.id) < frame.groups.size())
        frame.groups[static_cast<std::size_t>(row.subject.id)].type = row.groupType;
    }
}

}  // namespace

std::shared_ptr<const Frame> Simulation::frame() const {
  const Impl& impl = *m_impl;
  const SimState& state = impl.shownState();
  const Impl::KnownLayout& known = impl.known();
  auto frame = std::make_shared<Frame>();
  if (impl.cursor)
    frame->ladder = impl.cursor->ladders[impl.cursor->which];
  else if (state.counters.decisions() != 0)
    frame->ladder = impl.ladderOf(impl.decisionToShow());
  const CpuId ofLadder = frame->ladder ? CpuId{frame->ladder->cpu} : CpuId{};
  fillFrame(state, known.tables, impl.viewpoint.isValid() ? impl.viewpoint : ofLadder, *frame);
  frame->fingerprint = fingerprint(impl.history.state());  // of the position, wherever in it
  frame->layout = known.layout;
  frame->layoutVersion = impl.layoutVersion();
  frame->timeNs = impl.nowNs();
  impl.addMigrations(*frame);
  frame->historyBytes = impl.history.bytes();
  frame->historyBudget = impl.history.budget();
  if (impl.cursor) {
    frame->rung = impl.cursor->rung;
    frame->passIndex = frame->ladder->index;
    frame->eventText = eventKey(impl.history.nextEvent().kind);
    takeGroupTypes(*frame->ladder, *frame);
  }
  return frame;
}

std::vector<QueueEntity> Simulation::queue(std::int32_t cpu) const {
  return queueTree(m_impl->shownState(), CpuId{cpu});
}

std::shared_ptr<const Ladder> Simulation::ladder(std::uint64_t index) { return m_impl->ladderOf(index); }

std::vector<Problem> Simulation::apply(const std::string& operationJson) {
  Impl& impl = *m_impl;
  impl.leaveDecision();
  auto operation = readOperation(operationJson, impl.history.state().timeNs(), impl.scenario);
  if (!operation.ok()) return problemsOf(operation.diagnostics());
  impl.history.branch(operation.value());
  impl.history.stepEvent();
  impl.recentLadders.clear();
  impl.pelt.reset();
  impl.shownDecision = UINT64_MAX;
  return problemsOf(operation.diagnostics());
}

}  // namespace rqscope::api
