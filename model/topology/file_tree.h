// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rqscope {

/// The first bytes of a compressed file that is no archive; empty when it cannot be unpacked.
std::string startOfCompressed(const std::string& path);
/// Whether a file that begins so is a page of HTML, in which systrace keeps a trace.
bool looksLikeHtml(std::string_view start);
/// Whether a file that begins so is a trace: of ftrace, trace-cmd, systrace or perf.
bool looksLikeTrace(std::string_view start);

/// The few small files of /sys and /proc that describe CPUs, from a directory or an archive, in memory. Paths
/// start at the root of the dump: "sys/devices/system/cpu/online". Links are empty files. Reading ends soon,
/// with an error, once `stop` is requested.
class FileTree {
 public:
  /// Reads a directory: a dump, or "/" for this computer (then only /sys and /proc are looked at).
  static Result<FileTree> fromDirectory(const std::string& path, const std::stop_token& stop = {});
  /// Reads a tar archive, compressed or not, without unpacking it. Entries that leave the archive's root,
  /// damage and a missing end are errors.
  static Result<FileTree> fromArchive(const std::string& path, const std::stop_token& stop = {});

  bool has(const std::string& path) const { return m_files.contains(path); }
  bool hasUnder(const std::string& folder) const;  ///< any file below the folder
  /// Contents without blanks at the end; nothing when there is no such file or it is empty.
  std::optional<std::string> text(const std::string& path) const;
  /// Contents as they are, "" when there is no such file.
  const std::string& raw(const std::string& path) const;
  const std::map<std::string, std::string>& files() const { return m_files; }

 private:
  void add(std::string path, std::string contents) { m_files[std::move(path)] = std::move(contents); }
  void stripRoot();

  std::map<std::string, std::string> m_files;
};

}  // namespace rqscope
