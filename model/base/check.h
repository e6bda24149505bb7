// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace rqscope {

/// Prints where and what and aborts: for our own mistakes only, never reachable by input.
[[noreturn]] void checkFailed(const char* condition, const char* what, const char* file, int line);

}  // namespace rqscope

/// An invariant of ours; on in all builds.
#define RQS_CHECK(condition, what) \
  ((condition) ? static_cast<void>(0) : ::rqscope::checkFailed(#condition, what, __FILE__, __LINE__))
