// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "topology/hardware.h"

namespace rqscope {

/// Reads a LISA platform file (plat_info.yml): CPU count, capacities, frequencies, frequency domains.
Result<Hardware> readLisaPlatform(std::string_view text, const std::string& file);

/// Whether a text looks like a LISA platform file.
bool looksLikeLisaPlatform(std::string_view text);

}  // namespace rqscope
