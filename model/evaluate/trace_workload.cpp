// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/trace_workload.h"

#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "evaluate/trace_threads.h"

namespace rqscope {
namespace {

using nlohmann::json;
using Kind = ProgramEventKind;

constexpr std::uint64_t kNsPerUs = 1000;
constexpr std::uint64_t kEndlessNs = 10'000'000'000'000;

/// One "ev T fork NAME KIND A B C NICE MASK" of the specification.
struct ForkSpec {
  std::string name, kind;
  std::uint64_t aNs = 0, bNs = 0, cNs = 0;
  std::int64_t a = 0, c = 0;
  int nice = 0;
  CpuMask mask;
};

class Builder {
 public:
  Builder(const json& run, std::uint64_t clockReadNs, SimPlan& plan)
      : m_run(run), m_clockReadNs(clockReadNs), m_plan(plan) {
    for (const json& t : run.at("tasks")) {
      m_forkedUs[t.at("name").get<std::string>()] = t.at("forked_us").get<std::uint64_t>();
      m_names[t.at("pid").get<int>()] = t.at("name").get<std::string>();
    }
  }

  void build(CpuId controllerCpu, const std::vector<ControllerTurn>& turns) {
    ThreadProgram controller;
    controller.name = "wl";
    controller.startCpu = controllerCpu;
    m_plan.workload.timers.push_back({"plan", true, false});
    m_plan.workload.threads.push_back(controller);
    for (const json& line : m_run.at("workload").at("spec")) {
      std::istringstream in(line.get<std::string>());
      std::string ev, verb;
      std::uint64_t at = 0;
      in >> ev >> at >> verb;
      if (verb != "fork") continue;
      const ForkSpec spec = read(in);
      m_programs[spec.name] = addTask(spec);
    }
    ProgramPhase phase;
    std::uint64_t before = 0;
    for (const ControllerTurn& turn : turns) {
      phase.events.push_back({Kind::Timer, turn.wokenNs - before, 0, 0, -1, {}});
      before = turn.wokenNs;
      for (const ControllerTurn::Piece& piece : turn.pieces) addPiece(piece, phase);
    }
    phase.events.push_back({Kind::Sleep, kEndlessNs, 0, -1, -1, {}});
    m_plan.workload.threads.front().phases.push_back(std::move(phase));
    addTraceOperations(m_run, m_plan);
  }

 private:
  void addPiece(const ControllerTurn::Piece& piece, ProgramPhase& phase) const {
    if (piece.runNs != 0) phase.events.push_back({Kind::Run, piece.runNs, 0, -1, -1, {}});
    const auto name = m_names.find(piece.forkedPid);
    if (name == m_names.end()) return;
    const auto program = m_programs.find(name->second);
    if (program != m_programs.end()) phase.events.push_back({Kind::Fork, 0, 0, program->second, -1, {}});
  }

  static ForkSpec read(std::istringstream& in) {
    ForkSpec spec;
    std::int64_t a = 0, b = 0, c = 0;
    std::string mask;
    in >> spec.name >> spec.kind >> a >> b >> c >> spec.nice >> mask;
    spec.a = a;
    spec.c = c;
    spec.aNs = static_cast<std::uint64_t>(a) * kNsPerUs;
    spec.bNs = static_cast<std::uint64_t>(b) * kNsPerUs;
    spec.cNs = static_cast<std::uint64_t>(c) * kNsPerUs;
    spec.mask = maskOfHex(mask);
    return spec;
  }

  /// A task that starts as its parent is and then sets its own nice value and affinity.
  ThreadProgram born(const std::string& name, const ForkSpec& spec) const {
    ThreadProgram program;
    program.name = name;
    program.instances = 0;
    program.clockReadNs = m_clockReadNs;
    program.phases.emplace_back().name = "born";
    ProgramPhase& phase = program.phases.emplace_back();
    phase.settings.nice = spec.nice;
    phase.settings.cpus = spec.mask;
    return program;
  }

  std::int32_t add(ThreadProgram program) {
    m_plan.workload.threads.push_back(std::move(program));
    return static_cast<std::int32_t>(m_plan.workload.threads.size()) - 1;
  }

  std::int32_t addTask(const ForkSpec& spec) {
    ThreadProgram program = born(spec.name, spec);
    ProgramPhase& phase = program.phases.back();
    if (spec.kind == "hog") {
      phase.events.push_back({Kind::Run, spec.aNs != 0 ? spec.aNs : kEndlessNs, 0, -1, -1, {}});
    } else if (spec.kind == "per") {
      phase.loops = spec.c > 0 ? spec.c : -1;
      phase.events = {{Kind::Run, spec.aNs, 0, -1, -1, {}}, {Kind::Sleep, spec.bNs, 0, -1, -1, {}}};
    } else if (spec.kind == "burst") {
      addBurst(spec, phase);
    } else {
      addProducer(spec, program);
    }
    return add(std::move(program));
  }

  /// The parent forks at the recorded moments: back to back it is busy in between, else it sleeps.
  void addBurst(const ForkSpec& spec, ProgramPhase& phase) {
    for (std::int64_t i = 0; i < spec.a; ++i) {
      ThreadProgram child = born(fmt::format("{}{}", spec.name, i), spec);
      child.phases.back().events.push_back({Kind::Run, spec.bNs, 0, -1, -1, {}});
      const std::uint64_t at = m_forkedUs.at(child.name);
      const std::uint64_t before = m_forkedUs.at(i == 0 ? spec.name : fmt::format("{}{}", spec.name, i - 1));
      if (i == 0 || spec.c == 0)
        phase.events.push_back({Kind::Runtime, (at - before) * kNsPerUs, 0, -1, -1, {}});
      else
        phase.events.push_back({Kind::Sleep, spec.cNs, 0, -1, -1, {}});
      phase.events.push_back({Kind::Fork, 0, 0, add(std::move(child)), -1, {}});
    }
    phase.events.push_back({Kind::Sleep, kEndlessNs, 0, -1, -1, {}});  // waits for its children
  }

  void addProducer(const ForkSpec& spec, ThreadProgram& program) {
    const auto pipe = static_cast<std::int32_t>(m_plan.workload.pipes.size());
    m_plan.workload.pipes.push_back({spec.name});
    ThreadProgram consumer = born(spec.name + "c", spec);
    consumer.phases.back().loops = -1;
    consumer.phases.back().events = {{Kind::PipeRead, 0, 0, pipe, -1, {}},
                                     {Kind::Run, spec.cNs, 0, -1, -1, {}}};
    program.phases.back().events.push_back({Kind::Fork, 0, 0, add(std::move(consumer)), -1, {}});
    ProgramPhase& phase = program.phases.emplace_back();
    phase.settings = program.phases[1].settings;
    phase.loops = -1;
    phase.events = {{Kind::Run, spec.aNs, 0, -1, -1, {}},
                    {Kind::PipeWrite, 0, 0, pipe, -1, {}},
                    {Kind::Sleep, spec.bNs, 0, -1, -1, {}}};
  }

  const json& m_run;
  std::uint64_t m_clockReadNs;
  SimPlan& m_plan;
  std::map<std::string, std::uint64_t> m_forkedUs;
  std::map<int, std::string> m_names;              ///< by pid
  std::map<std::string, std::int32_t> m_programs;  ///< of the tasks that the controller forks
};

}  // namespace

void addTraceOperations(const json& run, SimPlan& plan) {
  for (const json& action : run.at("actions")) {
    const std::string what = action.at("action").get<std::string>();
    Operation op;
    op.atNs = static_cast<std::uint64_t>(std::max<std::int64_t>(action.at("t_us").get<std::int64_t>(), 0)) *
              kNsPerUs;
    op.task = action.value("name", std::string{});
    if (what == "aff") {
      op.kind = OperationKind::Pin;
      op.cpus = maskOfHex(action.at("mask").get<std::string>());
    } else if (what == "nice") {
      op.kind = OperationKind::Nice;
      op.value = action.at("nice").get<std::int64_t>();
    } else if (what == "kill") {
      op.kind = OperationKind::Kill;
    } else {
      if (what == "end") plan.untilNs = op.atNs;
      continue;
    }
    plan.operations.push_back(std::move(op));
  }
  std::ranges::stable_sort(plan.operations, {}, &Operation::atNs);
}

void fillTraceWorkload(const json& run, CpuId controllerCpu, const std::vector<ControllerTurn>& turns,
                       std::uint64_t clockReadNs, SimPlan& plan) {
  Builder(run, clockReadNs, plan).build(controllerCpu, turns);
}

}  // namespace rqscope
