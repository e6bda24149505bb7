// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "rqscope/frame.h"

/// Frames made by hand, so that views can be tested without running the model.
namespace rqscope::samples {

/// Six tasks on Juno r2, paused on the candidate of the deciding pass; C is detached.
std::shared_ptr<const api::Frame> junoDetach();
/// The pass before: C is more than the imbalance and is skipped.
std::shared_ptr<const api::Frame> junoSkip();
/// 2 packages, 4 nodes, 32 LLCs, 256 CPUs with a seeded load.
std::shared_ptr<const api::Frame> epyc256();
/// No layout, no CPUs, no decision.
std::shared_ptr<const api::Frame> empty();

}  // namespace rqscope::samples
