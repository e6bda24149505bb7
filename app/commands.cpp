// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include <QAction>
#include <QCoreApplication>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QStringList>

namespace rqscope::app {
namespace {

constexpr const char* kOwnKeys = "ownKeys";
const QString kGroup = QStringLiteral("keys");

struct ViewsKey {
  const char *keys, *what;
};

/// What the views' own key handlers take; a command with such a key would take it from them.
constexpr ViewsKey kViewsKeys[] = {
    {"W S A D", QT_TRANSLATE_NOOP("commands", "zoom and pan of timeline and machine")},
    {"F", QT_TRANSLATE_NOOP("commands", "fit in timeline and machine")},
    {"Z", QT_TRANSLATE_NOOP("commands", "the lens over the machine")},
    {"Shift+A Shift+B", QT_TRANSLATE_NOOP("commands", "a marker in the timeline")},
    {"G Shift+G", QT_TRANSLATE_NOOP("commands", "the next group in the machine")},
    {"X P", QT_TRANSLATE_NOOP("commands", "a difference in Compare, a parting in Trace")},
    {"Return Enter Esc Tab Shift+Tab Up Down PgUp PgDown Backspace",
     QT_TRANSLATE_NOOP("commands", "walking through a view")},
    {"F2", QT_TRANSLATE_NOOP("commands", "another number in the decision")},
};

QString plain(QString text) { return text.remove(QLatin1Char('&')).remove(QStringLiteral("...")); }

void gather(const QMenu& menu, const QString& before, std::vector<Command>& out) {
  for (QAction* action : menu.actions()) {
    if (action->isSeparator()) continue;
    const QString name = before + plain(action->text());
    if (action->menu() != nullptr)
      gather(*action->menu(), name + QStringLiteral(": "), out);
    else
      out.push_back({name, action});
  }
}

QList<QKeySequence> keysOf(const QStringList& texts) {
  QList<QKeySequence> keys;
  for (const QString& text : texts) keys << QKeySequence(text, QKeySequence::PortableText);
  return keys;
}

QStringList textsOf(const QList<QKeySequence>& keys) {
  QStringList texts;
  for (const QKeySequence& key : keys) texts << key.toString(QKeySequence::PortableText);
  return texts;
}

}  // namespace

std::vector<Command> commandsOf(const QMainWindow& window) {
  std::vector<Command> out;
  for (const QAction* top : window.menuBar()->actions())
    if (top->menu() != nullptr) gather(*top->menu(), plain(top->text()) + QStringLiteral(": "), out);
  return out;
}

QString viewsKey(const QKeySequence& key) {
  const QString text = key.toString(QKeySequence::PortableText);
  for (const auto& [keys, what] : kViewsKeys)
    if (QString::fromLatin1(keys).split(QLatin1Char(' ')).contains(text))
      return QCoreApplication::translate("commands", what);
  return {};
}

QString keysText(const QList<QKeySequence>& keys) {
  QStringList texts;
  for (const QKeySequence& key : keys) texts << key.toString(QKeySequence::NativeText);
  return texts.join(QStringLiteral(", "));
}

QList<QKeySequence> ownKeys(const QAction& action) {
  const QVariant kept = action.property(kOwnKeys);
  return kept.isValid() ? keysOf(kept.toStringList()) : action.shortcuts();
}

void setKeys(QAction& action, const QList<QKeySequence>& keys) {
  if (!action.property(kOwnKeys).isValid()) action.setProperty(kOwnKeys, textsOf(action.shortcuts()));
  action.setShortcuts(keys);
  // A tool button says its key; what stands before it is the status tip.
  if (!action.statusTip().isEmpty())
    action.setToolTip(keys.isEmpty()
                          ? action.statusTip()
                          : action.statusTip() +
                                QStringLiteral(" (%1)").arg(keys.first().toString(QKeySequence::NativeText)));
}

void loadKeys(const std::vector<Command>& commands, QSettings& store) {
  store.beginGroup(kGroup);
  for (const Command& command : commands)
    if (store.contains(command.name))
      setKeys(*command.action, keysOf(store.value(command.name).toStringList()));
  store.endGroup();
}

void saveKeys(const std::vector<Command>& commands, QSettings& store) {
  store.beginGroup(kGroup);
  store.remove(QString());
  for (const Command& command : commands)
    if (command.action->shortcuts() != ownKeys(*command.action))
      store.setValue(command.name, textsOf(command.action->shortcuts()));
  store.endGroup();
}

}  // namespace rqscope::app
