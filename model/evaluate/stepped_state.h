// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include "evaluate/stepped_events.h"
#include "runqueue/machine.h"

namespace rqscope {

/// State lines of a stepped run, from the machine: the fields of the record under its names.
nlohmann::json rootDomainLine(const Machine& m, CpuId anyCpu);
nlohmann::json cpuLine(const Machine& m, const SteppedEvents& events, CpuId cpu);
nlohmann::json taskLine(const Machine& m, const SteppedEvents& events, TaskId task, int groupIndex);
nlohmann::json groupLine(const Machine& m, GroupId group);
nlohmann::json groupCpuLine(const Machine& m, GroupId group, CpuId cpu);
/// Lines before the first tick: a domain of a CPU, and the CPU's capacity.
nlohmann::json domainLine(const Machine& m, DomainId domain);
nlohmann::json capacityLine(const Machine& m, CpuId cpu);

}  // namespace rqscope
