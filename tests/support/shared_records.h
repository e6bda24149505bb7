// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "evaluate/verify_vectors.h"

namespace rqscope {

/// Path of a record below the shared folder, or nothing (and a line that says what was not checked) when the
/// folder is absent. A folder that is there but lacks the record is a failure.
inline std::optional<std::string> sharedRecord(const std::string& relative) {
  const std::filesystem::path shared = RQSCOPE_SHARED_DIR;
  if (!std::filesystem::exists(shared / "ground-truth")) {
    std::cout << "NOT CHECKED: " << relative << " (there is no folder " << shared << ")\n";
    return std::nullopt;
  }
  const auto path = shared / relative;
  if (!std::filesystem::exists(path)) {
    ADD_FAILURE() << "there is no record " << path;
    return std::nullopt;
  }
  return path.string();
}

/// Every case of a vector file must be equal; prints how many there were.
inline void expectVectorsEqual(const std::string& path) {
  const auto report = verifyVectors(path);
  ASSERT_TRUE(report.ok()) << report.diagnostics().front().text();
  std::cout << textOf(report.value());
  EXPECT_TRUE(report.value().allEqual());
}

/// The same for ground-truth/vectors/<relative>, for example "6.12/pelt_se.jsonl.gz".
inline void expectSharedVectorsEqual(const std::string& relative) {
  if (const auto path = sharedRecord("ground-truth/vectors/" + relative)) expectVectorsEqual(*path);
}

}  // namespace rqscope
