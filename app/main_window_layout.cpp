// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDockWidget>
#include <QLayout>
#include <QTimer>
#include <algorithm>

#include "dock_table.h"
#include "look/theme.h"
#include "main_window.h"
#include "playback/playback.h"

namespace rqscope::app {
namespace {

constexpr int kCaptionsFromPx = 1400;
constexpr int kQueuesByLessonPx = 84;  ///< height of the table of CPUs while a lesson is read

int between(int at1280, int at1600, int width) {
  const double share = std::clamp((width - 1280) / 320.0, 0.0, 1.0);
  return at1280 + static_cast<int>((at1600 - at1280) * share);
}

}  // namespace

void MainWindow::setTheme(look::Theme theme) {
  m_theme = theme;
  look::applyTheme(*qApp, theme);
  m_playback->retheme();
  m_playback->setCaptions(width() >= kCaptionsFromPx);
  for (const auto& [name, dock] : m_docks) {
    if (auto* title = dynamic_cast<DockTitle*>(dock->titleBarWidget())) title->retheme();
  }
  updateStatus();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  m_playback->setCaptions(width() >= kCaptionsFromPx);
  scheduleArrange();
}

void MainWindow::scheduleArrange() {
  if (m_hasArrangePending) return;
  m_hasArrangePending = true;
  QTimer::singleShot(0, this, [this] {
    m_hasArrangePending = false;
    arrange();
  });
}

void MainWindow::keepOwnSizes() {
  const auto width = [this](const char* name) { return dock(QLatin1String(name))->width(); };
  const auto height = [this](const char* name) { return dock(QLatin1String(name))->height(); };
  m_own = DockSizes{std::max(width("domains"), width("runqueues")), width("decision"),
                    std::max(height("timeline"), height("charts")), height("runqueues")};
}

void MainWindow::arrange() {
  const DockSizes sizes =
      m_own.value_or(DockSizes{between(262, 296, width()), between(352, 440, width()),
                               height() < 800 ? 178 : 236, std::clamp(height() / 4 - 20, 150, 260)});
  const auto resizeTo = [this](const char* name, int px, Qt::Orientation orientation) {
    QDockWidget* which = dock(QLatin1String(name));
    if (which->isVisible() && !which->isFloating()) resizeDocks({which}, {px}, orientation);
  };
  // A lesson is read: it gets more room than the domains, whose place it has.
  const bool isRead = m_isLessonRead && !m_own;
  const int left = isRead ? between(320, 400, width()) : sizes.left;
  for (const char* name : {"domains", "overview", "lesson", "runqueues", "lens"})
    resizeTo(name, left, Qt::Horizontal);
  resizeTo("decision", sizes.right, Qt::Horizontal);
  for (const char* name : {"timeline", "charts"}) resizeTo(name, sizes.bottom, Qt::Vertical);
  layout()->activate();
  if (!isRead) return resizeTo("runqueues", sizes.queues, Qt::Vertical);
  QDockWidget *lesson = dock(QStringLiteral("lesson")), *queues = dock(QStringLiteral("runqueues"));
  const int queuesPx = std::min(sizes.queues, kQueuesByLessonPx);
  if (queues->isVisible() && !queues->isFloating() && !lesson->isFloating())
    resizeDocks({lesson, queues}, {lesson->height() + queues->height() - queuesPx, queuesPx}, Qt::Vertical);
}

}  // namespace rqscope::app
