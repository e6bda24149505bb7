// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <vector>

#include "rqscope/frame.h"

namespace rqscope::runqueues {

/// The shared wakequeues, one row for each cache or shard: its tasks oldest first, and its lock with holder,
/// waiters and the time waited so far. Hidden when no patch adds such queues.
class SharedQueueList : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit SharedQueueList(QWidget* parent = nullptr);

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  /// The queue of this CPU is marked.
  void setSelectedCpu(int cpu);
  int rowCount() const;
  /// What a row says, for tests and screen readers.
  QString rowText(int row) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void taskActivated(int slot);
  void cpuActivated(int cpu);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  QRectF rowRect(int row) const;
  void paintRow(QPainter& painter, int row) const;
  void paintTasks(QPainter& painter, const QRectF& rect, const api::SharedQueueFrame& queue) const;
  void paintLock(QPainter& painter, const QRectF& rect, const api::SharedQueueFrame& queue) const;
  bool isSelected(const api::SharedQueueFrame& queue) const;
  int rowAt(const QPointF& point) const;

  std::shared_ptr<const api::Frame> m_frame;
  int m_cpu = -1;
};

}  // namespace rqscope::runqueues
