// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "rqscope/reproduce.h"

namespace rqscope::api {

/// A member that is text; "" when it is absent or something else.
template <typename Json>
std::string textOf(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->template get<std::string>() : std::string{};
}

/// A member that is a number; 0 when it is absent or something else.
template <typename Json>
double numberOf(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->template get<double>() : 0.0;
}

/// What rows of published tables and of stored reports have in common.
template <typename Json>
ReproducedRow commonRowOf(const Json& json) {
  ReproducedRow row;
  row.caseName = textOf(json, "case");
  row.name = textOf(json, "name");
  row.scenario = textOf(json, "scenario");
  row.label = textOf(json, "label");
  row.unit = textOf(json, "unit");
  row.published = numberOf(json, "published");
  row.publishedBase = numberOf(json, "published_base");
  if (const auto patches = json.find("patches"); patches != json.end() && patches->is_object())
    for (const auto& [patch, on] : patches->items())
      if (on.is_boolean()) row.patches.emplace_back(patch, on.template get<bool>());
  return row;
}

}  // namespace rqscope::api
