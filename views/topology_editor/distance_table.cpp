// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/distance_table.h"

#include <QApplication>
#include <QHeaderView>
#include <QPalette>
#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::topology_editor {

using look::qs;

constexpr int kCellPx = 40, kRowPx = 22, kRowsShown = 5;

void DistanceModel::setNodes(const std::vector<api::EditNode>& nodes,
                             const std::vector<api::EditFault>& faults) {
  const bool isSameSize = nodes.size() == m_nodes.size();
  if (!isSameSize) beginResetModel();
  m_nodes = nodes;
  m_faults.clear();
  for (const api::EditFault& fault : faults)
    if (fault.field == "distances") m_faults.push_back(fault);
  if (!isSameSize) return endResetModel();
  if (m_nodes.empty()) return;
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, rowCount() - 1));
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, rowCount() - 1);
  Q_EMIT headerDataChanged(Qt::Vertical, 0, rowCount() - 1);
}

int DistanceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_nodes.size());
}

const api::EditFault* DistanceModel::faultAt(int row, int column) const {
  const auto it = std::find_if(m_faults.begin(), m_faults.end(), [&](const api::EditFault& fault) {
    return fault.row == row && fault.column == column;
  });
  return it == m_faults.end() ? nullptr : &*it;
}

QVariant DistanceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= rowCount()) return {};
  const api::EditNode& from = m_nodes[static_cast<std::size_t>(index.row())];
  const api::EditNode& to = m_nodes[static_cast<std::size_t>(index.column())];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
      return QString::number(from.distances[static_cast<std::size_t>(index.column())]);
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole:
      return look::monoFont();
    case Qt::ForegroundRole: {
      const bool isDark = QApplication::palette().color(QPalette::Base).lightness() < 128;
      const look::Palette& p = look::palette(isDark ? look::Theme::Dark : look::Theme::Light);
      if (faultAt(index.row(), index.column())) return p.no;
      return index.row() == index.column() ? p.text2 : p.text;
    }
    case Qt::AccessibleDescriptionRole:
    case Qt::ToolTipRole:
      if (const api::EditFault* fault = faultAt(index.row(), index.column()))
        return qs(fault->message + " (" + fault->hint + ")");
      return tr("Distance from node %1 to node %2").arg(from.id).arg(to.id);
    default:
      return {};
  }
}

QVariant DistanceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (section < 0 || section >= rowCount()) return {};
  const api::EditNode& node = m_nodes[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole)
    return QString::number(node.id) + (node.hasCpus ? QString() : QStringLiteral("*"));
  if (role == Qt::TextAlignmentRole && orientation == Qt::Vertical) return static_cast<int>(Qt::AlignCenter);
  if (role == Qt::ToolTipRole)
    return node.hasCpus ? tr("NUMA node %1").arg(node.id) : tr("NUMA node %1, memory only").arg(node.id);
  return {};
}

Qt::ItemFlags DistanceModel::flags(const QModelIndex& index) const {
  return QAbstractTableModel::flags(index) | Qt::ItemIsEditable;
}

bool DistanceModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !index.isValid()) return false;
  const QString text = value.toString().trimmed();
  bool isNumber = false;
  const int distance = text.toInt(&isNumber);
  if (!isNumber) {
    Q_EMIT refused(text);
    return false;
  }
  const int before = data(index, Qt::EditRole).toInt();
  if (distance != before) Q_EMIT distanceWanted(index.row(), index.column(), distance);
  return true;
}

DistanceTable::DistanceTable(QWidget* parent) : QTableView(parent), m_distances(new DistanceModel(this)) {
  setAccessibleName(tr("NUMA distances"));
  setModel(m_distances);
  horizontalHeader()->setMinimumSectionSize(20);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setDefaultSectionSize(static_cast<int>(kCellPx * look::textScale()));
  verticalHeader()->setHighlightSections(false);
  verticalHeader()->setDefaultAlignment(Qt::AlignCenter);
  verticalHeader()->setDefaultSectionSize(static_cast<int>(kRowPx * look::textScale()));
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked |
                  QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setTabKeyNavigation(false);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  connect(m_distances, &DistanceModel::distanceWanted, this, &DistanceTable::distanceWanted);
  connect(m_distances, &DistanceModel::refused, this, &DistanceTable::refused);
}

void DistanceTable::setNodes(const std::vector<api::EditNode>& nodes,
                             const std::vector<api::EditFault>& faults) {
  const bool isSameSize = static_cast<int>(nodes.size()) == m_distances->rowCount();
  m_distances->setNodes(nodes, faults);
  if (!isSameSize) updateGeometry();
}

QSize DistanceTable::sizeHint() const {
  const int rows = std::clamp(m_distances->rowCount(), 1, kRowsShown);
  return {120,
          horizontalHeader()->sizeHint().height() + static_cast<int>(rows * kRowPx * look::textScale()) + 12};
}

QSize DistanceTable::minimumSizeHint() const { return {60, sizeHint().height()}; }

}  // namespace rqscope::topology_editor
