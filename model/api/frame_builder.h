// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sim_state.h"
#include "recording/group_view.h"
#include "rqscope/frame.h"

namespace rqscope::api {

/// Whole-run figures that a frame needs beside the state, computed once.
struct FrameTables {
  std::vector<ViewedGroup> groups;         ///< of the topology
  std::vector<std::uint64_t> programWork;  ///< Run work of one thread, ns at 1024; 0: endless or none
};
FrameTables frameTables(const SimState& state);

/// Fills the parts of a frame that come from the state alone; groups are as `viewer` sees them, if there is
/// one. Frame::tasks[i] is task slot i.
void fillFrame(const SimState& state, const FrameTables& tables, CpuId viewer, Frame& frame);

/// The queue of a CPU as a tree, the current task first.
std::vector<QueueEntity> queueTree(const SimState& state, CpuId cpu);

}  // namespace rqscope::api
