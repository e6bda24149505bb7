// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "topology/topology_record.h"

namespace rqscope {

/// One record of a real kernel against what the model builds for its machine.
struct TopologyRecordReport {
  std::string file;
  std::string profile;  ///< the profile that was built: by the record's kernel release
  bool isEqual = false;
  int comparedFields = 0;  ///< number of values of the record that were compared
  std::vector<FieldDifference> differences;

  /// "FILE: equal (123 values, v6.12)" or one line per difference.
  std::string text() const;
};

/// Whether a document is of the schema "linux-sched-topology/1".
bool isTopologyRecord(const nlohmann::json& document);

/// Builds the domains from the hardware part of the record and compares every field the kernel computed.
Result<TopologyRecordReport> verifyTopologyRecord(const nlohmann::json& record, const std::string& file);
Result<TopologyRecordReport> verifyTopologyRecordFile(const std::string& path);

}  // namespace rqscope
