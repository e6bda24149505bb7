// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpumask.h"
#include "base/result.h"
#include "workload/json_document.h"

namespace rqscope {

/// Collects what is wrong with one file. After kMaxDiagnostics it only counts.
class JsonLint {
 public:
  explicit JsonLint(std::string file) : m_file(std::move(file)) {}

  void add(Severity severity, int line, int column, std::string message, std::string hint);
  void error(const JsonValue& at, std::string message, std::string hint) {
    add(Severity::Error, at.line, at.column, std::move(message), std::move(hint));
  }
  void error(const JsonMember& at, std::string message, std::string hint) {
    add(Severity::Error, at.line, at.column, std::move(message), std::move(hint));
  }
  void warning(const JsonMember& at, std::string message, std::string hint) {
    add(Severity::Warning, at.line, at.column, std::move(message), std::move(hint));
  }
  void note(const JsonMember& at, std::string message, std::string hint) {
    add(Severity::Note, at.line, at.column, std::move(message), std::move(hint));
  }
  void addAll(const std::vector<Diagnostic>& diagnostics);

  bool failed() const { return m_errors != 0; }
  const std::string& file() const { return m_file; }
  /// Errors only when there are any, else warnings and notes; in the order of the file.
  std::vector<Diagnostic> take();

 private:
  std::string m_file;
  std::vector<Diagnostic> m_diagnostics;
  std::size_t m_errors = 0, m_left = 0;
};

/// The value as whole number in [min, max], or nothing and an error that names `what`.
std::optional<std::int64_t> readInteger(const JsonValue& value, std::string_view what, std::int64_t min,
                                        std::int64_t max, JsonLint& lint);
/// A length or point of time with its unit in text: "100ms", "2.5 s", "16us", "700ns"; in ns, exact.
std::optional<std::int64_t> readDuration(const JsonValue& value, std::string_view what, JsonLint& lint);
/// The same for a text outside of a file; nothing when it is not one.
std::optional<std::int64_t> parseDuration(std::string_view text);
/// The shortest exact way to write it: "100ms", "2500us".
std::string durationText(std::int64_t ns);
/// CPUs as [0, 1, 2] or "0-2,5"; not empty.
std::optional<CpuMask> readCpus(const JsonValue& value, std::string_view what, JsonLint& lint);

/// Reads the members of one object; finish() reports those that nobody asked for.
class ObjectReader {
 public:
  enum class Unknown : std::uint8_t { Error, Warning };

  /// `what` names the object in messages: "the scenario", "task \"A\"". Repeated keys are an error.
  ObjectReader(const JsonValue& object, std::string what, JsonLint& lint);

  /// The member with its value, or nullptr; a member without a value is an error.
  const JsonMember* member(std::string_view key);
  const JsonMember* member(std::string_view key, JsonValue::Kind kind);
  /// The member must be there.
  const JsonMember* required(std::string_view key, std::string_view hint);
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t min, std::int64_t max);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::string> text(std::string_view key);
  std::optional<std::int64_t> duration(std::string_view key);
  std::optional<CpuMask> cpus(std::string_view key);
  void finish(Unknown unknown);

 private:
  const JsonValue& m_object;
  std::string m_what;
  JsonLint& m_lint;
  std::vector<std::string_view> m_known;
};

}  // namespace rqscope
