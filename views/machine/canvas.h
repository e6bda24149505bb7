// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantAnimation>
#include <QWidget>
#include <memory>
#include <optional>
#include <utility>

#include "look/accessible_items.h"
#include "machine/arrows.h"
#include "machine/span_painting.h"

namespace rqscope::machine {

/// The machine as one painted widget: boxes, CPUs, tasks, arrows. Paint reads geometry and the frame only.
class Canvas : public QWidget, public look::PaintedItems {
  Q_OBJECT
 public:
  explicit Canvas(QWidget* parent = nullptr);

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setLevel(const std::string& label);   ///< of levelsOf()
  void setTint(std::optional<Signal> tint);  ///< none: by group type
  void setBlocks(Signal blocks);
  void setDetail(std::optional<Detail> detail);  ///< none: by size
  void setSelectedCpu(int cpu);
  void setSelectedTask(int slot);
  void setMotion(bool isAnimated);
  /// Goes to the level of a domain and marks one of its groups; -1: none.
  void showDomain(int domain, int group);
  /// The rung whose reads are lit; -1: none. A new frame lights its own rung.
  void setLitRung(int rung);
  void fit();
  /// Only the box of these CPUs is shown; empty, or no such box: the whole machine.
  void setOnly(const std::vector<std::int32_t>& cpus);
  const std::vector<std::int32_t>& only() const { return m_only; }
  /// No outlines of groups that overlap.
  void hideSpans();
  /// Level, colours, blocks and selection of another canvas.
  void adoptChoices(const Canvas& other);
  /// CPUs whose cells or tiles are in sight, ascending.
  std::vector<std::int32_t> cpusInSight() const;
  /// A CPU in the middle, as far as the edges allow.
  void centerOn(int cpu);
  /// CPUs of the box at a point, or around a CPU, that is a group of the level on show; else of the
  /// innermost.
  std::vector<std::int32_t> groupAt(QPointF scenePoint) const;
  std::vector<std::int32_t> groupAround(int cpu) const;
  int selectedCpu() const { return m_selectedCpu; }
  const std::shared_ptr<const api::Frame>& frame() const { return m_frame; }
  double zoom() const { return m_zoom; }
  const Geometry& geometryShown() const { return m_geometry; }
  /// Where the block of a task is drawn, before panning; empty when it is not.
  QRectF blockOf(std::int32_t slot) const;
  std::string level() const { return m_level.label; }
  const Spans& spans() const { return m_spans; }
  int activeGroup() const { return m_activeGroup; }
  const std::vector<LitItem>& lights() const { return m_lights; }
  /// From the widget's top left to the geometry.
  QPointF toScene(QPointF point) const { return point - m_pan; }
  /// CPU under the keyboard walk, or -1.
  int focusedCpu() const;

  /// CPUs by position, then boxes, then groups that have spans.
  int accessibleItemCount() const override;
  look::AccessItem accessibleItem(int index) const override;
  void pressAccessibleItem(int index) override;

  QSize sizeHint() const override { return {640, 360}; }
  QSize minimumSizeHint() const override { return {240, 120}; }

 Q_SIGNALS:
  void cpuActivated(int cpu);
  void taskActivated(int slot);
  void groupActivated(int domain, int group);
  /// Other groups are drawn by their spans, or none.
  void spansChanged();
  void zoomChanged(double zoom);
  void detailChanged(rqscope::machine::Detail detail);
  /// Another part of the machine is in sight, or it is shown by other choices.
  void viewChanged();
  /// The mouse is over another group; see groupAt().
  void groupHovered(const std::vector<std::int32_t>& cpus);

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
  void leaveEvent(QEvent* event) override;

 private:
  void relayout();
  void adoptLayout();
  std::vector<std::int32_t> groupOfBox(int box) const;
  int shownDomain() const;
  void relight();
  int spanAt(QPointF scenePoint) const;
  int activeSpan() const;
  void hoverSpan(int span);
  void activateSpan(int span);
  void walkSpan(int step);
  /// Which kind of thing an accessible item is, and its index among those.
  enum class Thing { Cpu, Box, Span };
  std::pair<Thing, std::size_t> thingAt(int index) const;
  QRect shownRect(const QRectF& sceneRect) const;
  QString groupTooltip(const std::vector<std::int32_t>& cpus, int group) const;
  Scene scene() const;
  void zoomAt(QPointF point, double factor);
  void clampPan();
  QString tooltipAt(QPointF scenePoint) const;
  void walk(int dx, int dy);
  void walkTask(int step);
  void announce();

  std::shared_ptr<const api::Frame> m_frame;
  Geometry m_geometry;
  Level m_level;
  std::vector<Level> m_levels;
  std::vector<int> m_boxGroups;                        ///< by box
  std::vector<const api::LayoutDomain*> m_boxDomains;  ///< by box
  std::vector<QString> m_boxNames;                     ///< of those domains
  Spans m_spans;
  int m_activeGroup = -1, m_hoveredSpan = -1;
  int m_litRung = -1;
  std::vector<LitItem> m_lights;
  std::vector<int> m_cpuGroups;  ///< by position: the group of that CPU alone at the level, or -1
  std::optional<Signal> m_tint;
  Signal m_blocks = Signal::UtilEst;
  std::optional<Detail> m_pinned;
  int m_selectedCpu = -1, m_selectedTask = -1;
  int m_focusedCell = -1;
  double m_zoom = 1;
  QPointF m_pan, m_pressed, m_panAtPress;
  bool m_isPanning = false, m_isAnimated = true, m_hasSpans = true;
  std::vector<std::int32_t> m_only, m_hoveredGroup;
  QVariantAnimation m_travelTime;
  Travel m_travel;
};

}  // namespace rqscope::machine
