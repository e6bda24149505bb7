// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

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

/// What two CPUs share when their domains differ only in whose view they are.
std::string shapeOf(const api::LayoutCpu& cpu, const api::MachineLayout& layout) {
  std::string shape = fmt::format("{} {} {}", cpu.online, cpu.capacity, cpu.throughput);
  for (const std::int32_t d : cpu.domains) {
    const api::LayoutDomain& domain = layout.domains[static_cast<std::size_t>(d)];
    shape +=
        fmt::format("|{} {} {} {} {} {} {} {} {} {}", domain.name, domain.span.size(), domain.groups.size(),
                    fmt::join(domain.flags, " "), domain.minIntervalMs, domain.maxIntervalMs,
                    domain.busyFactor, domain.imbalancePct, domain.cacheNiceTries, domain.imbNumaNr);
  }
  return shape;
}

/// The spans of each level, once each.
void printSpans(const api::MachineLayout& layout) {
  constexpr std::size_t kSpansShown = 16;
  for (const std::string& name : layout.levelNames) {
    std::vector<std::string> spans;
    std::set<std::string> known;
    for (const api::LayoutDomain& domain : layout.domains) {
      const std::string span = look::cpuList(domain.span);
      if (domain.name == name && known.insert(span).second) spans.push_back(span);
    }
    const std::size_t count = spans.size();
    if (count > kSpansShown) {
      spans.resize(kSpansShown);
      spans.push_back("...");
    }
    fmt::print("{:5} {:4} different: {}\n", name, count, fmt::join(spans, " "));
  }
}

void printText(const api::MachineLayout& layout, const CliOptions& options) {
  fmt::print("{}: {} CPUs, {}\n", layout.name, layout.cpus.size(), layout.kernel);
  if (!layout.description.empty()) fmt::print("{}\n", layout.description);
  if (!layout.source.empty()) fmt::print("source: {}\n", layout.source);
  std::set<std::string> notes;
  for (const std::string& note : layout.notes)
    if (notes.insert(note).second) fmt::print("note: {}\n", note);
  std::vector<std::vector<const api::LayoutCpu*>> parts;
  std::map<std::string, std::size_t> known;
  for (const api::LayoutCpu& cpu : layout.cpus) {
    if (options.cpu >= 0 && cpu.id != options.cpu) continue;
    const auto [it, isNew] = known.emplace(shapeOf(cpu, layout), parts.size());
    if (isNew) parts.emplace_back();
    parts[it->second].push_back(&cpu);
  }
  for (const auto& part : parts) {
    std::vector<std::int32_t> ids;
    for (const api::LayoutCpu* cpu : part) ids.push_back(cpu->id);
    fmt::print("\nCPUs {}: capacity {}, throughput {}{}\n{}", look::cpuList(ids), part[0]->capacity,
               part[0]->throughput, ids.size() > 1 ? fmt::format("; as CPU {} sees it", ids[0]) : "",
               cpuText(*part[0], layout));
  }
  if (options.cpu >= 0) return;
  fmt::print("\n");
  printSpans(layout);
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
    const auto& cpus = topology.layout->cpus;
    if (options.cpu >= 0 && std::none_of(cpus.begin(), cpus.end(),
                                         [&](const api::LayoutCpu& c) { return c.id == options.cpu; })) {
      fmt::print(stderr, "rqscope: {} has no CPU {}\n", topology.layout->name, options.cpu);
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
