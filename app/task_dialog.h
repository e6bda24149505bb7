// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <string>
#include <vector>

#include "rqscope/frame.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace rqscope::app {

/// Nice, policy and allowed CPUs of one task, to be changed at the present moment of the run.
class TaskDialog : public QDialog {
  Q_OBJECT
 public:
  /// `cpus` are those of the machine, ascending.
  TaskDialog(api::TaskFrame task, std::vector<std::int32_t> cpus, std::int64_t timeNs, QWidget* parent);

  QSpinBox* nice() const { return m_nice; }
  QComboBox* policy() const { return m_policy; }
  QLineEdit* allowed() const { return m_allowed; }
  QPushButton* applyButton() const { return m_apply; }
  /// What is wrong with the CPUs typed; empty: nothing.
  QString problem() const;
  /// Operations of what differs from the task as it is, as a script has them.
  std::vector<std::string> operations() const;

 private:
  void check();

  api::TaskFrame m_task;
  std::vector<std::int32_t> m_cpus;
  QSpinBox* m_nice;
  QComboBox* m_policy;
  QLineEdit* m_allowed;
  QLabel* m_problem;
  QPushButton* m_apply;
};

}  // namespace rqscope::app
