// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tick_turns.h"

#include <algorithm>

#include "engine/hash.h"

namespace rqscope {
namespace {

constexpr unsigned kDrawShift = 32;  // the upper half of a hash is mixed best

/// By how many turns the CPU's tick of a round is late, the first of them drawn.
std::uint64_t drawnTurns(const SimState& s, CpuId cpu, std::uint64_t round, std::uint64_t count) {
  std::uint64_t rank = 0;
  for (CpuId c = s.tickingCpus.first(); c != cpu; c = s.tickingCpus.next(c)) ++rank;
  const std::uint64_t first = (mixHash(s.plan->seed, round) >> kDrawShift) % count;
  return (rank + count - first) % count;
}

/// How late jiffies advance: with the timekeeper's tick, but at once when that is the one that is cut.
std::uint64_t jiffyDelay(const SimState& s, std::uint64_t round) {
  const TickTurns& turns = s.plan->tickTurns;
  if (round < turns.jiffyLateNs.size() && turns.jiffyLateNs[round] >= 0)
    return static_cast<std::uint64_t>(turns.jiffyLateNs[round]);
  const auto count = static_cast<std::uint64_t>(s.tickingCpus.weight());
  const std::uint64_t late = turnDelay(s, turns.timekeeper, round);
  return count < 2 || late + turns.turnNs / 2 >= (count - 1) * turns.turnNs ? 0 : late;
}

}  // namespace

std::uint64_t turnDelay(const SimState& s, CpuId cpu, std::uint64_t round) {
  const TickTurns& turns = s.plan->tickTurns;
  if (turns.turnNs == 0 || !cpu.isValid() || !s.tickingCpus.test(cpu)) return 0;
  if (round < turns.lateNs.size() && cpu.index() < turns.lateNs[round].size())
    if (const std::int32_t late = turns.lateNs[round][cpu.index()]; late >= 0)
      return static_cast<std::uint64_t>(late);
  const auto count = static_cast<std::uint64_t>(s.tickingCpus.weight());
  return drawnTurns(s, cpu, round, count) * turns.turnNs;
}

void advanceJiffiesByTurn(SimState& s, std::uint64_t keeperOffsetNs) {
  const auto beginOf = [&](std::uint64_t jiffy) {
    return s.originNs + jiffy * s.tickNs + keeperOffsetNs + jiffyDelay(s, jiffy);
  };
  std::uint64_t jiffies = (s.machine.nowNs - s.originNs) / s.tickNs;
  if (s.machine.nowNs < beginOf(jiffies)) --jiffies;
  s.machine.jiffies = std::max(s.machine.jiffies, jiffies);
  s.nextJiffyNs = beginOf(s.machine.jiffies + 1);
}

}  // namespace rqscope
