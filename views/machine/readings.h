// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/levels.h"
#include "rqscope/frame.h"

namespace rqscope::machine {

/// What block heights, cell colours and tints read.
enum class Signal { Util, UtilEst, Load, Runnable, NrRunning, Capacity, Lag };

std::int64_t taskSignal(const api::TaskFrame& task, Signal signal);
/// 0..1 on the fixed scale of the signal: 1024, or 2 tasks per CPU.
/// What fills the scale of a signal: "1024", "2", "4 ms".
QString fullScaleText(Signal signal);
double cpuFraction(const api::Frame& frame, std::size_t position, Signal signal);
std::int64_t cpuSignal(const api::Frame& frame, std::size_t position, Signal signal);

/// Task by slot, or null.
const api::TaskFrame* taskBySlot(const api::Frame& frame, std::int32_t slot);
/// The task that the current rung weighs for a move, and the comparison that settles it.
struct Proposal {
  std::int32_t slot = -1;
  std::int32_t from = -1, to = -1;  ///< CPU ids
  bool isAllowed = false;
  QString comparison;  ///< "512 > 383"
  QString before;      ///< "512 >> 1", when the value is not the task's own
  std::int64_t value = 0;
  std::int64_t limit = -1;
  bool isCapacity = false;  ///< value and limit are in the unit of the tanks
};
std::optional<Proposal> proposalOf(const api::Frame& frame);
/// Whether the migration thread, which is no task of the frame, is what the CPU runs.
inline bool runsStopper(const api::CpuFrame& cpu) { return cpu.online && !cpu.isIdle && cpu.running < 0; }
/// "CPU 2, running B, 1 queued, util 1024 of 1024".
QString cpuSentence(const api::Frame& frame, std::size_t position);

}  // namespace rqscope::machine
