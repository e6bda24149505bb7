// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "rqscope/ladder.h"

namespace rqscope::look {

/// One rung as indented text, what Copy and `rqscope explain` give.
std::string rungText(const api::Rung& rung);
/// A whole decision as text, one rung after the other, closing with a new line.
std::string ladderText(const api::Ladder& ladder);
/// "CPU 5 at PKG, idle", the head of a ladder.
std::string ladderHead(const api::Ladder& ladder);

}  // namespace rqscope::look
