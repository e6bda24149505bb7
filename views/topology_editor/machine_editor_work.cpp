// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTimer>
#include <utility>

#include "look/painting.h"
#include "topology_editor/counts_form.h"
#include "topology_editor/domain_list.h"
#include "topology_editor/machine_editor.h"
#include "topology_editor/machine_export.h"

namespace rqscope::topology_editor {

using look::qs;

/// The old one is let go of elsewhere: the domains of thousands of CPUs take long to free.
void MachineEditor::replace(std::shared_ptr<const api::MachineLayout>& old,
                            const std::shared_ptr<const api::MachineLayout>& now) {
  if (old == now) return;
  releaseElsewhere(std::exchange(old, now));
}

void MachineEditor::loadScenarioMachine() {
  m_isScenarioNew = false;
  m_machines->setCurrentIndex(0);
  m_work.run(tr("Reading the scenario's machine"), [this, file = m_fileName.toStdString(),
                                                    text = m_scenarioText.toStdString(),
                                                    overrides = m_overrides](const std::stop_token&) {
    auto opened = api::editScenarioMachine(file, text, overrides);
    return std::function<void()>([this, opened = std::move(opened)] { onOpened(opened, QString()); });
  });
}

void MachineEditor::load(const QString& machine) {
  m_work.run(tr("Reading %1").arg(machine), [this, machine](const std::stop_token& stop) {
    auto opened = api::editMachine(machine.toStdString(), stop);
    return std::function<void()>([this, machine, opened = std::move(opened)] { onOpened(opened, machine); });
  });
}

void MachineEditor::onOpened(const api::EditOpened& opened, const QString& machine) {
  if (opened.machine) {
    setMachine(*opened.machine);
    const int at = m_machines->findData(machine);
    if (at >= 0) m_machines->setCurrentIndex(at);
    return;
  }
  const QString why = opened.problems.empty() ? QString() : qs(opened.problems.front().text());
  if (!why.isEmpty() || !machine.isEmpty())
    say(why.isEmpty() ? tr("Cannot open %1").arg(machine) : why, true);
}

void MachineEditor::editCounts(const api::MachineCounts& counts) {
  m_work.run(tr("Counting"), [this, from = m_machine, counts](const std::stop_token&) {
    auto counted = api::withCounts(from, counts);
    return std::function<void()>([this, counted = std::move(counted)] {
      m_counts->setFaults(counted.faults);
      if (counted.machine) edit(tr("Counts"), [&](api::EditMachine& m) { m = *counted.machine; });
    });
  });
}

void MachineEditor::use() {
  m_write.run(tr("Writing the machine into the scenario"), [this, file = m_fileName.toStdString(),
                                                            text = m_scenarioText.toStdString(),
                                                            machine = m_machine](const std::stop_token&) {
    auto made = api::scenarioWithMachine(file, text, machine);
    return std::function<void()>([this, made = std::move(made)] {
      if (made.text.empty())
        return say(made.problems.empty() ? tr("Cannot use this machine") : qs(made.problems.front().text()),
                   true);
      m_usedText = qs(made.text);
      api::Overrides overrides = m_overrides;
      overrides.machine.clear();
      m_undo.setClean();
      Q_EMIT applyWanted(m_fileName, m_usedText, overrides);
    });
  });
}

void MachineEditor::save() { exportMachine(m_machine, exportRows().front()); }

void MachineEditor::exportRunning(std::size_t row) {
  m_write.run(tr("Reading the scenario's machine"),
              [this, file = m_fileName.toStdString(), text = m_scenarioText.toStdString(),
               overrides = m_overrides, row](const std::stop_token&) {
                auto opened = api::editScenarioMachine(file, text, overrides);
                return std::function<void()>([this, row, opened = std::move(opened)] {
                  if (!opened.machine) return say(tr("There is no machine to export"), true);
                  exportMachine(*opened.machine, exportRows()[row]);
                });
              });
}

void MachineEditor::exportMachine(const api::EditMachine& machine, const ExportRow& row) {
  const QString path = askForPath(this, qs(machine.name), row);
  if (path.isEmpty()) return;
  const std::string kernel = m_kernel->currentText().toStdString();
  m_write.run(tr("Writing %1").arg(path),
              [this, path, kernel, machine, format = row.format](const std::stop_token& stop) {
                const QString wrong = writeMachine(path, machine, kernel, format, stop);
                return std::function<void()>([this, path, wrong] {
                  say(wrong.isEmpty() ? tr("Saved %1").arg(path) : wrong, !wrong.isEmpty());
                });
              });
}

void MachineEditor::cancel() {
  if (!isBusy()) return;
  const bool wasBuilding = m_builder.isBuilding();
  m_work.cancel();
  m_write.cancel();
  m_builder.cancel();
  m_counts->setMachine(m_machine);
  say(wasBuilding ? tr("Cancelled: the domains are not those of this machine")
                  : tr("Cancelled: the machine is as it was"),
      wasBuilding);
}

void MachineEditor::onBusy() {
  const bool isNow = isBusy();
  Q_EMIT busyChanged(isNow);
  if (isNow) {
    if (!m_progressDelay->isActive() && !m_progress->isVisible()) m_progressDelay->start();
    if (m_progress->isVisible()) showProgress();
    return;
  }
  m_progressDelay->stop();
  m_progress->hide();
  m_cancel->hide();
}

void MachineEditor::showProgress() {
  if (!isBusy()) return;
  const QString what = m_write.isBusy() ? m_write.what() : m_work.isBusy() ? m_work.what() : m_builder.what();
  m_cancel->setToolTip(tr("%1: give it up, the machine stays as it is").arg(what));
  m_progress->setToolTip(what);
  m_progress->show();
  m_cancel->show();
  say(tr("%1 ...").arg(what));
}

}  // namespace rqscope::topology_editor
