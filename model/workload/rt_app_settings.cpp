// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/rt_app_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/profile.h"

namespace rqscope {

namespace {

using Kind = JsonValue::Kind;

constexpr std::int64_t kMaxMicroseconds = 4'000'000'000'000;
constexpr std::uint64_t kNsPerUs = 1000;
constexpr int kMinNice = -20, kMaxNice = 19;
constexpr std::uint64_t kMinSliceNs = 100'000, kMaxSliceNs = 100'000'000;  // Of sched_setattr().

struct PolicyName {
  std::string_view name;
  ProgramPolicy policy;
};
constexpr auto kPolicies = std::to_array<PolicyName>({{"SCHED_OTHER", ProgramPolicy::Other},
                                                      {"SCHED_BATCH", ProgramPolicy::Batch},
                                                      {"SCHED_IDLE", ProgramPolicy::Idle},
                                                      {"SCHED_FIFO", ProgramPolicy::Fifo},
                                                      {"SCHED_RR", ProgramPolicy::Rr},
                                                      {"SCHED_DEADLINE", ProgramPolicy::Deadline}});

bool isFair(ProgramPolicy policy) {
  return policy == ProgramPolicy::Other || policy == ProgramPolicy::Batch || policy == ProgramPolicy::Idle;
}

}  // namespace

static std::int32_t findOrAddGroup(Workload& workload, const std::string& path, std::int32_t parent) {
  for (std::size_t i = 0; i < workload.groups.size(); ++i)
    if (workload.groups[i].name == path) return static_cast<std::int32_t>(i);
  WorkloadGroup group;
  group.name = path;
  group.parent = parent;
  workload.groups.push_back(std::move(group));
  return static_cast<std::int32_t>(workload.groups.size() - 1);
}

std::int32_t findOrAddGroupPath(Workload& workload, std::string_view path) {
  std::int32_t parent = -1;
  std::string name;
  std::size_t at = 1;
  while (at < path.size()) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    if (slash > at) {
      name.append("/").append(path.substr(at, slash - at));
      parent = findOrAddGroup(workload, name, parent);
    }
    at = slash + 1;
  }
  return parent;
}

const JsonMember* RtAppSettingsReader::property(const JsonValue& object, std::string_view key) {
  const JsonMember* found = nullptr;
  for (const JsonMember& member : object.members) {
    if (member.key != key) continue;
    if (found != nullptr && m_dialect == RtAppDialect::Workgen) break;
    found = &member;
  }
  if (found == nullptr || found->hasValue) return found;
  m_lint.error(*found, fmt::format("\"{}\" has no value", key),
               fmt::format("write \"{}\" : and its value", key));
  return nullptr;
}

ProgramSettings RtAppSettingsReader::read(const JsonValue& object, bool isThread, ProgramPolicy inherited) {
  ProgramSettings settings;
  if (const JsonMember* m = property(object, "cpus")) settings.cpus = readCpus(m->value, "\"cpus\"", m_lint);
  if (const JsonMember* m = property(object, "nodes_membind"))
    settings.nodes = readCpus(m->value, "\"nodes_membind\"", m_lint);
  if (const JsonMember* m = property(object, "taskgroup")) settings.group = readGroup(*m);
  readPolicy(object, isThread, inherited, settings);
  readClamps(object, settings);
  return settings;
}

std::optional<ProgramPolicy> RtAppSettingsReader::policyByName(const JsonMember& member) {
  std::vector<std::string_view> names;
  for (const PolicyName& row : kPolicies) {
    if (member.value.is(Kind::String) && member.value.string == row.name) return row.policy;
    names.push_back(row.name);
  }
  const std::string_view near =
      member.value.is(Kind::String) ? nearestName(member.value.string, names) : std::string_view{};
  m_lint.error(member.value,
               member.value.is(Kind::String) ? fmt::format("there is no policy \"{}\"", member.value.string)
                                             : fmt::format("\"{}\" is no text in quotes", member.key),
               near.empty() ? "the policies are SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR, "
                              "SCHED_DEADLINE"
                            : fmt::format("did you mean {}?", near));
  return std::nullopt;
}

// Simplified: real-time and deadline tasks run as SCHED_OTHER at nice 0: the model has the fair class only.
void RtAppSettingsReader::readPolicy(const JsonValue& object, bool isThread, ProgramPolicy inherited,
                                     ProgramSettings& settings) {
  ProgramPolicy policy = inherited;
  const JsonMember* named = property(object, "policy");
  if (named != nullptr) {
    const auto known = policyByName(*named);
    if (!known) return;
    policy = *known;
    if (!isFair(policy))
      m_lint.warning(*named, fmt::format("{} is run as SCHED_OTHER at nice 0", named->value.string),
                     "the model has the fair class only; its preemption of fair tasks is not there");
  }
  if (named != nullptr || (isThread && policy != ProgramPolicy::Other))
    settings.policy = isFair(policy) ? policy : ProgramPolicy::Other;
  const JsonMember* priority = property(object, "priority");
  if (priority != nullptr)
    readPriority(*priority, policy, settings);
  else if (isThread || named != nullptr)
    settings.nice = 0;
  readDeadline(object, policy, settings);
}

void RtAppSettingsReader::readDeadline(const JsonValue& object, ProgramPolicy policy,
                                       ProgramSettings& settings) {
  for (const std::string_view key : {"dl-runtime", "dl-period", "dl-deadline"}) {
    const JsonMember* m = property(object, key);
    if (m == nullptr) continue;
    const auto us = readInteger(m->value, fmt::format("\"{}\"", key), 0, kMaxMicroseconds, m_lint);
    if (!us || !isFair(policy) || key != "dl-runtime") continue;
    // A custom slice of a fair task; sched_setattr() cuts it to [0.1 ms, 100 ms].
    const std::uint64_t ns = static_cast<std::uint64_t>(*us) * kNsPerUs;
    settings.sliceNs = ns == 0 ? 0 : std::clamp(ns, kMinSliceNs, kMaxSliceNs);
  }
}

void RtAppSettingsReader::readPriority(const JsonMember& member, ProgramPolicy policy,
                                       ProgramSettings& settings) {
  if (!isFair(policy)) {
    constexpr std::int64_t kMaxRtPriority = 99;
    readInteger(member.value, "\"priority\"", 0, kMaxRtPriority, m_lint);
    settings.nice = 0;
    return;
  }
  const auto nice = readInteger(member.value, "\"priority\" (the nice value)", kMinNice, kMaxNice, m_lint);
  if (nice) settings.nice = static_cast<int>(*nice);
}

/// Utilisation clamps, in force from the phase that names them; -1 takes them back, as sched_setattr() does.
void RtAppSettingsReader::readClamps(const JsonValue& object, ProgramSettings& settings) {
  constexpr std::int64_t kMaxClamp = 1024;
  const auto clamp = [&](std::string_view key, int reset) -> std::optional<int> {
    const JsonMember* m = property(object, key);
    if (m == nullptr) return std::nullopt;
    const auto value = readInteger(m->value, fmt::format("\"{}\"", key), -1, kMaxClamp, m_lint);
    if (!value) return std::nullopt;
    return *value < 0 ? reset : static_cast<int>(*value);
  };
  settings.utilMin = clamp("util_min", 0);
  settings.utilMax = clamp("util_max", static_cast<int>(kMaxClamp));
  if (settings.utilMin && settings.utilMax && *settings.utilMin > *settings.utilMax)
    m_lint.warning(*property(object, "util_min"),
                   "\"util_min\" is above \"util_max\": the kernel refuses both", "");
}

/// Index of the group of that path; its parents are made too.
std::optional<std::int32_t> RtAppSettingsReader::readGroup(const JsonMember& member) {
  if (!member.value.is(Kind::String)) {
    m_lint.error(member.value, fmt::format("\"taskgroup\" is {}", kindWords(member.value.kind)),
                 R"(write a path such as "/tg1")");
    return std::nullopt;
  }
  const std::string& path = member.value.string;
  if (path.empty()) return std::nullopt;
  if (path.front() != '/') {
    m_lint.error(member.value, fmt::format("the task group \"{}\" does not start with \"/\"", path),
                 fmt::format("write \"/{}\"", path));
    return std::nullopt;
  }
  return findOrAddGroupPath(m_workload, path);
}

}  // namespace rqscope
