// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/domain_builder.h"

namespace rqscope {
namespace {

/// Flags that mean nothing with a single group: all but WAKE_AFFINE.
constexpr std::uint32_t kNeedsGroups = ~std::uint32_t{kSdWakeAffine};

// Kernel: sd_degenerate().
bool isDegenerate(const BuildDomain& sd) {
  if (sd.spanWeight == 1) return true;
  if ((sd.flags & kNeedsGroups) != 0 && sd.groups.size() > 1) return false;
  return (sd.flags & kSdWakeAffine) == 0;
}

// Kernel: sd_parent_degenerate().
bool isParentRedundant(const BuildDomain& sd, const BuildDomain& parent) {
  if (isDegenerate(parent)) return true;
  if (sd.span != parent.span) return false;
  std::uint32_t parentFlags = parent.flags;
  if (parent.groups.size() == 1) parentFlags &= ~kNeedsGroups;
  return (~sd.flags & parentFlags) == 0;
}

}  // namespace

void attachDomains(DomainBuild& build, const Behaviours& behaviours, CpuId cpu) {
  const auto at = [&](int d) -> BuildDomain& { return build.domains[static_cast<std::size_t>(d)]; };
  const auto firstGroup = [&](int d) -> BuildGroup& {
    return build.groups[static_cast<std::size_t>(at(d).groups.front())];
  };
  int lowest = build.lowest[cpu.index()];
  for (int d = lowest; d >= 0 && at(d).parent >= 0;) {
    const int parent = at(d).parent;
    if (!isParentRedundant(at(d), at(parent))) {
      d = parent;
      continue;
    }
    const int above = at(parent).parent;
    at(d).parent = above;
    if (above >= 0) {
      at(above).child = d;
      if (behaviours.degenerateUpdatesGroupFlags) firstGroup(above).flags = at(d).flags;
    }
    at(d).flags |= at(parent).flags & kSdPreferSibling;
    if (behaviours.sharedTopmostOnly && at(parent).shared >= 0) at(d).shared = at(parent).shared;
  }
  if (lowest >= 0 && isDegenerate(at(lowest))) {
    lowest = at(lowest).parent;
    if (lowest >= 0) {
      at(lowest).child = -1;
      firstGroup(lowest).flags = 0;
    }
  }
  build.lowest[cpu.index()] = lowest;
}

}  // namespace rqscope
