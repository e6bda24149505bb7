// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/cpu_model.h"

#include <QApplication>
#include <QPalette>
#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::topology_editor {

using look::qs;

void CpuModel::setMachine(const api::EditMachine& machine, const std::vector<api::EditFault>& faults) {
  const bool isSameSize = machine.cpus.size() == m_cpus.size();
  if (!isSameSize) beginResetModel();
  m_cpus = machine.cpus;
  m_faults = faults;
  if (!isSameSize) {
    endResetModel();
  } else if (!m_cpus.empty()) {
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
  }
}

int CpuModel::rowOfCpu(int cpu) const {
  const auto it = std::find_if(m_cpus.begin(), m_cpus.end(), [cpu](const auto& c) { return c.id == cpu; });
  return it == m_cpus.end() ? -1 : static_cast<int>(it - m_cpus.begin());
}

int CpuModel::cpuOfRow(int row) const {
  return row < 0 || row >= rowCount() ? -1 : m_cpus[static_cast<std::size_t>(row)].id;
}

int CpuModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_cpus.size());
}

QVariant CpuModel::text(const api::EditCpu& cpu, int column) const {
  switch (column) {
    case Cpu:
      return cpu.id;
    case Kind:
      return qs(cpu.kind);
    case Place:
      return QStringLiteral("%1/%2/%3").arg(cpu.package).arg(cpu.node).arg(cpu.core);
    case Capacity:
      return cpu.capacity;
    case Throughput:
      return cpu.throughput;
    default:
      return {};
  }
}

const api::EditFault* CpuModel::faultAt(const api::EditCpu& cpu, int column) const {
  const char* const field = column == Capacity ? "capacity" : column == Throughput ? "throughput" : "";
  for (const api::EditFault& fault : m_faults)
    if (fault.cpu == cpu.id && fault.field == field) return &fault;
  return nullptr;
}

QVariant CpuModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const api::EditCpu& cpu = m_cpus[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  const bool isCheck = column == Online || column == Isolated;
  const api::EditFault* fault = faultAt(cpu, column);
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
      return text(cpu, column);
    case Qt::CheckStateRole:
      if (!isCheck) return {};
      return static_cast<int>((column == Online ? cpu.online : cpu.isolated) ? Qt::Checked : Qt::Unchecked);
    case Qt::TextAlignmentRole:
      return static_cast<int>(
          (column == Kind || column == Place || isCheck ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::FontRole:
      return column == Kind ? look::uiFont() : look::monoFont();
    case Qt::ForegroundRole: {
      const bool isDark = QApplication::palette().color(QPalette::Base).lightness() < 128;
      const look::Palette& p = look::palette(isDark ? look::Theme::Dark : look::Theme::Light);
      if (fault) return p.no;
      return cpu.online ? QVariant() : QVariant(p.text3);
    }
    case Qt::ToolTipRole:
      if (fault) return QStringLiteral("%1 (%2)").arg(qs(fault->message), qs(fault->hint));
      if (column == Place)
        return tr("Package %1, NUMA node %2, core %3").arg(cpu.package).arg(cpu.node).arg(cpu.core);
      return {};
    case Qt::AccessibleTextRole:
      if (column == Online)
        return cpu.online ? tr("CPU %1 is online").arg(cpu.id) : tr("CPU %1 is offline").arg(cpu.id);
      if (column == Isolated)
        return cpu.isolated ? tr("CPU %1 is isolated").arg(cpu.id) : tr("CPU %1 is not isolated").arg(cpu.id);
      return {};
    default:
      return {};
  }
}

QVariant CpuModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  static const char* const names[] = {QT_TR_NOOP("CPU"),      QT_TR_NOOP("Kind"),       QT_TR_NOOP("P/N/C"),
                                      QT_TR_NOOP("Capacity"), QT_TR_NOOP("Throughput"), QT_TR_NOOP("Online"),
                                      QT_TR_NOOP("Isolated")};
  static const char* const tips[] = {QT_TR_NOOP("Number of the CPU"),
                                     QT_TR_NOOP("Free text: P, E, big, ..."),
                                     QT_TR_NOOP("Package, NUMA node and core; follows from the counts"),
                                     QT_TR_NOOP("What the scheduler is told, 1 to 1024"),
                                     QT_TR_NOOP("What the CPU really does, 1024 is the reference"),
                                     QT_TR_NOOP("Whether the CPU runs"),
                                     QT_TR_NOOP("isolcpus=: the CPU is in no domain")};
  if (role == Qt::DisplayRole) return tr(names[section]);
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  if (role == Qt::TextAlignmentRole) {
    const bool isRight = section == Cpu || section == Capacity || section == Throughput;
    return static_cast<int>((isRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  return {};
}

Qt::ItemFlags CpuModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags out = QAbstractTableModel::flags(index);
  if (index.column() == Online || index.column() == Isolated) return out | Qt::ItemIsUserCheckable;
  if (index.column() == Cpu || index.column() == Place) return out;
  return out | Qt::ItemIsEditable;
}

bool CpuModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  const bool isCheck = index.column() == Online || index.column() == Isolated;
  if (role != (isCheck ? Qt::CheckStateRole : Qt::EditRole)) return false;
  Q_EMIT editWanted(index.row(), index.column(), value);
  return true;
}

}  // namespace rqscope::topology_editor
