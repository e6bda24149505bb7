// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "base/result.h"
#include "rqscope/simulation.h"

namespace rqscope {

/// A diagnostic as the face gives it.
api::Problem problemOf(const Diagnostic& diagnostic);
std::vector<api::Problem> problemsOf(const std::vector<Diagnostic>& diagnostics);

}  // namespace rqscope
