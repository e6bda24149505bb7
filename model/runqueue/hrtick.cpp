// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdlib>

#include "runqueue/flat.h"

// The slice timer of v7.3. It is armed here; whoever drives the machine lets it fire (hrtickFair()).
// Simplified: the time is not stretched by what rt, deadline tasks and interrupts take, and a start inside
// schedule() takes effect at once.

namespace rqscope::flat {
namespace {

constexpr std::int64_t kShortestNs = 10'000;  // hrtick_start()
constexpr std::int64_t kNoChangeNs = 5'000;   // hrtick_needs_rearm()

}  // namespace

void startHrtick(Machine& m, CpuId cpu, const SchedEntity& se) {
  Rq& rq = m.rq(cpu);
  if (m.rootCfs(cpu).hNrQueued <= 1) return;
  const std::int64_t left = virtualDelta(se.deadline, se.vruntime);
  if (left < 0) {
    if (rq.curr == se.task) reschedCurr(m, cpu);
    return;
  }
  const std::uint64_t ns = se.hLoad.weight * static_cast<std::uint64_t>(left) / kNice0Load;
  const std::uint64_t at =
      m.nowNs + static_cast<std::uint64_t>(std::max(static_cast<std::int64_t>(ns), kShortestNs));
  if (rq.hrtickArmed && std::abs(virtualDelta(at, rq.hrtickAtNs)) <= kNoChangeNs) return;
  rq.hrtickArmed = true;
  rq.hrtickAtNs = at;
}

void updateHrtick(Machine& m, CpuId cpu) {
  const Rq& rq = m.rq(cpu);
  if (!rq.curr.isValid() || rq.stopperRunning || rq.hrtickArmed) return;
  startHrtick(m, cpu, m.se(rq.curr));
}

void cancelHrtick(Machine& m, CpuId cpu) { m.rq(cpu).hrtickArmed = false; }

}  // namespace rqscope::flat
