// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "base/fixed.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr std::uint32_t kMargin = kCapacityScale / 100;  // UTIL_EST_MARGIN
constexpr unsigned kWeightShift = 2;                     // UTIL_EST_WEIGHT_SHIFT: a new sample weighs 1/4

/// Kernel: within_margin(), v6.1: -margin < value < margin in 32-bit arithmetic.
constexpr bool isWithinMargin(std::uint32_t value) { return value + kMargin - 1 < 2 * kMargin - 1; }

/// Kernel: util_est_update(), v6.8 and later: one word.
void updateSingle(const Machine& m, CpuId cpu, SchedAvg& avg) {
  std::uint32_t ewma = avg.utilEst;
  const auto dequeued = static_cast<std::uint32_t>(avg.utilAvg);
  if (ewma <= dequeued) {
    ewma = dequeued;
  } else if (const std::uint32_t diff = ewma - dequeued; diff >= kMargin) {
    if (m.behaviours().utilEstCapacityCheck && dequeued > capacityOrig(m, cpu)) return;
    const bool wasStarved = m.behaviours().utilEstSkipsStarved && dequeued + kMargin < avg.runnableAvg;
    if (!wasStarved) ewma = ((ewma << kWeightShift) - diff) >> kWeightShift;
  }
  avg.utilEst = ewma | kUtilAvgUnchanged;
}

/// Kernel: util_est_update(), v6.1: the last value and its moving average, rising at once (FASTUP).
void updatePair(const Machine& m, CpuId cpu, SchedAvg& avg) {
  const std::uint32_t last = avg.utilEst;
  const auto enqueued = static_cast<std::uint32_t>(avg.utilAvg);
  std::uint32_t ewma = avg.utilEstEwma;
  if (ewma < enqueued) {
    ewma = enqueued;
  } else {
    const std::uint32_t diff = enqueued - ewma;  // wraps, as in the kernel
    if (isWithinMargin(diff)) {
      if (isWithinMargin(last - enqueued)) return;
    } else {
      if (avg.utilAvg > capacityOrig(m, cpu)) return;
      const bool wasStarved = m.behaviours().utilEstSkipsStarved && enqueued + kMargin < avg.runnableAvg;
      if (!wasStarved) ewma = ((ewma << kWeightShift) + diff) >> kWeightShift;
    }
  }
  avg.utilEst = enqueued | kUtilAvgUnchanged;
  avg.utilEstEwma = ewma;
}

}  // namespace

std::uint64_t taskUtil(const Machine& m, TaskId task) { return m.se(task).avg.utilAvg; }

std::uint64_t taskUtilEstRaw(const Machine& m, TaskId task) {
  const SchedAvg& avg = m.se(task).avg;
  const std::uint32_t estimate = avg.utilEst & ~kUtilAvgUnchanged;
  return m.behaviours().utilEstSingle ? estimate : std::max(estimate, avg.utilEstEwma);
}

std::uint64_t taskUtilEst(const Machine& m, TaskId task) {
  return std::max(taskUtil(m, task), taskUtilEstRaw(m, task));
}

void utilEstEnqueue(Machine& m, CpuId cpu, TaskId task) {
  if (!m.features().utilEst) return;
  m.rootCfs(cpu).avg.utilEst += static_cast<std::uint32_t>(taskUtilEstRaw(m, task));
}

void utilEstDequeue(Machine& m, CpuId cpu, TaskId task) {
  if (!m.features().utilEst) return;
  subPositive(m.rootCfs(cpu).avg.utilEst, static_cast<std::uint32_t>(taskUtilEstRaw(m, task)));
}

void utilEstUpdate(Machine& m, CpuId cpu, TaskId task, bool taskSleep) {
  SchedAvg& avg = m.se(task).avg;
  if (!m.features().utilEst || !taskSleep || (avg.utilEst & kUtilAvgUnchanged) != 0) return;
  if (m.behaviours().utilEstSingle)
    updateSingle(m, cpu, avg);
  else
    updatePair(m, cpu, avg);
}

}  // namespace rqscope
