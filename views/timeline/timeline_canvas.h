// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>
#include <optional>

#include "look/accessible_items.h"
#include "rqscope/frame.h"
#include "rqscope/series.h"
#include "rqscope/trace_comparison.h"
#include "timeline/timeline_geometry.h"

namespace rqscope::timeline {

/// A word at a moment; one that is not kept gives way to the next.
struct Note {
  qint64 timeNs = 0;
  QString text;
  bool isKept = false;
};

/// Lanes per CPU with slices, pass marks, migrations, playhead and two markers. It paints the bins it was
/// given and asks for others when the window changes.
class TimelineCanvas : public QWidget, public look::PaintedItems {
  Q_OBJECT
 public:
  explicit TimelineCanvas(QWidget* parent = nullptr);

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setWindow(const std::shared_ptr<const api::TimelineWindow>& window);
  void setOverview(const std::shared_ptr<const api::TimelineWindow>& window);
  /// A trace beside the run: its partings, and the slices of the recorded machine above the model's. Null:
  /// there is none.
  void setTrace(const std::shared_ptr<const api::TraceReport>& report);
  void setMachineWindow(const std::shared_ptr<const api::TimelineWindow>& window);
  /// The parting that is looked at, by its index in the report; -1: none.
  void setParting(int index);
  void setSelectedCpu(int cpu);
  void setSelectedTask(int slot);
  void setPinnedCpus(const std::vector<std::int32_t>& cpus);
  /// Shows [begin, end]; asks for its bins.
  void setRange(double beginNs, double endNs);
  void zoomBy(double factor, double aroundNs);
  void fitSelection();
  void setMarker(QChar which, std::optional<qint64> ns);
  std::optional<qint64> marker(QChar which) const {
    return which == QLatin1Char('A') ? m_markerA : m_markerB;
  }
  void setNotes(std::vector<Note> notes);
  const std::vector<Note>& notes() const { return m_notes; }  ///< by time
  double beginNs() const { return m_begin; }
  double endNs() const { return m_end; }
  const TimelineGeometry& geometryShown() const { return m_geometry; }
  /// Asks again for what is shown (after the run went on).
  void refresh();

  /// The lanes, then the marks in view, then the notes.
  int accessibleItemCount() const override;
  look::AccessItem accessibleItem(int index) const override;
  void pressAccessibleItem(int index) override;

  QSize sizeHint() const override { return {800, 178}; }
  QSize minimumSizeHint() const override { return {240, 100}; }

 Q_SIGNALS:
  void windowWanted(qint64 beginNs, qint64 endNs, int bins);
  void overviewWanted(int bins);
  void timeActivated(qint64 ns);
  void passActivated(quint64 pass);
  void cpuActivated(int cpu);
  void markersChanged();
  void partingWanted(int way);  ///< 1: the next one, -1: the one before

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
  void buildHeat();
  void follow();
  void paintOverview(QPainter& painter) const;
  void paintRuler(QPainter& painter) const;
  void paintLabels(QPainter& painter) const;
  void paintLanes(QPainter& painter) const;
  void paintSlices(QPainter& painter, const std::vector<api::TimelineSlice>& slices, const QRectF& row) const;
  void paintMachineRows(QPainter& painter) const;
  QString legendText() const;
  double rulerEndPx() const;
  void paintLegend(QPainter& painter) const;
  void paintPartings(QPainter& painter) const;
  QString partingTextAt(QPointF point) const;
  QString machineTextAt(const LaneItem& lane, QPointF point) const;
  QString machineTaskAt(std::int32_t cpu, std::int64_t timeNs) const;
  void paintFoldedOffline(QPainter& painter, const LaneItem& lane) const;
  void paintMarks(QPainter& painter) const;
  void paintMoves(QPainter& painter) const;
  void paintPlayhead(QPainter& painter) const;
  void paintMarkers(QPainter& painter) const;
  void paintNotes(QPainter& painter) const;
  QRectF noteRect(std::size_t at) const;
  int noteAt(QPointF point) const;
  bool isUnderNote(const QRectF& rect) const;
  QString noteText(std::size_t at) const;
  look::AccessItem noteItem(std::size_t at) const;
  const api::TimelineMark* markAt(QPointF point, int* cpu = nullptr) const;
  QString tooltipAt(QPointF point) const;
  std::vector<std::pair<const api::TimelineLane*, const api::TimelineMark*>> marksShown() const;
  look::AccessItem laneItem(const LaneItem& lane) const;
  double allNs() const;
  double runEndNs() const;

  std::shared_ptr<const api::Frame> m_frame;
  std::shared_ptr<const api::TimelineWindow> m_window, m_overview, m_machineWindow;
  std::shared_ptr<const api::TraceReport> m_trace;
  int m_parting = -1;
  TimelineGeometry m_geometry;
  std::vector<std::int32_t> m_pinned;
  QImage m_heat;  ///< one row per folded lane
  double m_begin = 0, m_end = 40e6;
  int m_selectedCpu = -1, m_selectedTask = -1;
  std::optional<qint64> m_markerA, m_markerB;
  std::vector<Note> m_notes;
  QPointF m_pressed;
  double m_beginAtPress = 0, m_endAtPress = 0;
  enum class Drag { None, Lanes, Overview, Ruler } m_drag = Drag::None;
  bool m_hasMoved = false, m_isFollowing = true;
};

}  // namespace rqscope::timeline
