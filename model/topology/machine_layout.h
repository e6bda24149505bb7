// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "topology/hardware.h"

namespace rqscope {

/// How Linux numbers the CPUs of a regular machine.
enum class CpuNumbering {
  ThreadsLast,     ///< first threads of all cores, then second threads: servers
  ThreadsAdjacent  ///< the threads of a core are neighbours: clients, virtual machines
};

/// A regular machine by counts, each per part of the kind before it.
struct MachineLayout {
  int packages = 1;
  int nodes = 1;                         ///< NUMA nodes per package
  int dies = 1;                          ///< per package; only numbering
  int llcs = 1;                          ///< last-level caches per node
  int clusters = 0;                      ///< per LLC, sharing a level 2 cache; 0 = every core has its own
  int cores = 1;                         ///< per cluster, or per LLC when there are no clusters
  int threads = 1;                       ///< per core
  std::vector<int> distances;            ///< local, [inside the package,] other package; empty = 10/20
  std::vector<std::vector<int>> matrix;  ///< all distances; wins over `distances`
  CpuNumbering numbering = CpuNumbering::ThreadsAdjacent;
  std::uint64_t l1Bytes = 32 << 10, l2Bytes = 1 << 20, l3Bytes = 32 << 20;
  bool hasL3 = true;

  int cpuCount() const;
};

/// The machine of a layout, with a description in words.
Hardware hardwareFromLayout(const MachineLayout& layout);

/// Reads the compact notation: "2 packages x 2 nodes x 8 LLC x 4 cores x 2 threads, distances 10/12/32",
/// with optional ", numbering threads-last", ", isolated 2,5" and ", offline 3". `file` is for messages.
Result<MachineLayout> parseLayout(std::string_view text, const std::string& file);
Result<Hardware> parseCompactMachine(std::string_view text, const std::string& file);

/// Whether the text starts like the compact notation: a number and a word that names a part.
bool looksLikeCompactMachine(std::string_view text);

}  // namespace rqscope
