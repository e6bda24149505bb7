// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

// Why an own parser: people's rt-app files have comments, trailing commas, keys that repeat and keep their
// order, keys without a value, and want errors with line and column. nlohmann's parser keeps neither
// positions nor repeated keys and knows no value-less key, not even through its SAX interface.

namespace rqscope {

struct JsonMember;

/// One value of a JSON text with the place where it stands. A tree; never deeper than kMaxJsonDepth.
struct JsonValue {
  enum class Kind : std::uint8_t { Null, Bool, Integer, Real, String, Array, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  int line = 0, column = 0;         ///< first character, from 1
  std::size_t begin = 0, end = 0;   ///< bytes of the text that it takes, for copying it as it is
  std::int64_t integer = 0;         ///< of Integer
  double real = 0;                  ///< of Real and Integer
  std::string string;               ///< of String, valid UTF-8
  std::vector<JsonValue> items;     ///< of Array
  std::vector<JsonMember> members;  ///< of Object, in the order of the text, repeated keys kept

  bool is(Kind k) const { return kind == k; }
  /// Last member with that key, or nullptr.
  const JsonMember* find(std::string_view key) const;
};

/// One key of an object. Invariant: `value` is Null and stands where the key stands when there is none.
struct JsonMember {
  std::string key;
  int line = 0, column = 0;
  bool hasValue = true;  ///< false: a bare key as in { "suspend", "run" : 5 }
  JsonValue value;
};

/// A parsed text: its tree and where it came from.
struct JsonDocument {
  std::string file;
  std::string text;
  JsonValue root;

  std::string_view source(const JsonValue& value) const {
    return std::string_view{text}.substr(value.begin, value.end - value.begin);
  }
};

/// Objects and arrays inside each other are refused beyond this.
inline constexpr int kMaxJsonDepth = 200;

/// Parses JSON with comments, trailing commas, repeated keys and value-less keys. Errors have position and
/// hint. `file` is only a name. Columns count characters, not bytes.
Result<JsonDocument> parseJson(std::string file, std::string text);

/// Reads a whole file; the error says why not. Refuses folders and files over 256 MB.
Result<std::string> readTextFile(const std::string& path);

/// Line and column of what a path such as "cpus[0].node" names, as far as it can be followed.
std::pair<int, int> locateJsonPath(const JsonValue& root, std::string_view path);

/// What a kind is called in an error: "a number", "an object", "a key without a value".
std::string_view kindWords(JsonValue::Kind kind);

/// The text as a JSON string with its quotes.
std::string quoteJson(std::string_view text);

}  // namespace rqscope
