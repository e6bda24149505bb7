// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "look/accessible_items.h"
#include "rqscope/explain_value.h"
#include "rqscope/frame.h"

namespace rqscope::runqueues {

/// One CPU's queue on a virtual-time axis. EEVDF: vruntime, request up to the deadline, lag to V, who is
/// eligible and who is next, rows in the order of deadlines. CFS: vruntime and the slice that is due, beside
/// min_vruntime, rows in the order of vruntimes. Groups open into their entities.
class QueueAxis : public QAbstractScrollArea, public look::PaintedItems {
  Q_OBJECT
 public:
  explicit QueueAxis(QWidget* parent = nullptr);

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setSelectedCpu(int cpu);
  void setQueue(int cpu, const std::shared_ptr<const std::vector<api::QueueEntity>>& queue);
  int cpu() const { return m_cpu; }
  int rowCount() const { return static_cast<int>(m_rows.size()); }
  /// Name of the number that the line on the axis stands for.
  const char* lineName() const { return isCfs() ? "min_vruntime" : "avg_vruntime"; }

  /// The rows.
  int accessibleItemCount() const override { return rowCount(); }
  look::AccessItem accessibleItem(int index) const override;
  void pressAccessibleItem(int index) override;
  /// The number drawn at a point of the viewport; nothing where there is none.
  std::optional<api::ValueRef> numberAt(const QPointF& point) const;
  /// Where a number of a row is drawn, in the viewport; row -1: V.
  QRectF numberRect(int row, const std::string& name) const;

  QSize minimumSizeHint() const override { return {240, 120}; }

 Q_SIGNALS:
  void queueWanted(int cpu);
  void taskActivated(int slot);
  void numberActivated(const rqscope::api::ValueRef& ref);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  struct Row {
    const api::QueueEntity* entity;
    int depth;
    QRectF rect;
  };
  struct Axis {
    double left = 0, right = 1, low = 0, high = 1;
    double x(double value) const { return left + (value - low) / (high - low) * (right - left); }
  };
  void rebuild();
  void pressRow(std::size_t index);
  QString stateOf(const api::QueueEntity& entity) const;
  bool isCfs() const { return m_frame && m_frame->layout && m_frame->layout->queue == "cfs"; }
  QString lineText(double v) const;
  /// Where the bar of a row begins and ends, in virtual ns. Inside a group it lies in the group's own virtual
  /// time, whose V is laid on the CPU's. With CFS it ends where the slice would take it, else at the
  /// deadline.
  std::int64_t startOf(const Row& row) const;
  std::int64_t endOf(const Row& row) const;
  void addRows(const std::vector<api::QueueEntity>& entities, int depth, const std::string& path);
  /// Is anything on the queue? V of an empty one is not computed; throttled entities are on none.
  bool hasAxis() const;
  Axis axisOf() const;
  QRectF flagRect(const Axis& axis, double v) const;
  double thicknessOf(const Row& row) const;
  QRectF chipRect(const Row& row) const;
  api::ValueRef refOf(const api::QueueEntity& entity, const std::string& name) const;
  void paintRow(QPainter& painter, const Row& row, const Axis& axis, double v) const;
  void paintName(QPainter& painter, const Row& row) const;
  void paintFigures(QPainter& painter, const Row& row) const;
  void paintBar(QPainter& painter, const Row& row, const Axis& axis, double v) const;
  void paintHeads(QPainter& painter) const;
  void paintLine(QPainter& painter, const Axis& axis, double v) const;
  void paintAxis(QPainter& painter, const Axis& axis, double v) const;
  const api::CpuFrame* cpuFrame() const;
  QColor colorOf(const api::QueueEntity& entity) const;
  /// Second line beside the chip: state and slice.
  QString noteOf(const api::QueueEntity& entity) const;
  int slotOf(const api::QueueEntity& entity) const;
  QString keyOf(const api::QueueEntity& entity, int depth) const;

  std::shared_ptr<const api::Frame> m_frame;
  std::shared_ptr<const std::vector<api::QueueEntity>> m_queue;
  std::vector<Row> m_rows;
  std::set<QString> m_closed;
  int m_cpu = -1;
  int m_focused = -1;
};

}  // namespace rqscope::runqueues
