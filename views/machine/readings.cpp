// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/readings.h"

#include <algorithm>

#include "look/painting.h"
#include "look/words.h"

namespace rqscope::machine {
namespace {

constexpr double kFullScale = 1024;
constexpr double kFullTasks = 2;
constexpr double kFullLagNs = 4e6;

const api::Rung* currentRung(const api::Frame& frame) {
  if (!frame.ladder || frame.rung < 0) return nullptr;
  const auto index = static_cast<std::size_t>(frame.rung);
  return index < frame.ladder->rungs.size() ? &frame.ladder->rungs[index] : nullptr;
}

/// The test that settled a rung or row: the last one whose outcome explains it.
const api::Comparison* settling(const std::vector<api::Comparison>& tests) {
  return tests.empty() ? nullptr : &tests.back();
}

}  // namespace

std::int64_t taskSignal(const api::TaskFrame& task, Signal signal) {
  switch (signal) {
    case Signal::UtilEst:
      return std::max(task.util, task.utilEst);  // task_util_est()
    case Signal::Load:
      return task.load;
    case Signal::Runnable:
      return task.runnable;
    case Signal::Lag:
      return task.lag;
    default:
      return task.util;
  }
}

std::int64_t cpuSignal(const api::Frame& frame, std::size_t position, Signal signal) {
  const api::CpuFrame& cpu = frame.cpus[position];
  switch (signal) {
    case Signal::Util:
      return cpu.util;
    case Signal::UtilEst:
      return std::max(cpu.utilEst, cpu.util);
    case Signal::Load:
      return cpu.load;
    case Signal::Runnable:
      return cpu.runnable;
    case Signal::NrRunning:
      return cpu.nrRunning;
    case Signal::Capacity:
      return cpu.capacity;
    case Signal::Lag:
      return cpu.running >= 0 ? frame.tasks[static_cast<std::size_t>(cpu.running)].lag : 0;
  }
  return 0;
}

QString fullScaleText(Signal signal) {
  if (signal == Signal::NrRunning) return QString::number(kFullTasks);
  return signal == Signal::Lag ? look::qs(look::durationText(static_cast<std::int64_t>(kFullLagNs)))
                               : QString::number(kFullScale);
}

double cpuFraction(const api::Frame& frame, std::size_t position, Signal signal) {
  const auto value = static_cast<double>(cpuSignal(frame, position, signal));
  if (signal == Signal::NrRunning) return value / kFullTasks;
  return value / (signal == Signal::Lag ? kFullLagNs : kFullScale);
}

const api::TaskFrame* taskBySlot(const api::Frame& frame, std::int32_t slot) {
  const auto it = std::find_if(frame.tasks.begin(), frame.tasks.end(),
                               [&](const api::TaskFrame& task) { return task.id == slot; });
  return it == frame.tasks.end() ? nullptr : &*it;
}

std::optional<Proposal> proposalOf(const api::Frame& frame) {
  const api::Rung* rung = currentRung(frame);
  if (!rung || rung->kind != "candidate") return std::nullopt;
  Proposal proposal;
  proposal.to = frame.ladder->cpu;
  proposal.isAllowed = rung->tone == api::Tone::Yes;
  const api::Comparison* test = settling(rung->tests);
  if (rung->subject.kind == api::SubjectKind::Task) {
    proposal.slot = rung->subject.id;
  } else {
    for (const api::RungRow& row : rung->rows) {
      if (row.subject.kind != api::SubjectKind::Task) continue;
      proposal.slot = row.subject.id;
      proposal.isAllowed = row.tone == api::Tone::Yes;
      if (!row.tests.empty()) test = settling(row.tests);
      if (proposal.isAllowed) break;
    }
  }
  const api::TaskFrame* task = taskBySlot(frame, proposal.slot);
  if (!task) return std::nullopt;
  proposal.from = task->cpu;
  proposal.value = task->util;
  if (test) {
    proposal.comparison = look::qs(look::trueComparison(*test));
    proposal.value = test->left.value;
    proposal.limit = test->right.value;
    proposal.isCapacity = test->left.unit == api::Unit::Capacity;
  } else {
    proposal.comparison = look::qs(look::word(rung->outcome));
  }
  for (const api::Operand& operand : rung->operands) {
    if (operand.name == "nr_balance_failed" && operand.value > 0 && proposal.value != task->util) {
      proposal.before = QStringLiteral("%1 >> %2").arg(task->util).arg(operand.value);
    }
  }
  return proposal;
}

QString cpuSentence(const api::Frame& frame, std::size_t position) {
  const api::CpuFrame& cpu = frame.cpus[position];
  QString text = QStringLiteral("CPU %1, ").arg(cpu.id);
  if (!cpu.online) return text + QStringLiteral("offline");
  if (cpu.running >= 0)
    text += QStringLiteral("running ") + look::qs(frame.tasks[static_cast<std::size_t>(cpu.running)].name);
  else
    text += runsStopper(cpu) ? QStringLiteral("running the migration thread") : QStringLiteral("idle");
  return text +
         QStringLiteral(", %1 queued, util %2 of %3").arg(cpu.queued.size()).arg(cpu.util).arg(cpu.capacity);
}

}  // namespace rqscope::machine
