// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Frozen. Self-contained on purpose: a faster model must not make the yardstick faster too.
#include <array>
#include <cmath>
#include <queue>
#include <set>
#include <vector>

#include "frozen_workloads.h"

namespace rqscope::bench {
namespace {

constexpr std::uint64_t kSliceNs = 2'800'000;
constexpr std::uint64_t kPeriodUs = 1024;
constexpr std::uint64_t kLoadAvgMax = 47742;

/// y^n in 32-bit fixed point for n in 0..31, y^32 = 1/2.
const std::array<std::uint32_t, 32>& decayTable() {
  static const std::array<std::uint32_t, 32> table = [] {
    std::array<std::uint32_t, 32> t{};
    for (int n = 0; n < 32; ++n)
      t[static_cast<std::size_t>(n)] =
          static_cast<std::uint32_t>(std::floor(std::pow(0.5, n / 32.0) * 4294967296.0 - (n == 0 ? 1 : 0)));
    return t;
  }();
  return table;
}

std::uint64_t decay(std::uint64_t value, std::uint64_t periods) {
  if (periods > 32 * 63) return 0;
  value >>= periods / 32;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(value) * decayTable()[periods % 32]) >> 32);
}

/// The three exact sums and averages of one entity or queue.
struct Pelt {
  std::uint64_t last = 0, contrib = 0;
  std::uint64_t loadSum = 0, runnableSum = 0, utilSum = 0;
  std::uint64_t loadAvg = 0, runnableAvg = 0, utilAvg = 0;

  void update(std::uint64_t now, std::uint64_t load, std::uint64_t runnable, bool running) {
    std::uint64_t delta = (now - last) >> 10;
    if (delta == 0) return;
    last += delta << 10;
    const std::uint64_t whole = delta + contrib;
    const std::uint64_t periods = whole / kPeriodUs;
    std::uint64_t amount = delta;
    if (periods != 0) {
      loadSum = decay(loadSum, periods);
      runnableSum = decay(runnableSum, periods);
      utilSum = decay(utilSum, periods);
      const std::uint64_t rest = whole % kPeriodUs;
      const std::uint64_t first = decay(kPeriodUs - contrib, periods);
      const std::uint64_t middle = kLoadAvgMax - decay(kLoadAvgMax, periods) - 1024;
      amount = first + (periods > 1 ? middle : 0) + rest;
      contrib = rest;
    } else {
      contrib = whole;
    }
    loadSum += load * amount;
    runnableSum += runnable * amount << 10;
    if (running) utilSum += amount << 10;
    if (periods == 0) return;
    const std::uint64_t divider = kLoadAvgMax - 1024 + contrib;
    loadAvg = loadSum / divider;
    runnableAvg = runnableSum / divider;
    utilAvg = utilSum / divider;
  }
};

enum class Kind : std::uint8_t { Tick, RunEnd, Wake };

struct Event {
  std::uint64_t time, sequence;
  Kind kind;
  int subject;          ///< CPU, or task for Wake
  std::uint64_t stamp;  ///< RunEnd: valid while the CPU's stamp is this
  bool operator>(const Event& o) const { return time != o.time ? time > o.time : sequence > o.sequence; }
};

struct Task {
  int cpu = 0;
  std::uint64_t remaining = 0, vruntime = 0, deadline = 0, startedAt = 0;
  Pelt pelt;
};

struct Cpu {
  int current = -1;
  std::set<std::pair<std::uint64_t, int>> queue;  ///< by deadline
  std::uint64_t stamp = 0;
  bool ticks = false;
  std::uint64_t minVruntime = 0;
  Pelt pelt;
};

class Loop {
 public:
  explicit Loop(const FrozenWorkload& w)
      : m_w(w), m_cpus(static_cast<std::size_t>(w.cpus)), m_tasks(static_cast<std::size_t>(w.tasks)) {
    for (int t = 0; t < w.tasks; ++t) {
      task(t).cpu = t % w.cpus;
      post(0, Kind::Wake, t, 0);
    }
  }

  RunCounts run() {
    while (!m_events.empty() && m_events.top().time <= m_w.simulatedNs) {
      const Event e = m_events.top();
      m_events.pop();
      m_now = e.time;
      ++m_counts.events;
      switch (e.kind) {
        case Kind::Tick:
          tick(e.subject);
          break;
        case Kind::RunEnd:
          if (cpu(e.subject).stamp == e.stamp) sleepCurrent(e.subject);
          break;
        case Kind::Wake:
          wake(e.subject);
          break;
      }
    }
    return m_counts;
  }

 private:
  Task& task(int t) { return m_tasks[static_cast<std::size_t>(t)]; }
  Cpu& cpu(int c) { return m_cpus[static_cast<std::size_t>(c)]; }
  void post(std::uint64_t time, Kind kind, int subject, std::uint64_t stamp) {
    m_events.push({time, m_sequence++, kind, subject, stamp});
  }

  /// Accounts of the CPU and its current task up to now.
  void update(int c) {
    Cpu& q = cpu(c);
    const std::size_t queued = q.queue.size() + (q.current >= 0 ? 1 : 0);
    q.pelt.update(m_now, 1024 * queued, queued, q.current >= 0);
    if (q.current < 0) return;
    Task& t = task(q.current);
    const std::uint64_t ran = m_now - t.startedAt;
    t.startedAt = m_now;
    t.vruntime += ran;
    if (m_w.sleepNs != 0) t.remaining -= ran < t.remaining ? ran : t.remaining;
    t.pelt.update(m_now, 1024, 1, true);
    q.minVruntime = std::max(q.minVruntime, t.vruntime);
  }

  void start(int c, int next) {
    Cpu& q = cpu(c);
    q.current = next;
    ++q.stamp;
    ++m_counts.switches;
    if (next < 0) return;
    Task& t = task(next);
    t.startedAt = m_now;
    t.pelt.update(m_now, 1024, 1, false);
    if (m_w.sleepNs != 0) post(m_now + t.remaining, Kind::RunEnd, c, q.stamp);
    if (q.ticks) return;
    q.ticks = true;
    post((m_now / kTickNs + 1) * kTickNs, Kind::Tick, c, 0);
  }

  void pickNext(int c) {
    Cpu& q = cpu(c);
    int next = -1;
    if (!q.queue.empty()) {
      next = q.queue.begin()->second;
      q.queue.erase(q.queue.begin());
    }
    start(c, next);
  }

  void preempt(int c) {
    Cpu& q = cpu(c);
    q.queue.insert({task(q.current).deadline, q.current});
    pickNext(c);
  }

  void tick(int c) {
    ++m_counts.ticks;
    Cpu& q = cpu(c);
    update(c);
    if (q.current < 0) {
      q.ticks = false;
      return;
    }
    post(m_now + kTickNs, Kind::Tick, c, 0);
    Task& t = task(q.current);
    if (t.vruntime < t.deadline) return;
    t.deadline = t.vruntime + kSliceNs;
    if (!q.queue.empty() && q.queue.begin()->first < t.deadline) preempt(c);
  }

  void sleepCurrent(int c) {
    update(c);
    post(m_now + m_w.sleepNs, Kind::Wake, cpu(c).current, 0);
    pickNext(c);
  }

  void wake(int number) {
    ++m_counts.wakeups;
    Task& t = task(number);
    const int c = t.cpu;
    Cpu& q = cpu(c);
    update(c);
    t.pelt.update(m_now, 0, 0, false);
    t.remaining = m_w.runNs;
    t.vruntime = std::max(t.vruntime, q.minVruntime);
    t.deadline = t.vruntime + kSliceNs;
    if (q.current < 0) {
      start(c, number);
      return;
    }
    q.queue.insert({t.deadline, number});
    if (t.deadline < task(q.current).deadline) preempt(c);
  }

  const FrozenWorkload& m_w;
  std::vector<Cpu> m_cpus;
  std::vector<Task> m_tasks;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
  std::uint64_t m_now = 0, m_sequence = 0;
  RunCounts m_counts;
};

}  // namespace

RunCounts runPlainLoop(const FrozenWorkload& workload) { return Loop(workload).run(); }

}  // namespace rqscope::bench
