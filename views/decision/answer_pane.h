// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>
#include <QWidget>
#include <memory>
#include <vector>

#include "rqscope/frame.h"
#include "rqscope/simulation.h"
#include "rqscope/why_not.h"

class QComboBox;
class QLabel;

namespace rqscope::decision {

/// Below the ladder: why a task is not on a CPU. One chooses both, the answer names decisions one can go to.
class WhyNotPane : public QWidget {
  Q_OBJECT
 public:
  explicit WhyNotPane(QWidget* parent);

  /// Tasks and CPUs to choose from.
  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void choose(int task, int cpu);
  void setAnswer(const std::shared_ptr<const api::WhyNot>& why);
  int task() const;
  int cpu() const;
  QString answer() const { return m_text->toPlainText(); }
  QComboBox* taskBox() const { return m_task; }
  QComboBox* cpuBox() const { return m_cpu; }

 Q_SIGNALS:
  void asked(int task, int cpu);
  void decisionActivated(quint64 index);
  void closed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  std::shared_ptr<const api::WhyNot> m_why;
  QComboBox *m_task, *m_cpu;
  QTextBrowser* m_text;
  std::vector<std::pair<int, QString>> m_tasks;  ///< as listed
};

/// Below the ladder: why CPUs idled while work waited, as a table.
class IdlePane : public QWidget {
  Q_OBJECT
 public:
  explicit IdlePane(QWidget* parent);
  void setCauses(const std::vector<api::Outcome::IdleCause>& causes);
  QString text() const { return m_text->toPlainText(); }

 Q_SIGNALS:
  void decisionActivated(quint64 index);
  void chartWanted();  ///< the causes over time

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QTextBrowser* m_text;
  std::vector<api::Outcome::IdleCause> m_causes;
};

}  // namespace rqscope::decision
