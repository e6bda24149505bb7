// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QFileDialog>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTimer>
#include <QUndoCommand>
#include <algorithm>

#include "look/painting.h"
#include "look/words.h"
#include "topology_editor/counts_form.h"
#include "topology_editor/cpu_model.h"
#include "topology_editor/distance_table.h"
#include "topology_editor/domain_list.h"
#include "topology_editor/machine_editor.h"
#include "topology_editor/machine_export.h"

namespace rqscope::topology_editor {

using look::qs;

/// One edit: the machine before and after. Values share what stands still, so this is small.
class EditCommand : public QUndoCommand {
 public:
  EditCommand(MachineEditor& editor, api::EditMachine before, api::EditMachine after, const QString& what)
      : QUndoCommand(what), m_editor(editor), m_before(std::move(before)), m_after(std::move(after)) {}
  void undo() override { m_editor.adopt(m_before); }
  void redo() override { m_editor.adopt(m_after); }

 private:
  MachineEditor& m_editor;
  api::EditMachine m_before, m_after;
};

void MachineEditor::connectEdits() {
  for (QSpinBox* box : m_counts->findChildren<QSpinBox*>()) box->installEventFilter(this);
  for (QLineEdit* field : {m_offline, m_isolated}) field->installEventFilter(this);
  connect(m_counts, &CountsForm::countsWanted, this, &MachineEditor::editCounts);
  connect(m_cpus, &CpuModel::editWanted, this, &MachineEditor::editCpu);
  connect(m_distances, &DistanceTable::distanceWanted, this, &MachineEditor::editDistance);
  connect(m_distances, &DistanceTable::refused, this, [this](const QString& text) {
    showNote(m_distanceNote, tr("\"%1\" is no number from 10 to 255").arg(text));
  });
  connect(m_offline, &QLineEdit::editingFinished, this,
          [this] { editList(m_offline, m_offlineNote, &api::EditCpu::online, false); });
  connect(m_isolated, &QLineEdit::editingFinished, this,
          [this] { editList(m_isolated, m_isolatedNote, &api::EditCpu::isolated, true); });
  connect(m_cpuTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &MachineEditor::showDomains);
  connect(m_kernel, &QComboBox::activated, this, [this] {
    m_isBeforeWanted = true;
    build();
  });
  connect(m_machines, &QComboBox::activated, this, [this] {
    const QString name = m_machines->currentData().toString();
    if (name == QStringLiteral("?")) return openFile();
    if (!name.isEmpty()) return load(name);
    loadScenarioMachine();
  });
  connect(&m_builder, &PreviewBuilder::built, this, &MachineEditor::onBuilt);
  connect(&m_builder, &PreviewBuilder::busyChanged, this, &MachineEditor::onBusy);
  for (Background* work : {&m_work, &m_write})
    connect(work, &Background::busyChanged, this, &MachineEditor::onBusy);
  connect(m_progressDelay, &QTimer::timeout, this, &MachineEditor::showProgress);
  connect(m_cancel, &QPushButton::clicked, this, &MachineEditor::cancel);
  connect(m_save, &QPushButton::clicked, this, &MachineEditor::save);
  connect(m_use, &QPushButton::clicked, this, &MachineEditor::use);
}

void MachineEditor::setScenario(const QString& fileName, const QString& text, const api::Overrides& overrides,
                                const std::string& kernel) {
  m_fileName = fileName;
  m_scenarioText = text;
  m_overrides = overrides;
  const bool isOurs = !m_usedText.isEmpty() && text == m_usedText;
  if (!isOurs && !m_undo.isClean()) return;
  m_kernel->setCurrentText(qs(kernel));
  if (isOurs) return;
  m_isScenarioNew = true;
  if (isVisible()) loadScenarioMachine();
}

bool MachineEditor::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return QWidget::eventFilter(watched, event);
  // A field undoes its own typing first; when there is none, the keys belong to the machine.
  const auto* key = static_cast<QKeyEvent*>(event);
  const auto* field = qobject_cast<QLineEdit*>(watched);
  if (!field) field = watched->findChild<QLineEdit*>();
  const bool isOurs = (key->matches(QKeySequence::Undo) && field && !field->isUndoAvailable()) ||
                      (key->matches(QKeySequence::Redo) && field && !field->isRedoAvailable());
  if (isOurs) event->ignore();
  return isOurs;
}

void MachineEditor::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || m_isThemePending) return;
  m_isThemePending = true;
  QMetaObject::invokeMethod(this, &MachineEditor::retheme, Qt::QueuedConnection);
}

/// What keeps colours of its own takes those of the theme.
void MachineEditor::retheme() {
  m_isThemePending = false;
  if (m_machine.cpus.empty()) return;
  m_counts->setMachine(m_machine);
  m_distances->setNodes(m_machine.nodes, m_faults);
  showFaults();
  showDomains();
}

void MachineEditor::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_isScenarioNew) loadScenarioMachine();
}

void MachineEditor::setMachine(const api::EditMachine& machine) {
  m_undo.clear();
  replace(m_before, nullptr);
  replace(m_layout, nullptr);
  m_isBeforeWanted = true;
  m_status->clear();
  m_opened = machine;
  adopt(machine);
  m_cpuTable->selectRow(0);
}

void MachineEditor::openFile() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Open machine"), QString(),
                                   tr("Machines (*.json *.xml *.tar *.gz *.bz2 *.xz *.txt);;All files (*)"));
  if (!path.isEmpty()) load(path);
}

int MachineEditor::selectedCpu() const { return m_cpus->cpuOfRow(m_cpuTable->currentIndex().row()); }

void MachineEditor::selectCpu(int cpu) {
  const int row = m_cpus->rowOfCpu(cpu);
  if (row < 0) return;
  m_cpuTable->selectRow(row);
  m_cpuTable->scrollTo(m_cpus->index(row, 0));
}

QString MachineEditor::message() const { return m_status->text(); }

void MachineEditor::edit(const QString& what, const std::function<void(api::EditMachine&)>& change) {
  api::EditMachine after = m_machine;
  change(after);
  if (after == m_machine) return;
  m_undo.push(new EditCommand(*this, m_machine, std::move(after), what));
}

void MachineEditor::editCpu(int row, int column, const QVariant& value) {
  std::vector<std::size_t> rows = {static_cast<std::size_t>(row)};
  const QModelIndexList chosen = m_cpuTable->selectionModel()->selectedRows();
  if (std::any_of(chosen.begin(), chosen.end(), [row](const QModelIndex& i) { return i.row() == row; }))
    for (const QModelIndex& index : chosen) rows.push_back(static_cast<std::size_t>(index.row()));
  bool isNumber = true;
  const int number = value.toString().trimmed().toInt(&isNumber);
  if ((column == CpuModel::Capacity || column == CpuModel::Throughput) && !isNumber) {
    say(tr("CPU %1: \"%2\" is no number").arg(m_cpus->cpuOfRow(row)).arg(value.toString()), true);
    return;
  }
  static const char* const whats[] = {"",
                                      QT_TR_NOOP("Kind"),
                                      "",
                                      QT_TR_NOOP("Capacity"),
                                      QT_TR_NOOP("Throughput"),
                                      QT_TR_NOOP("Online"),
                                      QT_TR_NOOP("Isolated")};
  edit(tr(whats[column]), [&](api::EditMachine& machine) {
    for (const std::size_t at : rows) {
      api::EditCpu& cpu = machine.cpus[at];
      if (column == CpuModel::Kind) cpu.kind = value.toString().trimmed().toStdString();
      if (column == CpuModel::Capacity) cpu.capacity = number;
      if (column == CpuModel::Throughput) cpu.throughput = number;
      if (column == CpuModel::Online) cpu.online = value.toInt() == Qt::Checked;
      if (column == CpuModel::Isolated) cpu.isolated = value.toInt() == Qt::Checked;
    }
  });
}

void MachineEditor::editList(QLineEdit* line, QLabel* note, bool api::EditCpu::*field, bool valueInList) {
  const api::CpuListRead read =
      api::readCpuList(m_machine, line->text().trimmed().toStdString(), line->objectName().toStdString());
  if (!read.faults.empty()) {
    showNote(note, tr("%1; %2").arg(qs(read.faults.front().message), qs(read.faults.front().hint)));
    return;
  }
  showNote(note, {});
  edit(line->accessibleName(), [&](api::EditMachine& machine) {
    for (api::EditCpu& cpu : machine.cpus) {
      const bool isIn = std::binary_search(read.cpus.begin(), read.cpus.end(), cpu.id);
      cpu.*field = isIn == valueInList;
    }
  });
}

void MachineEditor::editDistance(int row, int column, int distance) {
  edit(tr("Distance"), [&](api::EditMachine& machine) {
    std::int32_t& there =
        machine.nodes[static_cast<std::size_t>(row)].distances[static_cast<std::size_t>(column)];
    std::int32_t& back =
        machine.nodes[static_cast<std::size_t>(column)].distances[static_cast<std::size_t>(row)];
    if (back == there) back = distance;  // what was the same both ways stays so
    there = distance;
  });
}

void MachineEditor::adopt(const api::EditMachine& machine) {
  m_work.cancel();  // what is being made of the machine before
  const int cpu = selectedCpu();
  m_machine = machine;
  m_faults = api::faultsOf(m_machine);
  m_counts->setMachine(m_machine);
  m_distances->setNodes(m_machine.nodes, m_faults);
  m_distances->setVisible(m_machine.nodes.size() > 1);
  m_distanceTitle->setVisible(m_machine.nodes.size() > 1);
  m_cpus->setMachine(m_machine, m_faults);
  fillLists();
  if (m_cpus->rowOfCpu(cpu) >= 0 && selectedCpu() != cpu) selectCpu(cpu);
  showFaults();
  build();
}

void MachineEditor::build() {
  m_builder.build(m_machine, m_kernel->currentText().toStdString(),
                  m_isBeforeWanted ? std::optional(m_opened) : std::nullopt);
}

void MachineEditor::fillLists() {
  std::vector<std::int32_t> offline, isolated;
  for (const api::EditCpu& cpu : m_machine.cpus) {
    if (!cpu.online) offline.push_back(cpu.id);
    if (cpu.isolated) isolated.push_back(cpu.id);
  }
  const auto plain = [](const std::vector<std::int32_t>& ids) {
    QString text = ids.empty() ? QString() : qs(look::cpuList(ids));
    return text.remove(QLatin1Char('{')).remove(QLatin1Char('}'));
  };
  m_offline->setText(plain(offline));
  m_isolated->setText(plain(isolated));
  showNote(m_offlineNote, {});
  showNote(m_isolatedNote, {});
}

void MachineEditor::showFaults() {
  QString distance, online;
  for (const api::EditFault& fault : m_faults) {
    const QString text = tr("%1; %2").arg(qs(fault.message), qs(fault.hint));
    if (fault.field == "distances" && distance.isEmpty()) distance = text;
    if (fault.field == "online") online = text;
  }
  showNote(m_distanceNote, distance);
  showNote(m_offlineNote, online);
  m_save->setEnabled(m_faults.empty());
  m_use->setEnabled(m_faults.empty() && !m_scenarioText.isEmpty());
  if (m_faults.empty()) {
    const auto running = std::count_if(m_machine.cpus.begin(), m_machine.cpus.end(),
                                       [](const api::EditCpu& cpu) { return cpu.online; });
    say(tr("%1: %2 CPUs, %3 online").arg(qs(m_machine.name)).arg(m_machine.cpus.size()).arg(running));
  } else {
    say(tr("%1 value(s) are wrong; the domains are those of the last good machine").arg(m_faults.size()),
        true);
  }
}

void MachineEditor::showNote(QLabel* note, const QString& text) {
  note->setStyleSheet(QStringLiteral("color: %1").arg(look::colors(this).no.name()));
  note->setText(text);
  note->setVisible(!text.isEmpty());
}

void MachineEditor::say(const QString& text, bool isBad) {
  if (text.isEmpty()) return;
  const look::Palette& p = look::colors(this);
  m_status->setStyleSheet(QStringLiteral("color: %1").arg((isBad ? p.no : p.text2).name()));
  m_status->setText(text);
  m_status->setToolTip(text);
}

void MachineEditor::onBuilt(const api::MachinePreview& preview,
                            const std::shared_ptr<const api::MachineLayout>& before) {
  if (before) {
    replace(m_before, before);
    m_isBeforeWanted = false;
  }
  if (preview.layout) {
    replace(m_layout, preview.layout);
  } else if (!preview.faults.empty() && m_faults.empty()) {
    const api::EditFault& fault = preview.faults.front();
    say(qs(fault.message) + (fault.hint.empty() ? QString() : QStringLiteral(" (%1)").arg(qs(fault.hint))),
        true);
  }
  showDomains();
  Q_EMIT previewShown();
}

void MachineEditor::showDomains() {
  const int cpu = selectedCpu();
  m_domainTitle->setText(cpu < 0 ? tr("Domains") : tr("Domains of CPU %1").arg(cpu));
  m_domains->show(m_layout, m_before, cpu);
  fitPanes();
}

}  // namespace rqscope::topology_editor
