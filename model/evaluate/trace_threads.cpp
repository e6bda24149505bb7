// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/trace_threads.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>

namespace rqscope {
namespace {

using nlohmann::json;
using EventKind = RecordedEvent::Kind;
using Step = ProgramEventKind;

constexpr std::uint64_t kNsPerUs = 1000;
constexpr std::uint64_t kEndlessUs = 1'000'000'000;
constexpr int kNice0Priority = 120;

struct Settings {
  int nice = 0;
  CpuMask cpus;
};

/// What the specification gives each task: bursts and producers give their children the same.
std::map<std::string, Settings> settingsOf(const json& run) {
  std::map<std::string, Settings> out;
  for (const json& line : run.at("workload").at("spec")) {
    std::istringstream in(line.get<std::string>());
    std::string ev, verb, name, kind, mask;
    std::int64_t at = 0, a = 0, b = 0, c = 0;
    Settings s;
    in >> ev >> at >> verb >> name >> kind >> a >> b >> c >> s.nice >> mask;
    if (verb != "fork" || mask.empty()) continue;
    s.cpus = maskOfHex(mask);
    out[name] = s;
    if (kind == "prod") out[name + "c"] = s;
    for (std::int64_t i = 0; kind == "burst" && i < a; ++i) out[fmt::format("{}{}", name, i)] = s;
  }
  return out;
}

class ThreadReader {
 public:
  ThreadReader(const json& run, const TraceText& text, std::uint64_t clockReadNs, SimPlan& plan)
      : m_text(text), m_clockReadNs(clockReadNs), m_plan(plan), m_settings(settingsOf(run)) {
    for (const json& t : run.at("tasks")) m_names[t.at("pid").get<int>()] = t.at("name").get<std::string>();
    for (const json& a : run.at("actions"))
      if (a.at("action") == "kill" && a.contains("pid")) m_killed.insert(a.at("pid").get<int>());
  }

  TraceThreads read() {
    findFairThreads();
    m_plan.workload.timers.push_back({"own", true, false});
    for (const RecordedEvent& e : m_text.events) take(e);
    for (auto& [pid, thread] : m_threads) finish(thread);
    return std::move(m_threads);
  }

 private:
  /// A thread while the record is read.
  struct Live {
    std::int64_t fromUs = -1;  ///< it has a CPU since then
    bool isRunning = false, isAsleep = true;
    std::uint64_t ranUs = 0, pieceFromUs = 0;
    std::int64_t sleptUs = 0, timerUs = 0;
    bool hasEnded = false;
  };
  /// What a wakeup came from: the clock (or anything else in an interrupt), or another thread.
  enum class Cause : std::uint8_t { Clock, Thread, Pipe };

  void findFairThreads() {
    std::set<int> others;
    for (const RecordedEvent& e : m_text.events)
      if (e.kind == EventKind::Switch && e.priority < kFirstFairPriority) others.insert(e.next);
    for (const RecordedEvent& e : m_text.events) {
      const bool names = e.kind == EventKind::Switch || e.kind == EventKind::Wakeup ||
                         e.kind == EventKind::WakeupNew || e.kind == EventKind::Fork;
      const int pid = e.kind == EventKind::Switch ? e.next : e.task;
      if (!names || pid == 0 || others.contains(pid) || m_threads.contains(pid)) continue;
      add(pid, e);
    }
  }

  void add(int pid, const RecordedEvent& e) {
    TraceThread& t = m_threads[pid];
    t.pid = pid;
    t.isForked = e.kind == EventKind::Fork;
    const auto known = m_names.find(pid);
    t.isWorkload = known != m_names.end();
    t.name = t.isWorkload ? known->second : e.name;
    t.firstCpu = CpuId{e.kind == EventKind::Wakeup || e.kind == EventKind::WakeupNew ? e.to : e.cpu};
    if (!t.isForked && e.priority >= kFirstFairPriority) t.nice = e.priority - kNice0Priority;
    if (!t.isWorkload) t.cpus = CpuMask::of(t.firstCpu);
    if (const auto s = m_settings.find(t.name); t.isWorkload && s != m_settings.end()) {
      t.nice = s->second.nice;
      t.cpus = s->second.cpus;
    }
    t.program = static_cast<std::int32_t>(m_plan.workload.threads.size());
    ThreadProgram& program = m_plan.workload.threads.emplace_back();
    program.name = t.name;
    if (!t.isWorkload && pid != m_text.controllerPid) program.name += fmt::format("#{}", pid);
    program.clockReadNs = t.isWorkload ? m_clockReadNs : 0;
    program.isPerCpuKthread = !t.isWorkload && pid != m_text.controllerPid;
    m_plan.workload.semaphores.push_back({program.name, 0});
    m_plan.workload.pipes.push_back({program.name});
    if (t.isForked) m_live[pid].isAsleep = false;
  }

  TraceThread* fair(int pid) {
    const auto at = m_threads.find(pid);
    return at == m_threads.end() ? nullptr : &at->second;
  }

  /// Closes the piece that the thread computes at `us` and adds what it did then.
  void act(TraceThread& thread, std::int64_t us, const ProgramEvent& event) {
    Live& live = m_live[thread.pid];
    closePiece(thread, live, us);
    thread.steps.push_back({event, us, live.ranUs});
  }

  void closePiece(TraceThread& thread, Live& live, std::int64_t us) {
    if (live.isRunning) {
      live.ranUs += static_cast<std::uint64_t>(us - live.fromUs);
      live.fromUs = us;
    }
    const std::uint64_t ran = live.ranUs - live.pieceFromUs;
    live.pieceFromUs = live.ranUs;
    if (ran != 0) thread.steps.push_back({{Step::Run, ran * kNsPerUs, 0, -1, -1, {}}, us, live.ranUs});
  }

  void take(const RecordedEvent& e) {
    switch (e.kind) {
      case EventKind::Switch:
        leave(e);
        if (TraceThread* next = fair(e.next)) enter(*next, e.us);
        break;
      case EventKind::Choice:
        if (const TraceThread* woken = fair(e.task); woken != nullptr && (e.flags & kTraceWakeFork) == 0)
          m_causes[e.task] = causeOf(*woken, e, (e.flags & kTraceWakeSync) != 0);
        break;
      case EventKind::Wakeup:
        if (TraceThread* woken = fair(e.task)) wake(*woken, e);
        break;
      case EventKind::Fork:
        if (TraceThread* parent = fair(e.writer); parent != nullptr && !e.isInterrupt)
          if (const TraceThread* child = fair(e.task))
            act(*parent, e.us, {Step::Fork, 0, 0, child->program, -1, {}});
        m_live[e.task].timerUs = e.us;
        break;
      default:
        break;
    }
  }

  void enter(TraceThread& thread, std::int64_t us) {
    Live& live = m_live[thread.pid];
    if (live.isRunning) return;
    live.isRunning = true;
    live.isAsleep = false;
    live.fromUs = us;
    thread.turns.push_back({us, live.ranUs});
    thread.turnEndsUs.push_back(INT64_MAX);
  }

  void leave(const RecordedEvent& e) {
    TraceThread* prev = fair(e.task);
    if (prev == nullptr) return;
    Live& live = m_live[e.task];
    const bool hasEnded = e.state == 'X' || e.state == 'Z';
    const bool sleeps = e.state != 'R' && !hasEnded;
    if (sleeps || hasEnded) closePiece(*prev, live, e.us);
    if (live.isRunning) {
      live.ranUs += static_cast<std::uint64_t>(e.us - live.fromUs);
      prev->turnEndsUs.back() = e.us;
    }
    live.isRunning = false;
    if (sleeps) {
      live.isAsleep = true;
      live.sleptUs = e.us;
    }
    if (hasEnded) {
      live.hasEnded = true;
      if (!m_killed.contains(e.task))
        prev->steps.push_back({{Step::Exit, 0, 0, -1, -1, {}}, e.us, live.ranUs});
    }
  }

  /// Notes in the waker's program, when there is one, that it wakes the thread here.
  Cause causeOf(const TraceThread& woken, const RecordedEvent& e, bool isSync) {
    TraceThread* waker = e.isInterrupt || e.writer == woken.pid ? nullptr : fair(e.writer);
    if (waker == nullptr || !m_live[e.writer].isRunning) return Cause::Clock;
    act(*waker, e.us, {isSync ? Step::PipeWrite : Step::SemPost, 0, 0, woken.program, -1, {}});
    return isSync ? Cause::Pipe : Cause::Thread;
  }

  /// The wait ends. Who was woken by another thread waits for that thread, all others for the clock.
  void wake(TraceThread& thread, const RecordedEvent& e) {
    Live& live = m_live[thread.pid];
    Cause cause = Cause::Clock;
    if (const auto at = m_causes.find(thread.pid); at != m_causes.end()) {
      cause = at->second;
      m_causes.erase(at);
    } else if (live.isAsleep) {
      cause = causeOf(thread, e, false);
    }
    if (!live.isAsleep) return;
    live.isAsleep = false;
    ProgramEvent wait{Step::Sleep, static_cast<std::uint64_t>(e.us - live.sleptUs) * kNsPerUs, 0, -1, -1, {}};
    if (cause != Cause::Clock) {
      wait = {cause == Cause::Pipe ? Step::PipeRead : Step::SemWait, 0, 0, thread.program, -1, {}};
    } else if (!thread.isWorkload) {
      wait = {Step::Timer, static_cast<std::uint64_t>(e.us - live.timerUs) * kNsPerUs, 0, 0, -1, {}};
      live.timerUs = e.us;
    }
    thread.steps.push_back({wait, e.us, live.ranUs});
    if (!thread.isWorkload) followCpu(thread, e);
  }

  /// Threads that are no part of the workload run where they ran.
  void followCpu(TraceThread& thread, const RecordedEvent& e) {
    Operation op;
    op.kind = OperationKind::Pin;
    op.task = m_plan.workload.threads[static_cast<std::size_t>(thread.program)].name;
    op.cpus = CpuMask::of(CpuId{e.to});
    op.atNs = static_cast<std::uint64_t>(std::max<std::int64_t>(e.us, 1)) * kNsPerUs - 1;
    if (const auto last = m_lastPin.find(thread.pid); last != m_lastPin.end() && last->second == e.to) return;
    if (e.us > 0) m_plan.operations.push_back(op);
    m_lastPin[thread.pid] = e.to;
  }

  /// The record ends; what the thread would have done is not known.
  void finish(TraceThread& thread) {
    Live& live = m_live[thread.pid];
    if (!live.hasEnded || m_killed.contains(thread.pid)) {
      const Step kind = live.isAsleep ? Step::Sleep : Step::Run;
      thread.steps.push_back(
          {{kind, kEndlessUs * kNsPerUs, 0, -1, -1, {}}, INT64_MAX, live.pieceFromUs + kEndlessUs});
    }
    ThreadProgram& program = m_plan.workload.threads[static_cast<std::size_t>(thread.program)];
    program.phases.resize(2);
    if (!thread.isWorkload) program.settings.cpus = thread.cpus;
    if (thread.nice != 0) program.phases[1].settings.nice = thread.nice;
    if (!thread.cpus.isEmpty()) program.phases[1].settings.cpus = thread.cpus;
    for (const TraceThread::Step& step : thread.steps) program.phases[1].events.push_back(step.event);
  }

  const TraceText& m_text;
  std::uint64_t m_clockReadNs;
  SimPlan& m_plan;
  std::map<std::string, Settings> m_settings;
  std::map<int, std::string> m_names;  ///< of the workload's tasks
  std::set<int> m_killed;
  TraceThreads m_threads;
  std::map<int, Live> m_live;
  std::map<int, Cause> m_causes;  ///< of wakeups that were chosen a CPU for
  std::map<int, int> m_lastPin;
};

WaitKind waitOf(ProgramEventKind kind) {
  switch (kind) {
    case Step::Sleep:
    case Step::Timer:
      return WaitKind::Timer;
    case Step::SemWait:
      return WaitKind::Semaphore;
    case Step::PipeRead:
      return WaitKind::PipeRead;
    default:
      return WaitKind::None;
  }
}

}  // namespace

CpuMask maskOfHex(const std::string& text) {
  constexpr int kHexBase = 16, kMaskBits = 64;
  const unsigned long long bits = std::stoull(text, nullptr, kHexBase);
  CpuMask mask;
  for (int cpu = 0; cpu < kMaskBits; ++cpu)
    if ((bits >> cpu & 1) != 0) mask.set(CpuId{cpu});
  return mask;
}

std::uint64_t TraceThread::ranUs(std::int64_t us) const {
  const auto after = std::ranges::upper_bound(turns, us, {}, &Turn::fromUs);
  if (after == turns.begin()) return 0;
  const auto at = static_cast<std::size_t>(after - turns.begin()) - 1;
  return turns[at].ranUs + static_cast<std::uint64_t>(std::min(us, turnEndsUs[at]) - turns[at].fromUs);
}

ThreadPosition TraceThread::positionAt(std::int64_t us, std::uint64_t zeroNs) const {
  const auto ns = [&](std::int64_t at) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(zeroNs) + at * 1000);
  };
  ThreadPosition out;
  std::size_t at = 0;
  for (; at < steps.size() && steps[at].toUs <= us; ++at)
    if (steps[at].event.kind == ProgramEventKind::Timer) out.ownTimerNs = ns(steps[at].toUs);
  out.event = static_cast<std::int32_t>(at);
  if (at == steps.size()) return out;
  const Step& step = steps[at];
  out.wait = waitOf(step.event.kind);
  if (out.wait == WaitKind::Timer) {
    constexpr std::int64_t kFarUs = 1'000'000'000;
    out.wakeNs = step.toUs == INT64_MAX ? ns(kFarUs) : ns(step.toUs);
    if (step.event.kind == ProgramEventKind::Timer) out.ownTimerNs = out.wakeNs;
  } else if (out.wait != WaitKind::None) {
    out.waitObject = step.event.target;
  } else if (step.event.kind == ProgramEventKind::Run) {
    const std::uint64_t ran = ranUs(us);
    out.runNs = (step.ranUs > ran ? step.ranUs - ran : 0) * kNsPerUs;
    ++out.event;
  }
  return out;
}

TraceThreads threadsOfTrace(const json& run, const TraceText& text, std::uint64_t clockReadNs,
                            SimPlan& plan) {
  return ThreadReader(run, text, clockReadNs, plan).read();
}

void addTraceOperations(const json& run, SimPlan& plan) {
  for (const json& action : run.at("actions")) {
    const std::string what = action.at("action").get<std::string>();
    Operation op;
    op.atNs = static_cast<std::uint64_t>(std::max<std::int64_t>(action.at("t_us").get<std::int64_t>(), 0)) *
              kNsPerUs;
    op.task = action.value("name", std::string{});
    if (what == "aff") {
      op.kind = OperationKind::Pin;
      op.cpus = maskOfHex(action.at("mask").get<std::string>());
    } else if (what == "nice") {
      op.kind = OperationKind::Nice;
      op.value = action.at("nice").get<std::int64_t>();
    } else if (what == "kill") {
      op.kind = OperationKind::Kill;
    } else {
      if (what == "end") plan.untilNs = op.atNs;
      continue;
    }
    plan.operations.push_back(std::move(op));
  }
  std::ranges::stable_sort(plan.operations, {}, &Operation::atNs);
}

std::uint64_t clockReadOfTrace(const json& run, const TraceText& text, std::uint64_t tickNs) {
  const std::int64_t sliceUs =
      run.at("base_slice_ns").get<std::int64_t>() / static_cast<std::int64_t>(kNsPerUs);
  std::set<int> tasks;
  for (const json& t : run.at("tasks")) tasks.insert(t.at("pid").get<int>());
  std::map<int, std::pair<int, std::int64_t>> since;  // by CPU: who, from when
  std::vector<std::int64_t> over;
  for (const RecordedEvent& e : text.events) {
    if (e.kind != EventKind::Switch) continue;
    const auto at = since.find(e.cpu);
    if (at != since.end() && e.state == 'R' && at->second.first == e.task && tasks.contains(e.task) &&
        tasks.contains(e.next) && e.us - at->second.second >= sliceUs)
      over.push_back(e.us - at->second.second - sliceUs);
    since[e.cpu] = {e.next, e.us};
  }
  if (over.empty()) return 0;
  std::ranges::sort(over);
  const auto median = static_cast<std::uint64_t>(over[over.size() / 2]) * kNsPerUs;
  constexpr std::uint64_t kPartOfTick = 8;
  return median > tickNs / kPartOfTick ? 0 : std::max<std::uint64_t>(2 * median, kNsPerUs);
}

}  // namespace rqscope
