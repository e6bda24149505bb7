// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "formats/trace.h"

namespace rqscope {

/// Runs `read` in a child process and hands its result over a pipe, as libtracecmd crashes on some damaged
/// files. `stop` ends the child. Errors: those of `read`; that it was stopped; that the child crashed or took
/// longer than a minute of CPU time.
Result<Trace> readGuarded(const std::string& path, const std::function<Result<Trace>()>& read,
                          const std::stop_token& stop = {});

}  // namespace rqscope
