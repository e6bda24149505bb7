// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/json_scanner.h"

#include <fmt/format.h>

namespace rqscope {

namespace {

bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.';
}

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Bytes of the UTF-8 character that starts with `lead`; 0: none starts so.
std::size_t utf8Length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

void appendUtf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | (code >> 12));
    out += static_cast<char>(0x80U | ((code >> 6) & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    out += static_cast<char>(0xF0U | (code >> 18));
    out += static_cast<char>(0x80U | ((code >> 12) & 0x3FU));
    out += static_cast<char>(0x80U | ((code >> 6) & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

}  // namespace

bool JsonScanner::failAt(const Mark& where, std::string message, std::string hint) {
  if (!m_error)
    m_error =
        Diagnostic{Severity::Error, {m_file, where.line, where.column}, std::move(message), std::move(hint)};
  return false;
}

bool JsonScanner::checkIsText() {
  if (m_text.starts_with("\xEF\xBB\xBF")) m_at.offset = 3;
  const std::string_view head = m_text.substr(0, 512);
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF"))
    return fail("the file is UTF-16", "save it as UTF-8");
  if (head.starts_with("\x1F\x8B"))
    return fail("the file is compressed (gzip)", "unpack it with gunzip first");
  if (head.find('\0') != std::string_view::npos)
    return fail("the file is binary, not JSON text", "name a text file in JSON");
  return true;
}

void JsonScanner::advanceBytes(std::size_t count) {
  for (std::size_t i = 0; i < count && !atEnd(); ++i) {
    const char c = m_text[m_at.offset++];
    if (c == '\n') {
      ++m_at.line;
      m_at.column = 1;
    } else if (!isContinuation(c)) {
      ++m_at.column;
    }
  }
}

bool JsonScanner::skipBlank() {
  while (!atEnd()) {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      advanceBytes(1);
    } else if (c == '/') {
      if (!skipComment()) return false;
    } else if (c == '#') {
      return fail("\"#\" does not start a comment", "write // or /* ... */");
    } else {
      return true;
    }
  }
  return true;
}

bool JsonScanner::skipComment() {
  const std::string_view rest = m_text.substr(m_at.offset);
  if (rest.starts_with("//")) {
    const std::size_t end = rest.find('\n');
    advanceBytes(end == std::string_view::npos ? rest.size() : end);
    return true;
  }
  if (rest.starts_with("/*")) {
    const std::size_t end = rest.find("*/", 2);
    if (end == std::string_view::npos)
      return fail("the comment that starts here never ends", "close it with */");
    advanceBytes(end + 2);
    return true;
  }
  return fail("\"/\" is not JSON", "a comment starts with // or /*");
}

std::string JsonScanner::peekWord() const {
  constexpr std::size_t kLongest = 40;
  std::size_t end = m_at.offset;
  while (end < m_text.size() && end - m_at.offset < kLongest && isWordCharacter(m_text[end])) ++end;
  return std::string{m_text.substr(m_at.offset, end - m_at.offset)};
}

std::string_view JsonScanner::numberText() const {
  std::size_t end = m_at.offset;
  while (end < m_text.size() && (isWordCharacter(m_text[end]) || m_text[end] == '+')) ++end;
  return m_text.substr(m_at.offset, end - m_at.offset);
}

std::string JsonScanner::describeHere() const {
  if (atEnd()) return "the end of the file";
  const auto c = static_cast<unsigned char>(peek());
  if (c > 0x20 && c < 0x7F) return fmt::format("'{}'", peek());
  return fmt::format("the byte 0x{:02x}", c);
}

bool JsonScanner::checkUtf8(std::size_t& length) {
  const auto lead = static_cast<unsigned char>(peek());
  length = utf8Length(lead);
  bool ok = length != 0 && m_at.offset + length <= m_text.size();
  for (std::size_t i = 1; ok && i < length; ++i) ok = isContinuation(m_text[m_at.offset + i]);
  if (ok && length > 2) {  // Overlong forms, surrogates and what is beyond Unicode.
    const auto second = static_cast<unsigned char>(m_text[m_at.offset + 1]);
    ok = !((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
           (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F));
  }
  if (ok) return true;
  return fail(fmt::format("the byte 0x{:02x} is not valid UTF-8", lead), "save the file as UTF-8");
}

bool JsonScanner::readString(std::string& out) {
  const Mark open = m_at;
  advanceBytes(1);
  while (!atEnd()) {
    const char c = peek();
    if (c == '"') {
      advanceBytes(1);
      return true;
    }
    if (c == '\n')
      return failAt(open, "the text that starts here does not end on its line", "close it with \"");
    if (c == '\\') {
      if (!readEscape(out)) return false;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t')
      return fail(fmt::format("the control character 0x{:02x} stands inside a text",
                              static_cast<unsigned>(static_cast<unsigned char>(c))),
                  "remove it");
    std::size_t length = 1;
    if (!checkUtf8(length)) return false;
    out.append(m_text.substr(m_at.offset, length));
    advanceBytes(length);
  }
  return failAt(open, "the text that starts here never ends", "close it with \"");
}

bool JsonScanner::readEscape(std::string& out) {
  const std::string_view rest = m_text.substr(m_at.offset);
  const char kind = rest.size() > 1 ? rest[1] : '\0';
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  const std::size_t index = kNames.find(kind);
  if (kind != '\0' && index != std::string_view::npos) {
    out += kValues[index];
    advanceBytes(2);
    return true;
  }
  if (kind == 'u') return readUnicodeEscape(out);
  return fail("this \"\\\" starts no known escape", "a backslash itself is written \\\\");
}

std::optional<unsigned> JsonScanner::hexDigits(std::size_t from) const {
  constexpr std::size_t kDigits = 4;
  if (from + kDigits > m_text.size()) return std::nullopt;
  unsigned value = 0;
  for (std::size_t i = 0; i < kDigits; ++i) {
    const char c = m_text[from + i];
    unsigned digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<unsigned>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<unsigned>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<unsigned>(c - 'A') + 10;
    else
      return std::nullopt;
    value = value * 16 + digit;
  }
  return value;
}

bool JsonScanner::readUnicodeEscape(std::string& out) {
  constexpr std::size_t kEscape = 6;  // \uXXXX
  const std::optional<unsigned> high = hexDigits(m_at.offset + 2);
  if (!high) return fail("\\u wants four hexadecimal digits", "write \\u00e4, for example");
  if (*high == 0) return fail("\\u0000 cannot be part of a text", "remove it");
  if (*high < 0xD800 || *high > 0xDFFF) {
    appendUtf8(out, *high);
    advanceBytes(kEscape);
    return true;
  }
  const std::string_view rest = m_text.substr(m_at.offset + kEscape);
  const bool hasLow = *high <= 0xDBFF && rest.starts_with("\\u");
  const unsigned low = hasLow ? hexDigits(m_at.offset + kEscape + 2).value_or(0) : 0;
  if (low < 0xDC00 || low > 0xDFFF)
    return fail("this is half a character (a lone surrogate)", "write both halves, or the character itself");
  appendUtf8(out, 0x10000U + ((*high - 0xD800U) << 10) + (low - 0xDC00U));
  advanceBytes(2 * kEscape);
  return true;
}

}  // namespace rqscope
