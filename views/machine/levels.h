// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rqscope/layout.h"

namespace rqscope::machine {

/// A domain level to choose. Levels of one name, as NUMA levels are, differ by their number.
struct Level {
  std::string label;        ///< "MC"; "NUMA 2" where several levels have the name
  std::string name;         ///< LayoutDomain::name
  std::int32_t level = -1;  ///< LayoutDomain::level; -1: any level of the name
  bool operator==(const Level&) const = default;
};

/// Levels of a machine, lowest first.
std::vector<Level> levelsOf(const api::MachineLayout& layout);
/// Whether a domain stands at the level.
bool isAt(const api::LayoutDomain& domain, const Level& level);
/// Index of the CPU's domain at the level, or -1.
int domainAt(const api::MachineLayout& layout, const Level& level, std::int32_t cpu);

/// Those of the CPUs that are in a domain: a box may hold offline and isolated ones too.
std::vector<std::int32_t> balancedCpus(const api::MachineLayout& layout,
                                       const std::vector<std::int32_t>& cpus);

/// Group of the level that spans exactly these CPUs: index into MachineLayout::groups, or -1.
int groupOf(const api::MachineLayout& layout, const Level& level, const std::vector<std::int32_t>& cpus);
/// Distinct CPU sets of the groups at a level.
std::vector<std::vector<std::int32_t>> groupSets(const api::MachineLayout& layout, const Level& level);
/// Domain of the first CPU with exactly this span, or null.
const api::LayoutDomain* domainSpanning(const api::MachineLayout& layout,
                                        const std::vector<std::int32_t>& cpus);
/// Position of a CPU id in the layout, or -1.
int positionOf(const api::MachineLayout& layout, std::int32_t cpu);

}  // namespace rqscope::machine
