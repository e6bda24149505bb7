// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>

#include "api/ladder_keys.h"
#include "groupstats/group_stats.h"
#include "rqscope/ladder.h"
#include "runqueue/machine.h"

namespace rqscope::api {

/// A number with its kernel name and unit.
template <class T>
Operand operand(std::string name, T value, Unit unit = Unit::None) {
  return {std::move(name), static_cast<std::int64_t>(value), unit, {}};
}
inline Operand textOperand(std::string name, std::string text) {
  return {std::move(name), 0, Unit::None, std::move(text)};
}
inline Operand cpuOperand(std::string name, CpuId cpu) {
  return operand(std::move(name), cpu.value, Unit::Cpu);
}

/// left op right, computed here so that it cannot disagree with its numbers.
Comparison compare(Operand left, std::string op, Operand right);

/// The CPU against the CPUs that the task may run on: cpumask_test_cpu(cpu, p->cpus_ptr).
Comparison allowedTest(const Machine& m, std::string name, CpuId cpu, TaskId task);

inline Subject cpuSubject(CpuId cpu) { return {SubjectKind::Cpu, cpu.value}; }
inline Subject taskSubject(TaskId task) { return {SubjectKind::Task, task.value}; }
inline Subject groupSubject(SchedGroupId group) { return {SubjectKind::Group, group.value}; }
inline Subject domainSubject(DomainId domain) { return {SubjectKind::Domain, domain.value}; }

/// The number is one of this entity, not of the rung's or row's subject.
inline Operand about(Subject subject, Operand operand) {
  operand.about = subject;
  return operand;
}
/// Adds what a rung reads, once; what is none is left out.
void addLookedAt(Rung& rung, Subject subject);
void addLookedAt(Rung& rung, const CpuMask& cpus);

std::string cpuLabel(CpuId cpu);  ///< "CPU 3"
/// The task's name; with its pid when another live task has the same name.
std::string taskLabel(const Machine& m, TaskId task);

Rung makeRung(std::string kind, const char* function, std::string outcome, Tone tone = Tone::Neutral);

/// Statistics of a group as a row, with the test that gave its type.
RungRow groupRow(const Machine& m, SchedGroupId group, const GroupStats& stats, unsigned imbalancePct);

}  // namespace rqscope::api
