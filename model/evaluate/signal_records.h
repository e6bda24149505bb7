// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include "base/profile.h"
#include "evaluate/hand_machine.h"
#include "signals/pelt.h"

namespace rqscope {

/// A PELT state object of a record; averages above any that a machine can have are refused.
SchedAvg avgOfRecord(RecordReader& in, const char* key);
nlohmann::json avgRecord(const SchedAvg& avg);
/// util_est of a task: one word, or v6.1's pair under the two keys.
void readUtilEst(RecordReader& in, const KernelProfile& profile, const char* enqueuedKey, const char* ewmaKey,
                 SchedAvg& avg);

/// A machine of `cpus` equal CPUs, its root queues' averages empty.
Machine signalMachine(const KernelProfile& profile, int cpus, std::uint32_t capacity);

// Records of PELT over time; signal_functions.cpp lists them.
Result<nlohmann::json> runPeltSe(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runPeltCfsRq(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runPeltScaled(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runAttachDetach(const nlohmann::json& object, const KernelProfile& profile);
Result<nlohmann::json> runPropagate(const nlohmann::json& object, const KernelProfile& profile);

}  // namespace rqscope
