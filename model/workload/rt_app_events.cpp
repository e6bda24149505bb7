// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/rt_app_events.h"

#include <fmt/format.h>

#include <array>

namespace rqscope {

namespace {

using Kind = JsonValue::Kind;

struct EventName {
  std::string_view name;
  RtAppWord word;
};

// Longest first where one begins another.
constexpr auto kEventNames = std::to_array<EventName>({
    {"runtime", RtAppWord::Runtime},  {"run", RtAppWord::Run},          {"sleep", RtAppWord::Sleep},
    {"timer", RtAppWord::Timer},      {"lock", RtAppWord::Lock},        {"unlock", RtAppWord::Unlock},
    {"wait", RtAppWord::Wait},        {"signal", RtAppWord::Signal},    {"broad", RtAppWord::Broad},
    {"sync", RtAppWord::Sync},        {"barrier", RtAppWord::Barrier},  {"suspend", RtAppWord::Suspend},
    {"resume", RtAppWord::Resume},    {"memrun", RtAppWord::MemRun},    {"mem", RtAppWord::Mem},
    {"iorun", RtAppWord::IoRun},      {"yield", RtAppWord::Yield},      {"fork", RtAppWord::Fork},
    {"sem_post", RtAppWord::SemPost}, {"sem_wait", RtAppWord::SemWait}, {"exec", RtAppWord::Exec},
    {"exit", RtAppWord::Exit},
});

// Simplified: memory and device events are CPU work of a length that follows from the bytes, at fixed rates
// of a plain memset, a byte loop, a pointer chase and a copying write().
constexpr std::uint64_t kMemBytesPerNs = 10;
constexpr std::uint64_t kIoBytesPerNs = 5;
constexpr std::uint64_t kLoopBytesPerNs = 2;
constexpr std::uint64_t kChaseNs = 5;

constexpr std::int64_t kMaxMicroseconds = 4'000'000'000'000;  // More than a month.
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;
constexpr std::uint64_t kNsPerUs = 1000;

std::string describe(const JsonMember& member) {
  if (!member.hasValue) return "has no value";
  return fmt::format("is {}", kindWords(member.value.kind));
}

ProgramEventKind plainKind(RtAppWord word) {
  switch (word) {
    case RtAppWord::Runtime:
      return ProgramEventKind::Runtime;
    case RtAppWord::Sleep:
      return ProgramEventKind::Sleep;
    case RtAppWord::Timer:
      return ProgramEventKind::Timer;
    case RtAppWord::Lock:
      return ProgramEventKind::Lock;
    case RtAppWord::Unlock:
      return ProgramEventKind::Unlock;
    case RtAppWord::Wait:
      return ProgramEventKind::Wait;
    case RtAppWord::Signal:
      return ProgramEventKind::Signal;
    case RtAppWord::Broad:
      return ProgramEventKind::Broadcast;
    case RtAppWord::Sync:
      return ProgramEventKind::Sync;
    case RtAppWord::Barrier:
      return ProgramEventKind::Barrier;
    case RtAppWord::Suspend:
      return ProgramEventKind::Suspend;
    case RtAppWord::Resume:
      return ProgramEventKind::Resume;
    case RtAppWord::Yield:
      return ProgramEventKind::Yield;
    case RtAppWord::Fork:
      return ProgramEventKind::Fork;
    case RtAppWord::SemPost:
      return ProgramEventKind::SemPost;
    case RtAppWord::SemWait:
      return ProgramEventKind::SemWait;
    case RtAppWord::Exec:
      return ProgramEventKind::Exec;
    case RtAppWord::Exit:
      return ProgramEventKind::Exit;
    case RtAppWord::Run:
    case RtAppWord::Mem:
    case RtAppWord::MemRun:
    case RtAppWord::IoRun:
      break;
  }
  return ProgramEventKind::Run;
}

}  // namespace

std::optional<RtAppKey> findRtAppEvent(std::string_view key) {
  for (const EventName& event : kEventNames) {
    if (!key.starts_with(event.name)) continue;
    // "exec" and "exit" are ours, so they do not swallow longer words.
    const bool isOurs = event.word == RtAppWord::Exec || event.word == RtAppWord::Exit;
    const std::string_view suffix = key.substr(event.name.size());
    if (isOurs && suffix.find_first_not_of("0123456789") != std::string_view::npos) continue;
    return RtAppKey{event.word, event.name, suffix};
  }
  return std::nullopt;
}

std::vector<std::string_view> rtAppEventNames() {
  std::vector<std::string_view> names;
  for (const EventName& event : kEventNames) names.push_back(event.name);
  return names;
}

std::int32_t RtAppEventReader::intern(Names& names, std::vector<std::string>& list, const std::string& name) {
  const auto [it, isNew] = names.emplace(name, static_cast<std::int32_t>(list.size()));
  if (isNew) list.push_back(name);
  return it->second;
}

std::int32_t RtAppEventReader::semaphore(const std::string& name) {
  const auto [it, isNew] =
      m_names.semaphores.emplace(name, static_cast<std::int32_t>(m_workload.semaphores.size()));
  if (isNew) m_workload.semaphores.push_back({name, 0});
  return it->second;
}

std::optional<ProgramEvent> RtAppEventReader::read(const RtAppKey& key, const JsonMember& member,
                                                   std::size_t thread, std::size_t phase, std::size_t index) {
  ProgramEvent event;
  event.kind = plainKind(key.word);
  event.where = {"", member.line, member.column};
  std::string name;
  bool ok = true;
  switch (key.word) {
    case RtAppWord::Run:
    case RtAppWord::Runtime:
    case RtAppWord::Sleep:
      ok = readAmount(member, event);
      break;
    case RtAppWord::Timer:
      ok = readTimer(member, thread, event);
      break;
    case RtAppWord::Lock:
    case RtAppWord::Unlock:
      ok = readName(member, name);
      if (ok) event.target = intern(m_names.mutexes, m_workload.mutexes, name);
      break;
    case RtAppWord::Signal:
    case RtAppWord::Broad:
      ok = readName(member, name);
      if (ok) event.target = intern(m_names.conditions, m_workload.conditions, name);
      break;
    case RtAppWord::Wait:
    case RtAppWord::Sync:
      ok = readCondition(member, event);
      break;
    case RtAppWord::Barrier:
      ok = readBarrier(member, thread, event);
      break;
    case RtAppWord::Suspend:
      ok = readSuspend(member, thread, event);
      break;
    case RtAppWord::Resume:
      ok = readName(member, name);
      if (ok) event.target = intern(m_names.suspendPoints, m_workload.suspendPoints, name);
      break;
    case RtAppWord::Mem:
    case RtAppWord::IoRun:
      ok = readBytes(key, member, event);
      break;
    case RtAppWord::MemRun:
      ok = readMemRun(member, event);
      break;
    case RtAppWord::Fork:
      ok = readName(member, name);
      if (ok) m_names.forks.push_back({thread, phase, index, name, member.value.line, member.value.column});
      break;
    case RtAppWord::SemPost:
    case RtAppWord::SemWait:
      ok = readName(member, name);
      if (ok) event.target = semaphore(name);
      break;
    case RtAppWord::Yield:
    case RtAppWord::Exec:
    case RtAppWord::Exit:
      break;
  }
  if (!ok) return std::nullopt;
  return event;
}

bool RtAppEventReader::readAmount(const JsonMember& member, ProgramEvent& event) {
  if (member.hasValue && member.value.is(Kind::Object)) {  // Ours: { "us" : 1000, "jitter" : 200 }
    ObjectReader reader(member.value, fmt::format("\"{}\"", member.key), m_lint);
    if (member.value.find("ns") != nullptr) {  // Ours: { "ns" : 1234567 }
      const auto ns = reader.integer("ns", 0, kMaxMicroseconds * static_cast<std::int64_t>(kNsPerUs));
      reader.finish(ObjectReader::Unknown::Warning);
      event.ns = static_cast<std::uint64_t>(ns.value_or(0));
      return ns.has_value();
    }
    reader.required("us", "write the microseconds: { \"us\" : 1000, \"jitter\" : 200 }");
    const auto us = reader.integer("us", 0, kMaxMicroseconds);
    const auto jitter = reader.integer("jitter", 0, us.value_or(0));
    reader.finish(ObjectReader::Unknown::Warning);
    if (!us) return false;
    event.ns = static_cast<std::uint64_t>(*us) * kNsPerUs;
    event.jitterNs = static_cast<std::uint64_t>(jitter.value_or(0)) * kNsPerUs;
    return true;
  }
  if (!member.hasValue) {
    m_lint.error(member, fmt::format("\"{}\" has no value", member.key),
                 fmt::format("write \"{}\" : and the microseconds", member.key));
    return false;
  }
  const auto us = readInteger(member.value, fmt::format("\"{}\"", member.key), 0, kMaxMicroseconds, m_lint);
  if (!us) return false;
  event.ns = static_cast<std::uint64_t>(*us) * kNsPerUs;
  return true;
}

bool RtAppEventReader::readName(const JsonMember& member, std::string& name) {
  if (member.hasValue && member.value.is(Kind::String) && !member.value.string.empty()) {
    name = member.value.string;
    return true;
  }
  m_lint.add(
      Severity::Error, member.value.line, member.value.column,
      fmt::format("\"{}\" {}", member.key,
                  member.hasValue && member.value.is(Kind::String) ? "names nothing" : describe(member)),
      fmt::format("write \"{}\" : and a name in quotes", member.key));
  return false;
}

bool RtAppEventReader::readTimer(const JsonMember& member, std::size_t thread, ProgramEvent& event) {
  if (!member.hasValue || !member.value.is(Kind::Object)) {
    m_lint.error(member, fmt::format("\"{}\" {}", member.key, describe(member)),
                 R"(write { "ref" : "unique", "period" : 10000 })");
    return false;
  }
  if (member.value.find("at_ns") != nullptr) return readMoment(member, event);
  ObjectReader reader(member.value, fmt::format("\"{}\"", member.key), m_lint);
  const std::string ref = reader.text("ref").value_or("unknown");
  const auto period = reader.integer("period", 0, kMaxMicroseconds);
  const auto mode = reader.text("mode");
  reader.finish(ObjectReader::Unknown::Warning);
  if (member.value.find("period") == nullptr)
    m_lint.warning(member, "the timer has no \"period\", so it never sleeps",
                   R"(write { "ref" : "unique", "period" : 10000 })");
  const bool unique = ref.starts_with("unique");
  const std::string name = unique ? fmt::format("{}/{}", thread, ref) : ref;
  const auto [it, isNew] = m_names.timers.emplace(name, static_cast<std::int32_t>(m_workload.timers.size()));
  if (isNew) m_workload.timers.push_back({ref, unique, true});
  if (mode && mode->starts_with("absolute"))
    m_workload.timers[static_cast<std::size_t>(it->second)].relative = false;
  else if (mode && *mode != "relative")
    m_lint.warning(member, fmt::format("there is no timer mode \"{}\"", *mode),
                   "the modes are relative and absolute; relative is used");
  event.target = it->second;
  event.ns = static_cast<std::uint64_t>(period.value_or(0)) * kNsPerUs;
  return true;
}

/// Ours: { "at_ns" : 1234567, "cpu" : 3 }
bool RtAppEventReader::readMoment(const JsonMember& member, ProgramEvent& event) {
  ObjectReader reader(member.value, fmt::format("\"{}\"", member.key), m_lint);
  constexpr std::int64_t kMaxCpu = 65535;
  const auto at = reader.integer("at_ns", 0, kMaxMicroseconds * static_cast<std::int64_t>(kNsPerUs));
  const auto cpu = reader.integer("cpu", 0, kMaxCpu);
  reader.finish(ObjectReader::Unknown::Warning);
  if (!at) return false;
  event.ns = static_cast<std::uint64_t>(*at);
  if (cpu) event.cpu = static_cast<std::int32_t>(*cpu);
  return true;
}

bool RtAppEventReader::readCondition(const JsonMember& member, ProgramEvent& event) {
  if (!member.hasValue || !member.value.is(Kind::Object)) {
    m_lint.error(member, fmt::format("\"{}\" {}", member.key, describe(member)),
                 R"(write { "ref" : "queue", "mutex" : "mutex" })");
    return false;
  }
  ObjectReader reader(member.value, fmt::format("\"{}\"", member.key), m_lint);
  const auto ref = reader.text("ref");
  const auto mutex = reader.text("mutex");
  reader.finish(ObjectReader::Unknown::Warning);
  for (const std::string_view key : {"ref", "mutex"})
    if (member.value.find(key) == nullptr)
      m_lint.warning(member, fmt::format("\"{}\" has no \"{}\"", member.key, key),
                     "rt-app takes the name \"unknown\" then, which all such events share");
  event.target = intern(m_names.conditions, m_workload.conditions, ref.value_or("unknown"));
  event.mutex = intern(m_names.mutexes, m_workload.mutexes, mutex.value_or("unknown"));
  return true;
}

bool RtAppEventReader::readSuspend(const JsonMember& member, std::size_t thread, ProgramEvent& event) {
  std::string name = m_workload.threads[thread].name;
  const bool hasText = member.hasValue && member.value.is(Kind::String) && !member.value.string.empty();
  if (!member.hasValue && m_dialect == RtAppDialect::Plain) {
    m_lint.error(member, fmt::format("\"{}\" has no value, which rt-app itself refuses", member.key),
                 fmt::format("write \"{}\" : \"{}\", or read the file as workgen does", member.key, name));
    return false;
  }
  if (hasText && m_dialect == RtAppDialect::Workgen) name = member.value.string;
  if (hasText && m_dialect == RtAppDialect::Plain && name != member.value.string)
    m_lint.warning(member,
                   fmt::format("rt-app ignores \"{}\": the task waits on its own name", member.value.string),
                   fmt::format("wake it with \"resume\" : \"{}\"", name));
  event.target = intern(m_names.suspendPoints, m_workload.suspendPoints, name);
  return true;
}

bool RtAppEventReader::readBarrier(const JsonMember& member, std::size_t thread, ProgramEvent& event) {
  std::string name;
  if (!readName(member, name)) return false;
  const auto [it, isNew] =
      m_names.barriers.emplace(name, static_cast<std::int32_t>(m_workload.barriers.size()));
  if (isNew) m_workload.barriers.push_back({name, 0});
  event.target = it->second;
  const std::int32_t instances = m_workload.threads[thread].instances;
  m_workload.barriers[static_cast<std::size_t>(it->second)].count += instances;
  if (instances == 0)
    m_lint.warning(member, "a task of 0 instances does not count for a barrier",
                   "use sem_post and sem_wait with tasks that are forked");
  return true;
}

bool RtAppEventReader::readBytes(const RtAppKey& key, const JsonMember& member, ProgramEvent& event) {
  if (!member.hasValue) {
    m_lint.error(member, fmt::format("\"{}\" has no value", member.key), "write the number of bytes");
    return false;
  }
  const auto bytes = readInteger(member.value, fmt::format("\"{}\"", member.key), 0, kMaxBytes, m_lint);
  if (!bytes) return false;
  const std::uint64_t rate = key.word == RtAppWord::Mem ? kMemBytesPerNs : kIoBytesPerNs;
  event.ns = (static_cast<std::uint64_t>(*bytes) + rate - 1) / rate;
  m_lint.note(member, fmt::format("{} bytes are modelled as {} ns of work", *bytes, event.ns),
              fmt::format("the model has no memory or device: {} bytes take 1 ns", rate));
  return true;
}

bool RtAppEventReader::readMemRun(const JsonMember& member, ProgramEvent& event) {
  const std::string hint = R"(write { "type" : "read", "size" : 65536, "count" : 65536 })";
  if (!member.hasValue || !member.value.is(Kind::Object)) {
    m_lint.error(member, fmt::format("\"{}\" {}", member.key, describe(member)), hint);
    return false;
  }
  ObjectReader reader(member.value, fmt::format("\"{}\"", member.key), m_lint);
  for (const std::string_view key : {"type", "size", "count"}) reader.required(key, hint);
  const auto type = reader.text("type");
  reader.integer("size", 1, kMaxBytes);
  const auto count = reader.integer("count", 0, kMaxBytes);
  reader.text("pattern");
  reader.integer("stride", 1, kMaxBytes);
  reader.text("ref");
  reader.finish(ObjectReader::Unknown::Warning);
  if (!type || !count) return false;
  if (*type != "read" && *type != "write" && *type != "chase") {
    m_lint.error(*member.value.find("type"), fmt::format("there is no memrun type \"{}\"", *type),
                 "the types are read, write and chase");
    return false;
  }
  const auto amount = static_cast<std::uint64_t>(*count);
  event.ns = *type == "chase" ? amount * kChaseNs : (amount + kLoopBytesPerNs - 1) / kLoopBytesPerNs;
  m_lint.note(member, fmt::format("memory access is modelled as {} ns of work", event.ns),
              "the model has no caches: a chase takes 5 ns a hop, 2 bytes are read or written in 1 ns");
  return true;
}

}  // namespace rqscope
