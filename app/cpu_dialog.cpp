// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cpu_dialog.h"

#include <fmt/format.h>

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "look/painting.h"
#include "look/words.h"

namespace rqscope::app {
namespace {

constexpr int kFull = 1024, kMostThroughput = 4096;

}  // namespace

CpuDialog::CpuDialog(int cpu, std::int64_t timeNs, QWidget* parent) : QDialog(parent), m_cpu(cpu) {
  setWindowTitle(tr("CPU %1 from %2 on").arg(cpu).arg(look::qs(look::timeText(timeNs))));
  auto* column = new QVBoxLayout(this);
  auto* grid = new QGridLayout;
  column->addLayout(grid);
  setLayout(column);
  addField("frequency", "freq_capacity", tr("Frequency"), kFull);
  addField("capacity", "actual_capacity", tr("Capacity, as the scheduler is told"), kFull);
  addField("throughput", "throughput", tr("Throughput, what it really does"), kMostThroughput);
  for (std::size_t row = 0; row < m_fields.size(); ++row) {
    grid->addWidget(m_fields[row].isChanged, static_cast<int>(row), 0);
    grid->addWidget(m_fields[row].number, static_cast<int>(row), 1);
    grid->addWidget(m_fields[row].note, static_cast<int>(row), 2);
  }
  auto* hint =
      new QLabel(tr("Written into the scenario's script at this time; the run goes on from here. Run, "
                    "Undo change takes it back."),
                 this);
  hint->setWordWrap(true);
  column->addWidget(hint);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Apply | QDialogButtonBox::Cancel, this);
  connect(buttons->button(QDialogButtonBox::Apply), &QPushButton::clicked, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  buttons->button(QDialogButtonBox::Apply)->setDefault(true);
  column->addWidget(buttons);
}

void CpuDialog::addField(const char* operation, const char* value, const QString& title, int most) {
  Field field{operation, value, new QCheckBox(title, this), new QSpinBox(this), new QLabel(this)};
  field.number->setObjectName(QString::fromLatin1(operation));
  field.number->setRange(1, most);
  field.number->setValue(kFull);
  field.number->setSuffix(tr(" of 1024"));
  field.number->setAccessibleName(title);
  const auto percent = [note = field.note](int now) {
    note->setText(QStringLiteral("%1 %").arg(100.0 * now / kFull, 0, 'f', 1));
  };
  percent(kFull);
  connect(field.number, &QSpinBox::valueChanged, this, [this, percent, box = field.isChanged](int now) {
    percent(now);
    if (!m_isFilling) box->setChecked(true);
  });
  m_fields.push_back(field);
}

void CpuDialog::setNumbers(const std::vector<api::ShownValue>& shown) {
  m_isFilling = true;
  for (const Field& field : m_fields)
    for (const api::ShownValue& value : shown) {
      const bool isIt = value.ref == api::ValueRef{field.value, m_cpu, -1, -1};
      if (isIt && !field.isChanged->isChecked()) field.number->setValue(static_cast<int>(value.value));
    }
  m_isFilling = false;
}

std::vector<std::string> CpuDialog::operations() const {
  std::vector<std::string> out;
  for (const Field& field : m_fields)
    if (field.isChanged->isChecked())
      out.push_back(fmt::format("{{ \"do\" : \"{}\", \"cpus\" : [{}], \"value\" : {} }}", field.operation,
                                m_cpu, field.number->value()));
  return out;
}

}  // namespace rqscope::app
