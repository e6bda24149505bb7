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

/// The index of lessons, or one of them step by step: text, buttons that drive the program, and a question
/// that the model marks.
class LessonView : public QWidget {
  Q_OBJECT
 public:
  explicit LessonView(QWidget* parent = nullptr);

  /// Opens a built-in lesson or a file at its first step; false when it cannot be read.
  bool open(const QString& name);
  void showIndex();
  void showStep(int step);
  int step() const { return static_cast<int>(m_step); }
  int stepCount() const { return m_lesson ? static_cast<int>(m_lesson->steps.size()) : 0; }
  LessonPtr lesson() const { return m_lesson; }
  /// The index and all lessons.
  QComboBox* choiceBox() const { return m_choice; }
  /// The kernels that the lesson may be read with; hidden when it names fewer than two.
  QComboBox* kernelBox() const { return m_kernel; }
  QPushButton* backButton() const { return m_back; }
  QPushButton* nextButton() const { return m_next; }
  /// Shown while the model runs.
  QPushButton* stopButton() const { return m_stop; }
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
  void choose(const QString& name);
  void fillKernels();
  void showCurrent();
  QWidget* indexPage();
  QWidget* stepPage();
  api::Overrides overrides(const api::LessonStep& step) const;
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
  LessonPtr m_askedOf;                      ///< its lesson and kernel
  QString m_askedWith;
  int m_said = -1;
  std::vector<api::Lesson> m_lessons;  ///< built-in, read when the dock is first seen
  QComboBox *m_choice, *m_kernel;
  QLabel* m_progress;
  QScrollArea* m_scroll;
  QPushButton *m_back, *m_next, *m_stop;
  QLabel* m_status;
  QuestionCard* m_card = nullptr;
  Marker* m_marker;
};

}  // namespace rqscope::lesson
