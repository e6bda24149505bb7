// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "topology/hardware.h"

namespace rqscope {

/// Reads a machine file (schema "rqscope-machine/1", described in resources/topologies/README.md).
Result<Hardware> readMachineJson(std::string_view text, const std::string& file);

/// Writes a machine file with one entry per run of like CPUs; readMachineJson() gives the same machine back.
std::string writeMachineJson(const Hardware& hardware);

/// Names of the machines built in: the files *.json of `resourceDir` without the ending, sorted.
std::vector<std::string> builtinMachineNames(const std::string& resourceDir);

/// A built-in machine by name, any file or folder that importMachine() reads, or the compact notation.
/// `resourceDir` is resources/topologies.
Result<Hardware> loadMachine(const std::string& nameOrPath, const std::string& resourceDir);

/// Contents of a file; an error says why it cannot be read. Refuses more than `limit` bytes.
Result<std::string> readWholeFile(const std::string& path, std::size_t limit = std::size_t{64} << 20);

}  // namespace rqscope
