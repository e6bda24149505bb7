// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/kernel_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace rqscope {
namespace {

constexpr int kMaxBit = 65532;  // of the lowest bit of a digit: CPU numbers end at 65535
constexpr int kWordBits = 32;

}  // namespace

std::uint64_t parseSizeBytes(std::string_view text) {
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || !(value >= 0 && value <= 1e15)) return 0;  // nor NaN, which is a number here
  const char* p = end;
  while (p != text.data() + text.size() && *p == ' ') ++p;
  double unit = 1;
  if (p != text.data() + text.size()) {
    switch (std::toupper(static_cast<unsigned char>(*p))) {
      case 'K':
        unit = 1024;
        break;
      case 'M':
        unit = 1024.0 * 1024;
        break;
      case 'G':
        unit = 1024.0 * 1024 * 1024;
        break;
      default:
        break;
    }
  }
  return value * unit > 1e18 ? 0 : static_cast<std::uint64_t>(value * unit);
}

CpuMask isolcpusDomain(std::string_view value) {
  bool hasFlags = false;
  bool hasDomain = false;
  while (!value.empty() && std::isalpha(static_cast<unsigned char>(value.front())) != 0) {
    const auto comma = value.find(',');
    hasFlags = true;
    hasDomain = hasDomain || value.substr(0, comma) == "domain";
    value = comma == std::string_view::npos ? std::string_view{} : value.substr(comma + 1);
  }
  if (hasFlags && !hasDomain) return {};
  auto mask = CpuMask::parseList(value);
  return mask.ok() ? std::move(mask).value() : CpuMask{};
}

Result<CpuMask> parseCpuMaskHex(std::string_view text) {
  const auto bad = [&] {
    return Diagnostic{Severity::Error,
                      {},
                      fmt::format("CPU mask \"{}\" is not hexadecimal", text.substr(0, 60)),
                      "a mask looks like 00000000,0000000f"};
  };
  CpuMask mask;
  int wordStart = 0;  // number of the word's lowest bit; words stand highest first
  std::string_view rest = text;
  while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.back())) != 0) rest.remove_suffix(1);
  for (bool isLast = false; !isLast;) {
    const auto comma = rest.rfind(',');
    isLast = comma == std::string_view::npos;
    std::string_view word = isLast ? rest : rest.substr(comma + 1);
    rest = isLast ? std::string_view{} : rest.substr(0, comma);
    if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
    int bit = wordStart;
    for (std::size_t i = word.size(); i-- > 0; bit += 4) {
      const auto c = static_cast<unsigned char>(word[i]);
      if (std::isxdigit(c) == 0 || bit > kMaxBit) return bad();
      const int digit = std::isdigit(c) != 0 ? c - '0' : std::tolower(c) - 'a' + 10;
      for (int b = 0; b < 4; ++b)
        if ((digit & (1 << b)) != 0) mask.set(CpuId{bit + b});
    }
    wordStart = std::max(wordStart + kWordBits, bit);
  }
  return mask;
}

}  // namespace rqscope
