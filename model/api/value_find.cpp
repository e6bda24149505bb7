// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "api/value_reader.h"
#include "rqscope/names.h"
#include "rqscope/simulation.h"

namespace rqscope::api {
namespace {

std::optional<std::int32_t> numberOf(const std::string& text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::vector<std::string> wordsOf(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    if (word != "on") words.push_back(word);
  return words;
}

unsigned scopesOf(const std::string& subjectKind) {
  if (subjectKind == "task") return static_cast<unsigned>(ValueScope::Task);
  if (subjectKind == "cpu") return static_cast<unsigned>(ValueScope::Cpu);
  return static_cast<unsigned>(subjectKind == "group" ? ValueScope::Group : ValueScope::GroupOnCpu);
}

}  // namespace

std::vector<std::string> valueNames(const std::string& subjectKind) {
  std::vector<std::string> out;
  for (const ValueKind& kind : valueKinds())
    if ((kind.scopes & scopesOf(subjectKind)) != 0) out.emplace_back(kind.name);
  return out;
}

std::optional<ValueRef> findValue(const Simulation& simulation, const std::string& text) {
  const std::vector<std::string> words = wordsOf(text);
  if (words.size() < 3) return std::nullopt;
  ValueRef ref;
  ref.name = words.back();
  std::string kind = words[0];
  const auto frame = simulation.frame();
  if (kind == "cpu" && words.size() == 3) {
    const auto cpu = numberOf(words[1]);
    const bool isThere = cpu && std::any_of(frame->cpus.begin(), frame->cpus.end(),
                                            [&](const CpuFrame& c) { return c.id == *cpu; });
    if (!isThere) return std::nullopt;
    ref.cpu = *cpu;
  } else if (kind == "task" && words.size() == 3) {
    const auto it = std::find_if(frame->tasks.begin(), frame->tasks.end(), [&](const TaskFrame& task) {
      return task.name == words[1] && task.state != "dead";
    });
    if (it == frame->tasks.end()) return std::nullopt;
    ref.task = it->id;
  } else if (kind == "group" && (words.size() == 3 || (words.size() == 5 && words[2] == "cpu"))) {
    const auto it = std::find_if(frame->taskGroups.begin(), frame->taskGroups.end(),
                                 [&](const TaskGroupFrame& group) { return group.name == words[1]; });
    if (it == frame->taskGroups.end()) return std::nullopt;
    ref.group = it->id;
    if (words.size() == 5) {
      const auto cpu = numberOf(words[3]);
      if (!cpu) return std::nullopt;
      ref.cpu = *cpu;
      kind = "group on cpu";
    }
  } else {
    return std::nullopt;
  }
  const std::vector<std::string> names = valueNames(kind);
  if (std::find(names.begin(), names.end(), ref.name) == names.end()) return std::nullopt;
  if (!isOfQueueKind(frame->layout->queue == "cfs", ref.name)) return std::nullopt;
  return ref;
}

namespace {

std::string noNumber(const std::string& what, const std::string& kind, const std::string& name) {
  return fmt::format("{} has no number {}; {}", what, name, nameHintOf(name, valueNames(kind), "it has"));
}

std::string noneOf(const std::string& what, const std::string& name, const std::vector<std::string>& names) {
  return fmt::format("there is no {} {}; {}", what, name, nameHintOf(name, names, "there are"));
}

std::string noCpu(const Frame& frame, const std::string& text) {
  std::vector<std::string> known;
  for (const CpuFrame& cpu : frame.cpus) known.push_back(fmt::format("{}", cpu.id));
  const bool isThere = std::find(known.begin(), known.end(), text) != known.end();
  return isThere ? std::string{} : noneOf("CPU", text, known);
}

std::string noTask(const Frame& frame, const std::string& name) {
  std::vector<std::string> known, dead;
  for (const TaskFrame& task : frame.tasks) (task.state == "dead" ? dead : known).push_back(task.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  if (std::find(dead.begin(), dead.end(), name) != dead.end())
    return fmt::format("task {} has ended by then", name);
  return noneOf("task", name, known);
}

std::string noGroup(const Frame& frame, const std::string& name) {
  std::vector<std::string> known;
  for (const TaskGroupFrame& group : frame.taskGroups) known.push_back(group.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  return noneOf("group", name, known);
}

}  // namespace

std::string valueProblem(const Simulation& simulation, const std::string& text) {
  const std::vector<std::string> words = wordsOf(text);
  const auto frame = simulation.frame();
  constexpr const char* kForms =
      "write \"cpu 3 avg_vruntime\", \"task A lag\", \"group /a shares\" or \"group /a on cpu 2 load_avg\"";
  const bool isGroupOnCpu = words.size() == 5 && words[0] == "group" && words[2] == "cpu";
  if (words.size() != 3 && !isGroupOnCpu) return kForms;
  const std::string& name = words[1];
  std::string wrong = words[0] == "cpu"     ? noCpu(*frame, name)
                      : words[0] == "task"  ? noTask(*frame, name)
                      : words[0] == "group" ? noGroup(*frame, name)
                                            : std::string{kForms};
  if (wrong.empty() && isGroupOnCpu) wrong = noCpu(*frame, words[3]);
  if (!wrong.empty()) return wrong;
  if (isGroupOnCpu) return noNumber("a group on a CPU", "group on cpu", words.back());
  return noNumber(words[0] == "cpu" ? "a CPU" : "a " + words[0], words[0], words.back());
}

}  // namespace rqscope::api
