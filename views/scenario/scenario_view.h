// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include "rqscope/simulation.h"
#include "scenario/text_editor.h"

class QComboBox;
class QLabel;
class QMenu;
class QPushButton;
class QToolButton;

namespace rqscope::scenario {

class ProblemList;

/// The scenario's text, checked as it is typed, with the kernel, machine and patches that override it.
class ScenarioView : public QWidget {
  Q_OBJECT
 public:
  explicit ScenarioView(QWidget* parent = nullptr);

  /// What is running now: the text is replaced, the choices follow.
  void setScenario(const QString& fileName, const QString& text, const api::Overrides& overrides,
                   const std::vector<std::string>& patchesSet, const std::string& kernel);
  /// Problems of the last attempt to apply.
  void setProblems(const std::vector<api::Problem>& problems);
  TextEditor* editor() const { return m_editor; }
  const std::vector<api::Problem>& problems() const { return m_problems; }
  bool isModified() const;
  QMenu* patchMenu() const { return m_patchMenu; }
  QToolButton* patchButton() const { return m_patches; }
  /// What Apply runs the text with.
  api::Overrides overrides() const;

 Q_SIGNALS:
  void applyWanted(const QString& fileName, const QString& text, const rqscope::api::Overrides& overrides);
  void checked();

 private:
  void check();
  void showProblems(std::vector<api::Problem> problems);
  void apply();
  void fillPatches(const std::string& kernel, const std::vector<std::string>& patchesSet);
  void showPatchCount();

  TextEditor* m_editor;
  ProblemList* m_list;
  QComboBox *m_kernel, *m_machine;
  QToolButton* m_patches;
  QMenu* m_patchMenu;
  QPushButton *m_apply, *m_save;
  QLabel* m_status;
  QTimer m_wait;
  QString m_fileName;
  api::Overrides m_given;
  std::vector<api::Problem> m_problems;
  quint64 m_ticket = 0;
};

}  // namespace rqscope::scenario
