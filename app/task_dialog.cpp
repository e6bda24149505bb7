// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "task_dialog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <utility>

#include "look/painting.h"
#include "look/words.h"

namespace rqscope::app {
namespace {

constexpr int kNiceLeast = -20, kNiceMost = 19;

/// A text as JSON has it, with its quotes.
std::string quoted(const std::string& text) {
  const QByteArray array =
      QJsonDocument(QJsonArray{QString::fromStdString(text)}).toJson(QJsonDocument::Compact);
  return array.mid(1, array.size() - 2).toStdString();
}

/// CPUs of "0,3-5", ascending; nothing when it is no such list.
std::optional<std::vector<std::int32_t>> cpusOf(const QString& text) {
  std::vector<std::int32_t> out;
  for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    const QStringList ends = part.trimmed().split(QLatin1Char('-'));
    bool isFirst = false, isLast = false;
    const int first = ends.first().toInt(&isFirst), last = ends.last().toInt(&isLast);
    constexpr int kMost = 8192;  // more than any machine has
    if (!isFirst || !isLast || ends.size() > 2 || first < 0 || first > last || last > kMost)
      return std::nullopt;
    for (int cpu = first; cpu <= last; ++cpu) out.push_back(cpu);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

}  // namespace

TaskDialog::TaskDialog(api::TaskFrame task, std::vector<std::int32_t> cpus, std::int64_t timeNs,
                       QWidget* parent)
    : QDialog(parent),
      m_task(std::move(task)),
      m_cpus(std::move(cpus)),
      m_nice(new QSpinBox(this)),
      m_policy(new QComboBox(this)),
      m_allowed(new QLineEdit(this)),
      m_problem(new QLabel(this)) {
  setWindowTitle(tr("Task %1 from %2 on").arg(look::qs(m_task.name), look::qs(look::timeText(timeNs))));
  m_nice->setRange(kNiceLeast, kNiceMost);
  m_nice->setValue(m_task.nice);
  for (const char* policy : {"normal", "batch", "idle"}) m_policy->addItem(QString::fromLatin1(policy));
  m_policy->setCurrentText(look::qs(m_task.policy));
  m_allowed->setPlaceholderText(tr("all; or such as 0,3-5"));
  if (!m_task.affinity.empty())
    m_allowed->setText(look::qs(fmt::format("{}", fmt::join(m_task.affinity, ","))));
  auto* form = new QFormLayout;
  form->addRow(tr("&Nice:"), m_nice);
  form->addRow(tr("&Policy:"), m_policy);
  form->addRow(tr("Allowed &CPUs:"), m_allowed);
  form->addRow(QString(), m_problem);
  auto* hint =
      new QLabel(tr("Written into the scenario's script at this time; the run goes on from here. Run, "
                    "Undo change takes it back."),
                 this);
  hint->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Apply | QDialogButtonBox::Cancel, this);
  m_apply = buttons->button(QDialogButtonBox::Apply);
  m_apply->setDefault(true);
  auto* column = new QVBoxLayout(this);
  column->addLayout(form);
  column->addWidget(hint);
  column->addWidget(buttons);
  connect(m_apply, &QPushButton::clicked, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_allowed, &QLineEdit::textChanged, this, &TaskDialog::check);
  check();
}

QString TaskDialog::problem() const {
  const auto cpus = cpusOf(m_allowed->text());
  if (!cpus) return tr("A list of CPUs is written as 0,3-5");
  for (const std::int32_t cpu : *cpus)
    if (!std::ranges::binary_search(m_cpus, cpu))
      return tr("There is no CPU %1; there are %2").arg(cpu).arg(look::qs(look::cpuList(m_cpus)));
  return {};
}

void TaskDialog::check() {
  m_problem->setText(problem());
  m_apply->setEnabled(problem().isEmpty());
}

std::vector<std::string> TaskDialog::operations() const {
  std::vector<std::string> out;
  const std::string name = quoted(m_task.name);
  if (m_nice->value() != m_task.nice)
    out.push_back(fmt::format(R"({{ "do" : "nice", "task" : {}, "nice" : {} }})", name, m_nice->value()));
  if (m_policy->currentText() != look::qs(m_task.policy))
    out.push_back(fmt::format(R"({{ "do" : "policy", "task" : {}, "policy" : "{}" }})", name,
                              m_policy->currentText().toStdString()));
  auto cpus = cpusOf(m_allowed->text()).value_or(m_task.affinity);
  if (cpus == m_cpus) cpus.clear();
  if (cpus != m_task.affinity)
    out.push_back(cpus.empty() ? fmt::format(R"({{ "do" : "unpin", "task" : {} }})", name)
                               : fmt::format(R"({{ "do" : "pin", "task" : {}, "cpus" : [{}] }})", name,
                                             fmt::join(cpus, ", ")));
  return out;
}

}  // namespace rqscope::app
