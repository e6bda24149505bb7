// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "published/ratio_chart.h"

namespace rqscope::published {

/// The table as text, one line per published row; what else was counted has a column of its own.
std::string publishedCsv(const std::vector<ShownRow>& rows, const std::string& unit);
/// Writes the table (.csv) or the bars (.svg, .png, .pdf) by the ending of the file. Empty when done, else
/// why not.
QString writePublished(const RatioBars& bars, const QString& unit, const QString& file, look::Theme theme);

struct ReportFiles {
  std::vector<std::string> written;
  std::string error;  ///< empty when all went well
};
/// Writes NAME.csv, NAME.svg, NAME.png and the report NAME.json into a folder, made when absent; for the
/// command line. `files`: what else is there, told in the report.
ReportFiles writeReport(const api::Reproduction& report, const std::string& folder,
                        const std::vector<std::string>& files);

}  // namespace rqscope::published
