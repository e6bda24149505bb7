// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rqscope {

/// A folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rqscope-test-XXXXXX").string();
    m_path = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ec;
    std::filesystem::remove_all(m_path, ec);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name = {}) const { return (m_path / name).string(); }
  /// Writes a file below the folder, with the folders it needs; gives its path.
  std::string write(const std::string& name, const std::string& contents) const {
    const std::filesystem::path file = m_path / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << contents;
    return file.string();
  }

 private:
  std::filesystem::path m_path;
};

}  // namespace rqscope
