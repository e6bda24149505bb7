// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/sim_state.h"

namespace rqscope {

struct CpuField {
  std::string_view name;
  std::int64_t (*read)(const SimState& state, CpuId cpu);
};
struct TaskField {
  std::string_view name;
  std::int64_t (*read)(const SimState& state, TaskId task);
};
struct DomainField {
  std::string_view name;
  std::int64_t (*read)(const SimState& state, DomainId domain);
};
struct RunField {
  std::string_view name;
  std::int64_t (*read)(const SimState& state);
};

std::span<const CpuField> cpuFields();
std::span<const TaskField> taskFields();
std::span<const DomainField> domainFields();
std::span<const RunField> runFields();
/// Kernel names of the group types without "group_", in their order.
std::span<const std::string_view> groupTypeNames();

}  // namespace rqscope
