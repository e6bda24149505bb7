// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/distance_table.h"

#include <QHeaderView>
#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::topology_editor {

using look::qs;

constexpr int kCellPx = 40, kRowPx = 22, kRowsShown = 5;

DistanceTable::DistanceTable(QWidget* parent) : QTableWidget(parent) {
  setAccessibleName(tr("NUMA distances"));
  horizontalHeader()->setMinimumSectionSize(20);
  horizontalHeader()->setHighlightSections(false);
  verticalHeader()->setHighlightSections(false);
  verticalHeader()->setDefaultAlignment(Qt::AlignCenter);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked |
                  QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setTabKeyNavigation(false);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  connect(this, &QTableWidget::itemChanged, this, &DistanceTable::onChanged);
}

void DistanceTable::setNodes(const std::vector<api::EditNode>& nodes,
                             const std::vector<api::EditFault>& faults) {
  const QSignalBlocker blocker(this);
  const look::Palette& p = look::colors(this);
  m_nodes = nodes;
  const int count = static_cast<int>(nodes.size());
  if (rowCount() != count) {
    setRowCount(count);
    setColumnCount(count);
    updateGeometry();
  }
  for (int row = 0; row < count; ++row) {
    const api::EditNode& node = nodes[static_cast<std::size_t>(row)];
    const QString label = QString::number(node.id) + (node.hasCpus ? QString() : QStringLiteral("*"));
    const QString tip =
        node.hasCpus ? tr("NUMA node %1").arg(node.id) : tr("NUMA node %1, memory only").arg(node.id);
    auto* rowHead = new QTableWidgetItem(label);
    auto* columnHead = new QTableWidgetItem(label);
    rowHead->setToolTip(tip);
    columnHead->setToolTip(tip);
    setVerticalHeaderItem(row, rowHead);
    setHorizontalHeaderItem(row, columnHead);
    setRowHeight(row, static_cast<int>(kRowPx * look::textScale()));
    setColumnWidth(row, static_cast<int>(kCellPx * look::textScale()));
    for (int column = 0; column < count; ++column) {
      auto* cell = item(row, column);
      if (!cell) setItem(row, column, cell = new QTableWidgetItem);
      cell->setText(QString::number(node.distances[static_cast<std::size_t>(column)]));
      cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      cell->setFont(look::monoFont());
      const auto fault = std::find_if(faults.begin(), faults.end(), [&](const api::EditFault& f) {
        return f.field == "distances" && f.row == row && f.column == column;
      });
      cell->setForeground(fault == faults.end() ? (row == column ? p.text2 : p.text) : p.no);
      cell->setToolTip(fault == faults.end() ? tr("Distance from node %1 to node %2")
                                                   .arg(node.id)
                                                   .arg(nodes[static_cast<std::size_t>(column)].id)
                                             : qs(fault->message + " (" + fault->hint + ")"));
    }
  }
}

QSize DistanceTable::sizeHint() const {
  const int rows = std::clamp(rowCount(), 1, kRowsShown);
  return {120,
          horizontalHeader()->sizeHint().height() + static_cast<int>(rows * kRowPx * look::textScale()) + 12};
}

QSize DistanceTable::minimumSizeHint() const { return {60, sizeHint().height()}; }

void DistanceTable::onChanged(QTableWidgetItem* item) {
  const int row = item->row(), column = item->column();
  const int before = m_nodes[static_cast<std::size_t>(row)].distances[static_cast<std::size_t>(column)];
  bool isNumber = false;
  const int distance = item->text().trimmed().toInt(&isNumber);
  if (isNumber && distance != before) return Q_EMIT distanceWanted(row, column, distance);
  const QString text = item->text();
  {
    const QSignalBlocker blocker(this);
    item->setText(QString::number(before));
  }
  if (!isNumber) Q_EMIT refused(text);
}

}  // namespace rqscope::topology_editor
