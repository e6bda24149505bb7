// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>

#include "look/palette.h"
#include "rqscope/series.h"

class QChart;

namespace rqscope::charts {

/// A Qt chart of the data in the colours of the theme. The caller owns it.
/// Compact is for low docks: no titles, fewer ticks.
enum class ChartForm { Full, Compact };
std::unique_ptr<QChart> buildChart(const api::ChartData& data, look::Theme theme,
                                   ChartForm form = ChartForm::Full);
/// Fewer ticks on the time axis, and the legend below, where the picture is narrow.
void fitWidth(QChart& chart, double width);
/// Colour of a line: a group type's, a task's, or by place in the list.
/// What a legend says of a series: its name, causes of idle time in words.
QString seriesWords(const api::ChartData& data, const api::Series& series);
QColor seriesColor(const std::string& name, int place, look::Theme theme);

}  // namespace rqscope::charts
