// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/cpumask.h"

namespace rqscope {

/// "32K", "16384K", "1M", "512 KiB" -> bytes; 0 when it is not a size.
std::uint64_t parseSizeBytes(std::string_view text);

/// The CPUs that isolcpus= takes out of the domains: all when no flag is given, else only with "domain".
CpuMask isolcpusDomain(std::string_view value);

/// Hexadecimal CPU mask of sysfs or hwloc, words of 32 bits, highest first: "00000000,0000000f", "0x1,,0xf".
Result<CpuMask> parseCpuMaskHex(std::string_view text);

}  // namespace rqscope
