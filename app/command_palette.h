// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <vector>

#include "commands.h"

class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace rqscope::app {

/// All commands with their keys, found by words of their names. Enter runs the one that is chosen.
class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(std::vector<Command> commands, QWidget* parent);

  QLineEdit* field() const { return m_field; }
  QTreeWidget* list() const { return m_list; }
  /// The command chosen; null: none.
  QAction* chosen() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& text);
  void run();

  std::vector<Command> m_commands;
  QLineEdit* m_field;
  QTreeWidget* m_list;
};

}  // namespace rqscope::app
