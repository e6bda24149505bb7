// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "topology/cpu_place.h"
#include "topology/hardware.h"

namespace rqscope {

/// What hwloc says of a machine, whoever read it: libhwloc or our own reader.
struct HwlocFacts {
  struct Node {
    int id = 0;
    CpuMask cpus;
  };
  struct Distances {
    std::vector<int> indexes;  ///< os_index of each row
    std::vector<double> values;
    double base = 1;  ///< hwloc 1: latencies are relative to it
  };
  std::vector<CpuPlace> places;  ///< processing units
  std::vector<Node> nodes;
  CpuMask complete;               ///< every CPU of the machine, offline ones too
  std::optional<CpuMask> online;  ///< hwloc 1 only
  std::optional<Distances> distances;
  std::map<std::string, std::string> infos;            ///< the first of each name
  std::vector<std::pair<CpuMask, std::string>> kinds;  ///< CPUs of a kind and its CoreType
};

inline constexpr int kMaxHwlocIndex = 65535;

/// The machine, with what is missing filled in and noted.
Result<Hardware> hardwareFromHwloc(HwlocFacts facts, const std::string& file);

/// Of the text alone: what libhwloc does not hand out, and whether it may have the text at all.
struct HwlocProbe {
  /// Every part has CPUs, inside those of the part around it and apart from its siblings'. The library takes
  /// that for granted: 2.9 is known to crash on objects without a cpuset.
  bool isSound = true;
  bool hasNodes = false;  ///< libhwloc invents a NUMA node when there is none
  CpuMask online;         ///< hwloc 1: online_cpuset of the machine
};

/// Reads the text once; an error with its position when it is no XML.
Result<HwlocProbe> probeHwloc(std::string_view text, const std::string& file);

/// The facts by libhwloc, without a look at this computer, at plugins or at the user's environment. None when
/// the text is not sound or the library refuses it; it does not say why or where.
std::optional<HwlocFacts> readByLibhwloc(std::string_view text, const HwlocProbe& probe);

}  // namespace rqscope
