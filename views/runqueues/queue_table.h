// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <memory>

#include "rqscope/explain_value.h"
#include "rqscope/frame.h"

namespace rqscope::runqueues {

/// One row per CPU: what runs, what waits, how many, util of capacity.
class QueueModel final : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kCpu, kRuns, kQueue, kCount, kUtil, kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  /// "383 / 1024" or, where there is little room, "383".
  void setCapacityShown(bool isShown);
  const api::Frame* frame() const { return m_frame.get(); }
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const api::Frame> m_frame;
  bool m_hasCapacity = true;
};

/// Chips in the columns of tasks.
class ChipDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class QueueTable : public QTableView {
  Q_OBJECT
 public:
  explicit QueueTable(QWidget* parent = nullptr);
  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setSelectedCpu(int cpu);
  QueueModel* queueModel() const { return m_model; }

 Q_SIGNALS:
  void cpuActivated(int cpu);
  /// A number was double-clicked, or Enter pressed on its row.
  void numberActivated(const rqscope::api::ValueRef& ref);
  void menuWanted(int cpu, const QPoint& globalPosition);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void fitColumns();
  int headed(int column, double px) const;
  int cpuOf(const QModelIndex& index) const;
  QueueModel* m_model;
};

}  // namespace rqscope::runqueues
