// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/machine_editor.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"
#include "topology_editor/cell_delegate.h"
#include "topology_editor/counts_form.h"
#include "topology_editor/cpu_model.h"
#include "topology_editor/distance_table.h"
#include "topology_editor/domain_list.h"
#include "topology_editor/machine_export.h"

namespace rqscope::topology_editor {
namespace {

using look::qs;

constexpr int kFormPx = 224;
constexpr int kProgressAfterMs = 200;  ///< shorter work shows no progress
constexpr int kColumnPx[] = {32, 46, 56, 60, 76, 48, 54};

QLabel* heading(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setFont(look::uiFont(look::kNotePx, look::Weight::Bold));
  return label;
}

}  // namespace

MachineEditor::MachineEditor(QWidget* parent)
    : QWidget(parent),
      m_machines(new QComboBox(this)),
      m_kernel(new QComboBox(this)),
      m_counts(new CountsForm(this)),
      m_distanceNote(new QLabel(this)),
      m_distances(new DistanceTable(this)),
      m_cpus(new CpuModel(this)),
      m_cpuTable(new QTableView(this)),
      m_domains(new DomainList(this)),
      m_domainTitle(heading({}, this)),
      m_status(new QLabel(this)),
      m_save(new QPushButton(tr("Save as"), this)),
      m_use(new QPushButton(tr("Use in scenario"), this)),
      m_cancel(new QPushButton(tr("Cancel"), this)),
      m_progress(new QProgressBar(this)),
      m_progressDelay(new QTimer(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(buildStrip());
  auto* above = new QSplitter(Qt::Horizontal, this);
  above->addWidget(buildForm());
  above->addWidget(buildCpus());
  above->setStretchFactor(0, 0);
  above->setStretchFactor(1, 1);
  above->setChildrenCollapsible(false);
  above->setSizes({kFormPx, 400});
  m_panes = new QSplitter(Qt::Vertical, this);
  m_panes->addWidget(above);
  m_panes->addWidget(buildDomains());
  m_panes->setChildrenCollapsible(false);
  connect(m_panes, &QSplitter::splitterMoved, this, [this] { m_arePanesMoved = true; });
  column->addWidget(m_panes, 1);
  column->addWidget(buildFoot());
  connectEdits();
}

MachineEditor::~MachineEditor() {
  // A field that loses the focus while the window goes away says that its editing has finished.
  m_offline->disconnect(this);
  m_isolated->disconnect(this);
}

/// The domains get the rows they have, as long as most is left for the machine; until someone moves the edge.
void MachineEditor::fitPanes() {
  if (m_arePanesMoved) return;
  constexpr int kMostPercent = 40;
  const int all = m_panes->height();
  const int needed = m_panes->widget(1)->sizeHint().height();
  const int domains = std::min(needed, all * kMostPercent / 100);
  m_panes->setSizes({all - domains, domains});
}

void MachineEditor::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitPanes();
}

QWidget* MachineEditor::buildStrip() {
  auto* strip = new look::ToolStrip(this);
  m_machines->setObjectName(QStringLiteral("machines"));
  m_machines->setToolTip(tr("Machine to start from"));
  m_machines->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_machines->setMinimumContentsLength(18);
  m_machines->addItem(tr("the scenario's"), QString());
  for (const api::Named& machine : api::builtinMachines()) {
    m_machines->addItem(qs(machine.name), qs(machine.name));
    m_machines->setItemData(m_machines->count() - 1, qs(machine.description), Qt::ToolTipRole);
  }
  m_machines->addItem(tr("Open file..."), QStringLiteral("?"));
  strip->addWidget(m_machines);
  const std::pair<QAction*, QKeySequence> actions[] = {
      {m_undo.createUndoAction(this, tr("Undo")), QKeySequence::Undo},
      {m_undo.createRedoAction(this, tr("Redo")), QKeySequence::Redo}};
  for (const auto& [action, keys] : actions) {
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
    auto* button = new QPushButton(action == actions[0].first ? tr("Undo") : tr("Redo"), this);
    button->setObjectName(action == actions[0].first ? QStringLiteral("undo") : QStringLiteral("redo"));
    button->setEnabled(false);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, button, [button, action] {
      button->setEnabled(action->isEnabled());
      button->setToolTip(action->text());
    });
    strip->addWidget(button);
  }
  strip->addStretch();
  auto* exports = new QPushButton(tr("Export"), this);
  auto* menu = new QMenu(exports);
  for (const ExportRow& row : exportRows()) {
    if (row.format == api::MachineFormat::MachineFile) continue;
    connect(menu->addAction(tr(row.title)), &QAction::triggered, this,
            [this, row] { exportMachine(m_machine, row); });
  }
  exports->setMenu(menu);
  strip->addWidget(exports);
  return strip;
}

void MachineEditor::addList(QVBoxLayout* column, const QString& title, const char* field, QLineEdit*& edit,
                            QLabel*& note) {
  edit = new QLineEdit(this);
  edit->setObjectName(QString::fromLatin1(field));
  edit->setPlaceholderText(tr("none, or 0-3,6"));
  edit->setFont(look::monoFont());
  edit->setAccessibleName(title);
  note = new QLabel(this);
  note->setWordWrap(true);
  note->setFont(look::uiFont(look::kNotePx));
  note->hide();
  auto* row = new QHBoxLayout;
  auto* label = new QLabel(title, this);
  label->setMinimumWidth(static_cast<int>(56 * look::textScale()));
  label->setBuddy(edit);
  row->addWidget(label);
  row->addWidget(edit, 1);
  column->addLayout(row);
  column->addWidget(note);
}

QWidget* MachineEditor::buildForm() {
  auto* inside = new QWidget(this);
  auto* column = new QVBoxLayout(inside);
  column->setContentsMargins(9, 6, 9, 6);
  column->setSpacing(5);
  column->addWidget(heading(tr("Parts, each per part before it"), this));
  column->addWidget(m_counts);
  column->addWidget(heading(tr("CPUs that do not take part"), this));
  addList(column, tr("Offline"), "offline", m_offline, m_offlineNote);
  addList(column, tr("Isolated"), "isolated", m_isolated, m_isolatedNote);
  m_distanceTitle = heading(tr("NUMA distances"), this);
  column->addWidget(m_distanceTitle);
  column->addWidget(m_distances);
  m_distanceNote->setWordWrap(true);
  m_distanceNote->setFont(look::uiFont(look::kNotePx));
  m_distanceNote->hide();
  column->addWidget(m_distanceNote);
  column->addStretch(1);
  m_distances->setObjectName(QStringLiteral("distances"));
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(inside);
  scroll->setMinimumWidth(static_cast<int>(kFormPx * look::textScale()));
  return scroll;
}

QWidget* MachineEditor::buildCpus() {
  m_cpuTable->setObjectName(QStringLiteral("cpus"));
  m_cpuTable->setAccessibleName(tr("CPUs of the machine"));
  m_cpuTable->setModel(m_cpus);
  m_cpuTable->setShowGrid(false);
  m_cpuTable->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_cpuTable->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                              QAbstractItemView::AnyKeyPressed);
  m_cpuTable->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_cpuTable->verticalHeader()->hide();
  m_cpuTable->verticalHeader()->setDefaultSectionSize(static_cast<int>(22 * look::textScale()));
  m_cpuTable->horizontalHeader()->setHighlightSections(false);
  m_cpuTable->setItemDelegate(new CellDelegate(m_cpuTable));
  m_cpuTable->setStyleSheet(QStringLiteral("QTableView { border: 1px solid transparent; }"
                                           " QTableView:focus { border: 1px solid palette(link); }"
                                           " QHeaderView::section { padding: 3px 5px; font-size: %1px; }")
                                .arg(look::kNotePx * look::textScale()));
  for (int column = 0; column < CpuModel::ColumnCount; ++column)
    m_cpuTable->setColumnWidth(column, static_cast<int>(kColumnPx[column] * look::textScale()));
  m_cpuTable->horizontalHeader()->setMinimumSectionSize(30);
  // Last, since it is only for reading: what a narrow window cuts.
  m_cpuTable->horizontalHeader()->moveSection(CpuModel::Place, CpuModel::ColumnCount - 1);
  m_cpuTable->horizontalHeader()->setSectionResizeMode(CpuModel::Place, QHeaderView::Stretch);
  m_cpuTable->setToolTip(tr("Double click or F2 changes a value, Space a tick; of all chosen rows at once"));
  return m_cpuTable;
}

QWidget* MachineEditor::buildDomains() {
  auto* panel = new QWidget(this);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* strip = new look::ToolStrip(panel);
  strip->addWidget(m_domainTitle);
  strip->addStretch();
  m_kernel->setToolTip(tr("Kernel that builds the domains"));
  for (const api::Named& kernel : api::kernels()) m_kernel->addItem(qs(kernel.name));
  m_kernel->setCurrentText(QStringLiteral("v6.12"));
  strip->addWidget(m_kernel);
  column->addWidget(strip);
  column->addWidget(m_domains, 1);
  return panel;
}

QWidget* MachineEditor::buildFoot() {
  auto* foot = new QWidget(this);
  auto* row = new QHBoxLayout(foot);
  row->setContentsMargins(9, 4, 9, 4);
  m_status->setMinimumWidth(40);
  m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(m_status, 1);
  m_progress->setRange(0, 0);
  m_progress->setTextVisible(false);
  m_progress->setFixedWidth(static_cast<int>(70 * look::textScale()));
  m_progress->setAccessibleName(tr("Work under way"));
  m_progress->hide();
  m_cancel->setObjectName(QStringLiteral("cancel"));
  m_cancel->hide();
  m_progressDelay->setSingleShot(true);
  m_progressDelay->setInterval(kProgressAfterMs);
  row->addWidget(m_progress);
  row->addWidget(m_cancel);
  row->addWidget(m_save);
  row->addWidget(m_use);
  m_save->setToolTip(tr("Save as a machine file"));
  m_use->setProperty("primary", true);
  m_use->setObjectName(QStringLiteral("use"));
  m_use->setToolTip(tr("Put this machine into the scenario and run it from the beginning"));
  return foot;
}

}  // namespace rqscope::topology_editor
