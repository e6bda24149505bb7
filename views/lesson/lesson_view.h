// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>

#include "lesson/marker.h"

class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;

namespace rqscope::lesson {

class QuestionCard;

/// A lesson, one step at a time: text, buttons that drive the program, and a question that the model marks.
class LessonView : public QWidget {
  Q_OBJECT
 public:
  explicit LessonView(QWidget* parent = nullptr);

  /// Opens a built-in lesson or a file at its first step; false when it cannot be read.
  bool open(const QString& name);
  void showStep(int step);
  int step() const { return static_cast<int>(m_step); }
  int stepCount() const { return m_lesson ? static_cast<int>(m_lesson->steps.size()) : 0; }
  LessonPtr lesson() const { return m_lesson; }
  QComboBox* choiceBox() const { return m_choice; }
  QPushButton* backButton() const { return m_back; }
  QPushButton* nextButton() const { return m_next; }
  /// The question of the step; null: it asks nothing.
  QuestionCard* card() const { return m_card; }
  QString statusText() const;

 Q_SIGNALS:
  /// The program is to go somewhere, with the scenario as the step has it.
  void placeWanted(const QString& scenario, const rqscope::api::Overrides& overrides,
                   const rqscope::api::LessonPlace& place);

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void fillChoice();
  void showCurrent();
  void addQuestion(QWidget* page, const api::LessonQuestion& question);
  void onMarked(const MarkPtr& mark);
  void updateButtons();

  struct Answer {
    int said = -1;
    MarkPtr mark;
  };
  LessonPtr m_lesson;
  std::size_t m_step = 0;
  std::map<std::size_t, Answer> m_answers;  ///< by step
  std::size_t m_asked = 0;                  ///< step whose question the model answers now
  int m_said = -1;
  QComboBox* m_choice;
  QLabel* m_progress;
  QScrollArea* m_scroll;
  QPushButton *m_back, *m_next;
  QLabel* m_status;
  QuestionCard* m_card = nullptr;
  Marker* m_marker;
};

}  // namespace rqscope::lesson
