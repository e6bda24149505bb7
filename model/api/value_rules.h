// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace rqscope::api::rules {

// Keys of the computations of recompute(), with their operands in order.

inline constexpr const char* kCopy = "copy";              ///< [value]
inline constexpr const char* kChange = "change";          ///< [before, change]
inline constexpr const char* kSum = "sum";                ///< [part...]
inline constexpr const char* kDifference = "difference";  ///< [a, b], of two virtual times
inline constexpr const char* kAverage = "average";        ///< [sum of keys, sum of weights, curr key, weight]
inline constexpr const char* kKeySum = "key_sum";         ///< [key, weight, key, weight, ...]
inline constexpr const char* kCharge = "charge";          ///< [before, delta_exec, weight, inverse]
inline constexpr const char* kPlace = "place";            ///< [V, vlag, load of the queue, weight]
inline constexpr const char* kPlaceCfs = "place_cfs";     ///< [min_vruntime, vruntime before, credit]
inline constexpr const char* kDeadline = "deadline";      ///< [vruntime, slice, weight, inverse, parts]
/// [before, vruntime..., of the running and the earliest waiting one]
inline constexpr const char* kMinVruntime = "min_vruntime";
/// [tasks, latency, granularity, least, then weight and queue's weight of each level]
inline constexpr const char* kCfsSlice = "cfs_slice";
inline constexpr const char* kBaseSlice = "base_slice";    ///< [normalized slice, factor]
inline constexpr const char* kNiceWeight = "nice_weight";  ///< [nice, policy]
inline constexpr const char* kScaleDown = "scale_down";    ///< [scaled weight]
/// [tg shares, queue weight, queue load_avg, tg load_avg, contribution, tg runnable_avg, CPUs, mode]
inline constexpr const char* kShares = "shares";
inline constexpr const char* kPeltUtil = "pelt_util";          ///< [util_sum, period_contrib]
inline constexpr const char* kPeltLoad = "pelt_load";          ///< [weight, load_sum, period_contrib]
inline constexpr const char* kPeltRunnable = "pelt_runnable";  ///< [runnable_sum, period_contrib]
inline constexpr const char* kCpuUtil = "cpu_util";            ///< [util_avg, util_est, UTIL_EST, capacity]
inline constexpr const char* kUtilEst = "util_est";            ///< [ewma, last value (v6.1)]
/// [ewma, last value (v6.1), util_avg, runnable_avg, capacity]
inline constexpr const char* kUtilEstUpdate = "util_est_update";
/// [capacity_orig, hw pressure, cpufreq pressure, rt, dl, irq]
inline constexpr const char* kCapacity = "capacity";

}  // namespace rqscope::api::rules
