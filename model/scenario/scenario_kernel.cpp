// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/name_list.h"
#include "scenario/scenario_reader.h"

namespace rqscope {

namespace {

/// One tunable by its name in a scenario. Exactly one of the members is set.
struct TunableRow {
  std::string_view name;
  std::int64_t min = 0, max = 0;
  bool onlyV61 = false;
  std::uint64_t Tunables::*wide = nullptr;
  unsigned Tunables::*narrow = nullptr;
  int Tunables::*number = nullptr;
  bool Tunables::*flag = nullptr;
};

constexpr std::int64_t kMaxNs = 1'000'000'000;
constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

constexpr TunableRow wide(std::string_view name, std::uint64_t Tunables::*field, std::int64_t max = kMaxNs,
                          bool onlyV61 = false) {
  return {name, 0, max, onlyV61, field, nullptr, nullptr, nullptr};
}
constexpr TunableRow narrow(std::string_view name, unsigned Tunables::*field) {
  return {name, 1, 1 << 20, false, nullptr, field, nullptr, nullptr};
}
constexpr TunableRow number(std::string_view name, int Tunables::*field, std::int64_t min, std::int64_t max) {
  return {name, min, max, false, nullptr, nullptr, field, nullptr};
}
constexpr TunableRow flag(std::string_view name, bool Tunables::*field, bool onlyV61 = false) {
  return {name, 0, 1, onlyV61, nullptr, nullptr, nullptr, field};
}

constexpr auto kTunables = std::to_array<TunableRow>({
    number("hz", &Tunables::hz, 100, 1000),
    wide("base_slice_ns", &Tunables::baseSliceNs),
    wide("latency_ns", &Tunables::latencyNs, kMaxNs, true),
    wide("min_granularity_ns", &Tunables::minGranularityNs, kMaxNs, true),
    wide("wakeup_granularity_ns", &Tunables::wakeupGranularityNs, kMaxNs, true),
    wide("idle_min_granularity_ns", &Tunables::idleMinGranularityNs, kMaxNs, true),
    flag("tunable_scaling", &Tunables::scaleByCpus),
    number("scaling_cpus", &Tunables::scalingCpus, 0, 65536),
    flag("child_runs_first", &Tunables::childRunsFirst, true),
    wide("migration_cost_ns", &Tunables::migrationCostNs, kForever),
    narrow("nr_migrate", &Tunables::nrMigrate),
    narrow("nr_migrate_break", &Tunables::nrMigrateBreak),
    wide("newidle_cost_per_cpu_ns", &Tunables::newidleCostPerCpuNs),
    flag("preemption", &Tunables::preemption),
    wide("cfs_bandwidth_slice_ns", &Tunables::bandwidthSliceNs),
    flag("autogroup", &Tunables::autogroup),
    flag("autogroup_built", &Tunables::autogroupBuilt),
    flag("nohz", &Tunables::nohz),
    flag("skew_tick", &Tunables::skewTick),
    flag("energy_aware", &Tunables::energyAware),
    flag("dvfs_headroom", &Tunables::dvfsHeadroom),
});

void setTunable(Tunables& tunables, const TunableRow& row, std::int64_t value) {
  if (row.wide != nullptr)
    tunables.*row.wide =
        value < 0 ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(value);
  if (row.narrow != nullptr) tunables.*row.narrow = static_cast<unsigned>(value);
  if (row.number != nullptr) tunables.*row.number = static_cast<int>(value);
  if (row.flag != nullptr) tunables.*row.flag = value != 0;
}

void readTunable(const JsonMember& member, Scenario& scenario, JsonLint& lint) {
  const auto* row = std::find_if(kTunables.begin(), kTunables.end(),
                                 [&](const TunableRow& r) { return r.name == member.key; });
  if (row == kTunables.end()) {
    std::vector<std::string_view> names;
    for (const TunableRow& r : kTunables) names.push_back(r.name);
    lint.error(member, fmt::format("there is no tunable \"{}\"", member.key),
               quotedNameHint(member.key, names, "the tunables are"));
    return;
  }
  std::int64_t value = 0;
  if (row->flag != nullptr && member.value.is(JsonValue::Kind::Bool)) {
    value = member.value.boolean ? 1 : 0;
  } else {
    // migration_cost -1 is "always hot", as in the kernel.
    const std::int64_t min = row->name == "migration_cost_ns" ? -1 : row->min;
    const auto read = readInteger(member.value, fmt::format("\"{}\"", member.key), min, row->max, lint);
    if (!read) return;
    value = *read;
  }
  if (row->onlyV61 && scenario.profile.version != KernelVersion::V6_1)
    lint.warning(member, fmt::format("{} has no {}: it has no effect", scenario.profile.name, member.key),
                 "it is a tunable of v6.1");
  setTunable(scenario.profile.tunables, *row, value);
  scenario.tunables.emplace_back(member.key, value);
}

/// The errors of a profile function, at `where`.
template <class T>
bool adopt(Result<T>& result, const SourcePosition& where, JsonLint& lint) {
  for (Diagnostic d : result.diagnostics()) {
    d.where = where;
    lint.addAll({std::move(d)});
  }
  return result.ok();
}

void setPatch(const std::string& name, bool on, const SourcePosition& where, Scenario& scenario,
              JsonLint& lint) {
  auto profile = withPatch(scenario.profile, name, on);
  if (adopt(profile, where, lint)) scenario.profile = std::move(profile).value();
}

void setFeature(const std::string& name, const SourcePosition& where, Scenario& scenario, JsonLint& lint) {
  auto profile = withFeature(scenario.profile, name);
  if (adopt(profile, where, lint)) scenario.profile = std::move(profile).value();
}

void readPatches(ObjectReader& reader, Scenario& scenario, JsonLint& lint) {
  const JsonMember* section = reader.member("patches", JsonValue::Kind::Object);
  if (section == nullptr) return;
  for (const JsonMember& member : section->value.members) {
    const JsonValue& v = member.value;
    const bool isOn = (v.is(JsonValue::Kind::Bool) && v.boolean) || v.string == "on";
    const bool isOff = (v.is(JsonValue::Kind::Bool) && !v.boolean) || v.string == "off";
    if (!member.hasValue || (!isOn && !isOff)) {
      lint.error(v, fmt::format("the patch \"{}\" is neither on nor off", member.key), "write true or false");
      continue;
    }
    setPatch(member.key, isOn, {lint.file(), member.line, member.column}, scenario, lint);
    scenario.patches.emplace_back(member.key, isOn);
  }
}

/// Whether the kernel that the scenario was written for has the feature, while the one asked for lacks it.
bool isLostByOverride(const ScenarioInput& input, const std::string& ownKernel, const Scenario& scenario,
                      const std::string& feature) {
  if (!input.overrides.kernel || withFeature(scenario.profile, feature)) return false;
  const auto own = kernelProfile(ownKernel);
  return own && withFeature(own.value(), feature).ok();
}

void readFeatures(const ScenarioInput& input, const std::string& ownKernel, ObjectReader& reader,
                  Scenario& scenario, JsonLint& lint) {
  const JsonMember* section = reader.member("features", JsonValue::Kind::Array);
  if (section == nullptr) return;
  for (const JsonValue& item : section->value.items) {
    if (!item.is(JsonValue::Kind::String)) {
      lint.error(item, fmt::format("a feature is {}", kindWords(item.kind)), "write \"NO_RUN_TO_PARITY\"");
      continue;
    }
    if (isLostByOverride(input, ownKernel, scenario, item.string)) {
      lint.add(Severity::Warning, item.line, item.column,
               fmt::format("{} has no sched feature {}: left out", scenario.profile.name, item.string), "");
      continue;
    }
    setFeature(item.string, {lint.file(), item.line, item.column}, scenario, lint);
    scenario.features.push_back(item.string);
  }
}

void setKernel(const std::string& name, const SourcePosition& where, Scenario& scenario, JsonLint& lint) {
  auto profile = kernelProfile(name);
  if (!adopt(profile, where, lint)) return;
  scenario.profile = std::move(profile).value();
  scenario.kernel = scenario.profile.name;
}

/// An override takes the place of the scenario's own entry, which stays where it is.
void overridePatch(Scenario& scenario, const std::string& name, bool on, JsonLint& lint) {
  setPatch(name, on, optionPosition("--patch", fmt::format("{}={}", name, on ? "on" : "off")), scenario,
           lint);
  std::erase_if(scenario.patches, [&](const auto& p) { return p.first == name; });
  scenario.patches.emplace_back(name, on);
}

void overrideFeature(Scenario& scenario, const std::string& name, JsonLint& lint) {
  setFeature(name, optionPosition("--feature", name), scenario, lint);
  const std::string bare = name.starts_with("NO_") ? name.substr(3) : name;
  std::erase_if(scenario.features, [&](const std::string& f) { return f == bare || f == "NO_" + bare; });
  scenario.features.push_back(name);
}

void applyPatchesAndFeatures(const ScenarioOverrides& overrides, Scenario& scenario, JsonLint& lint) {
  for (const auto& [name, on] : overrides.patches) overridePatch(scenario, name, on, lint);
  for (const std::string& name : overrides.features) overrideFeature(scenario, name, lint);
}

}  // namespace

void applyKernelOverrides(const ScenarioOverrides& overrides, Scenario& scenario, JsonLint& lint) {
  const std::string kernel = overrides.kernel.value_or(scenario.kernel);
  setKernel(kernel, optionPosition("--kernel", kernel), scenario, lint);
  if (!lint.failed()) applyPatchesAndFeatures(overrides, scenario, lint);
}

void readKernelSection(const ScenarioInput& input, ObjectReader& reader, Scenario& scenario, JsonLint& lint) {
  const JsonMember* kernel = reader.member("kernel", JsonValue::Kind::String);
  const std::string ownKernel = kernel != nullptr ? kernel->value.string : scenario.kernel;
  if (input.overrides.kernel)
    setKernel(*input.overrides.kernel, optionPosition("--kernel", *input.overrides.kernel), scenario, lint);
  else
    setKernel(ownKernel,
              {lint.file(), kernel != nullptr ? kernel->value.line : 0,
               kernel != nullptr ? kernel->value.column : 0},
              scenario, lint);
  readPatches(reader, scenario, lint);
  readFeatures(input, ownKernel, reader, scenario, lint);
  if (const JsonMember* tunables = reader.member("tunables", JsonValue::Kind::Object))
    for (const JsonMember& member : tunables->value.members) readTunable(member, scenario, lint);
  applyPatchesAndFeatures(input.overrides, scenario, lint);
}

}  // namespace rqscope
