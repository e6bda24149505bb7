// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenario/scenario_reader.h"

namespace rqscope {

namespace {

std::string perCpuJson(const std::vector<std::pair<CpuMask, std::uint32_t>>& values) {
  std::vector<std::string> parts;
  for (const auto& [cpus, value] : values)
    parts.push_back(fmt::format("{} : {}", quoteJson(cpus.list()), value));
  return fmt::format("{{ {} }}", fmt::join(parts, ", "));
}

}  // namespace

std::string writeScenario(const Scenario& s) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view key, const std::string& json) {
    parts.push_back(fmt::format("  \"{}\" : {}", key, json));
  };
  add("rqscope-scenario", "1");
  add("title", quoteJson(s.title));
  if (!s.description.empty()) add("description", quoteJson(s.description));
  add("machine", s.machineText.empty() ? quoteJson(s.machine) : s.machineText);
  if (!s.capacity.empty()) add("capacity", perCpuJson(s.capacity));
  if (!s.throughput.empty()) add("throughput", perCpuJson(s.throughput));
  add("kernel", quoteJson(s.kernel));
  std::vector<std::string> items;
  for (const auto& [name, on] : s.patches) items.push_back(fmt::format("{} : {}", quoteJson(name), on));
  if (!items.empty()) add("patches", fmt::format("{{ {} }}", fmt::join(items, ", ")));
  items.clear();
  for (const std::string& feature : s.features) items.push_back(quoteJson(feature));
  if (!items.empty()) add("features", fmt::format("[ {} ]", fmt::join(items, ", ")));
  items.clear();
  for (const auto& [name, value] : s.tunables)
    items.push_back(fmt::format("{} : {}", quoteJson(name), value));
  if (!items.empty()) add("tunables", fmt::format("{{ {} }}", fmt::join(items, ", ")));
  if (!s.groupsText.empty()) add("groups", s.groupsText);
  add("workload", s.workloadText);
  items.clear();
  for (const CostParameter& cost : kCostParameters)
    if (const std::uint64_t ns = s.costs.*cost.field; ns != 0)
      items.push_back(fmt::format("{} : {}", quoteJson(cost.key),
                                  quoteJson(durationText(static_cast<std::int64_t>(ns)))));
  if (!items.empty()) add("costs", fmt::format("{{ {} }}", fmt::join(items, ", ")));
  items.clear();
  for (const Operation& op : s.operations) items.push_back("\n    " + operationJson(op));
  if (!items.empty()) add("script", fmt::format("[{}\n  ]", fmt::join(items, ",")));
  if (s.untilNs != 0) add("until", quoteJson(durationText(static_cast<std::int64_t>(s.untilNs))));
  add("seed", fmt::format("{}", s.seed));
  return fmt::format("{{\n{}\n}}\n", fmt::join(parts, ",\n"));
}

}  // namespace rqscope
