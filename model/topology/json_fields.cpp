// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/json_fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/profile.h"

namespace rqscope {

using nlohmann::json;

Result<json> parseJsonText(std::string_view text, const std::string& file) {
  try {
    return json::parse(text.begin(), text.end(), nullptr, true, true);  // with comments, as in a scenario
  } catch (const json::parse_error& e) {
    const std::string_view before = text.substr(0, std::min(e.byte, text.size()));
    const auto lineStart = before.rfind('\n');
    SourcePosition where{
        file, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
        static_cast<int>(before.size() - (lineStart == std::string_view::npos ? 0 : lineStart + 1))};
    return Diagnostic{Severity::Error, std::move(where), "this is not valid JSON from here on",
                      e.byte >= text.size() ? "the text ends too early" : ""};
  } catch (const json::exception&) {
    return Diagnostic{Severity::Error, {file, 0, 0}, "a number in this JSON is out of range", ""};
  }
}

JsonFields::JsonFields(const json& object, std::string path, std::string file,
                       std::vector<Diagnostic>& faults)
    : m_object(object), m_path(std::move(path)), m_file(std::move(file)), m_faults(faults) {
  if (!m_object.is_object()) fault("", "an object { } is expected here");
}

std::string JsonFields::pathOf(std::string_view key) const {
  if (key.empty()) return m_path.empty() ? "the file" : m_path;
  return m_path.empty() ? std::string(key) : fmt::format("{}.{}", m_path, key);
}

void JsonFields::fault(std::string_view key, std::string message, std::string hint) {
  m_faults.push_back(
      {Severity::Error, {m_file, 0, 0}, fmt::format("{}: {}", pathOf(key), message), std::move(hint)});
}

const json* JsonFields::find(const char* key) const {
  if (std::find(m_asked.begin(), m_asked.end(), key) == m_asked.end()) m_asked.emplace_back(key);
  if (!m_object.is_object()) return nullptr;
  const auto it = m_object.find(key);
  return it == m_object.end() || it->is_null() ? nullptr : &*it;
}

std::int64_t JsonFields::integer(const char* key, std::int64_t ifAbsent, std::int64_t low,
                                 std::int64_t high) {
  const json* value = find(key);
  if (value == nullptr) return ifAbsent;
  if (!value->is_number_integer()) {
    fault(key, "a whole number is expected");
    return ifAbsent;
  }
  const bool isHuge = value->is_number_unsigned() && value->get<std::uint64_t>() > 0x7fffffffffffffffULL;
  const auto number = isHuge ? high : value->get<std::int64_t>();
  if (isHuge || number < low || number > high) {
    fault(key, fmt::format("{} is out of range", value->dump()), fmt::format("{} to {}", low, high));
    return ifAbsent;
  }
  return number;
}

bool JsonFields::flag(const char* key, bool ifAbsent) {
  const json* value = find(key);
  if (value == nullptr) return ifAbsent;
  if (!value->is_boolean()) fault(key, "true or false is expected");
  return value->is_boolean() ? value->get<bool>() : ifAbsent;
}

std::string JsonFields::text(const char* key, std::string ifAbsent) {
  const json* value = find(key);
  if (value == nullptr) return ifAbsent;
  if (value->is_string()) return value->get<std::string>();
  fault(key, "a text is expected");
  return ifAbsent;
}

CpuMask JsonFields::cpuList(const char* key) {
  const std::string list = text(key);
  auto mask = CpuMask::parseList(list);
  if (mask.ok()) return std::move(mask).value();
  fault(key, mask.error().message, mask.error().hint);
  return {};
}

std::vector<JsonFields> JsonFields::objects(const char* key) {
  std::vector<JsonFields> out;
  const json* value = find(key);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    fault(key, "a list [ ] is expected");
    return out;
  }
  for (std::size_t i = 0; i < value->size(); ++i)
    out.emplace_back((*value)[i], fmt::format("{}[{}]", pathOf(key), i), m_file, m_faults);
  return out;
}

std::vector<int> JsonFields::integers(const char* key, int low, int high) {
  std::vector<int> out;
  const json* value = find(key);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    fault(key, "a list of numbers is expected");
    return out;
  }
  for (const json& entry : *value) {
    if (!entry.is_number_integer() || entry.get<std::int64_t>() < low || entry.get<std::int64_t>() > high) {
      fault(key, fmt::format("{} is out of range", entry.dump()), fmt::format("{} to {}", low, high));
      return out;
    }
    out.push_back(entry.get<int>());
  }
  return out;
}

void JsonFields::refuseUnknown() {
  if (!m_object.is_object()) return;
  const std::vector<std::string_view> known(m_asked.begin(), m_asked.end());
  for (const auto& [key, value] : m_object.items()) {
    if (std::find(m_asked.begin(), m_asked.end(), key) != m_asked.end()) continue;
    const auto near = nearestName(key, known);
    fault(key, "there is no such key", near.empty() ? "" : fmt::format("did you mean {}?", near));
  }
}

}  // namespace rqscope
