// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>

#include "published/ratio_chart.h"

namespace rqscope::published {

/// The table as text, one line per published row.
std::string publishedCsv(const std::vector<ShownRow>& rows, const std::string& unit);
/// Writes the table (.csv) or the bars (.svg, .png) by the ending of the file. Empty when done, else why not.
QString writePublished(const RatioBars& bars, const QString& unit, const QString& file, look::Theme theme);

}  // namespace rqscope::published
