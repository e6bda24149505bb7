// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/trace_scenario.h"

namespace rqscope {

/// What one side of a comparison, a recorded machine or the model, did with the tasks compared. Times are ns
/// since the start of the part compared.
struct TraceTrack {
  static constexpr std::int32_t kIdle = 0;
  /// A CPU runs something that is not compared: a task of a real-time class, a stopper.
  static constexpr std::int32_t kOther = -1;
  static constexpr std::uint64_t kNever = UINT64_MAX;

  /// From a moment on a task runs or waits on a CPU, until the next one or its sleep.
  struct Span {
    std::uint64_t beginNs = 0, endNs = 0;
    std::int32_t cpu = -1;
    bool runs = false;
  };
  struct Move {
    std::uint64_t ns = 0;
    std::int32_t from = -1, to = -1;
    bool isWakeup = false;  ///< chosen for a wakeup; else it was moved while it waited or ran
  };
  struct Wake {
    std::uint64_t ns = 0;
    std::int32_t waker = -1, cpu = -1;  ///< cpu: where it was queued
    std::uint64_t ranNs = kNever;       ///< when it got its CPU
    bool isNew = false;                 ///< a forked task's first
  };
  struct Task {
    std::int32_t pid = -1;
    std::string name;
    bool isBound = false;  ///< a kernel thread of one CPU
    std::vector<Span> spans;
    std::vector<Move> moves;
    std::vector<Wake> wakes;
  };
  /// From a moment on a CPU runs this pid.
  struct Switch {
    std::uint64_t ns = 0;
    std::int32_t pid = kIdle;
  };

  std::uint64_t lengthNs = 0;
  std::vector<Task> tasks;                ///< ascending by pid
  std::vector<std::vector<Switch>> cpus;  ///< by CPU number; the first at 0
  std::vector<std::size_t> switches;      ///< context switches by CPU, those at 0 left out

  /// The span in which the task is then; null: it sleeps.
  static const Span* spanAt(const Task& task, std::uint64_t ns);
  /// Where it is then, or was before it slept; -1: not seen yet.
  static std::int32_t cpuAt(const Task& task, std::uint64_t ns);
  std::int32_t runningAt(std::size_t cpu, std::uint64_t ns) const;
  /// Index of a task by pid, or -1.
  std::ptrdiff_t indexOf(std::int32_t pid) const;
};

/// The part [startNs, startNs + lengthNs) of a trace as far as `tasks` are concerned. `hasMoves` false: the
/// trace that this is compared with has no sched_migrate_task, so moves are seen where a task next runs or
/// wakes. Cost: one pass.
TraceTrack trackOf(const Trace& trace, const std::vector<TraceTask>& tasks, std::uint64_t startNs,
                   std::uint64_t lengthNs, bool hasMoves);

/// The part [beginNs, endNs) of a track, counted from its beginning.
TraceTrack partOf(const TraceTrack& track, std::uint64_t beginNs, std::uint64_t endNs);

}  // namespace rqscope
