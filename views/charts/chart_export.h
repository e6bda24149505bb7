// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QSizeF>
#include <QString>
#include <string>
#include <vector>

#include "look/palette.h"
#include "rqscope/series.h"

class QPainter;

namespace rqscope::charts {

/// The values as text: a column of times in ns and one per series, or of bins for a histogram.
std::string chartCsv(const api::ChartData& data);
/// Paints a chart, its legend and axes included, into (0, 0, size).
void paintChart(QPainter& painter, const api::ChartData& data, QSizeF size, look::Theme theme);
/// Writes one chart by the ending of the file: .png, .svg, .pdf or .csv. Empty when done, else the reason.
QString writeChart(const api::ChartData& data, const QString& file, look::Theme theme, QSize size);

struct ChartFiles {
  std::vector<std::string> written;
  std::string error;  ///< empty when all went well
};
/// Writes PNG, SVG and CSV of every chart into a folder that is made when absent. Makes an application of its
/// own, off screen, when none runs; for the command line.
ChartFiles writeCharts(const std::vector<api::ChartData>& charts, const std::string& folder);

}  // namespace rqscope::charts
