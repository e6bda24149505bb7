// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/counts_form.h"

#include <QGridLayout>
#include <QLabel>
#include <QSpinBox>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::topology_editor {
namespace {

using look::qs;

struct Part {
  const char* name;
  const char* title;
  const char* tip;
  std::int32_t api::MachineCounts::*count;
};
const Part kParts[] = {
    {"packages", QT_TR_NOOP("Packages"), QT_TR_NOOP("Packages (sockets)"), &api::MachineCounts::packages},
    {"nodes", QT_TR_NOOP("Nodes"), QT_TR_NOOP("NUMA nodes per package"), &api::MachineCounts::nodes},
    {"llcs", QT_TR_NOOP("LLCs"), QT_TR_NOOP("Last-level caches per node"), &api::MachineCounts::llcs},
    {"clusters", QT_TR_NOOP("Clusters"),
     QT_TR_NOOP("Clusters per LLC that share a level 2 cache; 0: every core has its own"),
     &api::MachineCounts::clusters},
    {"cores", QT_TR_NOOP("Cores"), QT_TR_NOOP("Cores per cluster, or per LLC without clusters"),
     &api::MachineCounts::cores},
    {"threads", QT_TR_NOOP("Threads"), QT_TR_NOOP("Threads per core"), &api::MachineCounts::threads}};
constexpr int kMostOfAPart = 8192;
/// Flat arrows, as the combo boxes have them.
const char* const kArrows = R"(
QSpinBox::up-button, QSpinBox::down-button { background: transparent; border: 0; width: 17px; }
QSpinBox::up-arrow { image: none; width: 0; height: 0; border-left: 4px solid %1; border-right: 4px solid %1;
  border-bottom: 4px solid %2; }
QSpinBox::down-arrow { image: none; width: 0; height: 0; border-left: 4px solid %1; border-right: 4px solid %1;
  border-top: 4px solid %2; }
)";

}  // namespace

CountsForm::CountsForm(QWidget* parent) : QWidget(parent), m_note(new QLabel(this)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(6);
  grid->setVerticalSpacing(2);
  for (int i = 0; i < 6; ++i) {
    const Part& part = kParts[i];
    auto* box = m_boxes[static_cast<std::size_t>(i)] = new QSpinBox(this);
    box->setObjectName(QString::fromLatin1(part.name));
    box->setRange(i == 3 ? 0 : 1, kMostOfAPart);
    box->setKeyboardTracking(false);
    box->setAccessibleName(tr(part.title));
    box->setToolTip(tr(part.tip));
    box->setFont(look::monoFont());
    auto* label = new QLabel(tr(part.title), this);
    label->setToolTip(tr(part.tip));
    label->setBuddy(box);
    label->setFont(look::uiFont(look::kNotePx));
    box->setMinimumWidth(static_cast<int>(60 * look::textScale()));
    grid->addWidget(label, i / 3 * 2, i % 3);
    grid->addWidget(box, i / 3 * 2 + 1, i % 3);
    connect(box, &QSpinBox::valueChanged, this, [this] { Q_EMIT countsWanted(counts()); });
  }
  for (int i = 0; i < 3; ++i) grid->setColumnStretch(i, 1);
  grid->addWidget(m_note, 4, 0, 1, 3);
  m_note->setWordWrap(true);
  m_note->setFont(look::uiFont(look::kNotePx));
  m_note->setObjectName(QStringLiteral("countsNote"));
}

api::MachineCounts CountsForm::counts() const {
  api::MachineCounts out;
  for (std::size_t i = 0; i < m_boxes.size(); ++i) out.*kParts[i].count = m_boxes[i]->value();
  return out;
}

QString CountsForm::note() const { return m_note->text(); }

void CountsForm::setMachine(const api::EditMachine& machine) {
  for (std::size_t i = 0; i < m_boxes.size(); ++i) {
    const QSignalBlocker blocker(m_boxes[i]);
    m_boxes[i]->setValue(machine.counts.*kParts[i].count);
  }
  m_isRegular = machine.isRegular;
  const look::Palette& p = look::colors(this);
  setStyleSheet(QString::fromLatin1(kArrows).arg(p.canvas.name(), p.text2.name()));
  setFaults({});
}

void CountsForm::setFaults(const std::vector<api::EditFault>& faults) {
  const look::Palette& p = look::colors(this);
  QString text;
  for (const api::EditFault& fault : faults)
    if (fault.field == "counts") text = tr("%1: %2").arg(qs(fault.message), qs(fault.hint));
  const bool isFault = !text.isEmpty();
  if (!isFault && !m_isRegular) text = tr("The parts differ, these are the most; a change makes them alike.");
  m_note->setText(text);
  m_note->setStyleSheet(QStringLiteral("color: %1").arg((isFault ? p.no : p.text2).name()));
  m_note->setVisible(!text.isEmpty());
}

}  // namespace rqscope::topology_editor
