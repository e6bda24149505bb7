// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/xml_scanner.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace rqscope {
namespace {

constexpr std::size_t kMaxDepth = 200;
constexpr std::size_t kMaxAttributes = 200;

bool isBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool isNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == ':' || c == '.';
}

}  // namespace

const std::string* XmlToken::find(std::string_view key) const {
  for (const auto& [attribute, value] : attributes)
    if (attribute == key) return &value;
  return nullptr;
}

Diagnostic XmlScanner::error(std::string message, std::string hint) {
  countLines();
  return {Severity::Error,
          {m_file, m_line, static_cast<int>(m_countedTo - m_lineStart) + 1},
          std::move(message),
          std::move(hint)};
}

// Lines are counted once, as reading goes on.
void XmlScanner::countLines() {
  for (const std::size_t end = std::min(m_at, m_text.size()); m_countedTo < end; ++m_countedTo)
    if (m_text[m_countedTo] == '\n') {
      ++m_line;
      m_lineStart = m_countedTo + 1;
    }
}

void XmlScanner::skipBlanks() {
  while (!atEnd() && isBlank(m_text[m_at])) ++m_at;
}

bool XmlScanner::skipPast(std::string_view end) {
  const auto found = m_text.find(end, m_at);
  if (found == std::string_view::npos) {
    m_at = m_text.size();
    return false;
  }
  m_at = found + end.size();
  return true;
}

Result<XmlToken> XmlScanner::next() {
  if (m_closeNext) {
    m_closeNext = false;
    XmlToken token;
    token.kind = XmlToken::Kind::Close;
    token.name = std::move(m_open.back());
    m_open.pop_back();
    return token;
  }
  for (;;) {
    skipBlanks();
    if (atEnd()) {
      if (!m_open.empty())
        return error(fmt::format("the text ends inside <{}>", m_open.back()), "a truncated file?");
      return XmlToken{};
    }
    const std::string_view rest = m_text.substr(m_at);
    if (rest[0] != '<') {
      const auto end = std::min(rest.find('<'), rest.size());
      XmlToken token;
      token.kind = XmlToken::Kind::Text;
      token.name = unescaped(rest.substr(0, end));
      m_at += end;
      return token;
    }
    const std::string_view skipTo = rest.starts_with("<?")     ? "?>"
                                    : rest.starts_with("<!--") ? "-->"
                                    : rest.starts_with("<!")   ? ">"
                                                               : "";
    if (skipTo.empty()) return tag();
    if (!skipPast(skipTo)) return error("the text ends inside a comment or declaration");
  }
}

Result<XmlToken> XmlScanner::tag() {
  XmlToken token;
  countLines();
  token.line = m_line;
  token.column = static_cast<int>(m_countedTo - m_lineStart) + 1;
  ++m_at;
  const bool isClose = !atEnd() && m_text[m_at] == '/';
  if (isClose) ++m_at;
  token.name = name();
  if (token.name.empty()) return error("a name is expected after <", "this is not XML");
  if (isClose) {
    skipBlanks();
    if (atEnd() || m_text[m_at] != '>') return error(fmt::format("</{} is not closed", token.name));
    ++m_at;
    if (m_open.empty() || m_open.back() != token.name)
      return error(fmt::format("</{}> closes nothing that is open", token.name));
    m_open.pop_back();
    token.kind = XmlToken::Kind::Close;
    return token;
  }
  token.kind = XmlToken::Kind::Open;
  for (;;) {
    skipBlanks();
    if (atEnd()) return error(fmt::format("the text ends inside <{}", token.name), "a truncated file?");
    if (m_text[m_at] == '>' || m_text.substr(m_at).starts_with("/>")) break;
    if (auto bad = attribute(token)) return *bad;
  }
  m_closeNext = m_text[m_at] == '/';
  m_at += m_closeNext ? 2 : 1;
  if (m_open.size() >= kMaxDepth) return error("elements nest too deep");
  m_open.push_back(token.name);
  return token;
}

std::optional<Diagnostic> XmlScanner::attribute(XmlToken& token) {
  std::string key = name();
  if (key.empty() || token.attributes.size() >= kMaxAttributes)
    return error(fmt::format("an attribute is expected in <{}>", token.name), "this is not XML");
  skipBlanks();
  if (atEnd() || m_text[m_at] != '=') return error(fmt::format("= is expected after {}", key));
  ++m_at;
  skipBlanks();
  if (atEnd() || (m_text[m_at] != '"' && m_text[m_at] != '\'')) return error("a quoted value is expected");
  const char quote = m_text[m_at++];
  const auto end = m_text.find(quote, m_at);
  if (end == std::string_view::npos) return error(fmt::format("the value of {} does not end", key));
  token.attributes.emplace_back(std::move(key), unescaped(m_text.substr(m_at, end - m_at)));
  m_at = end + 1;
  return std::nullopt;
}

std::string XmlScanner::name() {
  const std::size_t start = m_at;
  while (!atEnd() && isNameChar(m_text[m_at]) && m_at - start < 100) ++m_at;
  return std::string(m_text.substr(start, m_at - start));
}

std::string XmlScanner::unescaped(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const auto* entity = std::find_if(std::begin(kEntities), std::end(kEntities),
                                      [&](const auto& e) { return rest.starts_with(e.first); });
    if (entity != std::end(kEntities)) {
      out += entity->second;
      i += entity->first.size();
    } else {
      out += text[i++];
    }
  }
  return out;
}

}  // namespace rqscope
