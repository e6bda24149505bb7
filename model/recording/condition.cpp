// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/condition.h"

#include "recording/condition_fields.h"

namespace rqscope {
namespace {

TaskId liveTaskNamed(const SimState& state, const std::string& name) {
  for (std::size_t slot = 0; slot < state.workload.threads.size(); ++slot) {
    const ThreadState& thread = state.workload.threads[slot];
    if (thread.program >= 0 && thread.endNs < 0 && state.machine.tasks[slot].name == name)
      return TaskId{slot};
  }
  return TaskId{};
}

template <class Table>
std::vector<std::string> namesOf(const Table& table) {
  std::vector<std::string> out;
  for (const auto& row : table) out.emplace_back(row.name);
  return out;
}

}  // namespace

std::int64_t Condition::value(const SimState& state) const {
  return nodeValue(static_cast<std::int32_t>(m_nodes.size()) - 1, state);
}

std::int64_t Condition::nodeValue(std::int32_t index, const SimState& state) const {
  const Node& node = m_nodes[static_cast<std::size_t>(index)];
  const auto field = static_cast<std::size_t>(node.field);
  switch (node.op) {
    case Op::Constant:
      return node.constant;
    case Op::Cpu:
      return cpuFields()[field].read(state, CpuId{node.subject});
    case Op::Domain:
      if (static_cast<std::size_t>(node.subject) >= state.machine.domains.size())
        return 0;  // after a hotplug
      return domainFields()[field].read(state, DomainId{node.subject});
    case Op::Task: {
      const TaskId task = liveTaskNamed(state, node.name);
      return task.isValid() ? taskFields()[field].read(state, task) : 0;
    }
    case Op::Run:
      return runFields()[field].read(state);
    case Op::Or:
      return nodeValue(node.left, state) != 0 || nodeValue(node.right, state) != 0 ? 1 : 0;
    case Op::And:
      return nodeValue(node.left, state) != 0 && nodeValue(node.right, state) != 0 ? 1 : 0;
    case Op::Not:
      return nodeValue(node.left, state) == 0 ? 1 : 0;
    case Op::Negate:
      return static_cast<std::int64_t>(-static_cast<std::uint64_t>(nodeValue(node.left, state)));
    default:
      return binaryValue(node, state);
  }
}

std::int64_t Condition::binaryValue(const Node& node, const SimState& state) const {
  const std::int64_t a = nodeValue(node.left, state);
  const std::int64_t b = nodeValue(node.right, state);
  const auto ua = static_cast<std::uint64_t>(a);  // wrapping arithmetic: no undefined overflow
  const auto ub = static_cast<std::uint64_t>(b);
  switch (node.op) {
    case Op::Equal:
      return a == b ? 1 : 0;
    case Op::NotEqual:
      return a != b ? 1 : 0;
    case Op::Less:
      return a < b ? 1 : 0;
    case Op::LessEqual:
      return a <= b ? 1 : 0;
    case Op::Greater:
      return a > b ? 1 : 0;
    case Op::GreaterEqual:
      return a >= b ? 1 : 0;
    case Op::Add:
      return static_cast<std::int64_t>(ua + ub);
    case Op::Subtract:
      return static_cast<std::int64_t>(ua - ub);
    case Op::Multiply:
      return static_cast<std::int64_t>(ua * ub);
    case Op::Divide:
      return b == 0 || (b == -1 && a == INT64_MIN) ? 0 : a / b;
    case Op::Remainder:
      return b == 0 || b == -1 ? 0 : a % b;
    default:
      return 0;
  }
}

std::vector<std::string> conditionCpuFields() { return namesOf(cpuFields()); }
std::vector<std::string> conditionTaskFields() { return namesOf(taskFields()); }
std::vector<std::string> conditionDomainFields() { return namesOf(domainFields()); }
std::vector<std::string> conditionRunFields() { return namesOf(runFields()); }

}  // namespace rqscope
