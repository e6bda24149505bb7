// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <set>
#include <vector>

#include "decision/rung_painter.h"
#include "look/accessible_items.h"

namespace rqscope::decision {

/// The ladder: one rung under the other, the current one lit, scrolled into view. Rungs that are done fold to
/// a line when the whole does not fit; a click opens them.
class LadderWidget : public QAbstractScrollArea, public look::PaintedItems {
  Q_OBJECT
 public:
  explicit LadderWidget(QWidget* parent = nullptr);

  /// The rung is the current one; -1: all done.
  void setLadder(const std::shared_ptr<const api::Ladder>& ladder, int rung);
  int currentRung() const { return m_rung; }
  int focusedRung() const { return m_focused; }
  /// Top and height of each rung, for tests.
  const std::vector<QRectF>& rungRects() const { return m_rects; }
  const std::vector<Hit>& hits() const { return m_hits; }

  /// The rungs.
  int accessibleItemCount() const override { return static_cast<int>(m_rects.size()); }
  look::AccessItem accessibleItem(int index) const override;
  void pressAccessibleItem(int index) override;

  QSize minimumSizeHint() const override { return {200, 80}; }

 Q_SIGNALS:
  void numberActivated(const rqscope::decision::Hit& hit);
  void subjectHovered(rqscope::api::Subject subject);
  void rungFocused(int rung);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void relayout();
  RungState stateOf(std::size_t index) const;
  void paintRail(QPainter& painter, std::size_t index, const QRectF& rect) const;
  double contentWidth() const;
  const Hit* hitAt(QPointF viewportPoint) const;

  std::shared_ptr<const api::Ladder> m_ladder;
  int m_rung = -1;
  int m_focused = -1;
  std::set<std::size_t> m_unfolded;  ///< by room
  std::set<std::size_t> m_opened;    ///< turned over by a click
  std::vector<QRectF> m_rects;
  std::vector<Hit> m_hits;
};

}  // namespace rqscope::decision
