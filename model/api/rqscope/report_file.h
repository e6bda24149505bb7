// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "rqscope/reproduce.h"

namespace rqscope::api {

/// A reproduction as JSON, as `rqscope reproduce NAME --json` prints it; `files`: what was written beside it.
std::string reportText(const Reproduction& reproduction, const std::vector<std::string>& files = {});
/// The reproductions of such a text: one, or a list of them. Of a text that is none: one without rows, with
/// the reason among its problems.
std::vector<Reproduction> readReports(const std::string& text, const std::string& fileName);

}  // namespace rqscope::api
