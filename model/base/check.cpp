// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace rqscope {

void checkFailed(const char* condition, const char* what, const char* file, int line) {
  std::fprintf(stderr, "rqscope: internal error: %s (%s) at %s:%d\n", what, condition, file, line);
  std::abort();
}

}  // namespace rqscope
