// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/boxes.h"

#include <algorithm>

namespace rqscope::look {
namespace {

int coreOf(const api::MachineLayout& layout, std::int32_t cpu) {
  const auto it = std::lower_bound(layout.cpus.begin(), layout.cpus.end(), cpu,
                                   [](const api::LayoutCpu& c, std::int32_t id) { return c.id < id; });
  return it == layout.cpus.end() || it->id != cpu ? -1 : it->core;
}

}  // namespace

bool isCoreBox(const api::MachineLayout& layout, const api::LayoutBox& box) {
  if (box.kind == "core") return true;
  if (!box.children.empty() || box.cpus.size() < 2 || box.cpus.size() == layout.cpus.size()) return false;
  const int core = coreOf(layout, box.cpus.front());
  return std::all_of(box.cpus.begin(), box.cpus.end(),
                     [&](std::int32_t cpu) { return coreOf(layout, cpu) == core; });
}

bool isLowestBox(const api::MachineLayout& layout, const api::LayoutBox& box) {
  return std::all_of(box.children.begin(), box.children.end(),
                     [&](const api::LayoutBox& child) { return isCoreBox(layout, child); });
}

std::string defaultLevel(const api::MachineLayout& layout) {
  for (auto it = layout.levelNames.rbegin(); it != layout.levelNames.rend(); ++it) {
    if (!it->starts_with("NUMA")) return *it;
  }
  return layout.levelNames.empty() ? std::string() : layout.levelNames.back();
}

}  // namespace rqscope::look
