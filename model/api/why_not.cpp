// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/why_not.h"

#include <algorithm>

#include "api/ladder_builder.h"
#include "api/simulation_impl.h"
#include "api/why_not_tests.h"

namespace rqscope::api {
namespace {

constexpr std::size_t kPasses = 10;
constexpr std::uint64_t kMostEvents = 200'000;  ///< looked back, so that an answer never takes long

/// Watches a stretch of the run for decisions that could have put the task on the CPU.
class WhyNotCapture final : public Observer {
 public:
  WhyNotCapture(TaskId task, CpuId cpu, std::uint64_t originNs, const std::uint64_t& first)
      : m_asked{task, cpu}, m_originNs(originNs), m_first(first) {}
  /// Besides those that could have moved it, the decision with this number in any case.
  void setWanted(std::uint64_t decision) { m_wanted = decision; }

  std::vector<WhyNotStep> steps;  ///< oldest first
  std::optional<WhyNotStep> wanted;

 private:
  bool wantsDecisions() const override { return true; }
  void onBalanceBegin(const Machine& m, const BalancePass&) override { m_place = placeOf(m, m_asked.task); }
  void onBalancePass(const Machine& m, const BalancePass& pass) override {
    const std::uint64_t index = m_first + m_made++;
    const bool could = couldMove(m, pass, m_asked, m_place);
    if (!could && index != m_wanted) return;
    const Ladder ladder = balanceLadder(m, pass, {index, 0, m_originNs});
    add(index, could, whyNotOf(m, pass, ladder, m_asked, m_place));
  }
  void onPlacementBegin(const Machine& m, const PlacementCall&) override {
    m_place = placeOf(m, m_asked.task);
  }
  void onPlacement(const Machine& m, const Placement& placement) override {
    const std::uint64_t index = m_first + m_made++;
    const bool could = placement.task == m_asked.task;
    if (!could && index != m_wanted) return;
    const Ladder ladder = placementLadder(m, placement, {index, 0, m_originNs});
    add(index, could, whyNotOf(m, placement, ladder, m_asked));
  }
  void add(std::uint64_t index, bool could, WhyNotStep step) {
    if (index == m_wanted)
      wanted = std::move(step);
    else if (could)
      steps.push_back(std::move(step));
  }

  WhyNotAsked m_asked;
  std::uint64_t m_originNs, m_made = 0, m_wanted = UINT64_MAX;
  const std::uint64_t& m_first;
  TaskPlace m_place;
};

}  // namespace

WhyNot Simulation::whyNot(std::uint64_t index, std::int32_t task, std::int32_t cpu) {
  Impl& impl = *m_impl;
  History& history = impl.history;
  const SimState& state = history.state();
  WhyNot out;
  out.task = task;
  out.cpu = cpu;
  const TaskId slot{task};
  if (!slot.isValid() || slot.index() >= state.machine.tasks.size()) out.problem = "there is no such task";
  if (cpu < 0 || static_cast<std::size_t>(cpu) >= state.machine.rqs.size())
    out.problem = "there is no such CPU";
  if (!out.problem.empty()) return out;
  out.taskName = state.machine.task(slot).name;
  std::uint64_t first = 0, event = 0;
  DecisionCapture nothing(0, 0, state.originNs);
  if (!history.replayDecision(index, nothing, first, event)) {
    out.problem = "there is no such decision";
    return out;
  }
  const std::uint64_t last = event;
  std::uint64_t end = event + 1;
  while (true) {
    const std::uint64_t begin = history.checkpointBefore(end);
    WhyNotCapture capture(slot, CpuId{cpu}, state.originNs, first);
    capture.setWanted(index);
    history.replayRange(begin, end, capture, first);
    if (capture.wanted) out.here = std::move(capture.wanted);
    for (auto step = capture.steps.rbegin(); step != capture.steps.rend() && out.before.size() < kPasses;
         ++step)
      if (step->decision < index) out.before.push_back(std::move(*step));
    end = begin;
    const bool isOver = begin == 0 || out.before.size() >= kPasses || last - begin > kMostEvents;
    if (isOver || impl.cancelled.load(std::memory_order_relaxed)) break;
  }
  return out;
}

}  // namespace rqscope::api
