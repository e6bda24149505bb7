// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <vector>

#include "support/shared_records.h"

namespace rqscope {
namespace {

// Every vector file in the tree beside this test runs, with or without the shared records.
TEST(CopiedVectors, AreAllEqual) {
  std::vector<std::string> files;
  const auto folder = std::filesystem::path(RQSCOPE_SOURCE_DIR) / "tests/kernel/vectors";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() != ".md") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  EXPECT_FALSE(files.empty());
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    expectVectorsEqual(file);
  }
}

}  // namespace
}  // namespace rqscope
