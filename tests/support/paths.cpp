// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/paths.h"

namespace rqscope::tests {
constinit const char* const kSourceDir = RQS_TESTS_SOURCE_DIR;
constinit const char* const kSharedDir = RQS_TESTS_SHARED_DIR;
}  // namespace rqscope::tests
