// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <vector>

#include "lesson/marker.h"

class QButtonGroup;
class QLabel;
class QPushButton;
class QRadioButton;

namespace rqscope::lesson {

/// A question of a lesson with its answers: predict, then look.
class QuestionCard : public QFrame {
  Q_OBJECT
 public:
  QuestionCard(const api::LessonQuestion& question, QWidget* parent);

  /// The answer that is chosen; -1: none yet.
  int chosen() const;
  void choose(int option);
  /// What was said and what the model did; answers cannot be changed any more.
  void setMark(const api::LessonMark& mark, int said);
  bool isMarked() const { return m_isMarked; }
  void setBusy(bool isBusy);
  QPushButton* lookButton() const { return m_look; }
  QPushButton* hintButton() const { return m_hint; }
  QString verdict() const;

 Q_SIGNALS:
  void lookWanted(int option);
  /// The hint or the verdict has come to be seen, below what was there.
  void grown(QWidget* part);

 private:
  void updateButtons();
  QString didText(const api::LessonMark& mark) const;

  api::LessonQuestion m_question;
  QButtonGroup* m_options;
  QPushButton *m_look, *m_hint;
  QLabel *m_hintText, *m_verdict;
  bool m_isMarked = false, m_isBusy = false;
};

}  // namespace rqscope::lesson
