// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where the tests find things. Values live in one object file, so that the test sources themselves do not
// depend on where the tree stands and a compiler cache serves every checkout. Included in every test by
// tests/CMakeLists.txt.
namespace rqscope::tests {
extern const char* const kSourceDir;
extern const char* const kSharedDir;
}  // namespace rqscope::tests

#define RQSCOPE_SOURCE_DIR (::rqscope::tests::kSourceDir)
#define RQSCOPE_SHARED_DIR (::rqscope::tests::kSharedDir)
