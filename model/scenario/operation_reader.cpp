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

using Kind = OperationKind;

/// Which fields an operation takes.
struct OperationRow {
  std::string_view name;
  Kind kind;
  bool task, cpus, cpu, cpuOptional, group;
  std::string_view value;  ///< key of its number, empty: none
  std::int64_t min, max;
};

constexpr std::int64_t kMaxThroughput = 1 << 20;

constexpr auto kOperations = std::to_array<OperationRow>({
    {"pin", Kind::Pin, true, true, false, false, false, "", 0, 0},
    {"unpin", Kind::Unpin, true, false, false, false, false, "", 0, 0},
    {"nice", Kind::Nice, true, false, false, false, false, "nice", -20, 19},
    {"policy", Kind::Policy, true, false, false, false, false, "", 0, 0},
    {"slice", Kind::Slice, true, false, false, false, false, "", 0, 0},
    {"wake", Kind::Wake, true, false, false, true, false, "", 0, 0},
    {"fork", Kind::Fork, true, false, false, true, false, "", 0, 0},
    {"kill", Kind::Kill, true, false, false, false, false, "", 0, 0},
    {"move_group", Kind::MoveGroup, true, false, false, false, true, "", 0, 0},
    {"online", Kind::Online, false, false, true, false, false, "", 0, 0},
    {"offline", Kind::Offline, false, false, true, false, false, "", 0, 0},
    {"weight", Kind::Weight, false, false, false, false, true, "weight", 1, 10000},
    {"quota", Kind::Quota, false, false, false, false, true, "", 0, 0},
    {"frequency", Kind::Frequency, false, true, false, false, false, "value", 1, 1024},
    {"capacity", Kind::Capacity, false, true, false, false, false, "value", 1, 1024},
    {"throughput", Kind::Throughput, false, true, false, false, false, "value", 1, kMaxThroughput},
    {"mark", Kind::Mark, false, false, false, false, false, "", 0, 0},
});

struct PolicyWord {
  std::string_view name;
  ProgramPolicy policy;
};
constexpr auto kPolicies = std::to_array<PolicyWord>(
    {{"normal", ProgramPolicy::Other}, {"batch", ProgramPolicy::Batch}, {"idle", ProgramPolicy::Idle}});

class OperationReader {
 public:
  OperationReader(const JsonValue& object, const Scenario& scenario, JsonLint& lint)
      : m_object(object), m_scenario(scenario), m_lint(lint), m_reader(object, "the operation", lint) {}

  std::optional<Operation> read(std::optional<std::uint64_t> defaultNs);

 private:
  const OperationRow* findRow();
  void readTime(std::optional<std::uint64_t> defaultNs);
  void readTask(const OperationRow& row);
  void readGroup();
  void readCpus(const OperationRow& row);
  void readValue(const OperationRow& row);
  void readPolicy();
  void readQuota();
  bool need(std::string_view key, const OperationRow& row, std::string_view example);

  const JsonValue& m_object;
  const Scenario& m_scenario;
  JsonLint& m_lint;
  ObjectReader m_reader;
  Operation m_operation;
};

std::optional<Operation> OperationReader::read(std::optional<std::uint64_t> defaultNs) {
  readTime(defaultNs);
  const OperationRow* row = findRow();
  if (row == nullptr) return std::nullopt;
  m_operation.kind = row->kind;
  m_operation.where = {m_lint.file(), m_object.line, m_object.column};
  if (row->task) readTask(*row);
  if (row->group && need("group", *row, "\"/a\"")) readGroup();
  readCpus(*row);
  readValue(*row);
  m_reader.text("comment");
  m_reader.finish(ObjectReader::Unknown::Error);
  return m_operation;
}

const OperationRow* OperationReader::findRow() {
  std::vector<std::string_view> names;
  for (const OperationRow& row : kOperations) names.push_back(row.name);
  m_reader.required("do", "write \"do\" : \"unpin\"");
  const auto name = m_reader.text("do");
  if (!name) return nullptr;
  const auto* row = std::find_if(kOperations.begin(), kOperations.end(),
                                 [&](const OperationRow& r) { return r.name == *name; });
  if (row != kOperations.end()) return row;
  m_lint.error(m_object.find("do")->value, fmt::format("there is no operation \"{}\"", *name),
               quotedNameHint(*name, names, "the operations are"));
  return nullptr;
}

void OperationReader::readTime(std::optional<std::uint64_t> defaultNs) {
  if (!defaultNs) m_reader.required("at", "write \"at\" : \"100ms\"");
  const auto at = m_reader.duration("at");
  m_operation.atNs = at ? static_cast<std::uint64_t>(*at) : defaultNs.value_or(0);
}

bool OperationReader::need(std::string_view key, const OperationRow& row, std::string_view example) {
  return m_reader.required(key, fmt::format("\"{}\" wants \"{}\" : {}", row.name, key, example)) != nullptr;
}

/// Task names: of a thread, of one of its instances ("hog-3"), "*" for all; Fork: of a thread only.
void OperationReader::readTask(const OperationRow& row) {
  if (!need("task", row, "\"A\"")) return;
  const auto name = m_reader.text("task");
  if (!name) return;
  m_operation.task = *name;
  if (*name == "*" && row.kind != Kind::Fork) return;
  std::vector<std::string_view> known;
  for (const ThreadProgram& thread : m_scenario.workload.threads) {
    if (thread.name == *name) return;
    known.push_back(thread.name);
    const bool isInstance =
        name->starts_with(thread.name + "-") &&
        name->find_first_not_of("0123456789", thread.name.size() + 1) == std::string::npos &&
        name->size() > thread.name.size() + 1;
    if (isInstance && row.kind != Kind::Fork) return;
  }
  if (m_scenario.workload.threads.empty()) return;  // The workload itself was refused.
  m_lint.error(m_object.find("task")->value, fmt::format("the workload has no task \"{}\"", *name),
               quotedNameHint(*name, known, "the tasks are"));
}

void OperationReader::readGroup() {
  const auto path = m_reader.text("group");
  if (!path) return;
  m_operation.group = *path;
  if (*path == "/") return;
  std::vector<std::string_view> known{"/"};
  for (const WorkloadGroup& group : m_scenario.workload.groups) {
    if (group.name == *path) return;
    known.push_back(group.name);
  }
  m_lint.error(m_object.find("group")->value, fmt::format("there is no group \"{}\"", *path),
               fmt::format("the groups are {}; add it to \"groups\"", nameList(*path, known)));
}

void OperationReader::readCpus(const OperationRow& row) {
  const Hardware& hardware = m_scenario.hardware;
  if (row.cpus && need("cpus", row, "[0, 1]")) {
    if (const auto cpus = m_reader.cpus("cpus")) m_operation.cpus = *cpus;
    bool any = hardware.cpus.empty();
    for (const HardwareCpu& cpu : hardware.cpus) any = any || m_operation.cpus.test(cpu.id);
    if (!any && !m_operation.cpus.isEmpty())
      m_lint.error(m_object.find("cpus")->value,
                   fmt::format("{} has no CPU of {}", hardware.name, m_operation.cpus.list()),
                   fmt::format("it has {}", hardware.onlineCpus().list()));
  }
  if (!row.cpu && !row.cpuOptional) return;
  if (row.cpu && !need("cpu", row, "3")) return;
  constexpr std::int64_t kMaxCpu = 65535;
  const auto cpu = m_reader.integer("cpu", 0, kMaxCpu);
  if (!cpu) return;
  m_operation.cpu = CpuId{static_cast<std::int32_t>(*cpu)};
  if (!hardware.cpus.empty() && hardware.find(m_operation.cpu) == nullptr)
    m_lint.error(m_object.find("cpu")->value, fmt::format("{} has no CPU {}", hardware.name, *cpu),
                 fmt::format("it has {}", hardware.onlineCpus().list()));
}

void OperationReader::readValue(const OperationRow& row) {
  if (!row.value.empty() && need(row.value, row, fmt::format("{}", row.max))) {
    if (const auto value = m_reader.integer(row.value, row.min, row.max)) m_operation.value = *value;
  }
  if (row.kind == Kind::Policy && need("policy", row, "\"batch\"")) readPolicy();
  if (row.kind == Kind::Slice && need("slice", row, "\"3ms\" or \"0ms\""))
    m_operation.value = m_reader.duration("slice").value_or(0);
  if (row.kind == Kind::Quota && need("quota", row, "\"20ms\" or \"none\"")) readQuota();
}

void OperationReader::readPolicy() {
  const auto name = m_reader.text("policy");
  if (!name) return;
  for (const PolicyWord& word : kPolicies) {
    if (word.name != *name) continue;
    m_operation.policy = word.policy;
    return;
  }
  m_lint.error(m_object.find("policy")->value, fmt::format("there is no fair policy \"{}\"", *name),
               "the policies are normal, batch and idle");
}

void OperationReader::readQuota() {
  constexpr std::int64_t kMinPeriodNs = 1'000'000, kMaxPeriodNs = 1'000'000'000;  // Of cpu.max.
  const JsonMember* quota = m_object.find("quota");
  if (quota->value.string == "none")
    m_operation.value = -1;
  else
    m_operation.value = m_reader.duration("quota").value_or(-1);
  if (const auto period = m_reader.duration("period")) {
    m_operation.periodNs = static_cast<std::uint64_t>(*period);
    if (*period < kMinPeriodNs || *period > kMaxPeriodNs)
      m_lint.error(m_object.find("period")->value, "the period is out of range",
                   "it lies between 1ms and 1s");
  }
  if (m_operation.value >= 0 && m_operation.value < kMinPeriodNs)
    m_lint.error(quota->value, "the quota is below 1 ms", "write \"1ms\" or more, or \"none\"");
}

}  // namespace

std::optional<Operation> readOperationObject(const JsonValue& value, const Scenario& scenario,
                                             std::optional<std::uint64_t> defaultNs, JsonLint& lint) {
  if (!value.is(JsonValue::Kind::Object)) {
    lint.error(value, fmt::format("an operation is an object, this is {}", kindWords(value.kind)),
               R"(write { "at" : "100ms", "do" : "unpin", "task" : "*" })");
    return std::nullopt;
  }
  return OperationReader(value, scenario, lint).read(defaultNs);
}

std::string operationJson(const Operation& op) {
  const auto* row = std::find_if(kOperations.begin(), kOperations.end(),
                                 [&](const OperationRow& r) { return r.kind == op.kind; });
  std::string out = fmt::format("{{ \"at\" : {}, \"do\" : \"{}\"",
                                quoteJson(durationText(static_cast<std::int64_t>(op.atNs))), row->name);
  if (row->task) out += fmt::format(", \"task\" : {}", quoteJson(op.task));
  if (row->group) out += fmt::format(", \"group\" : {}", quoteJson(op.group));
  if (row->cpus) out += fmt::format(", \"cpus\" : {}", quoteJson(op.cpus.list()));
  if (row->cpu || (row->cpuOptional && op.cpu.isValid())) out += fmt::format(", \"cpu\" : {}", op.cpu.value);
  if (!row->value.empty()) out += fmt::format(", \"{}\" : {}", row->value, op.value);
  if (op.kind == Kind::Slice) out += fmt::format(", \"slice\" : {}", quoteJson(durationText(op.value)));
  if (op.kind == Kind::Policy)
    for (const PolicyWord& word : kPolicies)
      if (word.policy == op.policy) out += fmt::format(", \"policy\" : \"{}\"", word.name);
  if (op.kind == Kind::Quota) {
    out += fmt::format(", \"quota\" : {}", quoteJson(op.value < 0 ? "none" : durationText(op.value)));
    out += fmt::format(", \"period\" : {}", quoteJson(durationText(static_cast<std::int64_t>(op.periodNs))));
  }
  return out + " }";
}

}  // namespace rqscope
