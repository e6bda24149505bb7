// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/kernel_text.h"

#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace rqscope {

std::uint64_t parseSizeBytes(std::string_view text) {
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || value < 0 || value > 1e15) return 0;
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
  CpuMask mask;
  int bit = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    const char c = text[i];
    if (c == ',' || c == '\n' || c == ' ' || c == 'x') continue;
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0 || bit > 65532)
      return Diagnostic{Severity::Error,
                        {},
                        fmt::format("CPU mask \"{}\" is not hexadecimal", text.substr(0, 80)),
                        "a mask looks like 00000000,0000000f"};
    const int digit = std::isdigit(static_cast<unsigned char>(c)) != 0
                          ? c - '0'
                          : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
    for (int b = 0; b < 4; ++b)
      if ((digit & (1 << b)) != 0) mask.set(CpuId{bit + b});
    bit += 4;
  }
  return mask;
}

}  // namespace rqscope
