// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableWidget>

#include "rqscope/machine_edit.h"

namespace rqscope::topology_editor {

/// The NUMA distances, one row and column per node. Edits are asked for by a signal.
class DistanceTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit DistanceTable(QWidget* parent);

  void setNodes(const std::vector<api::EditNode>& nodes, const std::vector<api::EditFault>& faults);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void distanceWanted(int row, int column, int distance);
  /// A text that is no number; the cell is set back.
  void refused(const QString& text);

 private:
  void onChanged(QTableWidgetItem* item);

  std::vector<api::EditNode> m_nodes;
};

}  // namespace rqscope::topology_editor
