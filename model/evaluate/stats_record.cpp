// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/stats_record.h"

#include <array>

#include "evaluate/hand_machine.h"

namespace rqscope {
namespace {

constexpr std::array<std::string_view, 8> kTypeNames{"has_spare",   "fully_busy",   "misfit_task",
                                                     "smt_balance", "asym_packing", "imbalanced",
                                                     "llc_balance", "overloaded"};

}  // namespace

std::string_view groupTypeRecordName(GroupType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<GroupType> groupTypeOfRecord(std::string_view name) {
  for (std::size_t i = 0; i < kTypeNames.size(); ++i)
    if (kTypeNames[i] == name) return static_cast<GroupType>(i);
  return std::nullopt;
}

Result<GroupStats> groupStatsOfRecord(const nlohmann::json& object) {
  RecordReader in(object);
  GroupStats s;
  s.avgLoad = in.number("avg_load");
  s.groupLoad = in.number("group_load");
  s.groupCapacity = in.number("group_capacity");
  s.groupUtil = in.number("group_util");
  s.groupRunnable = in.number("group_runnable");
  s.sumNrRunning = static_cast<std::uint32_t>(in.number("sum_nr_running"));
  s.sumHNrRunning = static_cast<std::uint32_t>(in.number("sum_h_nr_running"));
  s.idleCpus = static_cast<std::uint32_t>(in.number("idle_cpus"));
  s.groupWeight = static_cast<std::uint32_t>(in.number("group_weight"));
  s.groupAsymPacking = in.flag("group_asym_packing");
  s.groupSmtBalance = in.flag("group_smt_balance", false);
  s.groupLlcBalance = in.flag("group_llc_balance", false);
  s.groupMisfitTaskLoad = in.number("group_misfit_task_load");
  s.nrPrefDstLlc = static_cast<std::uint32_t>(in.number("nr_pref_dst_llc", 0));
  if (!in.ok()) return in.error();
  const auto type = object.find("group_type");
  if (type == object.end()) return s;
  const auto known = type->is_string() ? groupTypeOfRecord(type->get<std::string>()) : std::nullopt;
  if (!known)
    return Diagnostic{Severity::Error, {}, "the group type is not known", "for example \"has_spare\""};
  s.type = *known;
  return s;
}

nlohmann::json groupStatsRecord(const GroupStats& s, KernelVersion version) {
  nlohmann::json out{{"avg_load", s.avgLoad},
                     {"group_load", s.groupLoad},
                     {"group_capacity", s.groupCapacity},
                     {"group_util", s.groupUtil},
                     {"group_runnable", s.groupRunnable},
                     {"sum_nr_running", s.sumNrRunning},
                     {"sum_h_nr_running", s.sumHNrRunning},
                     {"idle_cpus", s.idleCpus},
                     {"group_weight", s.groupWeight},
                     {"group_type", groupTypeRecordName(s.type)},
                     {"group_asym_packing", s.groupAsymPacking ? 1 : 0},
                     {"group_misfit_task_load", s.groupMisfitTaskLoad}};
  if (version != KernelVersion::V6_1) out["group_smt_balance"] = s.groupSmtBalance ? 1 : 0;
  if (version == KernelVersion::V7_3) {
    out["group_llc_balance"] = s.groupLlcBalance ? 1 : 0;
    out["nr_pref_dst_llc"] = s.nrPrefDstLlc;
  }
  return out;
}

}  // namespace rqscope
