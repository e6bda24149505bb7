// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/cpumask.h"
#include "base/result.h"

namespace rqscope {

/// Parses JSON text; an error names line and column.
Result<nlohmann::json> parseJsonText(std::string_view text, const std::string& file);

/// Typed access to one JSON object. Faults are collected, with the path of the key; reading goes on with the
/// default.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string path, std::string file,
             std::vector<Diagnostic>& faults);

  bool has(const char* key) const { return find(key) != nullptr; }
  const nlohmann::json* find(const char* key) const;  ///< nullptr when absent or null
  std::int64_t integer(const char* key, std::int64_t ifAbsent, std::int64_t low, std::int64_t high);
  bool flag(const char* key, bool ifAbsent);
  std::string text(const char* key, std::string ifAbsent = {});
  CpuMask cpuList(const char* key);
  /// Objects of an array under `key`; none when absent.
  std::vector<JsonFields> objects(const char* key);
  std::vector<int> integers(const char* key, int low, int high);

  void fault(std::string_view key, std::string message, std::string hint = {});
  /// Reports keys that nobody asked for, with the nearest one that was.
  void refuseUnknown();
  const std::string& path() const { return m_path; }

 private:
  std::string pathOf(std::string_view key) const;

  const nlohmann::json& m_object;
  std::string m_path;
  std::string m_file;
  std::vector<Diagnostic>& m_faults;
  mutable std::vector<std::string> m_asked;
};

}  // namespace rqscope
