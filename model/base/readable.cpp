// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/readable.h"

#include <algorithm>

namespace rqscope {
namespace {

constexpr std::size_t kLongest = 1000, kHead = 700, kTail = 200;
constexpr std::size_t kMostContinuations = 3;  ///< bytes of a UTF-8 character after its first

/// The nearest start of a character at or before a byte.
std::size_t boundaryBefore(const std::string& text, std::size_t at) {
  std::size_t back = 0;
  while (back < kMostContinuations && back < at &&
         (static_cast<unsigned char>(text[at - back]) & 0xC0U) == 0x80U)
    ++back;
  return at - back;
}

bool isControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

}  // namespace

std::string readable(std::string message) {
  if (message.size() > kLongest) {
    const std::size_t head = boundaryBefore(message, kHead);
    const std::size_t tail = boundaryBefore(message, message.size() - kTail);
    message.replace(head, tail - head, " [...] ");
  }
  std::replace_if(message.begin(), message.end(), isControl, '?');
  return message;
}

}  // namespace rqscope
