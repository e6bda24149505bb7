// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <vector>

#include "rqscope/lesson.h"

namespace rqscope::lesson {

/// One lesson of the index: number, title, what it is about, how long it is. Click, Space or Enter opens it.
class LessonRow : public QAbstractButton {
  Q_OBJECT
 public:
  LessonRow(int number, const api::Lesson& lesson, QWidget* parent);

  QSize sizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  /// A part of the text with its place below the parts before it.
  struct Part {
    QString text;
    QFont font;
    QColor color;
    QRect rect;
  };
  std::vector<Part> parts(int width) const;

  int m_number;
  QString m_title, m_about, m_length;
};

/// All lessons in the order of the course.
class LessonIndex : public QWidget {
  Q_OBJECT
 public:
  LessonIndex(const std::vector<api::Lesson>& lessons, QWidget* parent);

 Q_SIGNALS:
  void chosen(const QString& name);
};

}  // namespace rqscope::lesson
