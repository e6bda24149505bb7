// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "topology/hardware.h"

namespace rqscope {

/// Reads hwloc XML of versions 1, 2 and 3. Devices and memory-side caches are passed over.
Result<Hardware> readHwlocXml(std::string_view text, const std::string& file);

/// Writes hwloc XML version 2, which lstopo and hwloc-info read.
std::string writeHwlocXml(const Hardware& hardware);

/// hwloc's mask format: words of 32 bits in hexadecimal, highest first.
std::string hwlocMask(const CpuMask& mask);

}  // namespace rqscope
