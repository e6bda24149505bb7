// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/level_names.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace rqscope::look {

std::vector<std::string> domainNames(const api::MachineLayout& layout) {
  std::map<std::string, std::set<std::int32_t>> levels;
  for (const api::LayoutDomain& domain : layout.domains) levels[domain.name].insert(domain.level);
  std::vector<std::string> out;
  for (const api::LayoutDomain& domain : layout.domains) {
    const std::set<std::int32_t>& same = levels[domain.name];
    const auto number = std::distance(same.begin(), same.find(domain.level)) + 1;
    out.push_back(same.size() > 1 ? domain.name + " " + std::to_string(number) : domain.name);
  }
  return out;
}

}  // namespace rqscope::look
