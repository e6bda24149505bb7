// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "evaluate/free_run.h"
#include "evaluate/trace_events.h"
#include "topology/sched_topology.h"

namespace rqscope {

/// A recorded x86 run as free runs need it: what the real kernel did, on which machine.
struct TraceRecord {
  std::string path;
  nlohmann::json run;
  TraceText text;
  FreeTrack real;
  KernelProfile profile;
  std::shared_ptr<const SchedTopology> topology;
  double tickPhaseMs = 0;         ///< of the ticks, modulo their period
  double endMs = 0;               ///< of the workload
  std::uint64_t clockReadNs = 0;  ///< how often tasks read their own CPU clock; 0: never

  std::uint64_t tickNs() const { return profile.tunables.tickNs(); }
};

/// Reads "*.balance.jsonl[.gz]" with the description and the trace beside it. Throws json::exception.
Result<TraceRecord> readTraceRecord(const std::string& path);

}  // namespace rqscope
