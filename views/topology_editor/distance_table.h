// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QTableView>

#include "rqscope/machine_edit.h"

namespace rqscope::topology_editor {

/// Distances between NUMA nodes. Edits are asked for by signals; the values are those of the machine.
class DistanceModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  void setNodes(const std::vector<api::EditNode>& nodes, const std::vector<api::EditFault>& faults);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override { return rowCount(parent); }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 Q_SIGNALS:
  void distanceWanted(int row, int column, int distance);
  /// A text that is no number.
  void refused(const QString& text);

 private:
  const api::EditFault* faultAt(int row, int column) const;

  std::vector<api::EditNode> m_nodes;
  std::vector<api::EditFault> m_faults;  ///< of distances
};

/// The NUMA distances, one row and column per node.
class DistanceTable : public QTableView {
  Q_OBJECT
 public:
  explicit DistanceTable(QWidget* parent);

  void setNodes(const std::vector<api::EditNode>& nodes, const std::vector<api::EditFault>& faults);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void distanceWanted(int row, int column, int distance);
  void refused(const QString& text);

 private:
  DistanceModel* m_distances;
};

}  // namespace rqscope::topology_editor
