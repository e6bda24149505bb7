// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>
#include <vector>

#include "rqscope/simulation.h"

namespace rqscope::scenario {

/// Plain text with line numbers; lines with problems are tinted and their place is underlined.
class TextEditor : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit TextEditor(QWidget* parent = nullptr);
  void setProblems(const std::vector<api::Problem>& problems);
  void goTo(int line, int column);
  /// Replaces the word at a place; false when there is none.
  bool replaceWordAt(int line, int column, const QString& word);
  int numberWidth() const;
  void paintNumbers(QPaintEvent* event);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void fitNumbers();
  void underline();

  QWidget* m_numbers;
  std::vector<api::Problem> m_problems;
};

}  // namespace rqscope::scenario
