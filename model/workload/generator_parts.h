// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workload/generators.h"

/// What the generators are made of. Internal to the room.
namespace rqscope::generator {

using Kind = ProgramEventKind;
using Values = std::map<std::string_view, std::int64_t>;

inline constexpr std::int64_t kMs = 1'000'000, kUs = 1'000, kS = 1'000'000'000;
inline constexpr std::int64_t kLongest = 86'400 * kS;
inline constexpr std::int64_t kMostTasks = 100'000;
inline constexpr GeneratorParameter kNice{"nice", false, 0, -20, 19, "nice value of all tasks"};

ProgramEvent event(Kind kind, std::int64_t ns = 0, std::int32_t target = -1, std::int64_t jitterNs = 0);
/// CPU work that varies by `jitter` percent.
ProgramEvent work(std::int64_t ns, std::int64_t jitter);
ProgramPhase phase(std::int64_t loops, std::vector<ProgramEvent> events);
ThreadProgram thread(std::string name, std::int64_t instances, std::vector<ProgramPhase> phases);
std::int32_t addSemaphore(Workload& w, std::string name, std::int64_t initial);
/// A pipe, or one direction of a socket: so many pages, each for so many messages.
std::int32_t addPipe(Workload& w, std::string name, std::int32_t pages, std::int32_t messagesPerPage);

using Maker = Workload (*)(const Values&);

struct Row {
  Generator generator;
  Maker make;
};

/// Clients and servers, parallel builds and memory streams: generators_server.cpp.
std::vector<Row> serverRows();

}  // namespace rqscope::generator
