// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rqscope::test {

/// A file of this process with this text, removed at the end.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& bytes = {})
      : m_path(std::filesystem::temp_directory_path() /
               ("rqscope-" + std::to_string(getpid()) + "-" + name)) {
    std::ofstream(m_path, std::ios::binary) << bytes;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(m_path, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return m_path.string(); }

 private:
  std::filesystem::path m_path;
};

}  // namespace rqscope::test
