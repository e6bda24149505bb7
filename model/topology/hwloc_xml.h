// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "topology/hardware.h"

namespace rqscope {

/// Reads hwloc XML: versions 1 and 2 by libhwloc, version 3, which Debian 12's libhwloc 2.9 refuses, and what
/// else the library does not take by our own reader. Devices and memory-side caches are passed over.
Result<Hardware> readHwlocXml(std::string_view text, const std::string& file);

/// Writes hwloc XML version 2, which lstopo and hwloc-info read.
std::string writeHwlocXml(const Hardware& hardware);

/// hwloc's mask format: words of 32 bits in hexadecimal, highest first.
std::string hwlocMask(const CpuMask& mask);

}  // namespace rqscope
