// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "charts/charts_view.h"
#include "compare/compare_view.h"
#include "compare/trace_view.h"
#include "lesson/lesson_view.h"
#include "look/painting.h"
#include "look/palette.h"
#include "main_window.h"
#include "problem_card.h"
#include "published/published_view.h"
#include "scenario/scenario_view.h"
#include "topology_editor/machine_editor.h"

namespace rqscope::app {
namespace {

using look::qs;

constexpr int kOpeningShownMs = 150;  ///< what opens sooner is not told of
const QString kCancelLink = QStringLiteral("cancel:");
constexpr const char* kTraces =
    QT_TRANSLATE_NOOP("MainWindow", "Traces (*.dat *.txt *.html *.gz *.xz *.zst)");

}  // namespace

void MainWindow::openFile() {
  const QString name = QFileDialog::getOpenFileName(
      this, tr("Open"), QString(),
      tr("Scenarios, workloads, machines and reports (*.json *.xml);;%1;;All files (*)").arg(tr(kTraces)));
  if (!name.isEmpty()) setNote(openAny(name));
}

void MainWindow::openTrace() {
  const QString name = QFileDialog::getOpenFileName(this, tr("Open a trace"), QString(),
                                                    tr("%1;;All files (*)").arg(tr(kTraces)));
  if (!name.isEmpty()) setNote(openAny(name));
}

QString MainWindow::openAny(const QString& file) {
  // A report begins with its key; a scenario or machine has it nowhere near its beginning.
  constexpr qint64 kHeadBytes = 200;
  QFile in(file);
  const bool isReport = in.open(QIODevice::ReadOnly) && in.read(kHeadBytes).contains("\"rqscope-report\"");
  if (isReport) return openReport(file);
  if (api::isLessonFile(file.toStdString())) {
    raiseDock(QStringLiteral("lesson"));
    return m_lesson->open(file) ? QString() : m_lesson->statusText();
  }
  m_session.open(file, {});
  return {};
}

QString MainWindow::openReport(const QString& file) {
  raiseDock(QStringLiteral("published"));
  return m_published->openReport(file);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls.front().isLocalFile()) setNote(openAny(urls.front().toLocalFile()));
}

/// What takes a while to open says so, and can be given up.
void MainWindow::connectOpening() {
  auto* soon = new QTimer(this);
  soon->setSingleShot(true);
  soon->setInterval(kOpeningShownMs);
  connect(&m_session, &session::Session::opening, this, [this, soon](const QString& name) {
    m_opening = QFileInfo(name).fileName();
    soon->start();
  });
  connect(soon, &QTimer::timeout, this, [this] {
    m_message->setText(
        tr("Reading %1: <a style='color:%3' href='%2'>cancel</a>")
            .arg(m_opening.toHtmlEscaped(), kCancelLink, look::palette(m_theme).accent.name()));
  });
  connect(m_message, &QLabel::linkActivated, this, [this](const QString& link) {
    if (link == kCancelLink) m_session.pause();
  });
  connect(&m_session, &session::Session::opened, soon, &QTimer::stop);
  connect(&m_session, &session::Session::problemsFound, soon, &QTimer::stop);
}

void MainWindow::onOpened(const session::OpenedInfo& info) {
  const int chosen = m_cpu;
  const bool wasChosen = std::exchange(m_isCpuChosen, false);
  m_cpu = m_task = -1;
  // Another run of the tree keeps what is looked at; anything else begins anew.
  const auto hasCpu = [&](int cpu) {
    return info.layout && std::any_of(info.layout->cpus.begin(), info.layout->cpus.end(),
                                      [cpu](const api::LayoutCpu& c) { return c.id == cpu; });
  };
  if (info.isOfSameTree && hasCpu(chosen)) wasChosen ? chooseCpu(chosen) : selectCpu(chosen);
  if (m_wantedCpu >= 0) chooseCpu(std::exchange(m_wantedCpu, -1));
  const QString machine = info.layout ? qs(info.layout->name) : QString();
  const QString kernel = info.layout ? qs(info.layout->kernel) : QString();
  setWindowTitle(QStringLiteral("%1 · %2 · %3 — rqscope").arg(info.scenarioName, machine, kernel));
  m_message->clear();
  if (!info.isOfSameTree) loadNotes(info.fileName);
  m_charts->setIds(info.chartIds);
  if (info.layout) {
    fitDocksTo(*info.layout);
    m_scenario->setScenario(info.fileName, info.scenarioText, info.overrides, info.layout->patches,
                            info.layout->kernel);
    m_compare->setScenario(info.fileName, info.scenarioText, info.overrides, info.layout->kernel);
    m_editor->setScenario(info.fileName, info.scenarioText, info.overrides, info.layout->kernel);
    m_trace->setInput(info.fileName, info.overrides);
  }
}

void MainWindow::onProblems(const session::Problems& problems, bool isOpen) {
  m_scenario->setProblems(problems);
  const bool isApplying = std::exchange(m_isApplying, false);
  if (isOpen) {
    m_card->hide();
  } else if (!isApplying) {
    m_card->setProblems(problems, m_session.frame() ? m_session.info().scenarioName : QString());
  }
  if (problems.empty()) return;
  const QString first = QString::fromStdString(problems.front().text());
  m_message->setText(isOpen ? tr("%n note(s): %1", nullptr, static_cast<int>(problems.size())).arg(first)
                            : first);
  m_message->setToolTip(first);
}

}  // namespace rqscope::app
