// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/trace_rows.h"

#include <QCoreApplication>
#include <algorithm>

#include "look/painting.h"
#include "look/words.h"

namespace rqscope::compare {

namespace {

using look::qs;

QString tr(const char* text) { return QCoreApplication::translate("TraceView", text); }

QString time(std::int64_t ns) { return qs(look::timeText(ns)); }
QString number(std::size_t n) { return QString::number(n); }

QString share(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return QStringLiteral("–");
  return QStringLiteral("%1 %").arg(100.0 * static_cast<double>(part) / static_cast<double>(whole), 0, 'f',
                                    1);
}

QString ofText(std::size_t part, std::size_t whole) {
  return whole == 0 ? QStringLiteral("–") : tr("%1 of %2").arg(part).arg(whole);
}

QStringList countRow(const QString& name, const api::MatchedCount& count) {
  return {name, number(count.machine), number(count.model), ofText(count.agree, count.machine)};
}

QString latency(const api::LatencyFigures& figures, std::size_t at) {
  return at < figures.percentiles.size() ? time(figures.percentiles[at].second) : QStringLiteral("–");
}

void addSegments(const api::SegmentAgreement& s, std::vector<QStringList>& rows) {
  if (s.segments == 0) return;
  const QString each = time(s.lengthNs);
  rows.push_back({tr("Anew from the trace every %1").arg(each), number(s.segments), {}, {}});
  rows.push_back({tr("  next migration"), number(s.withMove), {}, ofText(s.nextMoveAgrees, s.withMove)});
  rows.push_back({tr("  no migration"), number(s.noMove), {}, ofText(s.noMoveInBoth, s.noMove)});
  rows.push_back({tr("  wakeups on the same CPU"), number(s.wakeups.machine), number(s.wakeups.model),
                  ofText(s.wakeups.agree, s.wakeups.machine)});
  rows.push_back({tr("  CPUs run the same task"), {}, {}, share(s.sameCpuNs.model, s.sameCpuNs.machine)});
  rows.push_back({tr("  without a parting"), {}, {}, ofText(s.withoutParting, s.segments)});
  rows.push_back({tr("Each event from the trace's state"), {}, {}, {}});
  rows.push_back({tr("  next task of a switch"), number(s.switches), {}, ofText(s.picksAgree, s.switches)});
  rows.push_back({tr("  CPU of a wakeup"), number(s.choices), {}, ofText(s.choicesAgree, s.choices)});
}

QString sideText(const api::SideMoment::Cpu& cpu) {
  QString text = cpu.running.empty() ? tr("idle") : qs(cpu.running);
  for (std::size_t i = 0; i < cpu.waiting.size(); ++i)
    text += (i == 0 ? QStringLiteral(" | ") : QStringLiteral(", ")) + qs(cpu.waiting[i]);
  return text;
}

}  // namespace

QString headOf(const api::TraceReport& r) {
  return tr("%1 of %2 tasks (%3) beside the model: %4, %5")
      .arg(time(r.lengthNs))
      .arg(r.tasks.size())
      .arg(qs(r.dialect), qs(r.machineName), qs(r.kernel));
}

QString noteOf(const api::TraceReport& r) {
  QString text =
      tr("The work is the trace's: each task is woken when and from where it was, and computes as long "
         "as it did. Where it runs, in which order, and what is moved, the model decides.");
  if (r.tasksLeftOut != 0)
    text += tr("\n%1 tasks of other classes (%2) are left out.").arg(r.tasksLeftOut).arg(time(r.leftOutNs));
  if (r.lostEvents != 0) text += tr("\n%1 events of the trace were lost.").arg(r.lostEvents);
  return text;
}

std::vector<QStringList> outcomeRowsOf(const api::TraceReport& r) {
  std::vector<QStringList> rows;
  rows.push_back({tr("CPUs run the same task"), {}, {}, share(r.sameCpuNs, r.comparedCpuNs)});
  rows.push_back({tr("Tasks run on the same CPU"), {}, {}, share(r.sameRunNs, r.eitherRunNs)});
  rows.push_back({tr("Context switches"), number(r.switches.machine), number(r.switches.model), {}});
  rows.push_back(countRow(tr("Wakeups, on the same CPU"), r.wakeups));
  rows.push_back(countRow(tr("Migrations by wakeups"), r.wakeupMoves));
  rows.push_back(countRow(tr("Other migrations"), r.otherMoves));
  const auto& longer = r.latency.machine.count != 0 ? r.latency.machine : r.latency.model;
  for (std::size_t i = 0; i < longer.percentiles.size(); ++i)
    rows.push_back({tr("Wakeup latency, %1 %").arg(longer.percentiles[i].first),
                    latency(r.latency.machine, i),
                    latency(r.latency.model, i),
                    {}});
  rows.push_back({tr("Idle while work waited"),
                  r.hasWakeups ? time(r.idleWhileWaitingNs.machine) : QStringLiteral("–"),
                  time(r.idleWhileWaitingNs.model),
                  {}});
  rows.push_back({tr("Partings, fresh of all"), {}, {}, ofText(r.freshPartings, r.partingsInAll)});
  if (r.segments) addSegments(*r.segments, rows);
  return rows;
}

std::vector<QStringList> taskRowsOf(const api::TraceReport& r) {
  std::vector<const api::TaskAgreement*> tasks;
  for (const api::TaskAgreement& task : r.tasks) tasks.push_back(&task);
  std::ranges::stable_sort(tasks, std::ranges::greater{}, [](const auto* t) { return t->ranNs.machine; });
  std::vector<QStringList> rows;
  for (const api::TaskAgreement* t : tasks)
    rows.push_back(
        {QStringLiteral("%1-%2").arg(qs(t->name)).arg(t->pid), time(t->ranNs.machine), time(t->ranNs.model),
         share(t->sameRunNs, t->eitherRunNs),
         QStringLiteral("%1 / %2, %3").arg(t->moves.machine).arg(t->moves.model).arg(t->moves.agree)});
  return rows;
}

std::vector<QStringList> sideRowsOf(const api::BothSides<api::SideMoment>& at, const api::Parting& parting) {
  std::vector<QStringList> rows;
  for (std::size_t i = 0; i < at.machine.cpus.size() && i < at.model.cpus.size(); ++i) {
    const auto &a = at.machine.cpus[i], &b = at.model.cpus[i];
    const bool isOfParting = a.cpu == parting.cpu || a.cpu == parting.cpus.machine ||
                             a.cpu == parting.cpus.model || a.cpu == parting.fromCpu;
    if (isOfParting || sideText(a) != sideText(b))
      rows.push_back({QString::number(a.cpu), sideText(a), sideText(b)});
  }
  return rows;
}

}  // namespace rqscope::compare
