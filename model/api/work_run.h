// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/sim_state.h"

namespace rqscope::api {

/// How a run is measured: what the threads of one name have done between two moments.
struct WorkSpec {
  std::string counted;  ///< threads "netperf-0", "netperf-1", ... of "netperf"; "fork": forks
  bool perThread = false;
  double factor = 1;  ///< one round of a counted thread's last phase, in the unit of the figure
  std::int64_t warmUpNs = 0, measuredNs = 0;
};

/// What a run of a shared group amounts to. Rates are of the measured time.
struct WorkFigures {
  double work = 0;      ///< in a second, in the unit of the figure
  double halfWork = 0;  ///< the same, of the first half of the measured time
  std::uint64_t wakeups = 0, migrations = 0, switches = 0;
  std::uint64_t reads = 0, writes = 0;     ///< of tg->load_avg
  std::uint64_t lineNs = 0, waitedNs = 0;  ///< CPU time they took, and waiting for others within it
  double cpuNs = 0;                        ///< measured time of all CPUs
  std::vector<double> tgLoad;              ///< load_avg of the first group, once a millisecond
  std::vector<double> weights;             ///< mean weight of its entities, the same
  double loadError = 0, weightError = 0;   ///< percent, see sampleGroup()
  std::vector<std::uint64_t> latencies;    ///< of the wakeups that are measured, by latencyBucket()
};

/// How far the group's published load and the weights of its entities are from what its queues hold.
struct GroupSample {
  double tgLoad = 0;
  double meanWeight = 0;   ///< of the entities on CPUs that run the group
  double loadError = 0;    ///< |load_avg of the group - sum over its queues|, percent of the sum
  double weightError = 0;  ///< mean over CPUs that run the group: |weight - weight from the sum|, percent
};
GroupSample sampleGroup(const Machine& machine, GroupId group);

/// The latency in ns that so many percent of those counted do not exceed; 0 when none is counted.
double latencyPercentile(const std::vector<std::uint64_t>& latencies, double percent);

/// Runs the plan through warm-up and measured time, without a history. `progress` goes from 0 to 1.
WorkFigures runWork(std::shared_ptr<const SimPlan> plan, const WorkSpec& spec,
                    const std::atomic<bool>* cancel, std::atomic<double>& progress);

}  // namespace rqscope::api
