// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "workload/json_reader.h"
#include "workload/program.h"

namespace rqscope {

/// One parameter of a generator. Durations are in ns, all others plain numbers.
struct GeneratorParameter {
  std::string_view name;
  bool isDuration = false;
  std::int64_t value = 0;  ///< default
  std::int64_t min = 0, max = 0;
  std::string_view about;
};

/// A named family of workloads.
struct Generator {
  std::string_view name, about;
  std::vector<GeneratorParameter> parameters;
};

const std::vector<Generator>& generators();

/// Builds the workload of { "generator" : NAME, ...parameters }. Nothing when `lint` got an error.
std::optional<Workload> generateWorkload(const JsonValue& object, JsonLint& lint);

}  // namespace rqscope
