// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/profile.h"
#include "base/result.h"
#include "topology/sched_topology.h"

namespace rqscope {

/// The schema of records of what a kernel built.
inline constexpr const char* kTopologyRecordSchema = "linux-sched-topology/1";

/// The machine of a record, from `cpus`, `numa`, `cpu_lists`, `cmdline` and `cpuset` alone.
Result<Hardware> hardwareFromRecord(const nlohmann::json& record, const std::string& file);

/// Name of the profile for a kernel release: "6.12.117+deb12-cloud-amd64" -> "v6.12"; the nearest for others.
std::string profileNameOfRelease(const std::string& release);

/// The record of what the model built: the same schema, without the parts only a running kernel has.
nlohmann::json topologyRecord(const SchedTopology& topology, const KernelProfile& profile);

/// One value that two records do not share.
struct FieldDifference {
  std::string field;  ///< "domains[cpu 3, index 1].imb_numa_nr"
  std::string expected, actual;
};

/// Compares every field that the kernel computes, keys that `expected` lacks excepted (v6.1 records have no
/// `cores`). Never `at_dump`, `ref` and `capacity_logged`, which move. Counts what was compared if asked to.
std::vector<FieldDifference> compareTopologyRecords(const nlohmann::json& expected,
                                                    const nlohmann::json& actual,
                                                    int* comparedFields = nullptr);

}  // namespace rqscope
