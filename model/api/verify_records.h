// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "evaluate/decision_records.h"
#include "evaluate/free_run.h"
#include "evaluate/replay_report.h"
#include "rqscope/verify.h"

namespace rqscope::api {

// One kind of record each, as a row of the report.
VerifyRow failedRow(const std::string& file, std::string kind, const Diagnostic& error);
VerifyRow runVectors(const std::string& path, const VerifyOptions& options);
VerifyRow runStepped(const std::string& folder, const VerifyOptions& options);
VerifyRow runTopology(const nlohmann::json& record, const std::string& path, const VerifyOptions& options);
VerifyRow runReplay(const std::string& path, const std::string& kind, const Result<ReplayReport>& report,
                    const VerifyOptions& options);
VerifyRow runDecisions(const std::string& path, const Result<DecisionReport>& report,
                       const VerifyOptions& options);
VerifyRow runFree(const std::string& path, const Result<FreeRunReport>& report, const VerifyOptions& options);

}  // namespace rqscope::api
