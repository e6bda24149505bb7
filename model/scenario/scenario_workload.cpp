// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenario/scenario_reader.h"
#include "workload/generators.h"
#include "workload/merge.h"
#include "workload/rt_app.h"

namespace rqscope {

namespace {

using Kind = JsonValue::Kind;

constexpr std::string_view kWorkloadHint =
    R"(write { "rt-app" : { "tasks" : ... } }, { "file" : "x.json" } or { "generator" : "hogs", "count" : 8 })";

class WorkloadReader {
 public:
  WorkloadReader(const ScenarioInput& input, JsonLint& lint) : m_input(input), m_lint(lint) {}

  void readPart(const JsonValue& value, Workload& whole);

 private:
  std::optional<Workload> readFile(ObjectReader& reader, const JsonValue& object);
  std::optional<Workload> readGenerated(const JsonValue& value);
  std::optional<RtAppDialect> readDialect(ObjectReader& reader, const JsonValue& object);
  std::optional<Workload> adopt(Result<Workload> result);
  void putIntoGroup(Workload& workload, const JsonMember& group);
  static void rename(Workload& workload, const std::string& prefix);
  static void startOn(Workload& workload, const CpuMask& cpus);
  static void putOff(Workload& workload, std::int64_t delayNs, std::int64_t spreadNs);

  const ScenarioInput& m_input;
  JsonLint& m_lint;
};

std::optional<Workload> WorkloadReader::adopt(Result<Workload> result) {
  m_lint.addAll(result.diagnostics());
  if (!result) return std::nullopt;
  return std::move(result).value();
}

std::optional<RtAppDialect> WorkloadReader::readDialect(ObjectReader& reader, const JsonValue& object) {
  const auto name = reader.text("dialect");
  if (!name || *name == "workgen") return RtAppDialect::Workgen;
  if (*name == "plain") return RtAppDialect::Plain;
  m_lint.error(object.find("dialect")->value, fmt::format("there is no dialect \"{}\"", *name),
               "the dialects are workgen and plain");
  return std::nullopt;
}

std::optional<Workload> WorkloadReader::readFile(ObjectReader& reader, const JsonValue& object) {
  const auto name = reader.text("file");
  const auto dialect = readDialect(reader, object);
  if (!name || !dialect) return std::nullopt;
  const std::string path = name->starts_with('/') ? *name : folderOf(m_input.document.file) + *name;
  auto text = readTextFile(path);
  if (text) return adopt(readRtAppText(path, text.value(), *dialect));
  m_lint.error(object.find("file")->value,
               fmt::format("the workload {} cannot be read: {}", path, text.error().message),
               "a relative name starts at the folder of the scenario");
  return std::nullopt;
}

std::optional<Workload> WorkloadReader::readGenerated(const JsonValue& value) {
  JsonValue parameters = value;  // Without what belongs to the section, not to the generator.
  std::erase_if(parameters.members, [](const JsonMember& m) {
    return m.key == "group" || m.key == "prefix" || m.key == "cpus" || m.key == "start_cpus" ||
           m.key == "delay" || m.key == "spread";
  });
  JsonLint own(m_lint.file());
  auto workload = generateWorkload(parameters, own);
  m_lint.addAll(own.take());
  return workload;
}

void WorkloadReader::putIntoGroup(Workload& workload, const JsonMember& group) {
  if (!group.value.is(Kind::String) || !group.value.string.starts_with('/')) {
    m_lint.error(group.value, "\"group\" is no path of a group", "write \"/a\"");
    return;
  }
  const std::int32_t index = findOrAddGroupPath(workload, group.value.string);
  for (ThreadProgram& thread : workload.threads)
    if (!thread.settings.group) thread.settings.group = index;
}

void WorkloadReader::rename(Workload& workload, const std::string& prefix) {
  for (ThreadProgram& thread : workload.threads) thread.name = prefix + thread.name;
}

/// The threads that start by themselves do so after the delay, spread over a time in their order.
void WorkloadReader::putOff(Workload& workload, std::int64_t delayNs, std::int64_t spreadNs) {
  const auto count = static_cast<std::int64_t>(workload.threads.size());
  for (std::int64_t i = 0; i < count; ++i) {
    ThreadProgram& thread = workload.threads[static_cast<std::size_t>(i)];
    if (thread.instances > 0) thread.delayNs += static_cast<std::uint64_t>(delayNs + spreadNs / count * i);
  }
}

/// The threads that start by themselves are forked on these CPUs in turn, in their order.
void WorkloadReader::startOn(Workload& workload, const CpuMask& cpus) {
  CpuId cpu;
  for (ThreadProgram& thread : workload.threads) {
    if (thread.instances <= 0 || thread.startCpu.isValid()) continue;
    cpu = cpu.isValid() ? cpus.next(cpu) : cpus.first();
    if (!cpu.isValid()) cpu = cpus.first();
    thread.startCpu = cpu;
  }
}

void WorkloadReader::readPart(const JsonValue& value, Workload& whole) {
  if (!value.is(Kind::Object)) {
    m_lint.error(value, fmt::format("a workload is an object, this is {}", kindWords(value.kind)),
                 std::string{kWorkloadHint});
    return;
  }
  ObjectReader reader(value, "the workload", m_lint);
  const JsonMember* inlined = reader.member("rt-app", Kind::Object);
  const JsonMember* file = reader.member("file");
  const JsonMember* generator = reader.member("generator");
  const JsonMember* group = reader.member("group");
  const auto cpus = reader.cpus("cpus"), startCpus = reader.cpus("start_cpus");
  const auto prefix = reader.text("prefix");
  const auto delay = reader.duration("delay"), spread = reader.duration("spread");
  if ((inlined != nullptr) + (file != nullptr) + (generator != nullptr) != 1) {
    if (value.find("rt-app") == nullptr || file != nullptr || generator != nullptr)
      m_lint.error(value, "a workload is exactly one of rt-app, file and generator",
                   std::string{kWorkloadHint});
    return;
  }
  std::optional<Workload> workload;
  if (generator != nullptr) {
    workload = readGenerated(value);
  } else if (inlined != nullptr) {
    if (const auto dialect = readDialect(reader, value))
      workload = adopt(readRtApp(m_input.document, inlined->value, *dialect));
  } else {
    workload = readFile(reader, value);
  }
  if (generator == nullptr) reader.finish(ObjectReader::Unknown::Error);
  if (!workload) return;
  if (group != nullptr) putIntoGroup(*workload, *group);
  if (prefix) rename(*workload, *prefix);
  if (startCpus) startOn(*workload, *startCpus);
  if (delay || spread) putOff(*workload, delay.value_or(0), spread.value_or(0));
  if (cpus)
    for (ThreadProgram& thread : workload->threads)
      if (!thread.settings.cpus) thread.settings.cpus = cpus;
  mergeWorkload(whole, std::move(*workload));
}

void readGroup(const JsonMember& member, Workload& workload, JsonLint& lint) {
  if (!member.key.starts_with('/') || member.key == "/") {
    lint.error(member, fmt::format("\"{}\" is no path of a group", member.key), "write \"/a\" or \"/a/b\"");
    return;
  }
  if (!member.hasValue || !member.value.is(Kind::Object)) {
    lint.error(member, fmt::format("the group \"{}\" is no object", member.key),
               "write { \"weight\" : 100 }");
    return;
  }
  constexpr std::int64_t kMaxWeight = 10000;
  constexpr std::int64_t kMinNs = 1'000'000, kMaxPeriodNs = 1'000'000'000;  // Of cpu.max.
  const std::int32_t index = findOrAddGroupPath(workload, member.key);
  WorkloadGroup& group = workload.groups[static_cast<std::size_t>(index)];
  ObjectReader reader(member.value, fmt::format("the group \"{}\"", member.key), lint);
  if (const auto weight = reader.integer("weight", 1, kMaxWeight))
    group.weight = static_cast<std::uint64_t>(*weight);
  if (const auto quota = reader.duration("quota")) group.quotaNs = *quota;
  if (const auto period = reader.duration("period")) group.periodNs = static_cast<std::uint64_t>(*period);
  if (const auto idle = reader.boolean("idle")) group.idle = *idle;
  constexpr std::int64_t kMaxClamp = 1024;
  if (const auto least = reader.integer("uclamp_min", 0, kMaxClamp)) group.utilMin = static_cast<int>(*least);
  if (const auto most = reader.integer("uclamp_max", 0, kMaxClamp)) group.utilMax = static_cast<int>(*most);
  reader.finish(ObjectReader::Unknown::Error);
  if (group.quotaNs >= 0 && group.quotaNs < kMinNs)
    lint.error(member.value.find("quota")->value, "the quota is below 1 ms",
               "write \"1ms\" or more, or leave it out");
  if (group.periodNs < static_cast<std::uint64_t>(kMinNs) ||
      group.periodNs > static_cast<std::uint64_t>(kMaxPeriodNs))
    lint.error(member.value.find("period")->value, "the period is out of range",
               "it lies between 1ms and 1s");
}

void warnOfEqualNames(const Workload& workload, const JsonMember& member, JsonLint& lint) {
  std::set<std::string_view> names;
  for (const ThreadProgram& thread : workload.threads)
    if (!names.insert(thread.name).second)
      return lint.warning(member, fmt::format("two tasks are called \"{}\"", thread.name),
                          "give a part of the workload a \"prefix\"");
}

/// Whether the machine has any CPU of the mask, or any node.
void checkSettings(const Scenario& scenario, const ProgramSettings& settings, const std::string& task,
                   const SourcePosition& where, JsonLint& lint) {
  const Hardware& hardware = scenario.hardware;
  const CpuMask online = hardware.onlineCpus();
  if (settings.cpus && !settings.cpus->isEmpty() && !settings.cpus->isSubsetOf(online)) {
    const bool none = !settings.cpus->intersects(online);
    lint.add(none ? Severity::Error : Severity::Warning, where.line, where.column,
             fmt::format("task \"{}\" names CPUs {}, which {} does not all have online", task,
                         settings.cpus->list(), hardware.name),
             fmt::format("it has {}; choose another machine with --machine", online.list()));
  }
  if (!settings.nodes || settings.nodes->isEmpty()) return;
  const bool known = std::any_of(hardware.nodes.begin(), hardware.nodes.end(), [&](const HardwareNode& node) {
    return settings.nodes->test(CpuId{node.id.value});
  });
  if (!known)
    lint.add(Severity::Warning, where.line, where.column,
             fmt::format("task \"{}\" names memory nodes {}, which {} does not have", task,
                         settings.nodes->list(), hardware.name),
             "");
}

}  // namespace

void readWorkloadSection(const ScenarioInput& input, ObjectReader& reader, Scenario& scenario,
                         JsonLint& lint) {
  if (const JsonMember* groups = reader.member("groups", Kind::Object)) {
    scenario.groupsText = input.document.source(groups->value);
    for (const JsonMember& member : groups->value.members) readGroup(member, scenario.workload, lint);
  }
  const JsonMember* workload = reader.required("workload", kWorkloadHint);
  if (workload == nullptr) return;
  scenario.workloadText = input.document.source(workload->value);
  WorkloadReader parts(input, lint);
  if (workload->value.is(Kind::Array)) {
    for (const JsonValue& item : workload->value.items) parts.readPart(item, scenario.workload);
    if (workload->value.items.empty())
      lint.error(workload->value, "the workload is empty", std::string{kWorkloadHint});
  } else {
    parts.readPart(workload->value, scenario.workload);
  }
  scenario.workload.file = input.document.file;
  warnOfEqualNames(scenario.workload, *workload, lint);
}

void checkWorkloadFits(const Scenario& scenario, JsonLint& lint) {
  for (const ThreadProgram& thread : scenario.workload.threads) {
    checkSettings(scenario, thread.settings, thread.name, thread.where, lint);
    for (const ProgramPhase& phase : thread.phases)
      checkSettings(scenario, phase.settings, thread.name,
                    phase.events.empty() ? thread.where : phase.events.front().where, lint);
  }
}

}  // namespace rqscope
