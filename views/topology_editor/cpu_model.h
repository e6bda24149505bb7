// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "rqscope/machine_edit.h"

namespace rqscope::topology_editor {

/// The CPUs of the machine, one a row. Edits are asked for by a signal; the machine itself comes from
/// outside.
class CpuModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Cpu, Kind, Place, Capacity, Throughput, Online, Isolated, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  void setMachine(const api::EditMachine& machine, const std::vector<api::EditFault>& faults);
  int rowOfCpu(int cpu) const;  ///< -1: no such CPU
  int cpuOfRow(int row) const;  ///< -1: no such row

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : ColumnCount;
  }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 Q_SIGNALS:
  void editWanted(int row, int column, const QVariant& value);

 private:
  QVariant text(const api::EditCpu& cpu, int column) const;
  const api::EditFault* faultAt(const api::EditCpu& cpu, int column) const;

  std::vector<api::EditCpu> m_cpus;
  std::vector<api::EditFault> m_faults;
};

}  // namespace rqscope::topology_editor
