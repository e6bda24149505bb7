// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QInputDialog>
#include <QLabel>
#include <QSettings>
#include <QUrl>
#include <algorithm>
#include <optional>

#include "look/painting.h"
#include "look/words.h"
#include "main_window.h"
#include "timeline/timeline_canvas.h"

namespace rqscope::app {
namespace {

using look::qs;
using timeline::Note;

QString noteKey(const QString& scenario) {
  return QStringLiteral("notes/") + QString::fromLatin1(QUrl::toPercentEncoding(scenario));
}

QString subjectOf(const api::ExplainedValue& value) {
  return value.subject.empty() ? qs(value.ref.name) : qs(value.ref.name + " of " + value.subject);
}

/// What a note says before anybody wrote it: the decision of the moment, else its event.
QString firstText(const api::Frame& frame) {
  if (frame.ladder && frame.ladder->timeNs == frame.timeNs) {
    const QString text =
        QObject::tr("CPU %1, %2").arg(frame.ladder->cpu).arg(qs(look::word(frame.ladder->entry)));
    return frame.ladder->moved == 0 ? text : QObject::tr("%1, moved %2").arg(text).arg(frame.ladder->moved);
  }
  return frame.eventText.empty() || frame.eventText == "none" ? QObject::tr("beginning")
                                                              : qs(look::word(frame.eventText));
}

}  // namespace

void MainWindow::noteExplained(const api::ExplainedValue& value) {
  if (!value.rule.empty()) m_explained = value;
}

/// To the moment when the number asked about last was set; goBack() returns.
void MainWindow::goToSetting() {
  const auto frame = m_session.frame();
  if (!frame) return;
  if (!m_explained)
    return setNote(tr("Ask why a number is what it is (Enter on it); then this goes to where it was set"));
  const api::ExplainedValue& value = *m_explained;
  if (value.sinceNs < 0 || value.sinceNs == frame->timeNs)
    return setNote(tr("%1 is set at this moment").arg(subjectOf(value)));
  m_back.push_back({frame->eventIndex, frame->ladder ? frame->ladder->index : 0, frame->rung});
  m_session.seekTime(value.sinceNs);
  setNote(tr("%1 was set at %2 by %3; Alt+Right goes back")
              .arg(subjectOf(value), qs(look::timeText(value.sinceNs)), qs(look::word(value.sinceEvent))));
}

/// To the event and the rung from which goToSetting() left.
void MainWindow::goBack() {
  if (m_back.empty()) return setNote(tr("Nothing to go back to: Alt+Left was not used in this run"));
  const Place place = m_back.back();
  m_back.pop_back();
  if (place.rung < 0) {
    m_session.seekEvent(place.event);
  } else {
    m_session.seekPass(place.decision);
    for (int i = 0; i < place.rung; ++i) m_session.step(api::StepKind::Rung, api::Direction::Forward);
  }
  setNote({});
}

/// A note at this moment, until the next one; keepNote() keeps it.
void MainWindow::noteHere() {
  const auto frame = m_session.frame();
  if (!frame) return;
  std::vector<Note> notes = m_timeline->notes();
  std::erase_if(notes, [](const Note& note) { return !note.isKept; });
  const bool isThere =
      std::ranges::any_of(notes, [&](const Note& note) { return note.timeNs == frame->timeNs; });
  if (!isThere) notes.push_back({frame->timeNs, firstText(*frame), false});
  m_timeline->setNotes(notes);
  setNote(isThere ? tr("There is a note at this moment; Shift+M changes it")
                  : tr("Note at %1; Shift+M writes and keeps it").arg(qs(look::timeText(frame->timeNs))));
}

/// Asks for the words of the note that is not kept yet, else of the one at this moment, and keeps it. Without
/// words it is removed.
void MainWindow::keepNote() {
  const auto frame = m_session.frame();
  if (!frame) return;
  std::vector<Note> notes = m_timeline->notes();
  auto at = std::ranges::find(notes, false, &Note::isKept);
  if (at == notes.end()) at = std::ranges::find(notes, frame->timeNs, &Note::timeNs);
  const Note note = at == notes.end() ? Note{frame->timeNs, firstText(*frame), false} : *at;
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Note"));
  dialog->setLabelText(tr("Note at %1 (without words it is removed):").arg(qs(look::timeText(note.timeNs))));
  dialog->setTextValue(note.text);
  connect(dialog, &QInputDialog::textValueSelected, this, [this, note](const QString& text) {
    std::vector<Note> all = m_timeline->notes();
    std::erase_if(all, [&](const Note& other) { return other.timeNs == note.timeNs; });
    if (!text.trimmed().isEmpty()) all.push_back({note.timeNs, text.trimmed(), true});
    m_timeline->setNotes(all);
    storeNotes();
  });
  dialog->open();
}

void MainWindow::storeNotes() const {
  if (m_settings != Settings::Keep) return;
  QStringList kept;
  for (const Note& note : m_timeline->notes())
    if (note.isKept) kept << QStringLiteral("%1 %2").arg(note.timeNs).arg(note.text);
  QSettings store;
  const QString key = noteKey(m_session.info().fileName);
  kept.isEmpty() ? store.remove(key) : store.setValue(key, kept);
}

/// The notes kept for a scenario, when it is opened.
void MainWindow::loadNotes(const QString& scenario) {
  m_explained.reset();
  m_back.clear();
  std::vector<Note> notes;
  if (m_settings == Settings::Keep)
    for (const QString& text : QSettings().value(noteKey(scenario)).toStringList())
      notes.push_back(
          {text.section(QLatin1Char(' '), 0, 0).toLongLong(), text.section(QLatin1Char(' '), 1), true});
  m_timeline->setNotes(notes);
}

}  // namespace rqscope::app
