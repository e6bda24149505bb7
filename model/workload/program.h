// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpumask.h"
#include "base/ids.h"
#include "base/result.h"

namespace rqscope {

/// One thing a thread does. The words are rt-app's where rt-app has one.
enum class ProgramEventKind : std::uint8_t {
  Run,        ///< `ns` of work on a CPU of throughput 1024; takes longer on a slower one
  Runtime,    ///< spins until `ns` of wall clock have passed since its start, with the CPU or without
  Sleep,      ///< sleeps `ns`
  Timer,      ///< sleeps until the next period of `ns` of the timer `target`; -1: until `ns` of the run
  Lock,       ///< `target` = mutex
  Unlock,     ///< `target` = mutex
  Wait,       ///< `target` = condition, `mutex`
  Signal,     ///< `target` = condition: wakes one
  Broadcast,  ///< `target` = condition: wakes all
  Sync,       ///< Signal, then Wait; `target` = condition, `mutex`
  Barrier,    ///< `target` = barrier
  Suspend,    ///< waits on the suspend point `target` until a Resume
  Resume,     ///< wakes all that are suspended on `target`
  Fork,       ///< starts a thread of `target` = index into Workload::threads
  SemWait,    ///< `target` = semaphore
  SemPost,    ///< `target` = semaphore
  PipeWrite,  ///< one message into the pipe `target`; waits while it is full
  PipeRead,   ///< one message out of the pipe `target`; waits while it is empty
  Yield,      ///< sched_yield()
  Exec,       ///< exec balancing of the thread (SD_BALANCE_EXEC)
  ExitMove,   ///< first half of exit: sched_autogroup_exit_task(); what follows is the rest of do_exit()
  Exit        ///< the thread ends here
};

/// How Wait-like events, timers and amounts are told apart; unused fields stay at their defaults.
struct ProgramEvent {
  ProgramEventKind kind = ProgramEventKind::Run;
  std::uint64_t ns = 0;        ///< amount, duration or period
  std::uint64_t jitterNs = 0;  ///< Run, Runtime, Sleep: uniform in [ns - jitter, ns + jitter], seeded
  std::int32_t target = -1;    ///< index by kind, see ProgramEventKind
  std::int32_t mutex = -1;     ///< Wait, Sync: index into Workload::mutexes
  SourcePosition where;        ///< line and column of the event; file empty: Workload::file
  std::int32_t cpu = -1;       ///< Timer: CPU whose interrupt ends the sleep; -1: where the thread sleeps
};

/// Scheduling policies a file may name. Only the fair ones (first three) are run by the model; a reader
/// refuses or warns about the others.
enum class ProgramPolicy : std::uint8_t { Other, Batch, Idle, Fifo, Rr, Deadline };

/// Attributes set at the start of a phase (or of the thread); empty: as before. An empty `cpus` or `nodes`
/// mask means all CPUs.
struct ProgramSettings {
  std::optional<CpuMask> cpus;   ///< sched_setaffinity()
  std::optional<CpuMask> nodes;  ///< by NUMA node number; the runtime turns it into CPUs
  std::optional<ProgramPolicy> policy;
  std::optional<int> nice;               ///< -20..19
  std::optional<std::uint64_t> sliceNs;  ///< sched_setattr() runtime of a fair task; 0 = default
  std::optional<int> utilMin, utilMax;   ///< sched_util_min and _max, 0..1024
  std::optional<std::int32_t> group;     ///< index into Workload::groups; -1 = root group
};

/// Events in order, repeated `loops` times (-1: endless; 0: never).
/// As in rt-app, `cpus` of a phase that names none is the thread's own, or all CPUs.
struct ProgramPhase {
  std::string name;
  std::int64_t loops = 1;
  ProgramSettings settings;
  std::vector<ProgramEvent> events;
};

/// What one kind of thread does: its phases in order, `loops` times over (-1: endless), then it ends.
struct ThreadProgram {
  std::string name;            ///< instances of n > 1 are called "name-0" ... "name-(n-1)"
  std::int32_t instances = 1;  ///< started at time 0; 0: only by Fork or by an operation
  std::uint64_t delayNs = 0;   ///< sleeps so long after its start (from time 0 for the first instances)
  std::int64_t loops = 1;
  CpuId startCpu;  ///< CPU of the parent that forks it at the start; none: the first online CPU
  bool isLatencyMeasured = false;  ///< the times from its wakeups to the CPU are counted
  std::uint64_t clockReadNs = 0;   ///< it reads its own CPU clock so often while it computes; 0: never
  bool isPerCpuKthread = false;    ///< a kernel thread bound to one CPU: is_per_cpu_kthread()
  bool startsAsleep = false;       ///< it was there long before, without load: sleeps until its first moment
  ProgramSettings settings;        ///< before the first phase, in force at its first placement already
  std::vector<ProgramPhase> phases;
  SourcePosition where;
};

/// A timer: `unique` gives each thread instance its own. Kernel-free semantics of rt-app:
/// next += period; when that is past already, no sleep, and a relative timer starts over from now.
struct ProgramTimer {
  std::string name;
  bool unique = false;
  bool relative = true;
};

struct ProgramBarrier {
  std::string name;
  std::int32_t count = 0;  ///< threads that must arrive
};

struct ProgramSemaphore {
  std::string name;
  std::int32_t initial = 0;
};

/// PIPE_DEF_BUFFERS: no pipe of a program has more pages.
inline constexpr std::int32_t kMostPipePages = 16;

/// A pipe for messages of one size. Kernel: struct pipe_inode_info.
struct ProgramPipe {
  std::string name;
  std::int32_t pages = kMostPipePages;  ///< PIPE_DEF_BUFFERS
  std::int32_t messagesPerPage = 40;    ///< that fit into a page
  std::int32_t lines = 0;            ///< cache lines that an operation takes from the CPU of the one before
  bool wakesWriterStillFull = true;  ///< before v6.14 a reader of a full pipe wakes a writer each time
  std::uint64_t softirqNs = 0;  ///< of a socket: the sender's work for it that its softirq does; wakeups too
  std::uint64_t lockedNs = 0;   ///< part of an operation under the pipe's mutex; 0: it is never contended
  bool isFileShared = false;  ///< its writers are threads of one process, which count their uses of the file
};

/// A cgroup of the cpu controller, parents before children.
struct WorkloadGroup {
  std::string name;                    ///< path, "/a/b"
  std::int32_t parent = -1;            ///< index into Workload::groups; -1 = root
  std::uint64_t weight = 100;          ///< cpu.weight 1..10000
  std::int64_t quotaNs = -1;           ///< cpu.max; -1: no limit
  std::uint64_t periodNs = 100000000;  ///< of the quota
  bool idle = false;                   ///< cpu.idle
  int utilMin = 0, utilMax = 1024;     ///< cpu.uclamp.min and .max, of 1024
};

/// All that the tasks of a run do, as data. Names are resolved to indexes by the reader.
/// Invariant: every target and mutex index is valid for its kind; groups list parents first.
struct Workload {
  std::string file;  ///< where it came from, for diagnostics
  std::vector<ThreadProgram> threads;
  std::vector<WorkloadGroup> groups;
  std::vector<std::string> mutexes;
  std::vector<std::string> conditions;
  std::vector<std::string> suspendPoints;
  std::vector<ProgramBarrier> barriers;
  std::vector<ProgramSemaphore> semaphores;
  std::vector<ProgramTimer> timers;
  std::vector<ProgramPipe> pipes;
  std::int64_t durationNs = -1;  ///< rt-app "duration": the run ends here; -1: no limit
};

}  // namespace rqscope
