// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <sstream>

#include "api/value_reader.h"
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
  return ref;
}

}  // namespace rqscope::api
