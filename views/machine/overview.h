// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>
#include <QPointer>
#include <utility>

#include "machine/canvas.h"

class QLabel;

namespace rqscope::machine {

/// The whole machine as one tile per group, with what is in sight in another canvas; a drag moves that.
class MiniMap : public Canvas {
  Q_OBJECT
 public:
  explicit MiniMap(QWidget* parent = nullptr);
  void follow(Canvas* machine);
  /// Outline around what is in sight, before panning.
  QPainterPath sight() const;

  QSize sizeHint() const override { return {240, 120}; }
  QSize minimumSizeHint() const override { return {120, 60}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  int cpuAt(QPointF point) const;
  QPointer<Canvas> m_machine;
  QPointF m_pressed;
};

/// How many groups are of which type.
class TypeCounts : public QWidget {
  Q_OBJECT
 public:
  using Row = std::pair<std::string, int>;
  explicit TypeCounts(QWidget* parent = nullptr);
  void setRows(std::vector<Row> rows, int groups);
  const std::vector<Row>& rows() const { return m_rows; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<Row> m_rows;
  int m_groups = 0;
};

/// A machine of many CPUs at a glance: its map, the types of its groups, idle CPUs and waiting tasks.
class Overview : public QWidget {
  Q_OBJECT
 public:
  explicit Overview(QWidget* parent = nullptr);
  void follow(Canvas* machine);
  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  MiniMap* map() const { return m_map; }
  TypeCounts* counts() const { return m_counts; }
  QString idleText() const;
  QString waitingText() const;

 Q_SIGNALS:
  void cpuActivated(int cpu);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void count();

  MiniMap* m_map;
  TypeCounts* m_counts;
  QLabel *m_cpus, *m_level, *m_idle, *m_waiting;
};

}  // namespace rqscope::machine
