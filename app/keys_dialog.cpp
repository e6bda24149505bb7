// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "keys_dialog.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QFont>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <utility>

#include "look/fonts.h"

namespace rqscope::app {
namespace {

constexpr double kWidthPx = 560, kHeightPx = 460;  ///< at 100 %

}  // namespace

KeysDialog::KeysDialog(std::vector<Command> commands, QWidget* parent)
    : QDialog(parent),
      m_commands(std::move(commands)),
      m_list(new QTreeWidget(this)),
      m_edit(new QKeySequenceEdit(this)),
      m_told(new QLabel(this)),
      m_take(new QPushButton(tr("Take it from there"), this)),
      m_reset(new QPushButton(tr("Reset"), this)),
      m_resetAll(new QPushButton(tr("Reset all"), this)) {
  setWindowTitle(tr("Change keys"));
  resize((QSizeF(kWidthPx, kHeightPx) * look::textScale()).toSize());
  m_list->setHeaderLabels({tr("Command"), tr("Keys")});
  m_list->setAccessibleName(tr("Commands and their keys"));
  m_list->setRootIsDecorated(false);
  m_list->setUniformRowHeights(true);
  m_list->header()->setStretchLastSection(false);
  m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  for (std::size_t i = 0; i < m_commands.size(); ++i) {
    m_keys.push_back(m_commands[i].action->shortcuts());
    new QTreeWidgetItem(m_list, {m_commands[i].name, QString()});
    showRow(i);
  }
  m_edit->setAccessibleName(tr("First key of the command"));
  m_edit->setClearButtonEnabled(true);
  m_reset->setToolTip(tr("The keys that the program gives this command"));
  m_told->setWordWrap(true);
  auto* line = new QHBoxLayout;
  line->addWidget(new QLabel(tr("Key:"), this));
  line->addWidget(m_edit, 1);
  line->addWidget(m_reset);
  auto* told = new QHBoxLayout;
  told->addWidget(m_told, 1);
  told->addWidget(m_take);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  buttons->addButton(m_resetAll, QDialogButtonBox::ResetRole);
  auto* column = new QVBoxLayout(this);
  column->addWidget(m_list, 1);
  column->addLayout(line);
  column->addLayout(told);
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(this, &QDialog::accepted, this, &KeysDialog::apply);
  connect(m_list, &QTreeWidget::currentItemChanged, this, &KeysDialog::onChosen);
  m_edit->installEventFilter(this);
  connect(m_edit, &QKeySequenceEdit::keySequenceChanged, this, [this](const QKeySequence& sequence) {
    if (sequence.isEmpty()) onTyped({});
  });
  connect(m_take, &QPushButton::clicked, this, &KeysDialog::take);
  connect(m_reset, &QPushButton::clicked, this, [this] {
    if (row() >= 0) reset(static_cast<std::size_t>(row()));
    onChosen();
  });
  connect(m_resetAll, &QPushButton::clicked, this, [this] {
    for (std::size_t i = 0; i < m_commands.size(); ++i) reset(i);
    onChosen();
  });
  m_list->setCurrentItem(m_list->topLevelItem(0));
}

/// One key at once, where the editor would wait for up to four and first take away the old one.
bool KeysDialog::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_edit || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const auto* press = static_cast<QKeyEvent*>(event);
  const int code = press->key();
  if (code == Qt::Key_Tab || code == Qt::Key_Backtab) return false;
  const bool isModifier = code == Qt::Key_Control || code == Qt::Key_Shift || code == Qt::Key_Alt ||
                          code == Qt::Key_Meta || code == Qt::Key_AltGr || code == Qt::Key_unknown;
  if (isModifier) return true;
  Qt::KeyboardModifiers modifiers = press->modifiers() & ~Qt::KeypadModifier;
  // "?" is a key by itself, on whichever place of the keyboard it needs Shift.
  const bool isSign = !press->text().isEmpty() && press->text().front().isPrint() &&
                      !press->text().front().isLetterOrNumber() && code != Qt::Key_Space;
  if (isSign) modifiers &= ~Qt::ShiftModifier;
  const QKeySequence key(QKeyCombination(modifiers, static_cast<Qt::Key>(code)));
  {
    const QSignalBlocker quiet(m_edit);
    m_edit->setKeySequence(key);
  }
  onTyped(key);
  return true;
}

int KeysDialog::row() const { return m_list->indexOfTopLevelItem(m_list->currentItem()); }

int KeysDialog::rowWith(const QKeySequence& key) const {
  for (std::size_t i = 0; i < m_keys.size(); ++i)
    if (m_keys[i].contains(key)) return static_cast<int>(i);
  return -1;
}

void KeysDialog::choose(const QString& name) {
  for (std::size_t i = 0; i < m_commands.size(); ++i)
    if (m_commands[i].name == name) m_list->setCurrentItem(m_list->topLevelItem(static_cast<int>(i)));
}

QString KeysDialog::conflict() const { return m_told->text(); }

/// Keys that are not the program's own are bold.
void KeysDialog::showRow(std::size_t row) {
  QTreeWidgetItem* item = m_list->topLevelItem(static_cast<int>(row));
  item->setText(1, keysText(m_keys[row]));
  QFont font = m_list->font();
  font.setBold(m_keys[row] != ownKeys(*m_commands[row].action));
  item->setFont(1, font);
}

void KeysDialog::tell(const QString& text, int other) {
  m_told->setText(text);
  m_other = other;
  m_take->setVisible(other >= 0);
}

void KeysDialog::onChosen() {
  tell({}, -1);
  const int at = row();
  m_edit->setEnabled(at >= 0);
  if (at < 0) return;
  const QList<QKeySequence>& keys = m_keys[static_cast<std::size_t>(at)];
  const QSignalBlocker quiet(m_edit);
  m_edit->setKeySequence(keys.isEmpty() ? QKeySequence() : keys.first());
}

/// The first key is replaced, further ones stay; without a key it has none at all.
void KeysDialog::onTyped(const QKeySequence& key) {
  const int at = row();
  if (at < 0) return;
  QList<QKeySequence>& keys = m_keys[static_cast<std::size_t>(at)];
  const int other = key.isEmpty() ? -1 : rowWith(key);
  m_wanted = key;
  if (other >= 0 && other != at)
    return tell(
        tr("%1 is the key of \"%2\"; it has been left there.")
            .arg(key.toString(QKeySequence::NativeText), m_commands[static_cast<std::size_t>(other)].name),
        other);
  if (const QString what = viewsKey(key); !what.isEmpty())
    return tell(tr("%1 is taken by the views: %2. Another key is needed.")
                    .arg(key.toString(QKeySequence::NativeText), what),
                -1);
  tell({}, -1);
  if (key.isEmpty()) {
    keys.clear();
  } else {
    keys.removeAll(key);
    if (!keys.isEmpty()) keys.removeFirst();
    keys.prepend(key);
  }
  showRow(static_cast<std::size_t>(at));
}

void KeysDialog::take() {
  if (m_other < 0) return;
  m_keys[static_cast<std::size_t>(m_other)].removeAll(m_wanted);
  showRow(static_cast<std::size_t>(m_other));
  onTyped(m_wanted);
}

/// Its own keys again, from whichever command has been given them.
void KeysDialog::reset(std::size_t row) {
  m_keys[row] = ownKeys(*m_commands[row].action);
  for (std::size_t other = 0; other < m_keys.size(); ++other) {
    if (other == row) continue;
    for (const QKeySequence& key : ownKeys(*m_commands[row].action))
      if (m_keys[other].removeAll(key) > 0) showRow(other);
  }
  showRow(row);
}

void KeysDialog::apply() {
  for (std::size_t i = 0; i < m_commands.size(); ++i)
    if (m_commands[i].action->shortcuts() != m_keys[i]) setKeys(*m_commands[i].action, m_keys[i]);
}

}  // namespace rqscope::app
