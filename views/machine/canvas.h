// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantAnimation>
#include <QWidget>
#include <memory>
#include <optional>

#include "machine/arrows.h"

namespace rqscope::machine {

/// The machine as one painted widget: boxes, CPUs, tasks, arrows. Paint reads geometry and the frame only.
class Canvas : public QWidget {
  Q_OBJECT
 public:
  explicit Canvas(QWidget* parent = nullptr);

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setLevel(const std::string& level);
  void setTint(std::optional<Signal> tint);  ///< none: by group type
  void setBlocks(Signal blocks);
  void setDetail(std::optional<Detail> detail);  ///< none: by size
  void setSelectedCpu(int cpu);
  void setSelectedTask(int slot);
  void setMotion(bool isAnimated);
  void fit();
  double zoom() const { return m_zoom; }
  const Geometry& geometryShown() const { return m_geometry; }
  std::string level() const { return m_level; }
  /// CPU under the keyboard walk, or -1.
  int focusedCpu() const;

  QSize sizeHint() const override { return {640, 360}; }
  QSize minimumSizeHint() const override { return {240, 120}; }

 Q_SIGNALS:
  void cpuActivated(int cpu);
  void taskActivated(int slot);
  void zoomChanged(double zoom);
  void detailChanged(rqscope::machine::Detail detail);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void relayout();
  Scene scene() const;
  void zoomAt(QPointF point, double factor);
  void clampPan();
  QPointF toScene(QPointF point) const { return point - m_pan; }
  QString tooltipAt(QPointF scenePoint) const;
  void walk(int dx, int dy);
  void walkTask(int step);
  void announce();

  std::shared_ptr<const api::Frame> m_frame;
  Geometry m_geometry;
  std::string m_level;
  std::vector<int> m_cpuGroups;  ///< by position: the group of that CPU alone at the level, or -1
  std::optional<Signal> m_tint;
  Signal m_blocks = Signal::UtilEst;
  std::optional<Detail> m_pinned;
  int m_selectedCpu = -1, m_selectedTask = -1;
  int m_focusedCell = -1;
  double m_zoom = 1;
  QPointF m_pan, m_pressed, m_panAtPress;
  bool m_isPanning = false, m_isAnimated = true;
  QVariantAnimation m_travelTime;
  Travel m_travel;
};

}  // namespace rqscope::machine
