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

  /// What is said when there is no ladder.
  void setEmptyText(const QString& what, const QString& hint);
  /// The rung is the current one; -1: all done.
  void setLadder(const std::shared_ptr<const api::Ladder>& ladder, int rung);
  /// The ladder that follows from changed numbers, its rungs marked by what they have of the actual one.
  void setWhatIf(const std::shared_ptr<const api::WhatIf>& what, std::vector<api::OperandPath> changed);
  const std::vector<api::WhatIf::Mark>& marks() const { return m_marks; }
  /// Opens the editor on a number, or says why there is none.
  void beginEdit(const Hit& hit);
  bool isEditing() const { return m_editor != nullptr; }
  QWidget* editor() const { return m_editor; }
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
  /// The number was given another value; the path is in the ladder shown.
  void valueEntered(const rqscope::api::OperandPath& path, qint64 value, const QString& text);
  void editRefused(const rqscope::decision::Hit& hit, const QString& reason);
  /// Escape, with no editor open.
  void resetRequested();
  /// Backspace: to the number that was shown before.
  void backRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void relayout();
  RungState stateOf(std::size_t index) const;
  void paintRail(QPainter& painter, std::size_t index, const QRectF& rect) const;
  double contentWidth() const;
  const Hit* hitAt(QPointF viewportPoint) const;
  const Hit* chosenHit(bool next) const;
  QString headText(QPoint viewportPoint) const;
  void edit(Hit hit);
  void paintMark(QPainter& painter, std::size_t index, const QRectF& rect) const;
  void placeEditor(QWidget* editor, const Hit& hit);
  void commitNumber(const api::OperandPath& path, const QString& text);
  void closeEditor();

  QString m_emptyText, m_emptyHint;
  std::shared_ptr<const api::Ladder> m_ladder;
  int m_rung = -1;
  int m_focused = -1;
  std::set<std::size_t> m_unfolded;  ///< by room
  std::set<std::size_t> m_opened;    ///< turned over by a click
  std::vector<QRectF> m_rects;
  std::vector<Hit> m_hits;
  std::vector<api::WhatIf::Mark> m_marks;   ///< by rung; empty: the ladder as it was
  std::vector<api::OperandPath> m_changed;  ///< numbers that were changed, in the ladder shown
  Hit m_chosenHit;
  QPointF m_pressed;          ///< where the mouse was pressed last, in the viewport
  api::OperandPath m_chosen;  ///< number last clicked or walked to
  QWidget* m_editor = nullptr;
};

}  // namespace rqscope::decision
