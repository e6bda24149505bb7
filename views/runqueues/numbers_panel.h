// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "rqscope/explain_value.h"

class QComboBox;
class QLayout;
class QTableWidget;
class QTextBrowser;
class QToolButton;
class QUrl;

namespace rqscope::runqueues {

/// The numbers of a task, group or CPU, and how the chosen one comes about: formula, the kernel's function,
/// operands with their values, result. Operands that are numbers themselves are links; Backspace goes back.
class NumbersPanel : public QWidget {
  Q_OBJECT
 public:
  explicit NumbersPanel(QWidget* parent = nullptr);

  /// The answer to numberWanted().
  void setNumbers(const std::vector<api::ShownValue>& shown, const api::ExplainedValue& explained);
  /// Asks for a number and remembers the way to it.
  void follow(const api::ValueRef& ref);
  void back();
  /// Asks again for what is shown: the moment has changed.
  void refresh();
  const api::ValueRef& current() const { return m_ref; }
  const api::ExplainedValue& explained() const { return m_explained; }
  QString explanationText() const;

 Q_SIGNALS:
  void numberWanted(const rqscope::api::ValueRef& ref);
  void closeWanted();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QLayout* buildStrip();
  void buildTable();
  void fillSubjects();
  void fillTable();
  void fillText();
  void chooseSubject(int index);
  void openLink(const QUrl& url);
  QString operandRow(const api::ValueOperand& operand, int number) const;

  QComboBox* m_subject;
  QToolButton *m_back, *m_close;
  QTableWidget* m_table;
  QTextBrowser* m_text;
  std::vector<api::ShownValue> m_shown;
  api::ExplainedValue m_explained;
  api::ValueRef m_ref;
  std::vector<api::ValueRef> m_way;  ///< where it came from
  bool m_isFilling = false;
};

}  // namespace rqscope::runqueues
