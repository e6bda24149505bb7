// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace rqscope {

// ThreadState::stage of a thread at a pipe, as bits. Of the last four ThreadState::waitObject names the pipe.
inline constexpr std::uint8_t kStageHasWaited = 1;  ///< for messages or for room
inline constexpr std::uint8_t kStageHolds = 2;      ///< the mutex
inline constexpr std::uint8_t kStageSpins = 4;      ///< for the mutex
inline constexpr std::uint8_t kStageQueued = 8;     ///< it is one of PipeLock::waiters
inline constexpr std::uint8_t kStageGaveUp = 16;    ///< had to leave its CPU while it span

}  // namespace rqscope
