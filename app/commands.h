// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>
#include <vector>

class QAction;
class QMainWindow;
class QSettings;

namespace rqscope::app {

/// An action of the window by the name that its menus give it: "Run: Event forward".
struct Command {
  QString name;
  QAction* action;
};

/// What the menus hold, in their order; menus that are filled when they open are left out.
std::vector<Command> commandsOf(const QMainWindow& window);

/// What a key does in a view that has the focus; empty: nothing. Such a key is no command's.
QString viewsKey(const QKeySequence& key);

/// Keys as people read them: "F10, Right"; empty: none.
QString keysText(const QList<QKeySequence>& keys);

/// Keys that the program itself gives the action, before any were changed.
QList<QKeySequence> ownKeys(const QAction& action);
/// Gives it keys, and says them in its tooltip.
void setKeys(QAction& action, const QList<QKeySequence>& keys);

/// Takes over what was kept; only keys that differ from the program's own are.
void loadKeys(const std::vector<Command>& commands, QSettings& store);
void saveKeys(const std::vector<Command>& commands, QSettings& store);

}  // namespace rqscope::app
