// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/resource_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace rqscope::api {

namespace fs = std::filesystem;

namespace {

/// What makes a folder the resources of this program.
constexpr const char* kLandmark = "scenarios/juno.json";
constexpr const char* kVariable = "RQSCOPE_RESOURCES";
constexpr int kFoldersUp = 5;

bool isResources(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kLandmark, error);
}

ResourceHints hintsOfThisProgram() {
  ResourceHints hints;
  std::error_code error;
  hints.program = fs::read_symlink("/proc/self/exe", error).parent_path().string();
  if (const char* given = std::getenv(kVariable); given != nullptr) hints.given = given;
  hints.fixed = {RQSCOPE_BUILT_RESOURCES, RQSCOPE_INSTALLED_RESOURCES, "/usr/local/share/rqscope",
                 "/usr/share/rqscope"};
  return hints;
}

}  // namespace

ResourceSearch searchResources(const ResourceHints& hints) {
  ResourceSearch search;
  const auto tried = [&](const fs::path& folder) {
    const std::string place = folder.lexically_normal().string();
    if (std::ranges::find(search.places, place) == search.places.end()) search.places.push_back(place);
    if (isResources(folder)) search.folder = folder.string();
    return !search.folder.empty();
  };
  if (!hints.given.empty()) {
    tried(hints.given);
    return search;
  }
  fs::path folder = hints.program;
  for (int up = 0; up < kFoldersUp && !folder.empty(); ++up) {
    if (tried(folder / "resources") || tried(folder / "share" / "rqscope")) return search;
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  for (const std::string& fixed : hints.fixed)
    if (!fixed.empty() && tried(fixed)) return search;
  return search;
}

std::string resourceDirectory() {
  const ResourceSearch search = searchResources(hintsOfThisProgram());
  return search.folder.empty() ? search.places.front() : search.folder;
}

std::optional<Problem> missingResources() {
  const ResourceHints hints = hintsOfThisProgram();
  const ResourceSearch search = searchResources(hints);
  if (!search.folder.empty()) return std::nullopt;
  Problem problem;
  problem.file = hints.given.empty() ? std::string{"resources"} : hints.given;
  problem.message = hints.given.empty()
                        ? fmt::format("the program's resources were not found; looked in {}",
                                      fmt::join(search.places, ", "))
                        : fmt::format("{} names this folder, but it holds no {}", kVariable, kLandmark);
  problem.hint = fmt::format(
      "set {} to the folder resources of the source tree or share/rqscope of an installation", kVariable);
  return problem;
}

}  // namespace rqscope::api
