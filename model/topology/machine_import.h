// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "topology/domain_dump.h"
#include "topology/hardware.h"

namespace rqscope {

/// A machine from a file, and the domains of a running kernel when the file has them.
struct ImportedMachine {
  Hardware hardware;
  std::string kind;  ///< what the file was found to be: "hwloc XML", "dump of /sys", ...
  std::optional<DomainDump> domains;
};

/// Opens any machine there is a reader for; the kind is found from the contents, never from the name. A
/// directory is a dump of /sys, "/" is this computer.
Result<ImportedMachine> importMachine(const std::string& path);

/// The text formats: machine file, record, hwloc XML, lscpu, LISA, sched_verbose text, compact notation.
Result<ImportedMachine> importMachineText(std::string_view text, const std::string& file);

/// This computer's live /sys.
Result<ImportedMachine> importThisComputer();

}  // namespace rqscope
