// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workload/json_document.h"

namespace rqscope {

/// Walks over a JSON text character by character and knows line and column. Internal to the parser. All
/// functions that return bool return false when they recorded an error.
class JsonScanner {
 public:
  struct Mark {
    std::size_t offset = 0;
    int line = 1, column = 1;
  };

  JsonScanner(const std::string& file, std::string_view text) : m_file(file), m_text(text) {}

  /// Refuses binary files and other encodings; skips a byte order mark.
  bool checkIsText();
  bool skipBlank();                   ///< white space and comments
  bool readString(std::string& out);  ///< at a double quote
  void advanceBytes(std::size_t count);

  bool atEnd() const { return m_at.offset >= m_text.size(); }
  char peek() const { return atEnd() ? '\0' : m_text[m_at.offset]; }
  std::string peekWord() const;         ///< letters, digits, "_-." from here, at most 40
  std::string_view numberText() const;  ///< all that looks like one number or word from here
  std::string describeHere() const;     ///< "\"x\"", "the character U+00E4"
  Mark mark() const { return m_at; }
  int line() const { return m_at.line; }
  int column() const { return m_at.column; }
  std::size_t offset() const { return m_at.offset; }

  bool fail(std::string message, std::string hint) {
    return failAt(m_at, std::move(message), std::move(hint));
  }
  bool failAt(const Mark& where, std::string message, std::string hint);
  const std::optional<Diagnostic>& error() const { return m_error; }

 private:
  bool skipComment();
  bool readEscape(std::string& out);
  bool readUnicodeEscape(std::string& out);
  std::optional<unsigned> hexDigits(std::size_t from) const;
  bool checkUtf8(std::size_t& length);

  const std::string& m_file;
  std::string_view m_text;
  Mark m_at;
  std::optional<Diagnostic> m_error;
};

}  // namespace rqscope
