// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <vector>

#include "commands.h"

class QKeySequenceEdit;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace rqscope::app {

/// Gives commands other keys. A key that another command or a view has is said, and not given twice. What
/// was changed holds once the dialog is accepted; apply() is then called.
class KeysDialog : public QDialog {
  Q_OBJECT
 public:
  KeysDialog(std::vector<Command> commands, QWidget* parent);

  /// Gives the actions the keys of the dialog.
  void apply();
  void choose(const QString& name);
  QTreeWidget* list() const { return m_list; }
  QKeySequenceEdit* edit() const { return m_edit; }
  QPushButton* resetButton() const { return m_reset; }
  QPushButton* resetAllButton() const { return m_resetAll; }
  /// Gives the key to the command chosen and takes it from the one that has it.
  QPushButton* takeButton() const { return m_take; }
  /// Why the key typed is not taken; empty: it is.
  QString conflict() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void onChosen();
  void onTyped(const QKeySequence& key);
  void take();
  void reset(std::size_t row);
  void showRow(std::size_t row);
  void tell(const QString& text, int other);
  /// Row that has the key; -1: none.
  int rowWith(const QKeySequence& key) const;
  /// Row chosen; -1: none.
  int row() const;

  std::vector<Command> m_commands;
  std::vector<QList<QKeySequence>> m_keys;  ///< of each command, as they will be
  QTreeWidget* m_list;
  QKeySequenceEdit* m_edit;
  QLabel* m_told;
  QPushButton *m_take, *m_reset, *m_resetAll;
  QKeySequence m_wanted;  ///< typed, and another command's
  int m_other = -1;       ///< that command
};

}  // namespace rqscope::app
