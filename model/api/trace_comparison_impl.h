// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <unordered_map>

#include "api/trace_input.h"
#include "evaluate/trace_replay.h"
#include "formats/run_tracer.h"
#include "rqscope/trace_comparison.h"

namespace rqscope::api {

enum class TraceComparisonStage : std::uint8_t { Model, Segments, Complete };

/// What a TraceComparison holds. trace_comparison.cpp runs it, trace_views.cpp shows parts of it.
struct TraceComparison::Impl {
  TraceInput input;
  Overrides overrides;
  TraceComparisonOptions options;
  std::shared_ptr<const SimPlan> plan;
  std::shared_ptr<const MachineLayout> layout;
  std::atomic<bool> cancelled{false};
  TraceComparisonStage stage = TraceComparisonStage::Model;
  std::uint64_t lengthNs = 0;

  std::unordered_map<std::string, std::int32_t> pidByName;
  std::vector<std::int32_t> pidByProgram;
  std::map<std::int32_t, std::int32_t> slotByPid;  ///< of the model's run
  std::unique_ptr<Simulator> simulator;
  std::unique_ptr<RunTracer> tracer;
  TraceTrack machine, model;
  TraceReport report;

  std::unique_ptr<TraceReplay> replay;
  std::uint64_t segmentFromNs = 0;
  std::vector<std::int64_t> firstPartingsNs;

  std::unique_ptr<Simulation> simulation;  ///< for ladders

  bool hasMoves() const {
    return std::ranges::any_of(input.trace.events,
                               [](const TraceEvent& e) { return e.kind == TraceEventKind::Migrate; });
  }
  void begin();
  bool runModel(std::chrono::steady_clock::time_point until);
  void compareWhole();
  TimelineSlice sliceOf(std::int64_t beginNs, std::int64_t endNs, std::int32_t pid) const;
  bool runForLadders(std::int64_t untilNs);
  bool runSegments(std::chrono::steady_clock::time_point until);
  void oneSegment();
  void finishSegments();
  bool isOver(std::chrono::steady_clock::time_point until) const {
    return cancelled.load(std::memory_order_relaxed) || std::chrono::steady_clock::now() >= until;
  }
};

}  // namespace rqscope::api
