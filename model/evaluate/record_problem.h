// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rqscope {

/// The words of an exception of nlohmann's behind its number and position.
std::string plainReason(std::string_view what);

/// What is said of a record in which a member is missing or has another type than its README says: nlohmann
/// tells so by an exception, wherever the member is read.
Diagnostic recordProblem(const std::string& path, const std::exception& exception, int line = 0);

}  // namespace rqscope
