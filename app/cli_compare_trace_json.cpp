// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_compare_trace.h"

namespace rqscope::app {

namespace {

constexpr const char* kKinds[] = {"wakeup", "migration", "turn"};

template <class T>
Json bothJson(const api::BothSides<T>& both) {
  return {{"machine", both.machine}, {"model", both.model}};
}

Json countJson(const api::MatchedCount& count) {
  return {{"machine", count.machine}, {"model", count.model}, {"agree", count.agree}};
}

Json latencyJson(const api::LatencyFigures& latency) {
  Json percentiles = Json::array();
  for (const auto& [percent, ns] : latency.percentiles)
    percentiles.push_back({{"percent", percent}, {"ns", ns}});
  return {{"count", latency.count}, {"percentiles", std::move(percentiles)}};
}

Json partingJson(const api::Parting& p) {
  Json json = {{"t_ns", p.timeNs}, {"kind", kKinds[static_cast<std::size_t>(p.kind)]}, {"fresh", p.isFresh}};
  json["task"] = p.task;
  json["pid"] = p.pid;
  json["cpu"] = p.cpu;
  json["from_cpu"] = p.fromCpu;
  json["cpus"] = bothJson(p.cpus);
  if (p.kind == api::Parting::Kind::Move) json["moved_by"] = p.isMachines ? "machine" : "model";
  if (p.kind == api::Parting::Kind::Wakeup) json["fork"] = p.isFork;
  if (p.kind == api::Parting::Kind::Turn) {
    json["model_task"] = p.modelTask;
    json["model_pid"] = p.modelPid;
    json["lasts_ns"] = p.lastsNs;
  }
  json["text"] = p.text();
  return json;
}

Json momentJson(const api::SideMoment& moment) {
  Json json = Json::array();
  for (const api::SideMoment::Cpu& cpu : moment.cpus)
    json.push_back({{"cpu", cpu.cpu},
                    {"running", cpu.running.empty() ? Json(nullptr) : Json(cpu.running)},
                    {"waiting", cpu.waiting}});
  return json;
}

Json segmentsJson(const api::SegmentAgreement& s) {
  Json json = {{"length_ns", s.lengthNs}, {"segments", s.segments}};
  json["with_migration"] = s.withMove;
  json["next_migration_agrees"] = s.nextMoveAgrees;
  json["without_migration"] = s.noMove;
  json["without_migration_in_both"] = s.noMoveInBoth;
  json["without_parting"] = s.withoutParting;
  json["median_parting_ns"] = s.medianPartingNs;
  json["migrations"] = countJson(s.moves);
  json["wakeups"] = countJson(s.wakeups);
  json["cpu_time"] = {{"compared_ns", s.sameCpuNs.machine}, {"same_ns", s.sameCpuNs.model}};
  for (std::size_t i = 0; i < s.firstPartings.size(); ++i)
    json["first_partings"][kKinds[i]] = s.firstPartings[i];
  json["event_by_event"] = {{"switches", s.switches},
                            {"picks_agree", s.picksAgree},
                            {"wakeups", s.choices},
                            {"choices_agree", s.choicesAgree}};
  return json;
}

Json tasksJson(const std::vector<api::TaskAgreement>& tasks) {
  Json json = Json::array();
  for (const api::TaskAgreement& t : tasks)
    json.push_back({{"name", t.name},
                    {"pid", t.pid},
                    {"ran_ns", bothJson(t.ranNs)},
                    {"same_run_ns", t.sameRunNs},
                    {"either_run_ns", t.eitherRunNs},
                    {"same_place_ns", t.samePlaceNs},
                    {"either_awake_ns", t.eitherAwakeNs},
                    {"migrations", countJson(t.moves)},
                    {"wakeups", countJson(t.wakeups)}});
  return json;
}

Json cpusJson(const std::vector<api::CpuAgreement>& cpus) {
  Json json = Json::array();
  for (const api::CpuAgreement& c : cpus)
    json.push_back({{"cpu", c.cpu},
                    {"same_ns", c.sameNs},
                    {"compared_ns", c.comparedNs},
                    {"busy_ns", bothJson(c.busyNs)},
                    {"switches", bothJson(c.switches)}});
  return json;
}

Json firstJson(api::TraceComparison& comparison) {
  const api::TraceReport& r = comparison.report();
  if (r.partings.empty()) return nullptr;
  const api::Parting& first = r.partings.front();
  Json json = partingJson(first);
  const auto moment = comparison.at(first.timeNs);
  json["machine"] = momentJson(moment.machine);
  json["model"] = momentJson(moment.model);
  const auto ladder = comparison.decisionAt(first);
  json["decision"] = ladder ? jsonOf(*ladder) : Json(nullptr);
  return json;
}

}  // namespace

Json traceComparisonJson(api::TraceComparison& comparison) {
  const api::TraceReport& r = comparison.report();
  Json json = {{"trace", r.file}, {"dialect", r.dialect}, {"machine", r.machineName}, {"kernel", r.kernel}};
  json["patches"] = r.patches;
  json["start_ns"] = r.startNs;
  json["length_ns"] = r.lengthNs;
  json["window_ns"] = r.windowNs;
  json["lost_events"] = r.lostEvents;
  json["left_out"] = {{"tasks", r.tasksLeftOut}, {"ns", r.leftOutNs}};
  json["parted"] = !r.partings.empty();
  json["first_parting"] = firstJson(comparison);
  json["partings_in_all"] = r.partingsInAll;
  json["fresh_partings"] = r.freshPartings;
  json["cpu_time"] = {{"compared_ns", r.comparedCpuNs}, {"same_ns", r.sameCpuNs}};
  json["run_time"] = {{"either_ns", r.eitherRunNs}, {"same_ns", r.sameRunNs}};
  json["switches"] = bothJson(r.switches);
  json["wakeups"] = countJson(r.wakeups);
  json["has_wakeups"] = r.hasWakeups;
  json["has_migrations"] = r.hasMoves;
  json["wakeup_migrations"] = countJson(r.wakeupMoves);
  json["other_migrations"] = countJson(r.otherMoves);
  json["wakeup_latency"] = {{"machine", latencyJson(r.latency.machine)},
                            {"model", latencyJson(r.latency.model)}};
  json["idle_while_waiting_ns"] = bothJson(r.idleWhileWaitingNs);
  json["segments"] = r.segments ? segmentsJson(*r.segments) : Json(nullptr);
  json["cpus"] = cpusJson(r.cpus);
  json["tasks"] = tasksJson(r.tasks);
  Json partings = Json::array();
  for (const api::Parting& p : r.partings) partings.push_back(partingJson(p));
  json["partings"] = std::move(partings);
  return json;
}

}  // namespace rqscope::app
