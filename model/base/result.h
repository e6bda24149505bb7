// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"

namespace rqscope {

/// Where in an input something stands. Line and column count from 1; 0 means "the file as a whole".
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class Severity { Note, Warning, Error };

/// What is wrong with an input: where, what, and what would be right.
struct Diagnostic {
  Severity severity = Severity::Error;
  SourcePosition where;
  std::string message;  ///< what was wrong, one plain sentence
  std::string hint;     ///< what would be right; may be empty

  /// "file:line:column: error: message (hint)"
  std::string text() const;
};

/// A value, or the reason why the world (file, option) did not give one. Warnings may come with either.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : m_value(std::move(value)) {}                                // NOLINT: implicit on purpose
  Result(Diagnostic error) : m_diagnostics{std::move(error)} {}                 // NOLINT: implicit on purpose
  Result(std::vector<Diagnostic> errors) : m_diagnostics(std::move(errors)) {}  // NOLINT

  bool ok() const { return m_value.has_value(); }
  explicit operator bool() const { return ok(); }
  const T& value() const& {
    RQS_CHECK(ok(), "value() of a failed Result");
    return *m_value;
  }
  T& value() & {
    RQS_CHECK(ok(), "value() of a failed Result");
    return *m_value;
  }
  T&& value() && {
    RQS_CHECK(ok(), "value() of a failed Result");
    return std::move(*m_value);
  }
  /// Errors when !ok(); warnings and notes when ok().
  const std::vector<Diagnostic>& diagnostics() const { return m_diagnostics; }
  std::vector<Diagnostic>& diagnostics() { return m_diagnostics; }
  const Diagnostic& error() const {
    RQS_CHECK(!ok(), "error() of a good Result");
    return m_diagnostics.front();
  }

 private:
  std::optional<T> m_value;
  std::vector<Diagnostic> m_diagnostics;
};

}  // namespace rqscope
