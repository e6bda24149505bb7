// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "evaluate/free_run_state.h"
#include "evaluate/trace_record.h"
#include "evaluate/trace_segments.h"

namespace rqscope {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kToleranceMs = 4.5;              // a tick and what the emulator's turns add
constexpr std::uint64_t kKickLatencyNs = 20'000;  // the emulator's turn of a CPU is 50 us
constexpr std::uint64_t kJiffiesBefore = 200;

SimState startOf(std::shared_ptr<const SimPlan> plan, const FreeTrack& real, double phaseMs, TimeBase& base) {
  SimState fresh = makeSimState(plan);
  base.zeroNs = fresh.machine.nowNs;
  base.periodNs = fresh.machine.tunables().tickNs();
  base.originNs =
      base.zeroNs + static_cast<std::uint64_t>(phaseMs * kNsPerMs) - kJiffiesBefore * base.periodNs;
  Simulator simulator(std::move(fresh));
  while (simulator.nextEvent().kind == SimEventKind::Launch) simulator.stepEvent();
  SimState state = std::move(simulator.state());
  setTimeBase(state, base);
  auto moved = std::make_shared<SimPlan>(*plan);
  for (Operation& op : moved->operations) op.atNs += base.zeroNs - base.originNs;
  moved->costs.idleWakeupNs = kKickLatencyNs;  // the launch was at once
  moved->untilNs += base.zeroNs - base.originNs;
  state.plan = moved;
  takeOverDomains(state, real.passes, 0, base);
  return state;
}

FreeRunReport runAll(const TraceRecord& record) {
  auto plan = std::make_shared<SimPlan>();
  plan->topology = record.topology;
  plan->profile = std::make_shared<const KernelProfile>(record.profile);
  plan->tickOffsetsNs.assign(static_cast<std::size_t>(record.topology->cpuLimit), 0);
  fillTraceWorkload(record.run, CpuId{record.text.startCpu}, controllerTurnsOf(record.text),
                    record.clockReadNs, *plan);
  TimeBase base;
  Simulator simulator(startOf(plan, record.real, record.tickPhaseMs, base));
  FreeRunWatcher watcher(base.zeroNs);
  simulator.setObserver(&watcher);
  runFreely(simulator, base.nsOf(record.endMs), [] { return false; });
  FreeTrack model = watcher.track();
  for (FreeMove& move : model.moves)  // the only instance of its program
    if (move.task.ends_with("-0")) move.task.resize(move.task.size() - 2);
  std::erase_if(model.moves, [](const FreeMove& m) { return m.task == kControllerName; });
  return compareFreeRun(record.real, model, {0, record.endMs, kToleranceMs});
}

}  // namespace

Result<FreeRunReport> freeRunTrace(const std::string& path) {
  try {  // nlohmann reports a missing or wrong member by exception
    auto record = readTraceRecord(path);
    if (!record) return record.error();
    FreeRunReport report = runAll(record.value());
    report.file = path;
    report.kernel = record.value().profile.name;
    report.endReal = report.endModel = -1;  // the run is cut off
    report.segments = runTraceSegments(record.value());
    return report;
  } catch (const std::exception& e) {
    return Diagnostic{
        Severity::Error, {path, 0, 0}, std::string("the record is not as its README says: ") + e.what(), ""};
  }
}

}  // namespace rqscope
