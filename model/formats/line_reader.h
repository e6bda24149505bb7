// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

struct archive;

namespace rqscope {

/// Lines of a text file, plain or compressed (gzip, xz, zstd as libarchive knows them), one at a time.
class LineReader {
 public:
  static Result<LineReader> open(const std::string& path);

  /// The next line without its end; false at the end of the file or on an error.
  bool next(std::string& line);
  int lineNumber() const { return m_lineNumber; }  ///< of the line last given, from 1
  /// Set when reading stopped on an error (a damaged compressed file).
  const std::optional<Diagnostic>& error() const { return m_error; }

 private:
  struct Closer {
    void operator()(archive* a) const;
  };
  explicit LineReader(std::string path) : m_path(std::move(path)) {}
  bool fill();

  std::string m_path;
  std::unique_ptr<archive, Closer> m_archive;
  std::string m_buffer;
  std::size_t m_begin = 0;
  bool m_atEnd = false;
  int m_lineNumber = 0;
  std::optional<Diagnostic> m_error;
};

}  // namespace rqscope
