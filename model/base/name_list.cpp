// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/name_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/profile.h"

namespace rqscope {

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

std::string nameList(std::string_view word, const std::vector<std::string_view>& names, std::size_t most) {
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  std::vector<std::string_view> nearest = names;
  // A name that begins with the word, or has it inside, is nearer than any that only looks like it.
  const auto farness = [&](std::string_view name) {
    const std::size_t at = word.empty() ? std::string_view::npos : name.find(word);
    const std::size_t rank = at == 0 ? 0 : at == std::string_view::npos ? 2 : 1;
    return std::pair{rank, editDistance(word, name)};
  };
  std::stable_sort(nearest.begin(), nearest.end(),
                   [&](std::string_view a, std::string_view b) { return farness(a) < farness(b); });
  nearest.resize(most);
  return fmt::format("{} and {} more", fmt::join(nearest, ", "), names.size() - most);
}

std::string nameHint(std::string_view word, const std::vector<std::string_view>& names,
                     std::string_view intro) {
  const std::string_view near = nearestName(word, names);
  return near.empty() ? fmt::format("{} {}", intro, nameList(word, names))
                      : fmt::format("did you mean {}?", near);
}

std::string quotedNameHint(std::string_view word, const std::vector<std::string_view>& names,
                           std::string_view intro) {
  const std::string_view near = nearestName(word, names);
  return near.empty() ? nameHint(word, names, intro) : fmt::format("did you mean \"{}\"?", near);
}

}  // namespace rqscope
