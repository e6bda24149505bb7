// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/sim_state.h"

namespace rqscope {

/// Values at evenly spaced moments of a run, in a fixed amount of memory: when full, every second one goes
/// and the spacing doubles. Sample k shows the state just before the first event at or after k * spacing.
class Samples {
 public:
  static constexpr std::size_t kMaxSamples = 4096;
  static constexpr std::size_t kGroupTypes = 8;
  static constexpr std::size_t kReasons = 8;
  static constexpr std::size_t kMaxTasks = 512;  ///< slots that are sampled

  struct Cpu {
    std::uint16_t util = 0, nrRunning = 0;
    std::uint32_t load = 0;
  };
  struct Task {
    std::int32_t pid = 0;  ///< 0: no task
    std::uint16_t util = 0;
    std::int16_t cpu = -1;
  };
  /// A group with a CPU limit; its runtime in ns.
  struct Limited {
    std::int32_t group = 0;
    std::int64_t quotaNs = -1, poolNs = 0, cpusNs = 0;  ///< cpusNs: what CPUs hold of it
    std::uint64_t usedNs = 0, expiredNs = 0;            ///< since the period began
  };
  struct Sample {
    std::vector<Cpu> cpus;  ///< by position among the machine's CPUs
    std::vector<Task> tasks;
    std::vector<Limited> limited;
    std::array<std::uint16_t, kGroupTypes>
        groupTypes{};  ///< number of distinct groups of each type, seen from outside
    std::array<std::uint32_t, kReasons> migrations{};  ///< so far
    std::uint64_t idleWhileWaitingNs = 0;              ///< so far
  };

  explicit Samples(std::uint64_t spacingNs) : m_spacingNs(spacingNs) {}
  std::uint64_t nextNs() const { return m_samples.size() * m_spacingNs; }
  void take(const SimState& state);
  /// Forgets the samples at or after this time.
  void cutBack(std::uint64_t nextNs);
  std::size_t size() const { return m_samples.size(); }
  std::uint64_t timeNs(std::size_t i) const { return i * m_spacingNs; }
  std::uint64_t spacingNs() const { return m_spacingNs; }
  const Sample& at(std::size_t i) const { return m_samples[i]; }
  std::size_t bytes() const;

 private:
  std::uint64_t m_spacingNs;
  std::vector<Sample> m_samples;
};

}  // namespace rqscope
