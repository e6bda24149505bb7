// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "cli_options.h"
#include "rqscope/simulation.h"

namespace rqscope::app {

// Each command prints its result on standard output and gives the exit status.
int runScenarios(const CliOptions& options);
int explainDecision(const CliOptions& options);
int explainNumber(const CliOptions& options);
int compareRuns(const CliOptions& options);
/// compare with a recorded trace: the machine and the model.
int compareTrace(const CliOptions& options);
int printTopology(const CliOptions& options);
int evaluateLines(const CliOptions& options);
int reproduceDiscussions(const CliOptions& options);
int printResults(const CliOptions& options);
int verifyRecords(const CliOptions& options);
int checkFiles(const CliOptions& options);
int listBuiltins(const CliOptions& options);
/// Without arguments and without a display: the main job as text.
int runDefaultScenario(const CliOptions& options);

/// The pass that decides a finished run: the first balance that was refused for the size or heat of its
/// candidates, or what became of it within half a second; see the help. Null when the run has no decision.
std::shared_ptr<const api::Ladder> decidingPass(api::Simulation& simulation);

}  // namespace rqscope::app
