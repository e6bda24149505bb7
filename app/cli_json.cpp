// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "cli_output.h"

namespace rqscope::app {

namespace {

const char* unitKey(api::Unit unit) {
  switch (unit) {
    case api::Unit::None:
      return "";
    case api::Unit::Capacity:
      return "capacity";
    case api::Unit::Load:
      return "load";
    case api::Unit::Tasks:
      return "tasks";
    case api::Unit::Cpus:
      return "cpus";
    case api::Unit::Nanoseconds:
      return "ns";
    case api::Unit::Milliseconds:
      return "ms";
    case api::Unit::Jiffies:
      return "jiffies";
    case api::Unit::Percent:
      return "percent";
    case api::Unit::VirtualNs:
      return "virtual_ns";
    case api::Unit::Bool:
      return "bool";
    case api::Unit::Cpu:
      return "cpu";
    case api::Unit::Weight:
      return "weight";
  }
  return "";
}

const char* toneKey(api::Tone tone) {
  return tone == api::Tone::Yes ? "yes" : tone == api::Tone::No ? "no" : "neutral";
}

const char* kindKey(api::Ladder::Kind kind) {
  switch (kind) {
    case api::Ladder::Kind::Balance:
      return "balance";
    case api::Ladder::Kind::ActiveBalance:
      return "active_balance";
    case api::Ladder::Kind::Placement:
      return "placement";
    case api::Ladder::Kind::Pick:
      return "pick";
  }
  return "";
}

Json subjectJson(const api::Subject& subject) {
  const char* kind = subject.kind == api::SubjectKind::Cpu      ? "cpu"
                     : subject.kind == api::SubjectKind::Task   ? "task"
                     : subject.kind == api::SubjectKind::Group  ? "group"
                     : subject.kind == api::SubjectKind::Domain ? "domain"
                                                                : "";
  return {{"kind", kind}, {"id", subject.id}};
}

Json operandJson(const api::Operand& operand) {
  Json json = {{"name", operand.name}, {"value", operand.value}, {"unit", unitKey(operand.unit)}};
  if (!operand.text.empty()) json["text"] = operand.text;
  if (operand.about.kind != api::SubjectKind::None) json["about"] = subjectJson(operand.about);
  return json;
}

Json operandsJson(const std::vector<api::Operand>& operands) {
  Json json = Json::array();
  for (const api::Operand& operand : operands) json.push_back(operandJson(operand));
  return json;
}

Json testsJson(const std::vector<api::Comparison>& tests) {
  Json json = Json::array();
  for (const api::Comparison& test : tests)
    json.push_back({{"left", operandJson(test.left)},
                    {"op", test.op},
                    {"right", operandJson(test.right)},
                    {"holds", test.holds}});
  return json;
}

Json rowJson(const api::RungRow& row) {
  return {{"subject", subjectJson(row.subject)},
          {"label", row.label},
          {"group_type", row.groupType},
          {"is_local", row.isLocal},
          {"cells", operandsJson(row.cells)},
          {"tests", testsJson(row.tests)},
          {"verdict", row.verdict},
          {"tone", toneKey(row.tone)}};
}

Json rungJson(const api::Rung& rung) {
  Json rows = Json::array();
  for (const api::RungRow& row : rung.rows) rows.push_back(rowJson(row));
  Json looksAt = Json::array();
  for (const api::Subject& subject : rung.looksAt) looksAt.push_back(subjectJson(subject));
  return {{"kind", rung.kind},
          {"function", rung.function},
          {"outcome", rung.outcome},
          {"tone", toneKey(rung.tone)},
          {"subject", subjectJson(rung.subject)},
          {"operands", operandsJson(rung.operands)},
          {"tests", testsJson(rung.tests)},
          {"rows", std::move(rows)},
          {"looks_at", std::move(looksAt)},
          {"fidelity", rung.fidelity}};
}

}  // namespace

Json jsonOf(const api::Problem& p) {
  const char* severity = p.severity == api::Problem::Severity::Error     ? "error"
                         : p.severity == api::Problem::Severity::Warning ? "warning"
                                                                         : "note";
  return {{"severity", severity}, {"file", p.file},       {"line", p.line},
          {"column", p.column},   {"message", p.message}, {"hint", p.hint}};
}

Json jsonOf(const api::Subject& subject) { return subjectJson(subject); }
Json jsonOf(const api::Operand& operand) { return operandJson(operand); }
Json jsonOf(const std::vector<api::Comparison>& tests) { return testsJson(tests); }

Json jsonOf(const api::Ladder& ladder) {
  Json rungs = Json::array();
  for (const api::Rung& rung : ladder.rungs) rungs.push_back(rungJson(rung));
  return {{"index", ladder.index},    {"kind", kindKey(ladder.kind)}, {"event", ladder.eventIndex},
          {"time_ns", ladder.timeNs}, {"entry", ladder.entry},        {"cpu", ladder.cpu},
          {"run_on", ladder.runOn},   {"domain", ladder.domainName},  {"idle", ladder.idle},
          {"task", ladder.task},      {"moved", ladder.moved},        {"failed", ladder.failed},
          {"rungs", std::move(rungs)}};
}

namespace {

Json sharedQueuesJson(const api::Outcome& outcome) {
  Json queues = Json::array();
  for (const api::SharedQueueFrame& q : outcome.sharedQueues)
    queues.push_back({{"llc_cpu", q.llcCpu},
                      {"shard", q.shard},
                      {"joined", q.joined},
                      {"pulled", q.pulled},
                      {"refused", q.refused},
                      {"lock_taken", q.lockTaken},
                      {"lock_contended", q.lockContended},
                      {"lock_waited_ns", q.lockWaitedNs},
                      {"lock_held_ns", q.lockHeldNs}});
  return queues;
}

Json latencyJson(const api::Outcome::Latency& latency) {
  Json percentiles = Json::object();
  for (const auto& [percent, ns] : latency.percentiles) percentiles[fmt::format("{:g}", percent)] = ns;
  return {{"count", latency.count}, {"percentiles_ns", std::move(percentiles)}};
}

Json limitedGroupsJson(const api::Outcome& outcome) {
  Json json = Json::array();
  for (const api::Outcome::LimitedGroup& group : outcome.limitedGroups)
    json.push_back({{"group", group.name},
                    {"quota_ns", group.quotaNs},
                    {"period_ns", group.periodNs},
                    {"nr_periods", group.periods},
                    {"nr_throttled", group.throttled},
                    {"throttled_ns", group.throttledNs},
                    {"used_ns", group.usedNs},
                    {"expired_ns", group.expiredNs}});
  return json;
}

}  // namespace

Json jsonOf(const api::Outcome& outcome, const api::MachineLayout& layout) {
  Json tasks = Json::array();
  std::int64_t lastEnd = -1;
  for (const api::Outcome::TaskEnd& task : outcome.tasks) {
    tasks.push_back({{"name", task.name},
                     {"pid", task.pid},
                     {"end_ns", task.endNs},
                     {"run_ns", task.runNs},
                     {"migrations", task.migrations}});
    lastEnd = std::max(lastEnd, task.endNs);
  }
  Json cpus = Json::array();
  for (std::size_t i = 0; i < layout.cpus.size(); ++i) {
    const api::LayoutCpu& cpu = layout.cpus[i];
    cpus.push_back({{"cpu", cpu.id},
                    {"capacity", cpu.capacity},
                    {"throughput", cpu.throughput},
                    {"idle_ns", i < outcome.cpuIdleNs.size() ? outcome.cpuIdleNs[i] : -1}});
  }
  Json placements = Json::object();
  for (const api::PlacementSummary& p : outcome.placementsByKind) {
    Json types = Json::object();
    for (const auto& [type, count] : p.groupTypes) types[type] = count;
    placements[p.kind] = {{"count", p.count},
                          {"on_waker_cpu", p.onWakerCpu},
                          {"on_prev_cpu", p.onPrevCpu},
                          {"on_idle_cpu", p.onIdleCpu},
                          {"groups", p.groups},
                          {"group_types", std::move(types)},
                          {"mean_group_util", p.meanGroupUtil}};
  }
  Json reasons = Json::object();
  for (const auto& [reason, count] : outcome.migrationsByReason) reasons[reason] = count;
  Json json = {{"time_ns", outcome.timeNs},
               {"finished", outcome.finished},
               {"last_end_ns", lastEnd},
               {"events", outcome.events},
               {"ticks", outcome.ticks},
               {"balance_passes", outcome.passes},
               {"failed_balances", outcome.failedPasses},
               {"placements", outcome.placements},
               {"placements_by_kind", std::move(placements)},
               {"migrations", outcome.migrations},
               {"migrations_by_reason", std::move(reasons)},
               {"idle_while_waiting_ns", outcome.idleWhileWaitingNs},
               {"idle_causes", jsonOf(outcome.idleCauses)},
               {"wakeups", outcome.wakeups},
               {"switches", outcome.switches},
               {"tg_load_avg",
                {{"reads", outcome.tgLoadAvg.reads},
                 {"writes", outcome.tgLoadAvg.writes},
                 {"read_ns", outcome.tgLoadAvg.readNs},
                 {"write_ns", outcome.tgLoadAvg.writeNs},
                 {"waited_ns", outcome.tgLoadAvg.waitedNs}}},
               {"fingerprint", hexText(outcome.fingerprint)},
               {"tasks", std::move(tasks)},
               {"cpus", std::move(cpus)}};
  if (!outcome.limitedGroups.empty()) json["limited_groups"] = limitedGroupsJson(outcome);
  if (!outcome.sharedQueues.empty()) json["shared_queues"] = sharedQueuesJson(outcome);
  if (outcome.wakeupLatency.count != 0) json["wakeup_latency"] = latencyJson(outcome.wakeupLatency);
  return json;
}

}  // namespace rqscope::app
