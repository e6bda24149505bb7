// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sim_state.h"
#include "rqscope/explain_value.h"

namespace rqscope::api {

/// Whose numbers there are.
enum class ValueScope : unsigned { Task = 1, GroupOnCpu = 2, Cpu = 4, Group = 8 };

/// What a reference points at.
struct ValueSubject {
  ValueScope scope = ValueScope::Cpu;
  TaskId task;
  GroupId group;
  CpuId cpu;
  EntityId entity;     ///< of the task, or of the group on the CPU
  CfsRqId competesIn;  ///< queue whose virtual time the entity lives in
  CfsRqId queue;       ///< of the CPU, or of the group on the CPU
};

/// Nothing when the reference names nothing that is there.
std::optional<ValueSubject> subjectOf(const SimState& state, const ValueRef& ref);
/// "CPU 3", "task A", "group /b on CPU 3", "group /b".
std::string subjectText(const SimState& state, const ValueSubject& subject);

/// A number by name: what it counts in, who has it, what it says, and how it is read.
struct ValueKind {
  const char* name;
  unsigned scopes;  ///< ValueScope bits
  bool isShown;     ///< of itself; the others only explain these
  Unit unit;
  const char* meaning;
  std::int64_t (*read)(const SimState&, const ValueSubject&);
};
std::span<const ValueKind> valueKinds();
const ValueKind* kindOf(const ValueRef& ref, const ValueSubject& subject);
/// Does the kernel's queue have such a number: deadlines with EEVDF, min_vruntime with CFS?
bool isOfQueueKind(bool isCfs, std::string_view name);
std::optional<std::int64_t> readValue(const SimState& state, const ValueRef& ref);
std::vector<ShownValue> shownValues(const SimState& state, CpuId cpu);

/// The weight by which virtual time counts an entity: scaled down, v7.3: its share of the root.
std::uint64_t virtualWeight(const Machine& m, const SchedEntity& se);

}  // namespace rqscope::api
