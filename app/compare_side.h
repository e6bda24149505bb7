// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compare/compare_view.h"

namespace rqscope::app {

/// A machine above its ladder, for one side of a comparison.
compare::Side makeCompareSide(QWidget* parent);

}  // namespace rqscope::app
