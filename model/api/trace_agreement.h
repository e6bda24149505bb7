// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "evaluate/trace_track.h"
#include "rqscope/trace_comparison.h"

namespace rqscope::api {

/// Sets all figures of a report that follow from the two tracks. The tracks are of the same tasks.
void compareTracks(const TraceTrack& machine, const TraceTrack& model, TraceReport& report);

/// Moves of both sides, and those of the machine that the model makes within the window.
MatchedCount matchedMoves(const TraceTrack& machine, const TraceTrack& model, std::uint64_t windowNs);

/// Sets the report's partings.
void findPartings(const TraceTrack& machine, const TraceTrack& model, TraceReport& report);

/// Who is where at a moment.
SideMoment momentOf(const TraceTrack& track, std::uint64_t ns);

/// The first move of a track, of any task: its index and the move; null: there is none.
struct FirstMove {
  std::size_t task = 0;
  const TraceTrack::Move* move = nullptr;
};
FirstMove firstMove(const TraceTrack& track, std::uint64_t beforeNs);
/// Whether the other side moves the same task to the same CPU within the window.
bool hasMove(const TraceTrack& track, const FirstMove& wanted, std::uint64_t windowNs);

}  // namespace rqscope::api
