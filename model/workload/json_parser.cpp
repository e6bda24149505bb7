// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "workload/json_scanner.h"

namespace rqscope {

namespace {

using Kind = JsonValue::Kind;

/// Recursive descent over the scanner; depth is bounded, the first error ends it.
class JsonParser {
 public:
  explicit JsonParser(JsonScanner& scanner) : m_scan(scanner) {}

  bool parseDocument(JsonValue& root) {
    if (!m_scan.skipBlank()) return false;
    if (m_scan.atEnd())
      return m_scan.fail("the file holds no JSON", "a JSON file starts with \"{\" and ends with \"}\"");
    if (!parseValue(root, "the document", 0)) return false;
    if (!m_scan.skipBlank()) return false;
    if (m_scan.atEnd()) return true;
    if (m_scan.peek() == '}' || m_scan.peek() == ']')
      return m_scan.fail(fmt::format("this \"{}\" closes nothing", m_scan.peek()),
                         "there is one closing bracket too many: remove it or open one before");
    return m_scan.fail("there is more text after the end of the document",
                       fmt::format("the document that opened at line {} is closed before this: look for a "
                                   "bracket that closes too early",
                                   root.line));
  }

 private:
  bool parseValue(JsonValue& out, const std::string& what, int depth);
  bool parseObject(JsonValue& out, int depth);
  bool parseArray(JsonValue& out, int depth);
  bool parseMember(JsonValue& object, int depth);
  bool parseNumber(JsonValue& out);
  bool parseWord(JsonValue& out);
  bool badValueStart(const std::string& what);
  bool badKeyStart(const JsonValue& object);
  enum class After { Next, Closed, Failed };
  After afterElement(const JsonValue& container, char close, const std::string& what);

  JsonScanner& m_scan;
};

bool JsonParser::parseValue(JsonValue& out, const std::string& what, int depth) {
  out.line = m_scan.line();
  out.column = m_scan.column();
  out.begin = m_scan.offset();
  bool ok = false;
  const char c = m_scan.peek();
  if ((c == '{' || c == '[') && depth >= kMaxJsonDepth)
    return m_scan.fail(fmt::format("objects and lists are nested more than {} deep", kMaxJsonDepth),
                       "no file that can be meant needs that; look for brackets that are never closed");
  if (c == '{')
    ok = parseObject(out, depth);
  else if (c == '[')
    ok = parseArray(out, depth);
  else if (c == '"') {
    out.kind = Kind::String;
    ok = m_scan.readString(out.string);
  } else if (c == '-' || (c >= '0' && c <= '9'))
    ok = parseNumber(out);
  else if (c == 't' || c == 'f' || c == 'n')
    ok = parseWord(out);
  else
    return badValueStart(what);
  out.end = m_scan.offset();
  return ok;
}

bool JsonParser::badValueStart(const std::string& what) {
  if (m_scan.atEnd())
    return m_scan.fail(fmt::format("the file ends where the value of {} should be", what), "");
  const std::string word = m_scan.peekWord();
  if (m_scan.peek() == '\'')
    return m_scan.fail("texts stand in double quotes", "write \"...\" instead of '...'");
  if (word == "True" || word == "False" || word == "None" || word == "NULL")
    return m_scan.fail(fmt::format("\"{}\" is not JSON", word), "write true, false or null");
  if (m_scan.peek() == '+') return m_scan.fail("a number does not start with \"+\"", "leave the \"+\" out");
  if (m_scan.peek() == '.')
    return m_scan.fail("a number does not start with \".\"", "write 0.5 instead of .5");
  if (m_scan.peek() == ',' || m_scan.peek() == '}' || m_scan.peek() == ']')
    return m_scan.fail(fmt::format("{} has no value: \"{}\" follows", what, m_scan.peek()),
                       "write a number, a text in quotes, true, false, [...] or {...} here");
  if (!word.empty())
    return m_scan.fail(fmt::format("{} is not a JSON value", word),
                       fmt::format("put a text in double quotes: \"{}\"", word));
  return m_scan.fail(fmt::format("{} cannot start a value", m_scan.describeHere()),
                     "a value is a number, a text in quotes, true, false, null, [...] or {...}");
}

bool JsonParser::parseWord(JsonValue& out) {
  const std::string word = m_scan.peekWord();
  if (word == "true" || word == "false") {
    out.kind = Kind::Bool;
    out.boolean = word == "true";
  } else if (word != "null") {
    return badValueStart("this");
  }
  m_scan.advanceBytes(word.size());
  return true;
}

bool JsonParser::parseNumber(JsonValue& out) {
  const std::string_view word = m_scan.numberText();
  const std::size_t digits = word.front() == '-' ? 1 : 0;
  const auto bad = [&](std::string why, std::string hint) {
    return m_scan.fail(fmt::format("\"{}\" is not a number: {}", word, why), std::move(hint));
  };
  if (digits >= word.size() || word[digits] < '0' || word[digits] > '9')
    return bad("no digit follows the sign", "write -5, for example");
  if (word[digits] == '0' && word.size() > digits + 1 && word[digits + 1] != '.' && word[digits + 1] != 'e' &&
      word[digits + 1] != 'E')
    return bad(word[digits + 1] == 'x' || word[digits + 1] == 'X' ? "JSON has no hexadecimal numbers"
                                                                  : "it starts with 0",
               "write it as a plain decimal number");
  const char* first = word.data();
  const char* last = word.data() + word.size();
  if (word.find_first_of(".eE") == std::string_view::npos) {
    const auto r = std::from_chars(first, last, out.integer);
    if (r.ec == std::errc::result_out_of_range)
      return bad("it is too big", "the limit is 9223372036854775807");
    if (r.ec != std::errc{} || r.ptr != last) return bad("it has a letter in it", "write digits, no unit");
    out.kind = Kind::Integer;
    out.real = static_cast<double>(out.integer);
  } else {
    const auto r = std::from_chars(first, last, out.real);
    if (r.ec == std::errc::result_out_of_range) return bad("it is too big or too small", "");
    if (r.ec != std::errc{} || r.ptr != last || word.back() == '.')
      return bad("it is not in decimal notation", "write 1.5 or 1e3, for example");
    out.kind = Kind::Real;
  }
  m_scan.advanceBytes(word.size());
  return true;
}

bool JsonParser::parseArray(JsonValue& out, int depth) {
  out.kind = Kind::Array;
  m_scan.advanceBytes(1);
  while (true) {
    if (!m_scan.skipBlank()) return false;
    if (m_scan.peek() == ']') {
      m_scan.advanceBytes(1);
      return true;
    }
    const std::string what = fmt::format("element {}", out.items.size());
    if (m_scan.atEnd())
      return m_scan.fail(fmt::format("the file ends inside the list that opened at line {}", out.line),
                         "close it with \"]\"");
    JsonValue item;
    if (!parseValue(item, what, depth + 1)) return false;
    out.items.push_back(std::move(item));
    const After after = afterElement(out, ']', what);
    if (after != After::Next) return after == After::Closed;
  }
}

bool JsonParser::parseObject(JsonValue& out, int depth) {
  out.kind = Kind::Object;
  m_scan.advanceBytes(1);
  while (true) {
    if (!m_scan.skipBlank()) return false;
    if (m_scan.peek() == '}') {
      m_scan.advanceBytes(1);
      return true;
    }
    if (m_scan.peek() != '"') return badKeyStart(out);
    if (!parseMember(out, depth)) return false;
    const After after = afterElement(out, '}', fmt::format("\"{}\"", out.members.back().key));
    if (after != After::Next) return after == After::Closed;
  }
}

bool JsonParser::parseMember(JsonValue& object, int depth) {
  JsonMember member;
  member.line = member.value.line = m_scan.line();
  member.column = member.value.column = m_scan.column();
  if (!m_scan.readString(member.key)) return false;
  const JsonScanner::Mark afterKey = m_scan.mark();
  if (!m_scan.skipBlank()) return false;
  if (m_scan.peek() == ':') {
    m_scan.advanceBytes(1);
    if (!m_scan.skipBlank()) return false;
    if (!parseValue(member.value, fmt::format("\"{}\"", member.key), depth + 1)) return false;
  } else if (m_scan.peek() == ',' || m_scan.peek() == '}') {
    member.hasValue = false;
    member.value.begin = member.value.end = afterKey.offset;
  } else if (m_scan.peek() == '=') {
    return m_scan.fail(fmt::format("\"=\" stands after the key \"{}\"", member.key), "write \":\" instead");
  } else if (m_scan.atEnd()) {
    return m_scan.fail(fmt::format("the file ends after the key \"{}\"", member.key),
                       "write \":\" and a value");
  } else {
    return m_scan.failAt(afterKey, fmt::format("\":\" is missing after the key \"{}\"", member.key),
                         fmt::format("write \"{}\" : and its value, or a \",\" if it has none", member.key));
  }
  object.members.push_back(std::move(member));
  return true;
}

bool JsonParser::badKeyStart(const JsonValue& object) {
  const char c = m_scan.peek();
  if (m_scan.atEnd())
    return m_scan.fail(fmt::format("the file ends inside the object that opened at line {}", object.line),
                       "close it with \"}\"");
  if (c == ']')
    return m_scan.fail(fmt::format("\"]\" closes an object that opened with \"{{\" at line {}", object.line),
                       "write \"}\"");
  if (c == ',') return m_scan.fail("there is a \",\" too many", "remove it");
  if (c == '\'') return m_scan.fail("keys stand in double quotes", "write \"key\" instead of 'key'");
  const std::string word = m_scan.peekWord();
  if (!word.empty())
    return m_scan.fail(fmt::format("the key {} has no quotes", word), fmt::format("write \"{}\"", word));
  return m_scan.fail(fmt::format("{} stands where a key should be", m_scan.describeHere()),
                     "a key is a text in double quotes followed by \":\"");
}

JsonParser::After JsonParser::afterElement(const JsonValue& container, char close, const std::string& what) {
  const JsonScanner::Mark end = m_scan.mark();
  if (!m_scan.skipBlank()) return After::Failed;
  const char c = m_scan.peek();
  const char* kind = close == ']' ? "list" : "object";
  if (c == close) {
    m_scan.advanceBytes(1);
    return After::Closed;
  }
  if (c == ',') {
    m_scan.advanceBytes(1);
    return After::Next;
  }
  if (m_scan.atEnd())
    m_scan.fail(fmt::format("the file ends inside the {} that opened at line {}", kind, container.line),
                fmt::format("close it with \"{}\"", close));
  else if (c == ']' || c == '}')
    m_scan.fail(fmt::format("\"{}\" closes the {} that opened at line {}", c, kind, container.line),
                fmt::format("write \"{}\"", close));
  else if (c == ';')
    m_scan.fail(fmt::format("\";\" stands after {}", what), "write \",\" instead");
  else
    m_scan.failAt(end, fmt::format("\",\" is missing after {}", what),
                  fmt::format("write \",\" before {}", m_scan.describeHere()));
  return After::Failed;
}

}  // namespace

Result<JsonDocument> parseJson(std::string file, std::string text) {
  JsonDocument document;
  document.file = std::move(file);
  document.text = std::move(text);
  JsonScanner scanner(document.file, document.text);
  if (!scanner.checkIsText()) return *scanner.error();
  JsonParser parser(scanner);
  if (!parser.parseDocument(document.root)) return *scanner.error();
  return document;
}

}  // namespace rqscope
