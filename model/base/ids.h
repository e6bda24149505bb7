// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace rqscope {

/// An index into one vector of the machine; ids of different kinds do not mix. -1 means "none".
template <class Tag>
struct Id {
  std::int32_t value = -1;

  constexpr Id() = default;
  constexpr explicit Id(std::int32_t v) : value(v) {}
  constexpr explicit Id(std::size_t v) : value(static_cast<std::int32_t>(v)) {}
  constexpr bool isValid() const { return value >= 0; }
  constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
  constexpr auto operator<=>(const Id&) const = default;
};

using CpuId = Id<struct CpuTag>;        ///< Linux CPU number
using NodeId = Id<struct NodeTag>;      ///< NUMA node number
using DomainId = Id<struct DomainTag>;  ///< one per CPU and surviving level
using SchedGroupId = Id<struct SchedGroupTag>;
using CapacityId = Id<struct CapacityTag>;  ///< sched_group_capacity
using SharedId = Id<struct SharedTag>;      ///< sched_domain_shared
using RootDomainId = Id<struct RootDomainTag>;
using TaskId = Id<struct TaskTag>;      ///< slot of a task; slots are reused, Task::pid is not
using EntityId = Id<struct EntityTag>;  ///< sched_entity of a task or of a group on one CPU
using CfsRqId = Id<struct CfsRqTag>;    ///< cfs_rq of a group on one CPU
using GroupId = Id<struct GroupTag>;    ///< task_group; 0 is the root group

}  // namespace rqscope

template <class Tag>
struct std::hash<rqscope::Id<Tag>> {
  std::size_t operator()(rqscope::Id<Tag> id) const noexcept { return std::hash<std::int32_t>{}(id.value); }
};
