// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace rqscope {

namespace {

constexpr std::uintmax_t kMaxFileBytes = 256U << 20;

Diagnostic fileError(const std::string& path, std::string message, std::string hint) {
  return {Severity::Error, {path, 0, 0}, std::move(message), std::move(hint)};
}

}  // namespace

const JsonMember* JsonValue::find(std::string_view key) const {
  for (auto it = members.rbegin(); it != members.rend(); ++it)
    if (it->key == key) return &*it;
  return nullptr;
}

Result<std::string> readTextFile(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return fileError(path, "there is no such file", "check the name and the folder");
  if (fs::is_directory(status)) return fileError(path, "this is a folder, not a file", "name a file in it");
  if (fs::is_regular_file(status)) {
    const std::uintmax_t size = fs::file_size(path, error);
    if (!error && size > kMaxFileBytes)
      return fileError(path, fmt::format("the file is too big ({} MB)", size >> 20), "the limit is 256 MB");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return fileError(path, fmt::format("cannot be opened: {}", std::strerror(errno)), "");
  std::string text;
  constexpr std::size_t kChunk = 1U << 16;
  std::string chunk(kChunk, '\0');
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || in.gcount() > 0) {
    text.append(chunk, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxFileBytes) return fileError(path, "the file is too big", "the limit is 256 MB");
  }
  if (in.bad()) return fileError(path, fmt::format("cannot be read: {}", std::strerror(errno)), "");
  return text;
}

std::pair<int, int> locateJsonPath(const JsonValue& root, std::string_view path) {
  const JsonValue* at = &root;
  std::pair<int, int> found{root.line, root.column};
  while (!path.empty()) {
    const std::size_t end = path.find_first_of(".[]", 1);
    std::string_view step = path.substr(0, end);
    path.remove_prefix(std::min(end, path.size()));
    if (step.starts_with('[')) {
      std::size_t index = 0;
      const auto r = std::from_chars(step.data() + 1, step.data() + step.size(), index);
      if (r.ec != std::errc{} || index >= at->items.size()) break;
      at = &at->items[index];
      found = {at->line, at->column};
    } else if (!step.starts_with(']')) {
      if (step.starts_with('.')) step.remove_prefix(1);
      const JsonMember* member = at->find(step);
      if (member == nullptr) break;
      found = {member->line, member->column};
      at = &member->value;
    }
  }
  return found;
}

std::string_view kindWords(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::Null:
      return "null";
    case JsonValue::Kind::Bool:
      return "true or false";
    case JsonValue::Kind::Integer:
      return "a whole number";
    case JsonValue::Kind::Real:
      return "a number with a fraction";
    case JsonValue::Kind::String:
      return "a text in quotes";
    case JsonValue::Kind::Array:
      return "a list [...]";
    case JsonValue::Kind::Object:
      return "an object {...}";
  }
  return "";
}

std::string quoteJson(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  return out + "\"";
}

}  // namespace rqscope
