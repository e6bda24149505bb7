// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/profile.h"
#include "base/result.h"
#include "runqueue/machine.h"
#include "topology/hardware.h"

namespace rqscope {

/// One operation of a stepped run: done after tick `atTick - 1` is complete.
struct SteppedOp {
  enum class Kind {
    Wakeup,
    Block,
    WakeBy,
    WakeByBlock,
    Pin,
    Nice,
    Policy,
    Fork,
    CgroupCreate,
    CgroupWeight,
    CgroupAttach,
    SetFrequency
  };
  Kind kind = Kind::Wakeup;
  std::int64_t atTick = 0;
  int id = -1;             ///< task
  int by = -1;             ///< waking task
  std::int64_t value = 0;  ///< nice, weight, count or frequency
  int cpu = 0;
  std::string group;
  SchedPolicy policy = SchedPolicy::Normal;
  CpuMask cpus;
  std::string text;  ///< as the record's "op" line has it
};

struct SteppedTask {
  int cpu = 1;
  CpuMask cpus;
  int nice = 0;
  SchedPolicy policy = SchedPolicy::Normal;
};

/// What was done in a stepped run of a real kernel (scenario.json).
struct SteppedScenario {
  std::string name;
  KernelProfile profile;
  int cpus = 1;  ///< scheduler CPUs 1..cpus; CPU 0 is the driver's
  std::map<std::string, std::vector<CpuMask>> levels;
  std::map<int, std::uint32_t> capacities, frequencies;
  std::vector<SteppedTask> tasks;
  std::vector<SteppedOp> ops;
  std::int64_t ticks = 0;
};

Result<SteppedScenario> readSteppedScenario(const std::string& path);
/// The machine of the scenario's level lists; CPU 0 is isolated.
Hardware hardwareOf(const SteppedScenario& scenario);

}  // namespace rqscope
