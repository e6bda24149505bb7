// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/lesson_outcomes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "api/ladder_keys.h"

namespace rqscope::api {
namespace {

/// Keys of an enumeration from its first to its last enumerator, with others before them.
template <class Enum>
std::vector<std::string> keysUpTo(Enum last, std::vector<std::string> out = {}) {
  for (int i = 0; i <= static_cast<int>(last); ++i) out.emplace_back(keyOf(static_cast<Enum>(i)));
  return out;
}

std::vector<std::string> cpuNames(const MachineLayout& layout, std::vector<std::string> out = {}) {
  for (const LayoutCpu& cpu : layout.cpus) out.push_back(fmt::format("CPU {}", cpu.id));
  return out;
}

std::vector<std::string> groupLabels(const MachineLayout& layout, std::vector<std::string> out) {
  std::set<std::string> labels;
  for (const LayoutGroup& group : layout.groups) labels.insert(group.label);
  out.insert(out.end(), labels.begin(), labels.end());
  return out;
}

constexpr auto kRungs = std::to_array<std::string_view>(
    {"entry",          "domain_due",      "newidle_cost", "should_we_balance", "group_statistics",
     "busiest_group",  "worth_balancing", "imbalance",    "source_queue",      "candidate",
     "active_balance", "result",          "wake_wide",    "wake_affine",       "idle_sibling",
     "dst_group",      "dst_cpu",         "placed",       "group_move",        "energy"});

constexpr auto kCounted = std::to_array<std::string_view>(
    {"migrations", "failed_passes", "passes", "placements", "switches", "wakeups", "decisions"});

constexpr auto kFacts = std::to_array<std::string_view>(
    {"groups", "span", "group", "cpus", "levels", "imbalance_pct", "min_interval", "max_interval",
     "busy_factor", "cache_nice_tries", "imb_numa_nr", "balance_mask"});

template <std::size_t N>
std::vector<std::string> textsOf(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}

std::string cpuListOf(const std::vector<std::int32_t>& cpus) {
  CpuMask mask;
  for (const std::int32_t cpu : cpus) mask.set(CpuId{cpu});
  return groupLabel(mask);
}

std::string levelsOf(const MachineLayout& layout, const LayoutCpu& cpu) {
  std::vector<std::string> names;
  for (const std::int32_t d : cpu.domains) names.push_back(layout.domains[static_cast<std::size_t>(d)].name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string factOf(const MachineLayout& layout, const LayoutDomain& domain, const std::string& fact) {
  const LayoutGroup& local = layout.groups[static_cast<std::size_t>(domain.groups.front())];
  if (fact == "groups") return std::to_string(domain.groups.size());
  if (fact == "span") return cpuListOf(domain.span);
  if (fact == "group") return local.label;
  if (fact == "cpus") return std::to_string(domain.span.size());
  if (fact == "imbalance_pct") return std::to_string(domain.imbalancePct);
  if (fact == "min_interval") return std::to_string(domain.minIntervalMs);
  if (fact == "max_interval") return std::to_string(domain.maxIntervalMs);
  if (fact == "busy_factor") return std::to_string(domain.busyFactor);
  if (fact == "cache_nice_tries") return std::to_string(domain.cacheNiceTries);
  if (fact == "imb_numa_nr") return std::to_string(domain.imbNumaNr);
  if (fact == "balance_mask") return cpuListOf(local.balanceMask);
  if (!fact.starts_with("SD_")) return {};
  return std::ranges::find(domain.flags, fact) != domain.flags.end() ? "yes" : "no";
}

}  // namespace

std::vector<std::string> rungKinds() { return textsOf(kRungs); }

std::vector<std::string> countedThings() { return textsOf(kCounted); }

std::vector<std::string> domainFacts() { return textsOf(kFacts); }

std::vector<std::string> outcomesOfDecision() {
  return {"balanced", "failed", "moved", "active_started", "serialized_out", "all_pinned", "placed"};
}

std::vector<std::string> outcomesOfRung(const std::string& kind, const MachineLayout& layout) {
  if (kind == "entry") return keysUpTo(PlacementKind::Exec, keysUpTo(BalanceEntry::ActiveStopper));
  if (kind == "domain_due") {
    std::vector<std::string> names = layout.levelNames;
    names.emplace_back("not_due");
    return names;
  }
  if (kind == "newidle_cost" || kind == "should_we_balance" || kind == "wake_wide") return {"yes", "no"};
  if (kind == "busiest_group") return groupLabels(layout, {"no_busiest"});
  if (kind == "worth_balancing") return keysUpTo(FindSrcGroupWhy::Compare);
  if (kind == "source_queue") return cpuNames(layout, {"none"});
  if (kind == "candidate") return keysUpTo(BalanceCandidate::Verdict::FitsSource);
  if (kind == "active_balance") return keysUpTo(BalancePass::ActiveReason::LlcTask);
  if (kind == "result") return outcomesOfDecision();
  if (kind == "wake_affine") return keysUpTo(WakeAffineReason::Undecided);
  if (kind == "idle_sibling" || kind == "placed") return keysUpTo(PlacementStep::NotAllowedFallback);
  if (kind == "dst_group") return keysUpTo(PlacementLevel::Why::Go);
  if (kind == "dst_cpu") return cpuNames(layout);
  if (kind == "group_move") return {"dropped", "kept"};
  return {};
}

std::string domainFact(const MachineLayout& layout, std::int32_t cpu, const std::string& domain,
                       const std::string& fact) {
  const auto it = std::ranges::find(layout.cpus, cpu, &LayoutCpu::id);
  if (it == layout.cpus.end()) return {};
  if (fact == "levels") return levelsOf(layout, *it);
  for (const std::int32_t d : it->domains) {
    const LayoutDomain& candidate = layout.domains[static_cast<std::size_t>(d)];
    if (candidate.name == domain) return factOf(layout, candidate, fact);
  }
  return {};
}

}  // namespace rqscope::api
