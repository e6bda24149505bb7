// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/trace_line.h"

#include <charconv>

namespace rqscope {

namespace {

constexpr std::string_view kDigits = "0123456789";

bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmedLeft(std::string_view s) {
  const std::size_t at = s.find_first_not_of(" \t");
  return at == std::string_view::npos ? std::string_view{} : s.substr(at);
}

std::string_view trimmedRight(std::string_view s) {
  const std::size_t at = s.find_last_not_of(" \t");
  return at == std::string_view::npos ? std::string_view{} : s.substr(0, at + 1);
}

template <class T>
bool toNumber(std::string_view digits, T& out) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc{} && end == digits.data() + digits.size();
}

/// "seconds.fraction" as ns; a fraction of any length up to nine digits.
bool toNanoseconds(std::string_view text, std::uint64_t& ns) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view fraction = text.substr(dot + 1);
  std::uint64_t seconds = 0;
  std::uint64_t part = 0;
  if (fraction.empty() || fraction.size() > 9) return false;
  if (!toNumber(text.substr(0, dot), seconds) || !toNumber(fraction, part)) return false;
  for (std::size_t i = fraction.size(); i < 9; ++i) part *= 10;
  if (seconds > 9'000'000'000U) return false;
  ns = seconds * 1'000'000'000U + part;
  return true;
}

/// Reads "comm-pid", "comm-pid (tgid)" or perf's "comm pid" and "comm pid/tid" from the end.
bool readTask(std::string_view head, TraceLine& out) {
  head = trimmedRight(head);
  if (head.ends_with(')')) {
    const std::size_t open = head.rfind('(');
    if (open == std::string_view::npos) return false;
    out.hasGroup = true;
    head = trimmedRight(head.substr(0, open));
  }
  const std::size_t before = head.find_last_not_of(kDigits);
  if (before == std::string_view::npos || before + 1 == head.size()) return false;
  if (!toNumber(head.substr(before + 1), out.pid)) return false;
  std::string_view comm = head.substr(0, before);
  if (head[before] == '/') comm = comm.substr(0, comm.find_last_not_of(kDigits) + 1);
  out.isPerf = head[before] != '-';
  if (out.isPerf && head[before] != ' ' && head[before] != '/') return false;
  out.comm = trimmedLeft(trimmedRight(comm));
  return true;
}

/// Reads "[flags] seconds.fraction: event: fields" behind the CPU's number.
bool readEvent(std::string_view tail, TraceLine& out) {
  tail = trimmedLeft(tail);
  std::size_t end = tail.find_first_of(" \t");
  std::string_view word = tail.substr(0, end);
  if (!word.empty() && !word.ends_with(':') && end != std::string_view::npos) {  // the column of flags
    out.flags = word;
    tail = trimmedLeft(tail.substr(end));
    end = tail.find_first_of(" \t");
    word = tail.substr(0, end);
  }
  if (!word.ends_with(':') || !toNanoseconds(word.substr(0, word.size() - 1), out.ns)) return false;
  tail = end == std::string_view::npos ? std::string_view{} : trimmedLeft(tail.substr(end));
  if (!tail.empty() && isDigit(tail.front())) {  // perf's count
    const std::size_t after = tail.find_first_not_of(kDigits);
    if (after != std::string_view::npos && tail[after] == ' ') tail = trimmedLeft(tail.substr(after));
  }
  end = tail.find_first_of(" \t");
  std::string_view name = tail.substr(0, end);
  if (!name.ends_with(':')) name = {};
  out.fields = end == std::string_view::npos ? std::string_view{} : trimmedLeft(tail.substr(end));
  if (name.empty()) {  // function tracers and the like
    out.event = "text";
    return true;
  }
  name.remove_suffix(1);
  const std::size_t system = name.rfind(':');
  out.event = system == std::string_view::npos ? name : name.substr(system + 1);
  return true;
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

std::string_view TraceLine::value(std::string_view key) const {
  const std::size_t begin = beginOf(fields, key);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = fields.substr(begin);
  if (rest.starts_with('"')) return rest.substr(1, rest.find('"', 1) - 1);
  return rest.substr(0, rest.find(' '));
}

std::string_view TraceLine::valueUpTo(std::string_view key, std::string_view before) const {
  const std::size_t begin = beginOf(fields, key);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = fields.substr(begin);
  for (std::size_t at = rest.find(before); at != std::string_view::npos; at = rest.find(before, at + 1))
    if (at != 0 && rest[at - 1] == ' ') return rest.substr(0, at - 1);
  return rest;
}

std::uint64_t TraceLine::number(std::string_view key) const {
  const std::string_view text = value(key);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::int64_t TraceLine::integer(std::string_view key) const {
  std::string_view text = value(key);
  constexpr int kHexBase = 16, kTenBase = 10;
  const bool isHex = text.starts_with("0x");
  if (isHex) text.remove_prefix(2);
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, isHex ? kHexBase : kTenBase);
  return number;
}

bool TraceLine::isInterrupt() const {
  constexpr std::size_t kContextColumn = 2;
  constexpr std::string_view kInterrupts = "hsHzZ";
  return kContextColumn < flags.size() && kInterrupts.find(flags[kContextColumn]) != std::string_view::npos;
}

std::optional<TraceLine> splitTraceLine(std::string_view line) {
  for (std::size_t open = line.find('['); open != std::string_view::npos; open = line.find('[', open + 1)) {
    const std::size_t close = line.find(']', open);
    if (close == std::string_view::npos) break;
    TraceLine out;
    if (!toNumber(line.substr(open + 1, close - open - 1), out.cpu) || out.cpu < 0) continue;
    if (readTask(line.substr(0, open), out) && readEvent(line.substr(close + 1), out)) return out;
  }
  return std::nullopt;
}

bool isRunnableState(std::string_view state) {
  std::uint64_t number = 0;
  // Numbers: the low eight bits are reasons to wait in every version; marks of preemption stand above them.
  if (toNumber(state, number)) return (number & 0xffU) == 0;
  return state.starts_with('R');
}

}  // namespace rqscope
