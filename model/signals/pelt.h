// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "base/fixed.h"

namespace rqscope {

/// PELT state of an entity or queue. Kernel: struct sched_avg. Sums advance at every update, to the 1024 ns;
/// averages change only when a 1024 us period boundary is crossed.
struct SchedAvg {
  std::uint64_t lastUpdateTime = 0;  ///< ns; 0 = not attached
  std::uint64_t loadSum = 0;
  std::uint64_t runnableSum = 0;
  std::uint32_t utilSum = 0;
  std::uint32_t periodContrib = 0;  ///< 0..1023, in 1024 ns
  std::uint64_t loadAvg = 0;
  std::uint64_t runnableAvg = 0;
  std::uint64_t utilAvg = 0;
  std::uint32_t utilEst = 0;      ///< v6.8+: the ewma with flag bit 31; v6.1: util_est.enqueued
  std::uint32_t utilEstEwma = 0;  ///< v6.1 only
  bool operator==(const SchedAvg&) const = default;
};

inline constexpr std::uint32_t kLoadAvgMax = 47742;      ///< LOAD_AVG_MAX
inline constexpr std::uint32_t kPeltMinDivider = 46718;  ///< PELT_MIN_DIVIDER
inline constexpr std::uint32_t kUtilAvgUnchanged = 0x80000000U;

/// Kernel: get_pelt_divider().
inline std::uint32_t peltDivider(const SchedAvg& avg) { return kPeltMinDivider + avg.periodContrib; }

/// What an update adds time for: weights of the three sums.
struct PeltInput {
  std::uint64_t load = 0;
  std::uint64_t runnable = 0;
  bool running = false;
};

/// 2^32 * y^i for i = 0..31 with y^32 = 1/2, as the kernel truncates it. Kernel: runnable_avg_yN_inv.
inline constexpr std::array<std::uint32_t, 32> kDecayInverse = {
    0xffffffff, 0xfa83b2da, 0xf5257d14, 0xefe4b99a, 0xeac0c6e6, 0xe5b906e6, 0xe0ccdeeb, 0xdbfbb796,
    0xd744fcc9, 0xd2a81d91, 0xce248c14, 0xc9b9bd85, 0xc5672a10, 0xc12c4cc9, 0xbd08a39e, 0xb8fbaf46,
    0xb504f333, 0xb123f581, 0xad583ee9, 0xa9a15ab4, 0xa5fed6a9, 0xa2704302, 0x9ef5325f, 0x9b8d39b9,
    0x9837f050, 0x94f4efa8, 0x91c3d373, 0x8ea4398a, 0x8b95c1e3, 0x88980e80, 0x85aac367, 0x82cd8698};

inline constexpr std::uint32_t kPeltHalfLife = 32;                    ///< LOAD_AVG_PERIOD
inline constexpr std::uint32_t kPeltPeriod = 1024;                    ///< length of a period in 1024 ns
inline constexpr std::uint64_t kPeltMaxPeriods = 63 * kPeltHalfLife;  ///< beyond it all decays to 0

/// value * y^periods. Kernel: decay_load(), kernel/sched/pelt.c (v6.1, v6.12, v7.3).
constexpr std::uint64_t decayLoad(std::uint64_t value, std::uint64_t periods) {
  if (periods > kPeltMaxPeriods) return 0;
  const auto n = static_cast<std::uint32_t>(periods);
  return mulShift(value >> (n / kPeltHalfLife), kDecayInverse[n % kPeltHalfLife], 32);
}

/// What `periods` >= 1 boundaries leave of whole periods: the sum of y^n for n = 1 to periods - 1.
constexpr std::uint32_t peltWholePeriods(std::uint64_t periods) {
  return static_cast<std::uint32_t>(kLoadAvgMax - decayLoad(kLoadAvgMax, periods) - kPeltPeriod);
}
/// peltWholePeriods() of few periods: most updates come within some milliseconds.
inline constexpr auto kPeltWholePeriods = [] {
  std::array<std::uint32_t, 2 * kPeltHalfLife> whole{};
  for (std::uint32_t n = 1; n < whole.size(); ++n) whole[n] = peltWholePeriods(n);
  return whole;
}();

/// What an update does to an average that it finds at a given time: the same for all averages that were last
/// updated together.
struct PeltStep {
  std::uint64_t lastUpdateTime = 0;  ///< afterwards
  std::uint32_t periodContrib = 0;   ///< afterwards
  std::uint32_t contribution = 0;    ///< time that counts
  std::uint32_t factor = 0;          ///< with `shift`: decayLoad() by the boundaries crossed
  std::uint8_t shift = 0;
  bool advances = false;  ///< false: less than 1024 ns have passed, or the clock went back
  bool crosses = false;   ///< a period boundary at least

  /// decayLoad(value, periods crossed).
  std::uint64_t decayed(std::uint64_t value) const { return mulShift(value >> shift, factor, 32); }
  std::uint32_t decayed(std::uint32_t value) const {
    return static_cast<std::uint32_t>((std::uint64_t{value} >> shift) * factor >> 32);
  }
};

/// Time since the last update that counts now, when the step crosses `periods` >= 1 boundaries: `first` up to
/// the first of them, whole periods, the rest. Kernel: __accumulate_pelt_segments().
inline std::uint32_t peltSegments(const PeltStep& step, std::uint64_t periods, std::uint32_t first) {
  const bool isFew = periods < kPeltWholePeriods.size();
  const std::uint32_t whole = isFew ? kPeltWholePeriods[periods] : peltWholePeriods(periods);
  return step.decayed(first) + whole + step.periodContrib;
}

/// The step of `avg` to nowNs. `counts`: some input has load, so the contribution is asked for.
inline PeltStep peltStep(std::uint64_t nowNs, const SchedAvg& avg, bool counts) {
  PeltStep step;
  std::uint64_t delta = nowNs - avg.lastUpdateTime;
  if (delta < kPeltPeriod || static_cast<std::int64_t>(delta) < 0) {
    step.lastUpdateTime = delta < kPeltPeriod ? avg.lastUpdateTime : nowNs;
    step.periodContrib = avg.periodContrib;
    return step;
  }
  delta >>= 10;
  step.lastUpdateTime = avg.lastUpdateTime + (delta << 10);
  step.advances = true;
  step.contribution = static_cast<std::uint32_t>(delta);
  delta += avg.periodContrib;
  const std::uint64_t periods = delta / kPeltPeriod;
  step.periodContrib = static_cast<std::uint32_t>(delta % kPeltPeriod);
  if (periods == 0) return step;
  step.crosses = true;
  if (periods <= kPeltMaxPeriods) {  // else all decays to 0
    step.factor = kDecayInverse[periods % kPeltHalfLife];
    step.shift = static_cast<std::uint8_t>(periods / kPeltHalfLife);
  }
  if (counts) step.contribution = peltSegments(step, periods, kPeltPeriod - avg.periodContrib);
  return step;
}

/// Advances the sums by their step; true when a period boundary was crossed.
inline bool applyStep(SchedAvg& avg, const PeltStep& step, PeltInput input) {
  avg.lastUpdateTime = step.lastUpdateTime;
  if (!step.advances) return false;
  if (step.crosses) {
    avg.loadSum = step.decayed(avg.loadSum);
    avg.runnableSum = step.decayed(avg.runnableSum);
    avg.utilSum = step.decayed(avg.utilSum);
  }
  avg.periodContrib = step.periodContrib;
  if (input.load != 0) {  // without load nothing counts as runnable or running either
    avg.loadSum += input.load * step.contribution;
    avg.runnableSum += (input.runnable * step.contribution) << kCapacityShift;
    if (input.running) avg.utilSum += step.contribution << kCapacityShift;
  }
  return step.crosses;
}

/// Advances the sums to nowNs; true when a period boundary was crossed.
/// Kernel: ___update_load_sum() with accumulate_sum() (v6.1, v6.12, v7.3).
inline bool updateLoadSum(std::uint64_t nowNs, SchedAvg& avg, PeltInput input) {
  return applyStep(avg, peltStep(nowNs, avg, input.load != 0), input);
}

/// 2^64 / divider, rounded up, for each divider there is.
inline constexpr auto kPeltReciprocals = [] {
  std::array<std::uint64_t, kPeltPeriod> reciprocals{};
  for (std::uint32_t contrib = 0; contrib < kPeltPeriod; ++contrib)
    reciprocals[contrib] = UINT64_MAX / (kPeltMinDivider + contrib) + 1;
  return reciprocals;
}();

/// sum / (kPeltMinDivider + periodContrib), exactly. The reciprocal is too large by less than 1, which adds
/// sum / 2^64 at most: below 2^48 that is less than 1 / divider and changes no quotient.
constexpr std::uint64_t peltQuotient(std::uint64_t sum, std::uint32_t periodContrib) {
  if (((sum >> 48) | (periodContrib / kPeltPeriod)) != 0) [[unlikely]]
    return sum / (kPeltMinDivider + periodContrib);
  return static_cast<std::uint64_t>((static_cast<UInt128>(sum) * kPeltReciprocals[periodContrib]) >> 64);
}

/// Recomputes the averages from the sums; `weight` is se_weight for entities, 1 for queues.
/// Kernel: ___update_load_avg().
inline void updateLoadAverages(SchedAvg& avg, std::uint64_t weight) {
  avg.loadAvg = peltQuotient(weight * avg.loadSum, avg.periodContrib);
  avg.runnableAvg = peltQuotient(avg.runnableSum, avg.periodContrib);
  avg.utilAvg = peltQuotient(avg.utilSum, avg.periodContrib);
}

/// Sums and, on a crossed boundary, averages in one: the shape of every __update_load_avg_*().
inline bool updatePelt(std::uint64_t nowNs, SchedAvg& avg, PeltInput input, std::uint64_t weight) {
  if (!updateLoadSum(nowNs, avg, input)) return false;
  updateLoadAverages(avg, weight);
  return true;
}

/// Kernel: load_avg_is_decayed().
inline bool isDecayed(const SchedAvg& avg) {
  return avg.loadSum == 0 && avg.utilSum == 0 && avg.runnableSum == 0;
}

/// Pure PELT curve, for charts: utilisation after `milliseconds` of running from `start`, in [0, 1024].
/// Not used by the model: integers above are what counts.
double idealRamp(double start, double milliseconds, bool running);

}  // namespace rqscope
