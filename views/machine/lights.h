// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "rqscope/frame.h"

namespace rqscope::machine {

/// What a rung reads a CPU, group, task or domain as. Later ones matter more when one thing has several.
enum class Role { Domain, Considered, Refused, Chosen, Local, Busiest, Source, Destination, Candidate };

/// One thing that a rung looks at.
struct Light {
  api::Subject subject;
  Role role = Role::Considered;
};

/// Everything that a rung of the frame's decision reads, each thing once, groups before CPUs before tasks;
/// empty for -1 or a rung that is not there.
std::vector<Light> lightsOf(const api::Frame& frame, int rung);
/// The tag beside what is lit: "dst", "src", "local" ...; empty for what is only considered.
QString roleTag(Role role);
/// "looks at the local group {0,3-5}, the busiest group {1,2}, the destination CPU 5".
QString lightSentence(const api::Frame& frame, const std::vector<Light>& lights);

}  // namespace rqscope::machine
