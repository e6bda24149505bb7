// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "cli_commands.h"
#include "cli_output.h"
#include "look/words.h"
#include "rqscope/topology.h"

namespace rqscope::app {

namespace {

/// "MC  {0,3-5}  4 groups ...": one domain.
std::string domainText(const api::LayoutDomain& domain, const api::MachineLayout& layout) {
  std::vector<std::string> groups;
  constexpr std::size_t kGroupsShown = 16;
  for (const std::int32_t g : domain.groups) {
    if (groups.size() == kGroupsShown) break;
    groups.push_back(layout.groups[static_cast<std::size_t>(g)].label);
  }
  if (domain.groups.size() > kGroupsShown)
    groups.push_back(fmt::format("... {} in all", domain.groups.size()));
  return fmt::format(
      "  {:5} {}\n        groups {}\n        flags {}\n        interval {}..{} ms, busy x{}, imbalance_pct "
      "{}, "
      "cache_nice_tries {}, imb_numa_nr {}\n",
      domain.name, look::cpuList(domain.span), fmt::join(groups, " "), fmt::join(domain.flags, " "),
      domain.minIntervalMs, domain.maxIntervalMs, domain.busyFactor, domain.imbalancePct,
      domain.cacheNiceTries, domain.imbNumaNr);
}

std::string cpuText(const api::LayoutCpu& cpu, const api::MachineLayout& layout) {
  std::string text;
  if (!cpu.online) return "  offline\n";
  if (cpu.domains.empty()) return "  no domain\n";
  for (const std::int32_t d : cpu.domains)
    text += domainText(layout.domains[static_cast<std::size_t>(d)], layout);
  return text;
}

/// CPUs whose domains differ in nothing but whose view they are stand together.
void printText(const api::MachineLayout& layout, const CliOptions& options) {
  fmt::print("{}: {} CPUs, {}\n", layout.name, layout.cpus.size(), layout.kernel);
  if (!layout.description.empty()) fmt::print("{}\n", layout.description);
  if (!layout.source.empty()) fmt::print("source: {}\n", layout.source);
  for (const std::string& note : layout.notes) fmt::print("note: {}\n", note);
  std::vector<std::pair<std::vector<std::int32_t>, std::string>> parts;
  std::map<std::string, std::size_t> known;
  for (const api::LayoutCpu& cpu : layout.cpus) {
    if (options.cpu >= 0 && cpu.id != options.cpu) continue;
    const std::string text =
        fmt::format("capacity {}, throughput {}\n{}", cpu.capacity, cpu.throughput, cpuText(cpu, layout));
    const auto [it, isNew] = known.emplace(text, parts.size());
    if (isNew) parts.push_back({{}, text});
    parts[it->second].first.push_back(cpu.id);
  }
  for (const auto& [cpus, text] : parts) fmt::print("\nCPU {}: {}", look::cpuList(cpus), text);
}

}  // namespace

int printTopology(const CliOptions& options) {
  int status = kDone;
  Json all = Json::array();
  for (std::size_t i = 0; i < options.paths.size(); ++i) {
    const api::MachineTopology topology = api::machineTopology(options.paths[i], options.kernel);
    printProblems(topology.problems);
    if (topology.layout == nullptr) {
      status = kBadInput;
      continue;
    }
    if (i != 0 && !options.json) fmt::print("\n");
    if (options.json)
      all.push_back(Json::parse(topology.recordJson, nullptr, false));
    else
      printText(*topology.layout, options);
  }
  if (options.json && !all.empty()) printJson(options.paths.size() == 1 ? all[0] : all);
  return status;
}

}  // namespace rqscope::app
