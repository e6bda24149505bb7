// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/lights.h"

#include <QObject>
#include <algorithm>
#include <string_view>

#include "look/painting.h"
#include "look/words.h"
#include "machine/readings.h"

namespace rqscope::machine {
namespace {

using api::Subject;
using api::SubjectKind;

/// Collects lights of one rung; of several roles of one thing the highest stays.
class Collector {
 public:
  Collector(const api::Frame& frame, std::size_t rung)
      : m_frame(frame), m_ladder(*frame.ladder), m_rung(m_ladder.rungs[rung]), m_at(rung) {}

  std::vector<Light> run() {
    addByKind();
    addOperands();
    addRows();
    std::stable_sort(m_lights.begin(), m_lights.end(),
                     [](const Light& a, const Light& b) { return depth(a) < depth(b); });
    return std::move(m_lights);
  }

 private:
  static int depth(const Light& light) {
    switch (light.subject.kind) {
      case SubjectKind::Domain:
        return 0;
      case SubjectKind::Group:
        return 1;
      case SubjectKind::Cpu:
        return 2;
      default:
        return 3;
    }
  }

  void add(SubjectKind kind, std::int32_t id, Role role) {
    if (id < 0 || kind == SubjectKind::None) return;
    for (Light& light : m_lights) {
      if (light.subject.kind != kind || light.subject.id != id) continue;
      light.role = std::max(light.role, role);
      return;
    }
    m_lights.push_back({{kind, id}, role});
  }
  void add(const Subject& subject, Role role) { add(subject.kind, subject.id, role); }

  bool isKind(std::string_view kind) const { return m_rung.kind == kind; }

  /// The nearest rung of a kind at or above this one.
  const api::Rung* above(std::string_view kind) const {
    for (std::size_t i = m_at + 1; i-- > 0;)
      if (m_ladder.rungs[i].kind == kind) return &m_ladder.rungs[i];
    return nullptr;
  }

  void addLocalGroup() {
    if (const api::Rung* statistics = above("group_statistics")) {
      for (const api::RungRow& row : statistics->rows)
        if (row.isLocal) add(row.subject, Role::Local);
      return;
    }
    const auto& domains = m_frame.layout->domains;
    const auto at = static_cast<std::size_t>(m_ladder.domain);
    if (m_ladder.domain < 0 || at >= domains.size() || domains[at].groups.empty()) return;
    // The decision may name the domain of another CPU of the span; the local group is the one with this CPU.
    for (const std::int32_t group : domains[at].groups) {
      const auto& cpus = m_frame.layout->groups[static_cast<std::size_t>(group)].cpus;
      if (!std::binary_search(cpus.begin(), cpus.end(), m_ladder.cpu)) continue;
      return add(SubjectKind::Group, group, Role::Local);
    }
  }
  void addBusiestGroup() {
    if (const api::Rung* busiest = above("busiest_group")) add(busiest->subject, Role::Busiest);
  }
  void addSource() {
    if (const api::Rung* queue = above("source_queue")) add(queue->subject, Role::Source);
  }
  void addDestination() { add(SubjectKind::Cpu, m_ladder.cpu, Role::Destination); }

  void addByKind() {
    const bool isPlacement = m_ladder.kind == api::Ladder::Kind::Placement;
    const Role subject = isKind("domain_due") || isKind("newidle_cost") || isKind("group_statistics") ||
                                 isKind("wake_affine") || isKind("dst_group")
                             ? Role::Domain
                             : Role::Considered;
    if (isPlacement) {
      add(SubjectKind::Task, m_ladder.task, Role::Candidate);
      if (isKind("placed")) addDestination();
      const bool isChoice = isKind("dst_cpu") || isKind("idle_sibling");
      return add(m_rung.subject, isChoice ? Role::Chosen : subject);
    }
    addDestination();
    if (isKind("should_we_balance") || isKind("busiest_group") || isKind("worth_balancing") ||
        isKind("imbalance"))
      addLocalGroup();
    if (isKind("busiest_group") || isKind("worth_balancing") || isKind("imbalance") || isKind("source_queue"))
      addBusiestGroup();
    if (isKind("source_queue") || isKind("candidate") || isKind("active_balance") || isKind("result"))
      addSource();
    if (isKind("candidate")) addCandidate();
    if (!isKind("candidate") && !isKind("busiest_group"))
      add(m_rung.subject, isKind("should_we_balance") ? Role::Chosen : subject);
  }

  void addCandidate() {
    add(m_rung.subject, Role::Candidate);
    if (m_rung.subject.kind != SubjectKind::Task) return;
    const api::TaskFrame* task = taskBySlot(m_frame, m_rung.subject.id);
    const bool hasSource = above("source_queue") != nullptr;
    if (task && !hasSource) add(SubjectKind::Cpu, task->cpu, Role::Source);
  }

  /// What the rung says it looks at, what its numbers are about, and every CPU among them.
  void addOperands() {
    for (const Subject& subject : m_rung.looksAt)
      add(subject, subject.kind == SubjectKind::Domain ? Role::Domain : Role::Considered);
    const auto read = [this](const api::Operand& operand) {
      add(operand.about, operand.about.kind == SubjectKind::Domain ? Role::Domain : Role::Considered);
      if (operand.unit != api::Unit::Cpu) return;
      add(SubjectKind::Cpu, static_cast<std::int32_t>(operand.value), Role::Considered);
    };
    for (const api::Operand& operand : m_rung.operands) read(operand);
    for (const api::Comparison& test : m_rung.tests) {
      read(test.left);
      read(test.right);
    }
  }

  void addRows() {
    for (const api::RungRow& row : m_rung.rows) {
      Role role = Role::Considered;
      if (row.isLocal) {
        role = Role::Local;
      } else if (row.subject.kind == SubjectKind::Task) {
        role = Role::Candidate;
      } else if (row.verdict == "chosen" || row.tone == api::Tone::Yes) {
        role = Role::Chosen;
      } else if (row.tone == api::Tone::No) {
        role = Role::Refused;
      }
      add(row.subject, role);
    }
  }

  const api::Frame& m_frame;
  const api::Ladder& m_ladder;
  const api::Rung& m_rung;
  std::size_t m_at;
  std::vector<Light> m_lights;
};

QString subjectWords(const api::Frame& frame, const Light& light) {
  const auto at = static_cast<std::size_t>(light.subject.id);
  switch (light.subject.kind) {
    case SubjectKind::Cpu:
      return QObject::tr("CPU %1").arg(light.subject.id);
    case SubjectKind::Task: {
      const api::TaskFrame* task = taskBySlot(frame, light.subject.id);
      return QObject::tr("task %1").arg(task ? look::qs(task->name) : QString::number(light.subject.id));
    }
    case SubjectKind::Group:
      return at < frame.layout->groups.size()
                 ? QObject::tr("group %1").arg(look::qs(look::cpuList(frame.layout->groups[at].cpus)))
                 : QString();
    case SubjectKind::Domain:
      return at < frame.layout->domains.size()
                 ? QObject::tr("domain %1 %2")
                       .arg(look::qs(frame.layout->domains[at].name),
                            look::qs(look::cpuList(frame.layout->domains[at].span)))
                 : QString();
    case SubjectKind::None:
      break;
  }
  return {};
}

}  // namespace

std::vector<Light> lightsOf(const api::Frame& frame, int rung) {
  if (!frame.layout || !frame.ladder || rung < 0) return {};
  if (static_cast<std::size_t>(rung) >= frame.ladder->rungs.size()) return {};
  return Collector(frame, static_cast<std::size_t>(rung)).run();
}

QString roleTag(Role role) {
  switch (role) {
    case Role::Destination:
      return QStringLiteral("dst");
    case Role::Source:
      return QStringLiteral("src");
    case Role::Local:
      return QStringLiteral("local");
    case Role::Busiest:
      return QStringLiteral("busiest");
    case Role::Chosen:
      return QStringLiteral("chosen");
    default:
      return {};
  }
}

QString lightSentence(const api::Frame& frame, const std::vector<Light>& lights) {
  QStringList parts;
  for (const Light& light : lights) {
    const QString tag = roleTag(light.role);
    const QString words = subjectWords(frame, light);
    if (words.isEmpty()) continue;
    parts << (tag.isEmpty() ? words : tag + QLatin1Char(' ') + words);
  }
  return parts.isEmpty() ? QString() : QObject::tr("the rung looks at ") + parts.join(QStringLiteral(", "));
}

}  // namespace rqscope::machine
