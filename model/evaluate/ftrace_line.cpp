// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/ftrace_line.h"

#include <charconv>
#include <string>

namespace rqscope {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

std::uint64_t numberOf(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// "5.015109" in ns.
std::uint64_t secondsOf(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const std::size_t dot = text.find('.');
  std::uint64_t ns = numberOf(text.substr(0, dot)) * kNsPerSecond;
  if (dot == std::string_view::npos) return ns;
  std::uint64_t scale = kNsPerSecond;
  for (const char digit : text.substr(dot + 1)) {
    scale /= 10;
    if (digit < '0' || digit > '9' || scale == 0) break;
    ns += static_cast<std::uint64_t>(digit - '0') * scale;
  }
  return ns;
}

/// Where the value of a key begins; npos: it is not there.
std::size_t beginOf(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const std::size_t equals = at + key.size();
    if ((at == 0 || text[at - 1] == ' ') && equals < text.size() && text[equals] == '=') return equals + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view FtraceLine::value(std::string_view key) const {
  const std::size_t begin = beginOf(body, key);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = body.substr(begin);
  return rest.substr(0, rest.find(' '));
}

std::string_view FtraceLine::valueUpTo(std::string_view key, std::string_view before) const {
  const std::size_t begin = beginOf(body, key);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = body.substr(begin);
  for (std::size_t at = rest.find(before); at != std::string_view::npos; at = rest.find(before, at + 1))
    if (at != 0 && rest[at - 1] == ' ') return rest.substr(0, at - 1);
  return rest;
}

std::uint64_t FtraceLine::number(std::string_view key) const { return numberOf(value(key)); }

std::optional<FtraceLine> parseFtraceLine(std::string_view text) {
  const std::size_t open = text.find(" [");
  const std::size_t close = text.find("] ", open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos || text.starts_with("#"))
    return std::nullopt;
  FtraceLine line;
  std::string_view head = text.substr(0, open);
  while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  line.pid = numberOf(head.substr(head.rfind('-') + 1));
  line.cpu = static_cast<int>(numberOf(text.substr(open + 2, close - open - 2)));
  const std::size_t time = text.find(": ", close);
  if (time == std::string_view::npos) return std::nullopt;
  const std::string_view stamp = text.substr(0, time);
  line.timeNs = secondsOf(stamp.substr(stamp.rfind(' ') + 1));
  const std::string_view rest = text.substr(time + 2);
  const std::size_t name = rest.find(": ");
  if (name == std::string_view::npos) return std::nullopt;
  line.event = rest.substr(0, name);
  line.body = rest.substr(name + 2);
  return line;
}

}  // namespace rqscope
