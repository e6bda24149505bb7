// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace rqscope::api {

/// A named patch as a kernel profile has it.
struct PatchChoice {
  std::string name, commit, summary;
  bool isKnown = true;            ///< it makes sense on this kernel
  bool isOnByDefault = false;     ///< this kernel has it
  std::vector<std::string> onIn;  ///< profiles that have it
};
/// All patches, in the order of help/patches.md; none for an unknown kernel.
std::vector<PatchChoice> patchChoices(const std::string& kernel);

}  // namespace rqscope::api
