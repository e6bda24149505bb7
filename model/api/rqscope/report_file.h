// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "rqscope/reproduce.h"

namespace rqscope::api {

/// How far the model's ratio to the case's first row lies from the published one; 0 without either.
double ratioDeviationPercent(const ReproducedRow& row);
/// A reproduction as JSON, as `rqscope reproduce NAME --json` prints it; `files`: what was written beside it.
std::string reportText(const Reproduction& reproduction, const std::vector<std::string>& files = {});
/// The reproductions of such a text: one, or a list of them. Of a text that is none: one without rows, with
/// the reason among its problems.
std::vector<Reproduction> readReports(const std::string& text, const std::string& fileName);

}  // namespace rqscope::api
