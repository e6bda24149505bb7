// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/topology_records.h"

#include <fmt/format.h>

#include "topology/json_fields.h"
#include "topology/machine_file.h"

namespace rqscope {

using nlohmann::json;

std::string TopologyRecordReport::text() const {
  if (isEqual) return fmt::format("{}: equal ({} values, {})\n", file, comparedFields, profile);
  std::string out =
      fmt::format("{}: {} of {} values differ ({})\n", file, differences.size(), comparedFields, profile);
  for (const FieldDifference& d : differences)
    out += fmt::format("{}: {}: kernel {}, model {}\n", file, d.field, d.expected, d.actual);
  return out;
}

bool isTopologyRecord(const json& document) {
  if (!document.is_object()) return false;
  const auto schema = document.find("schema");
  return schema != document.end() && *schema == kTopologyRecordSchema;
}

Result<TopologyRecordReport> verifyTopologyRecord(const json& record, const std::string& file) {
  auto hardware = hardwareFromRecord(record, file);
  if (!hardware.ok()) return hardware.diagnostics();
  std::string release;
  if (const auto kernel = record.find("kernel"); kernel != record.end() && kernel->is_object())
    if (const auto it = kernel->find("release"); it != kernel->end() && it->is_string())
      release = it->get<std::string>();
  if (release.empty())
    return Diagnostic{
        Severity::Error, {file, 0, 0}, "kernel.release is missing", "the version of the kernel"};
  auto profile = kernelProfile(profileNameOfRelease(release));
  if (!profile.ok()) return profile.diagnostics();
  auto topology = buildSchedTopology(hardware.value(), profile.value());
  if (!topology.ok()) return topology.diagnostics();
  TopologyRecordReport report;
  report.file = file;
  report.profile = profile.value().name;
  report.differences = compareTopologyRecords(record, topologyRecord(*topology.value(), profile.value()),
                                              &report.comparedFields);
  report.isEqual = report.differences.empty();
  return report;
}

Result<TopologyRecordReport> verifyTopologyRecordFile(const std::string& path) {
  auto text = readWholeFile(path);
  if (!text.ok()) return text.diagnostics();
  auto document = parseJsonText(text.value(), path);
  if (!document.ok()) return document.diagnostics();
  return verifyTopologyRecord(document.value(), path);
}

}  // namespace rqscope
