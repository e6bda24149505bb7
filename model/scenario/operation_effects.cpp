// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "scenario/scenario_reader.h"

namespace rqscope {

namespace {

using Kind = OperationKind;

/// What is wrong with an operation that will do nothing, and what would do something; both empty: nothing is.
struct Idleness {
  std::string message, hint;
};

/// The CPUs that are online as the script goes on.
class OnlineCpus {
 public:
  explicit OnlineCpus(const Hardware& hardware) : m_online(hardware.onlineCpus()) {}

  /// Takes the CPU up or down, unless the kernel would refuse: then says why.
  Idleness change(CpuId cpu, bool online) {
    if (m_online.test(cpu) == online)
      return {fmt::format("CPU {} is {} already", cpu.value, online ? "online" : "offline"),
              fmt::format("online are then {}", m_online.list())};
    if (!online && m_online.weight() == 1)
      return {fmt::format("CPU {} is the last one online, which the kernel keeps", cpu.value),
              "take another one online before"};
    if (online)
      m_online.set(cpu);
    else
      m_online.clear(cpu);
    return {};
  }
  Idleness use(const CpuMask& cpus) const {
    if (cpus.intersects(m_online)) return {};
    return {fmt::format("none of CPUs {} is online then", cpus.list()),
            fmt::format("online are then {}", m_online.list())};
  }

 private:
  CpuMask m_online;
};

Idleness idlenessOf(const Operation& op, const Scenario& scenario, OnlineCpus& cpus) {
  if (scenario.untilNs != 0 && op.atNs > scenario.untilNs)
    return {fmt::format("the run ends at {} and never comes to {}",
                        durationText(static_cast<std::int64_t>(scenario.untilNs)),
                        durationText(static_cast<std::int64_t>(op.atNs))),
            "a later \"until\", or an earlier \"at\""};
  switch (op.kind) {
    case Kind::Online:
    case Kind::Offline:
      return cpus.change(op.cpu, op.kind == Kind::Online);
    case Kind::Pin:
    case Kind::Frequency:
    case Kind::Capacity:
    case Kind::Throughput:
      return cpus.use(op.cpus);
    case Kind::Weight:
    case Kind::Quota:
      if (op.group == "/") return {"the root group has neither weight nor quota", "name another group"};
      return {};
    default:
      return {};
  }
}

}  // namespace

void warnOfIdleOperations(const Scenario& scenario, JsonLint& lint) {
  OnlineCpus cpus(scenario.hardware);
  for (const Operation& op : scenario.operations) {
    Idleness idle = idlenessOf(op, scenario, cpus);
    if (!idle.message.empty())
      lint.add(Severity::Warning, op.where.line, op.where.column,
               "the operation has no effect: " + std::move(idle.message), std::move(idle.hint));
  }
}

}  // namespace rqscope
