// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <string>

#include "topology/machine_import.h"

namespace rqscope {

/// importMachine() that ends soon, with an error, once `stop` is requested: dumps may have a million files.
Result<ImportedMachine> importMachine(const std::string& path, const std::stop_token& stop);
/// loadMachine() that does.
Result<Hardware> loadMachine(const std::string& nameOrPath, const std::string& resourceDir,
                             const std::stop_token& stop);

}  // namespace rqscope
