// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "rqscope/layout.h"

namespace rqscope::look {

/// A box around the threads of one core; it is drawn as a closer pair, not as a frame of its own.
bool isCoreBox(const api::MachineLayout& layout, const api::LayoutBox& box);
/// A box that holds CPUs or cores and no other frames.
bool isLowestBox(const api::MachineLayout& layout, const api::LayoutBox& box);
/// The domain level that tells most at first sight: the highest one below NUMA.
std::string defaultLevel(const api::MachineLayout& layout);

}  // namespace rqscope::look
