// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace rqscope {

/// A message that quotes an input, as one line that can be shown: control characters become "?", and of more
/// than 1000 bytes the middle is left out. Cuts between UTF-8 characters; bytes that are none stay.
std::string readable(std::string message);

}  // namespace rqscope
