// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "groupstats/group_stats.h"
#include "runqueue/machine.h"

namespace rqscope {

/// What a pass of the domain's CPU would find of the group if it began now, by the function that the pass
/// uses; the machine stays as it is. Kernel: update_sg_lb_stats().
/// Simplified: a pass may refresh the local group's capacity before; here it is as last refreshed.
GroupStats surveyGroup(const Machine& m, DomainId domain, SchedGroupId group);

}  // namespace rqscope
