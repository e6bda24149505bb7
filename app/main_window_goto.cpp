// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QInputDialog>
#include <QLabel>
#include <optional>

#include "main_window.h"

namespace rqscope::app {

/// "nohz failed", "fork", "moved": what comes after the decision shown; nothing for other words.
std::optional<api::DecisionFilter> MainWindow::nextDecision(const QStringList& words) const {
  const QStringList entries =
      QStringLiteral("tick nohz newidle active fork exec wakeup").split(QLatin1Char(' '));
  const QStringList results =
      QStringLiteral("balanced failed moved active_started placed").split(QLatin1Char(' '));
  api::DecisionFilter filter;
  const auto frame = m_session.frame();
  if (frame) filter.fromNs = frame->timeNs + 1;
  for (const QString& word : words) {
    if (entries.contains(word))
      filter.entry = word.toStdString();
    else if (results.contains(word))
      filter.result = word.toStdString();
    else if (word == QStringLiteral("periodic"))
      filter.entry = "tick";
    else
      return std::nullopt;
  }
  return words.isEmpty() ? std::nullopt : std::optional(filter);
}

void MainWindow::gotoDialog() {
  bool isOk = false;
  const QString text =
      QInputDialog::getText(this, tr("Go to"),
                            tr("Time in ms, \"pass 214\", \"event 1482\" or the next \"nohz failed\":"),
                            QLineEdit::Normal, QString(), &isOk)
          .trimmed();
  if (!isOk || text.isEmpty()) return;
  const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  bool isNumber = false;
  if (words.size() == 2 && words[0] == QStringLiteral("pass")) {
    const qulonglong index = words[1].toULongLong(&isNumber);
    if (isNumber) return m_session.seekPass(index);
  } else if (words.size() == 2 && words[0] == QStringLiteral("event")) {
    const qulonglong index = words[1].toULongLong(&isNumber);
    if (isNumber) return m_session.seekEvent(index);
  } else {
    const double ms = words[0].toDouble(&isNumber);
    if (isNumber) return m_session.seekTime(static_cast<qint64>(ms * 1e6));
  }
  if (const auto wanted = nextDecision(words)) return m_session.seekDecision(*wanted);
  m_message->setText(
      tr("\"%1\" is no time, pass or event: write 624, pass 206, event 1482 or nohz failed").arg(text));
  m_isGotoNote = true;
}

}  // namespace rqscope::app
