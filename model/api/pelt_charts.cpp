// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/simulation_impl.h"

namespace rqscope::api {
namespace {

constexpr const char* kSignals[] = {"util_avg", "load_avg", "runnable_avg"};
constexpr const char* kUnits[] = {"capacity", "load", "capacity"};
constexpr std::size_t kStepsPerBin = 4;  // more changes than this and the steps are sampled

/// "pelt_group:2:3" -> {2, 3}.
std::vector<std::int32_t> numbersOf(const std::string& id) {
  std::vector<std::int32_t> out;
  for (std::size_t at = id.find(':'); at != std::string::npos; at = id.find(':', at + 1)) {
    std::int32_t value = -1;
    std::from_chars(id.data() + at + 1, id.data() + id.size(), value);
    out.push_back(value);
  }
  return out;
}

/// Moments of a chart: evenly spread ones, and those in which the integers change unless there are too many.
std::vector<std::int64_t> momentsOf(const PeltTrack& track, std::int64_t beginNs, std::int64_t endNs,
                                    int bins) {
  std::vector<std::int64_t> out;
  const std::int64_t count = std::max(bins, 2);
  for (std::int64_t i = 0; i <= count; ++i) out.push_back(beginNs + (endNs - beginNs) * i / count);
  const auto& steps = track.steps();
  const auto isBefore = [](const PeltTrack::Step& step, std::int64_t t) {
    return static_cast<std::int64_t>(step.timeNs) < t;
  };
  const auto first = std::lower_bound(steps.begin(), steps.end(), beginNs, isBefore);
  const auto last = std::lower_bound(first, steps.end(), endNs, isBefore);
  if (static_cast<std::size_t>(last - first) <= kStepsPerBin * static_cast<std::size_t>(count))
    for (auto it = first; it != last; ++it) out.push_back(static_cast<std::int64_t>(it->timeNs));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::optional<PeltSubject> Simulation::Impl::peltSubject(const std::string& id) const {
  const SimState& state = history.state();
  const Machine& m = state.machine;
  const std::vector<std::int32_t> numbers = numbersOf(id);
  const std::int32_t number = numbers.empty() ? -1 : numbers[0];
  PeltSubject subject;
  if (id.starts_with("pelt_task")) {
    const std::size_t slot = number >= 0 ? static_cast<std::size_t>(number) : 0;
    if (slot >= m.tasks.size()) return std::nullopt;
    subject.task = TaskId{slot};
    subject.pid = m.tasks[slot].pid;
    return subject;
  }
  subject.kind = PeltSubject::Kind::Queue;
  if (id.starts_with("pelt_cpu")) {
    subject.cpu = number >= 0 ? CpuId{number} : state.allCpus.first();
  } else {
    subject.group = GroupId{std::max(number, 1)};
    if (numbers.size() > 1 && numbers[1] >= 0) subject.cpu = CpuId{numbers[1]};
  }
  const bool isThere = subject.group.index() < m.groups.size() && !m.group(subject.group).removed &&
                       (!subject.cpu.isValid() || state.allCpus.test(subject.cpu));
  return isThere ? std::optional(subject) : std::nullopt;
}

std::string Simulation::Impl::peltTitle(const PeltSubject& subject) const {
  const Machine& m = history.state().machine;
  if (subject.kind == PeltSubject::Kind::Task) return "task " + m.task(subject.task).name;
  const std::string cpu = subject.cpu.isValid() ? fmt::format("CPU {}", subject.cpu.value) : "";
  if (subject.group.value == 0) return cpu;
  const std::string& name = m.group(subject.group).name;
  return cpu.empty() ? fmt::format("group {}, all CPUs", name) : fmt::format("group {} on {}", name, cpu);
}

ChartData Simulation::Impl::peltChart(const std::string& id, std::int64_t beginNs, std::int64_t endNs,
                                      int bins) const {
  ChartData chart;
  const auto subject = peltSubject(id);
  chart.id = id;
  chart.xLabel = "time";
  chart.yLabel = "average";
  if (!subject) return chart;
  if (!pelt || pelt->subject() != *subject)
    pelt = std::make_unique<PeltTrack>(history.startState(), *subject);
  pelt->advanceTo(history.position());
  const std::string of = peltTitle(*subject);
  chart.title = "PELT of " + of + ": the kernel's integers and the ideal curve";
  const std::vector<std::int64_t> moments = momentsOf(*pelt, std::max<std::int64_t>(beginNs, 0), endNs, bins);
  for (std::size_t s = 0; s < kPeltSignals; ++s) {
    Series integer{kSignals[s], kUnits[s], moments, {}, true, false};
    Series ideal{fmt::format("{}, ideal", kSignals[s]), kUnits[s], moments, {}, false, true};
    for (const std::int64_t t : moments) {
      integer.value.push_back(static_cast<double>(pelt->at(static_cast<std::uint64_t>(t)).value[s]));
      ideal.value.push_back(pelt->ideal(static_cast<std::uint64_t>(t))[s]);
    }
    chart.series.push_back(std::move(integer));
    chart.series.push_back(std::move(ideal));
  }
  return chart;
}

}  // namespace rqscope::api
