// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <vector>

#include "rqscope/trace_comparison.h"

namespace rqscope::compare {

// The words and cells of a trace beside the model.

QString headOf(const api::TraceReport& report);
QString noteOf(const api::TraceReport& report);
/// Quantity, machine, model, agree.
std::vector<QStringList> outcomeRowsOf(const api::TraceReport& report);
/// The tasks that ran longest first: name, ran on both sides, share on the same CPU, migrations that agree.
std::vector<QStringList> taskRowsOf(const api::TraceReport& report);
/// CPUs of the parting and those on which the sides differ: CPU, machine, model.
std::vector<QStringList> sideRowsOf(const api::BothSides<api::SideMoment>& at, const api::Parting& parting);

}  // namespace rqscope::compare
