// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_palette.h"

#include <QAction>
#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "look/fonts.h"

namespace rqscope::app {
namespace {

constexpr double kWidthPx = 520, kHeightPx = 380;  ///< at 100 %

}  // namespace

CommandPalette::CommandPalette(std::vector<Command> commands, QWidget* parent)
    : QDialog(parent),
      m_commands(std::move(commands)),
      m_field(new QLineEdit(this)),
      m_list(new QTreeWidget(this)) {
  setWindowTitle(tr("Commands"));
  resize((QSizeF(kWidthPx, kHeightPx) * look::textScale()).toSize());
  m_field->setPlaceholderText(tr("Words of a command"));
  m_field->setAccessibleName(m_field->placeholderText());
  m_field->installEventFilter(this);
  m_list->setHeaderLabels({tr("Command"), tr("Keys")});
  m_list->setAccessibleName(tr("Commands"));
  m_list->setRootIsDecorated(false);
  m_list->setUniformRowHeights(true);
  m_list->header()->setStretchLastSection(false);
  m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  for (const Command& command : m_commands) {
    auto* item = new QTreeWidgetItem(m_list, {command.name, keysText(command.action->shortcuts())});
    item->setDisabled(!command.action->isEnabled());
  }
  auto* column = new QVBoxLayout(this);
  column->addWidget(m_field);
  column->addWidget(m_list, 1);
  connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(m_field, &QLineEdit::returnPressed, this, &CommandPalette::run);
  connect(m_list, &QTreeWidget::itemActivated, this, &CommandPalette::run);
  filter({});
}

QAction* CommandPalette::chosen() const {
  QTreeWidgetItem* item = m_list->currentItem();
  if (item == nullptr || item->isHidden() || item->isDisabled()) return nullptr;
  return m_commands[static_cast<std::size_t>(m_list->indexOfTopLevelItem(item))].action;
}

/// Shows what has every word, wherever it stands, and chooses the first of it.
void CommandPalette::filter(const QString& text) {
  const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  QTreeWidgetItem* first = nullptr;
  for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = m_list->topLevelItem(row);
    const bool has = std::ranges::all_of(
        words, [&](const QString& word) { return item->text(0).contains(word, Qt::CaseInsensitive); });
    item->setHidden(!has);
    if (has && first == nullptr && !item->isDisabled()) first = item;
  }
  m_list->setCurrentItem(first);
}

/// After the dialog has gone, so that what the command opens stands over the window.
void CommandPalette::run() {
  QAction* action = chosen();
  if (action == nullptr) return;
  accept();
  QTimer::singleShot(0, action, &QAction::trigger);
}

/// The keys that walk the list do so from the field.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_field && event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    const int code = key->key();
    if (code == Qt::Key_Up || code == Qt::Key_Down || code == Qt::Key_PageUp || code == Qt::Key_PageDown) {
      QCoreApplication::sendEvent(m_list, event);
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace rqscope::app
