// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/plain_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/problems.h"
#include "api/simulation_impl.h"
#include "workload/json_document.h"

namespace rqscope::api {
namespace {

constexpr std::uint64_t kEventsBetweenQuestions = 1U << 12;
constexpr double kNsPerSecond = 1e9;

struct Mark {
  double share = 0, timeNs = 0;
};

/// Time that all loops take at the speed between two moments.
double secondsBetween(const Mark& begin, const Mark& end) {
  return end.share <= begin.share ? 0
                                  : (end.timeNs - begin.timeNs) / (end.share - begin.share) / kNsPerSecond;
}

/// The scenario's text with other numbers in it.
std::string withNumbers(const std::string& text, const ScenarioNumbers& numbers) {
  if (numbers.empty()) return text;
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false, true);
  if (json.is_discarded()) return text;  // the reader says what is wrong
  for (const auto& [pointer, value] : numbers) json[nlohmann::json::json_pointer(pointer)] = value;
  return json.dump(1);
}

/// Share of the finite loops that is done, over all threads.
double shareOfLoops(const SimState& s) {
  double done = 0, all = 0;
  for (const ThreadState& thread : s.workload.threads) {
    if (thread.program < 0) continue;
    const ThreadProgram& program = s.plan->workload.threads[static_cast<std::size_t>(thread.program)];
    for (std::size_t p = 0; p < program.phases.size(); ++p) {
      const std::int64_t loops = std::max<std::int64_t>(program.phases[p].loops, 0);
      if (loops < 2) continue;  // a beginning, not the work
      all += static_cast<double>(loops);
      const bool isOver = thread.endNs >= 0 || static_cast<std::int32_t>(p) < thread.phase;
      if (isOver)
        done += static_cast<double>(loops);
      else if (static_cast<std::int32_t>(p) == thread.phase)
        done += static_cast<double>(loops - thread.phaseLoopsLeft);
    }
  }
  return all > 0 ? done / all : 0;
}

}  // namespace

PlainRun openPlain(const std::string& name, const Overrides& overrides, const ScenarioNumbers& numbers) {
  PlainRun run;
  const std::string path = resourceDirectory() + "/scenarios/" + name + ".json";
  auto text = readTextFile(path);
  run.problems = problemsOf(text.diagnostics());
  if (!text.ok()) return run;
  auto scenario =
      readScenario(path, withNumbers(text.value(), numbers), resourceDirectory(), overridesOf(overrides));
  run.problems = problemsOf(scenario.diagnostics());
  if (!scenario.ok()) return run;
  auto plan = planOf(scenario.value(), run.problems);
  if (plan != nullptr) run.simulator = std::make_unique<Simulator>(makeSimState(std::move(plan)));
  return run;
}

PlainTimes runPlain(Simulator& simulator, double untilShare, const std::function<bool(double)>& goesOn) {
  std::uint64_t count = 0;
  Mark quarter, half, now;
  while (now.share < untilShare && simulator.stepEvent()) {
    if (++count % kEventsBetweenQuestions != 0) continue;
    now = {shareOfLoops(simulator.state()), static_cast<double>(simulator.state().timeNs())};
    if (!goesOn(now.share / untilShare)) return {};
    if (quarter.share == 0 && now.share >= untilShare / 4) quarter = now;
    if (half.share == 0 && now.share >= untilShare / 2) half = now;
  }
  return {secondsBetween(half, now), secondsBetween(quarter, half)};
}

std::vector<std::pair<std::string, double>> explainingFigures(const SimState& state) {
  const Outcome outcome = outcomeOf(state);
  const SimCounters& c = state.counters;
  const double perCpu = static_cast<double>(outcome.timeNs);
  double idle = 0;
  for (const std::int64_t ns : outcome.cpuIdleNs) idle += static_cast<double>(ns);
  const double all = perCpu * static_cast<double>(outcome.cpuIdleNs.size());
  const double busy = std::max(all - idle, 1.0);
  std::vector<std::pair<std::string, double>> out;
  const double seconds = perCpu / kNsPerSecond;
  const auto rate = [&](auto count) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; };
  const auto ofBusy = [&](auto ns) { return 100 * static_cast<double>(ns) / busy; };
  out.emplace_back("busy_cpus", perCpu > 0 ? busy / perCpu : 0);
  out.emplace_back("switches_per_s", rate(c.switches));
  out.emplace_back("wakeups_per_s", rate(c.wakeups));
  out.emplace_back("migrations_per_s", rate(c.migrations));
  out.emplace_back("balance_passes_per_s", rate(c.passes));
  SharedQueueFrame sum;
  double lengthNs = 0;
  for (const SharedQueueFrame& q : outcome.sharedQueues) {
    sum.joined += q.joined;
    sum.pulled += q.pulled;
    sum.lockTaken += q.lockTaken;
    sum.lockContended += q.lockContended;
    sum.lockWaitedNs += q.lockWaitedNs;
    sum.lockHeldNs += q.lockHeldNs;
  }
  for (const SharedQueueLock& lock : state.sharedQueueLocks) lengthNs += static_cast<double>(lock.lengthNs);
  const double queues = perCpu * std::max(1.0, static_cast<double>(outcome.sharedQueues.size()));
  out.emplace_back("joins_per_s", rate(sum.joined));
  out.emplace_back("pulls_per_s", rate(sum.pulled));
  out.emplace_back("queue_length", queues > 0 ? lengthNs / queues : 0);
  out.emplace_back("lock_taken_per_s", rate(sum.lockTaken));
  out.emplace_back("lock_contended_percent",
                   sum.lockTaken == 0
                       ? 0
                       : 100 * static_cast<double>(sum.lockContended) / static_cast<double>(sum.lockTaken));
  out.emplace_back("lock_busy_percent", queues > 0 ? 100 * static_cast<double>(sum.lockHeldNs) / queues : 0);
  out.emplace_back("lock_waited_percent_of_busy", ofBusy(sum.lockWaitedNs));
  out.emplace_back("lock_held_percent_of_busy", ofBusy(sum.lockHeldNs));
  out.emplace_back("rq_lock_waited_percent_of_busy", ofBusy(state.contention.rqLocks.waitedNs));
  out.emplace_back("tg_load_avg_waited_percent_of_busy", ofBusy(state.contention.tgLoadAvgCounters.waitedNs));
  const Contention& contention = state.contention;
  out.emplace_back("pipe_lock_waited_percent_of_busy", ofBusy(contention.pipeLocks.waitedNs));
  const double messages = static_cast<double>(contention.pipeLocks.taken) / 2;
  const auto perMessage = [&](auto n) { return messages > 0 ? static_cast<double>(n) / messages : 0; };
  out.emplace_back("messages_per_s", rate(messages));
  out.emplace_back("wakeups_per_message", perMessage(c.wakeups));
  out.emplace_back("switches_per_message", perMessage(c.switches));
  out.emplace_back("joins_per_message", perMessage(sum.joined));
  out.emplace_back("lock_taken_per_s_and_queue",
                   outcome.sharedQueues.empty()
                       ? 0
                       : rate(sum.lockTaken) / static_cast<double>(outcome.sharedQueues.size()));
  out.emplace_back("reader_waits_per_message", perMessage(contention.pipeEmptyWaits));
  out.emplace_back("writer_waits_per_message", perMessage(contention.pipeFullWaits));
  out.emplace_back("pipe_lock_sleeps_per_message", perMessage(contention.pipeLocks.slept));
  out.emplace_back("idle_percent", all > 0 ? 100 * idle / all : 0);
  return out;
}

}  // namespace rqscope::api
