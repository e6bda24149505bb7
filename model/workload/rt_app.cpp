// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/rt_app.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/profile.h"
#include "workload/rt_app_events.h"
#include "workload/rt_app_settings.h"

namespace rqscope {

namespace {

using Kind = JsonValue::Kind;

constexpr std::int64_t kMaxInstances = 65536;
constexpr std::int64_t kMaxLoops = std::int64_t{1} << 40;
constexpr std::int64_t kMaxMicroseconds = 4'000'000'000'000;
constexpr std::int64_t kMaxSeconds = 4'000'000;
constexpr std::uint64_t kNsPerUs = 1000;
constexpr std::int64_t kNsPerS = 1'000'000'000;

// Properties of a thread or phase; the first group is for threads only.
constexpr auto kThreadKeys = std::to_array<std::string_view>(
    {"instance", "delay", "phases", "start_cpu", "per_cpu_kthread", "asleep"});
constexpr auto kPhaseKeys = std::to_array<std::string_view>(
    {"loop", "cpus", "nodes_membind", "policy", "priority", "dl-runtime", "dl-period", "dl-deadline",
     "util_min", "util_max", "taskgroup", "period", "deadline"});
constexpr auto kGlobalKeys = std::to_array<std::string_view>(
    {"duration", "calibration", "default_policy", "pi_enabled", "lock_pages", "logdir", "log_size",
     "log_basename", "ftrace", "gnuplot", "io_device", "mem_buffer_size", "cumulative_slack", "frag"});

template <class Table>
bool contains(const Table& table, std::string_view key) {
  return std::find(table.begin(), table.end(), key) != table.end();
}

class RtAppReader {
 public:
  RtAppReader(Workload& workload, RtAppDialect dialect, JsonLint& lint)
      : m_workload(workload),
        m_dialect(dialect),
        m_lint(lint),
        m_events(workload, m_names, dialect, lint),
        m_settings(workload, dialect, lint) {}

  void read(const JsonValue& root);

 private:
  /// Members as the dialect takes them, with the name they get.
  struct Taken {
    const JsonMember* member;
    std::string name;
  };
  std::vector<Taken> takeChildren(const JsonValue& object) const;
  std::vector<const JsonMember*> takeProperties(const JsonValue& object);
  const JsonMember* property(const JsonValue& object, std::string_view key) {
    return m_settings.property(object, key);
  }

  void readGlobal(const JsonValue& root);
  void readGlobalMember(const JsonMember& member);
  void readThread(const Taken& taken);
  void readThreadHead(const JsonValue& object, ThreadProgram& thread);
  void readPhases(const JsonMember& phases, std::size_t thread);
  void readEvents(const JsonValue& object, std::size_t thread, bool isThread);
  void readUnknown(const JsonMember& member, bool isThread);
  std::int64_t readLoop(const JsonValue& object, std::int64_t missing);
  bool refuseOldGrammar(const Taken& taken);
  void resolveForks();

  Workload& m_workload;
  RtAppDialect m_dialect;
  JsonLint& m_lint;
  RtAppNames m_names;
  RtAppEventReader m_events;
  RtAppSettingsReader m_settings;
  ProgramPolicy m_defaultPolicy = ProgramPolicy::Other;
};

/// Children that are named objects: tasks and phases.
std::vector<RtAppReader::Taken> RtAppReader::takeChildren(const JsonValue& object) const {
  std::vector<Taken> taken;
  std::map<std::string_view, std::size_t> firstOf;
  std::set<std::string> names;
  int next = 1;
  for (const JsonMember& member : object.members) {
    const auto [it, isNew] = firstOf.emplace(member.key, taken.size());
    if (!isNew && m_dialect == RtAppDialect::Plain) {
      taken[it->second].member = &member;
      continue;
    }
    std::string name = member.key;
    while (!names.insert(name).second) name = fmt::format("{}{}", member.key, next++);
    taken.push_back({&member, name});
  }
  return taken;
}

/// Members of a thread or phase: events and properties, repeated as the dialect says.
std::vector<const JsonMember*> RtAppReader::takeProperties(const JsonValue& object) {
  std::vector<const JsonMember*> taken;
  std::map<std::string_view, std::size_t> firstOf;
  for (const JsonMember& member : object.members) {
    const auto [it, isNew] = firstOf.emplace(member.key, taken.size());
    const bool keepsAll = m_dialect == RtAppDialect::Workgen && findRtAppEvent(member.key).has_value();
    if (isNew || keepsAll) {
      taken.push_back(&member);
    } else if (m_dialect == RtAppDialect::Plain) {
      m_lint.warning(member,
                     fmt::format("\"{}\" stands again: only this last one counts in rt-app", member.key),
                     "number the keys (run1, run2) or read the file as workgen does");
      taken[it->second] = &member;
    } else {
      m_lint.warning(member, fmt::format("\"{}\" stands again: only the first one counts", member.key),
                     fmt::format("the first is at line {}: remove one of them", taken[it->second]->line));
    }
  }
  return taken;
}

void RtAppReader::read(const JsonValue& root) {
  if (!root.is(Kind::Object)) {
    m_lint.error(root, fmt::format("an rt-app file is an object, this is {}", kindWords(root.kind)),
                 R"(it looks like { "tasks" : { "thread0" : { "run" : 10000 } } })");
    return;
  }
  for (const JsonMember& member : root.members) {
    if (member.key == "tasks" || member.key == "global" || member.key == "resources") continue;
    const std::string_view near = nearestName(member.key, {"tasks", "global", "resources"});
    m_lint.warning(member, fmt::format("rt-app has no section \"{}\"", member.key),
                   near.empty() ? "the sections are tasks, global and resources"
                                : fmt::format("did you mean \"{}\"?", near));
  }
  readGlobal(root);
  const JsonMember* tasks = property(root, "tasks");
  if (tasks == nullptr) {
    if (root.find("tasks") == nullptr)
      m_lint.error(root, "there is no \"tasks\" section",
                   R"(add "tasks" : { "thread0" : { "run" : 10000 } })");
    return;
  }
  if (!tasks->value.is(Kind::Object) || tasks->value.members.empty()) {
    m_lint.error(tasks->value,
                 tasks->value.is(Kind::Object) ? std::string{"\"tasks\" is empty"}
                                               : fmt::format("\"tasks\" is {}", kindWords(tasks->value.kind)),
                 R"(write "tasks" : { "thread0" : { "run" : 10000 } })");
    return;
  }
  for (const Taken& taken : takeChildren(tasks->value))
    if (!refuseOldGrammar(taken)) readThread(taken);
  resolveForks();
}

void RtAppReader::readGlobal(const JsonValue& root) {
  const JsonMember* global = property(root, "global");
  if (global == nullptr) return;
  if (!global->value.is(Kind::Object)) {
    m_lint.error(global->value, fmt::format("\"global\" is {}", kindWords(global->value.kind)),
                 R"(write "global" : { "duration" : 2 })");
    return;
  }
  for (const JsonMember* member : takeProperties(global->value)) readGlobalMember(*member);
}

void RtAppReader::readGlobalMember(const JsonMember& member) {
  if (!contains(kGlobalKeys, member.key)) {
    const std::string_view near = nearestName(member.key, {kGlobalKeys.begin(), kGlobalKeys.end()});
    m_lint.warning(member, fmt::format("rt-app has no global setting \"{}\"", member.key),
                   near.empty() ? "it is ignored" : fmt::format("did you mean \"{}\"?", near));
  } else if (!member.hasValue) {
    m_lint.error(member, fmt::format("\"{}\" has no value", member.key), "write its value");
  } else if (member.key == "duration") {
    const auto seconds = readInteger(member.value, "\"duration\"", -1, kMaxSeconds, m_lint);
    if (seconds && *seconds >= 0) m_workload.durationNs = *seconds * kNsPerS;
  } else if (member.key == "default_policy") {
    if (const auto policy = m_settings.policyByName(member)) m_defaultPolicy = *policy;
  } else if (member.key == "mem_buffer_size") {
    readInteger(member.value, "\"mem_buffer_size\"", 1, std::int64_t{1} << 50, m_lint);
  }
}

/// The grammar before the one with events and phases: exec, period, lock_order, resources.
bool RtAppReader::refuseOldGrammar(const Taken& taken) {
  std::vector<const JsonValue*> objects{&taken.member->value};
  if (const JsonMember* phases = taken.member->value.find("phases"))
    for (const JsonMember& phase : phases->value.members) objects.push_back(&phase.value);
  for (const JsonValue* object : objects) {
    const JsonMember* exec = object->find("exec");
    if (exec == nullptr || !exec->hasValue || !exec->value.is(Kind::Integer)) continue;
    const JsonMember* period = object->find("period");
    const std::string run = fmt::format("\"run\" : {}", exec->value.integer);
    m_lint.error(*exec,
                 fmt::format("task \"{}\" is in the old grammar of rt-app (exec, period, lock_order), which "
                             "rt-app itself no longer reads",
                             taken.name),
                 period != nullptr && period->value.is(Kind::Integer)
                     ? fmt::format(R"(write {}, "timer" : {{ "ref" : "unique", "period" : {} }})", run,
                                   period->value.integer)
                     : fmt::format("write {}", run));
    return true;
  }
  return false;
}

void RtAppReader::readThread(const Taken& taken) {
  const JsonMember& member = *taken.member;
  if (!member.hasValue || !member.value.is(Kind::Object)) {
    m_lint.error(member,
                 member.hasValue ? fmt::format("task \"{}\" is {}", taken.name, kindWords(member.value.kind))
                                 : fmt::format("task \"{}\" has no value", taken.name),
                 R"(a task is an object: { "run" : 10000, "sleep" : 10000 })");
    return;
  }
  ThreadProgram head;
  head.name = taken.name;
  head.where = {"", member.line, member.column};
  readThreadHead(member.value, head);
  head.settings = m_settings.read(member.value, true, m_defaultPolicy);
  const std::size_t index = m_workload.threads.size();
  m_workload.threads.push_back(std::move(head));
  const JsonMember* phases = property(member.value, "phases");
  if (phases != nullptr) {
    m_workload.threads[index].loops = readLoop(member.value, -1);
    for (const JsonMember* m : takeProperties(member.value))
      if (findRtAppEvent(m->key))
        m_lint.warning(*m, fmt::format("\"{}\" beside \"phases\" is ignored", m->key),
                       "move it into a phase");
      else
        readUnknown(*m, true);
    readPhases(*phases, index);
  } else {
    m_workload.threads[index].loops = member.value.find("loop") != nullptr ? 1 : -1;
    readEvents(member.value, index, true);
  }
}

void RtAppReader::readThreadHead(const JsonValue& object, ThreadProgram& thread) {
  if (const JsonMember* m = property(object, "instance"))
    if (const auto n = readInteger(m->value, "\"instance\"", 0, kMaxInstances, m_lint))
      thread.instances = static_cast<std::int32_t>(*n);
  if (const JsonMember* m = property(object, "delay"))
    if (const auto us = readInteger(m->value, "\"delay\"", 0, kMaxMicroseconds, m_lint))
      thread.delayNs = static_cast<std::uint64_t>(*us) * kNsPerUs;
  const auto readFlag = [&](const char* key, bool& flag) {
    const JsonMember* m = property(object, key);
    if (m == nullptr) return;
    flag = m->value.boolean;
    if (!m->value.is(Kind::Bool))
      m_lint.error(m->value, fmt::format("\"{}\" is neither true nor false", key), "write true");
  };
  readFlag("per_cpu_kthread", thread.isPerCpuKthread);
  readFlag("asleep", thread.startsAsleep);
  constexpr std::int64_t kMaxCpu = 65535;
  if (const JsonMember* m = property(object, "start_cpu"))
    if (const auto cpu = readInteger(m->value, "\"start_cpu\"", 0, kMaxCpu, m_lint))
      thread.startCpu = CpuId{static_cast<std::int32_t>(*cpu)};
}

std::int64_t RtAppReader::readLoop(const JsonValue& object, std::int64_t missing) {
  const JsonMember* m = property(object, "loop");
  if (m == nullptr) return missing;
  const auto loops = readInteger(m->value, "\"loop\"", -1, kMaxLoops, m_lint);
  return loops.value_or(missing);
}

void RtAppReader::readPhases(const JsonMember& phases, std::size_t thread) {
  if (!phases.value.is(Kind::Object) || phases.value.members.empty()) {
    m_lint.error(phases.value,
                 phases.value.is(Kind::Object)
                     ? std::string{"\"phases\" is empty"}
                     : fmt::format("\"phases\" is {}", kindWords(phases.value.kind)),
                 R"(write "phases" : { "p1" : { "run" : 10000 } })");
    return;
  }
  for (const Taken& taken : takeChildren(phases.value)) {
    if (!taken.member->hasValue || !taken.member->value.is(Kind::Object)) {
      m_lint.error(*taken.member, fmt::format("phase \"{}\" is no object", taken.name),
                   R"(a phase is an object: { "loop" : 10, "run" : 10000 })");
      continue;
    }
    ProgramPhase phase;
    phase.name = taken.name;
    const auto threadPolicy = m_workload.threads[thread].settings.policy.value_or(ProgramPolicy::Other);
    phase.settings = m_settings.read(taken.member->value, false, threadPolicy);
    m_workload.threads[thread].phases.push_back(std::move(phase));
    readEvents(taken.member->value, thread, false);
  }
}

/// Reads loop and events of the thread's last phase; for a thread without phases it makes the only one.
void RtAppReader::readEvents(const JsonValue& object, std::size_t thread, bool isThread) {
  if (isThread) m_workload.threads[thread].phases.emplace_back();
  const std::size_t index = m_workload.threads[thread].phases.size() - 1;
  ProgramPhase& phase = m_workload.threads[thread].phases[index];
  phase.loops = readLoop(object, 1);
  bool refused = false;
  for (const JsonMember* member : takeProperties(object)) {
    const auto key = findRtAppEvent(member->key);
    if (!key) {
      readUnknown(*member, isThread);
      continue;
    }
    if (key->suffix.find_first_of("abcdefghijklmnopqrstuvwxyz") == 0) {
      const std::string_view near = nearestName(member->key, rtAppEventNames());
      m_lint.warning(*member, fmt::format("\"{}\" is read as \"{}\", as rt-app does", member->key, key->name),
                     near != key->name && !near.empty() ? fmt::format("did you mean \"{}\"?", near)
                                                        : fmt::format("write \"{}\"", key->name));
    }
    const auto event = m_events.read(*key, *member, thread, index, phase.events.size());
    if (event)
      phase.events.push_back(*event);
    else
      refused = true;
  }
  if (phase.events.empty() && !refused)
    m_lint.error(object,
                 isThread ? fmt::format("task \"{}\" has no events", m_workload.threads[thread].name)
                          : fmt::format("phase \"{}\" has no events", phase.name),
                 "add what it does: \"run\" : 10000, for example");
}

void RtAppReader::readUnknown(const JsonMember& member, bool isThread) {
  if (contains(kPhaseKeys, member.key) || (isThread && contains(kThreadKeys, member.key))) return;
  if (contains(kThreadKeys, member.key)) {
    m_lint.warning(member, fmt::format("\"{}\" has no effect in a phase", member.key), "move it to the task");
    return;
  }
  std::vector<std::string_view> known = rtAppEventNames();
  known.insert(known.end(), kPhaseKeys.begin(), kPhaseKeys.end());
  if (isThread) known.insert(known.end(), kThreadKeys.begin(), kThreadKeys.end());
  const std::string_view near = nearestName(member.key, known);
  m_lint.warning(member, fmt::format("rt-app has no event or property \"{}\"", member.key),
                 near.empty() ? "it is ignored" : fmt::format("did you mean \"{}\"?", near));
}

void RtAppReader::resolveForks() {
  std::vector<std::string_view> names;
  for (const ThreadProgram& thread : m_workload.threads) names.push_back(thread.name);
  for (const RtAppNames::PendingFork& fork : m_names.forks) {
    const auto it = std::find(names.begin(), names.end(), fork.target);
    if (it == names.end()) {
      const std::string_view near = nearestName(fork.target, names);
      m_lint.add(Severity::Error, fork.line, fork.column,
                 fmt::format("there is no task \"{}\" to fork", fork.target),
                 near.empty() ? "name a task of this file" : fmt::format("did you mean \"{}\"?", near));
      continue;
    }
    m_workload.threads[fork.thread].phases[fork.phase].events[fork.event].target =
        static_cast<std::int32_t>(it - names.begin());
  }
}

}  // namespace

bool looksLikeRtApp(const JsonValue& root) {
  if (!root.is(Kind::Object)) return false;
  const auto has = [&](std::string_view key) { return root.find(key) != nullptr; };
  if (has("rqscope-scenario") || has("machine") || has("workload")) return false;
  return has("tasks") || has("global") || has("resources");
}

Result<Workload> readRtApp(const JsonDocument& document, const JsonValue& root, RtAppDialect dialect) {
  JsonLint lint(document.file);
  Workload workload;
  workload.file = document.file;
  RtAppReader(workload, dialect, lint).read(root);
  if (!lint.failed()) lintWorkload(workload, lint);
  if (lint.failed()) return lint.take();
  Result<Workload> result(std::move(workload));
  result.diagnostics() = lint.take();
  return result;
}

Result<Workload> readRtAppText(std::string file, std::string text, RtAppDialect dialect) {
  auto document = parseJson(std::move(file), std::move(text));
  if (!document) return document.diagnostics();
  return readRtApp(document.value(), document.value().root, dialect);
}

}  // namespace rqscope
