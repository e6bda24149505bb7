// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace rqscope {

/// One start or end tag, or text between tags.
struct XmlToken {
  enum class Kind { Open, Close, Text, End } kind = Kind::End;
  std::string name;  ///< element name, or the text
  std::vector<std::pair<std::string, std::string>> attributes;
  int line = 1, column = 1;

  /// Value of an attribute; nullptr when absent.
  const std::string* find(std::string_view key) const;
};

/// Reads plain XML token by token: no DTD, no external entities. An empty element gives Open and Close.
/// Checks that elements nest; depth and sizes are limited.
class XmlScanner {
 public:
  XmlScanner(std::string_view text, std::string file) : m_text(text), m_file(std::move(file)) {}

  Result<XmlToken> next();
  Diagnostic error(std::string message, std::string hint = {});

 private:
  bool atEnd() const { return m_at >= m_text.size(); }
  void countLines();
  void skipBlanks();
  bool skipPast(std::string_view end);
  Result<XmlToken> tag();
  std::optional<Diagnostic> attribute(XmlToken& token);
  std::string name();
  static std::string unescaped(std::string_view text);

  std::string_view m_text;
  std::string m_file;
  std::size_t m_at = 0;
  std::size_t m_countedTo = 0, m_lineStart = 0;
  int m_line = 1;
  std::vector<std::string> m_open;
  bool m_closeNext = false;
};

}  // namespace rqscope
