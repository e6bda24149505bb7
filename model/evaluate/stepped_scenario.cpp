// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/stepped_scenario.h"

#include <array>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace rqscope {
namespace {

using nlohmann::json;
using Kind = SteppedOp::Kind;

constexpr int kMaxCpus = 1024;
constexpr int kMaxTasks = 4096;

struct OpName {
  const char* name;
  Kind kind;
};
constexpr std::array kOpNames{
    OpName{"wakeup", Kind::Wakeup},
    OpName{"block", Kind::Block},
    OpName{"wakeby", Kind::WakeBy},
    OpName{"wakeby_block", Kind::WakeByBlock},
    OpName{"pin", Kind::Pin},
    OpName{"nice", Kind::Nice},
    OpName{"policy", Kind::Policy},
    OpName{"fork", Kind::Fork},
    OpName{"cgroup_create", Kind::CgroupCreate},
    OpName{"cgroup_weight", Kind::CgroupWeight},
    OpName{"cgroup_attach", Kind::CgroupAttach},
    OpName{"set_freq", Kind::SetFrequency},
};

/// Carries the file's name and the first thing that was wrong.
struct Reading {
  std::string path;
  std::string problem;

  bool bad(std::string text) {
    if (problem.empty()) problem = std::move(text);
    return false;
  }
  Diagnostic error() const {
    return {Severity::Error, {path, 0, 0}, problem, "see the stepped runs' schema"};
  }
};

std::int64_t integer(Reading& r, const json& object, const char* key, std::int64_t absent) {
  const auto at = object.find(key);
  if (at == object.end()) return absent;
  if (at->is_number_integer()) return at->get<std::int64_t>();
  r.bad(fmt::format("\"{}\" is not an integer", key));
  return absent;
}

std::string text(Reading& r, const json& object, const char* key) {
  const auto at = object.find(key);
  if (at != object.end() && at->is_string()) return at->get<std::string>();
  r.bad(fmt::format("\"{}\" is missing or not a text", key));
  return {};
}

CpuMask mask(Reading& r, const json& object, const char* key) {
  const std::string list = text(r, object, key);
  Result<CpuMask> parsed = CpuMask::parseList(list);
  if (parsed) return parsed.value();
  r.bad(fmt::format("\"{}\" is not a list of CPUs", key));
  return {};
}

SchedPolicy policyOf(Reading& r, const std::string& name) {
  if (name == "normal") return SchedPolicy::Normal;
  if (name == "batch") return SchedPolicy::Batch;
  if (name == "idle") return SchedPolicy::Idle;
  r.bad(fmt::format("there is no policy \"{}\"", name));
  return SchedPolicy::Normal;
}

void readOpArguments(Reading& r, const json& object, SteppedOp& op) {
  switch (op.kind) {
    case Kind::Wakeup:
    case Kind::Block:
      op.text += fmt::format(" {}", op.id);
      break;
    case Kind::WakeBy:
    case Kind::WakeByBlock:
      op.by = static_cast<int>(integer(r, object, "by", -1));
      op.text += fmt::format(" {} {}", op.by, op.id);
      break;
    case Kind::Pin:
      op.cpus = mask(r, object, "cpus");
      op.text += fmt::format(" {} {}", op.id, text(r, object, "cpus"));
      break;
    case Kind::Nice:
      op.value = integer(r, object, "nice", 0);
      op.text += fmt::format(" {} {}", op.id, op.value);
      break;
    case Kind::Policy:
      op.policy = policyOf(r, text(r, object, "policy"));
      op.text += fmt::format(" {} {}", op.id, text(r, object, "policy"));
      break;
    case Kind::Fork:
      op.value = integer(r, object, "n", 1);
      op.text += fmt::format(" {} {}", op.id, op.value);
      break;
    case Kind::CgroupCreate:
      op.group = text(r, object, "group");
      op.text += " " + op.group;
      break;
    case Kind::CgroupWeight:
      op.group = text(r, object, "group");
      op.value = integer(r, object, "weight", 100);
      op.text += fmt::format(" {} {}", op.group, op.value);
      break;
    case Kind::CgroupAttach:
      op.group = text(r, object, "group");
      op.text += fmt::format(" {} {}", op.group, op.id);
      break;
    case Kind::SetFrequency:
      op.cpu = static_cast<int>(integer(r, object, "cpu", 0));
      op.value = integer(r, object, "freq", 1024);
      op.text += fmt::format(" {} {}", op.cpu, op.value);
      break;
  }
}

/// Not empty, and of CPUs 1..cpus only.
bool isWithin(const CpuMask& mask, int cpus) {
  return !mask.isEmpty() && !mask.test(CpuId{0}) && mask.isSubsetOf(CpuMask::firstN(cpus + 1));
}

bool readOp(Reading& r, const json& object, int cpus, SteppedOp& op) {
  const std::string name = text(r, object, "op");
  bool known = false;
  for (const OpName& row : kOpNames)
    if (name == row.name) {
      op.kind = row.kind;
      known = true;
    }
  if (!known) return r.bad(fmt::format("there is no operation \"{}\"", name));
  op.text = name;
  op.atTick = integer(r, object, "at_tick", 0);
  op.id = static_cast<int>(integer(r, object, "id", -1));
  readOpArguments(r, object, op);
  if (op.kind == Kind::SetFrequency && (op.cpu < 1 || op.cpu > cpus || op.value < 1 || op.value > 1024))
    r.bad("\"set_freq\" needs a CPU of the run and a frequency 1..1024");
  if (op.kind == Kind::Pin && !isWithin(op.cpus, cpus))
    r.bad("\"pin\" names no CPU or one that is not in the run");
  if (op.kind == Kind::Nice && (op.value < -20 || op.value > 19)) r.bad("a nice value is not -20..19");
  if (op.kind == Kind::CgroupWeight && (op.value < 1 || op.value > 10000)) r.bad("a weight is not 1..10000");
  if (op.kind == Kind::Fork && (op.value < 0 || op.value > kMaxTasks)) r.bad("there are too many forks");
  return r.problem.empty();
}

bool readLevels(Reading& r, const json& levels, SteppedScenario& s) {
  for (const auto& [name, groups] : levels.items()) {
    if (!groups.is_array()) return r.bad(fmt::format("level \"{}\" is not a list", name));
    for (const json& group : groups) {
      CpuMask cpus;
      for (const json& cpu : group) {
        if (!cpu.is_number_integer() || cpu < 1 || cpu > s.cpus)
          return r.bad(fmt::format("level \"{}\" names a CPU that is not 1..{}", name, s.cpus));
        cpus.set(CpuId{cpu.get<std::int32_t>()});
      }
      s.levels[name].push_back(cpus);
    }
  }
  return true;
}

bool readPerCpu(Reading& r, const json& object, const char* key, std::map<int, std::uint32_t>& out) {
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return true;
  if (!at->is_object()) return r.bad(fmt::format("\"{}\" is not an object", key));
  for (const auto& [cpu, value] : at->items()) {
    const int number = std::atoi(cpu.c_str());
    if (number < 1 || number > kMaxCpus || !value.is_number_integer() || value < 1 || value > 1024)
      return r.bad(fmt::format("\"{}\" has a value that is not 1..1024", key));
    out[number] = value.get<std::uint32_t>();
  }
  return true;
}

/// The profile of a stepped run: the driver's configuration on top of the version.
Result<KernelProfile> profileOf(const std::string& kernel, int hz, int cpus, const json& features) {
  const std::string name = kernel.starts_with("6.1.") ? "v6.1" : kernel.starts_with("7.3") ? "v7.3" : "v6.12";
  Result<KernelProfile> profile = kernelProfile(name);
  if (!profile) return profile;
  for (const json& feature : features) {
    if (!feature.is_string()) continue;
    profile = withFeature(std::move(profile).value(), feature.get<std::string>());
    if (!profile) return profile;
  }
  Tunables& t = profile.value().tunables;
  t.hz = hz;
  t.scalingCpus = cpus + 1;
  t.preemption = false;
  t.nohz = false;
  t.autogroup = t.autogroupBuilt = false;
  return profile;
}

bool readTasks(Reading& r, const json& tasks, SteppedScenario& s) {
  for (const json& object : tasks) {
    SteppedTask& task = s.tasks.emplace_back();
    task.cpu = static_cast<int>(integer(r, object, "cpu", 1));
    task.cpus = mask(r, object, "cpus");
    task.nice = static_cast<int>(integer(r, object, "nice", 0));
    task.policy = policyOf(r, text(r, object, "policy"));
    if (task.cpu < 1 || task.cpu > s.cpus) r.bad("a task's CPU does not exist");
    if (!isWithin(task.cpus, s.cpus)) r.bad("a task's \"cpus\" name no CPU or one that is not in the run");
    if (task.nice < -20 || task.nice > 19) r.bad("a nice value is not -20..19");
  }
  return r.problem.empty();
}

}  // namespace

Result<SteppedScenario> readSteppedScenario(const std::string& path) {
  Reading r{path, {}};
  std::ifstream in(path);
  if (!in) {
    r.bad("the file cannot be read");
    return r.error();
  }
  const json root = json::parse(in, nullptr, false);
  if (root.is_discarded() || !root.is_object()) {
    r.bad("the file is not a JSON object");
    return r.error();
  }
  SteppedScenario s;
  s.name = root.value("name", path);
  s.cpus = static_cast<int>(integer(r, root, "cpus", 0));
  s.ticks = integer(r, root, "ticks", 0);
  if (s.cpus < 1 || s.cpus > kMaxCpus) r.bad("\"cpus\" is not 1..1024");
  const auto hz = static_cast<int>(integer(r, root, "hz", 1000));
  if (hz < 1 || hz > 10000) r.bad("\"hz\" is not 1..10000");
  if (!r.problem.empty()) return r.error();
  Result<KernelProfile> profile =
      profileOf(text(r, root, "kernel"), hz, s.cpus, root.value("features", json::array()));
  if (!profile) return profile.diagnostics();
  s.profile = std::move(profile).value();
  readLevels(r, root.value("topology", json::object()), s);
  readPerCpu(r, root, "capacities", s.capacities);
  readPerCpu(r, root, "freq", s.frequencies);
  readTasks(r, root.value("tasks", json::array()), s);
  for (const json& object : root.value("ops", json::array())) {
    SteppedOp& op = s.ops.emplace_back();
    if (!object.is_object() || !readOp(r, object, s.cpus, op)) break;
  }
  if (s.tasks.size() > kMaxTasks) r.bad("there are too many tasks");
  if (!r.problem.empty()) return r.error();
  return s;
}

}  // namespace rqscope
