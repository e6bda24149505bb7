// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "rqscope/simulation.h"

namespace rqscope::app {

/// What script operations change, in a few words: "frequency of CPU 5: 512".
QString operationsText(const std::vector<std::string>& operations);
/// What differs between two runs in a few words: "patch off", "kernel v6.1", "line 12: ...".
QString changeText(const QString& textBefore, const api::Overrides& before, const QString& textAfter,
                   const api::Overrides& after);

}  // namespace rqscope::app
