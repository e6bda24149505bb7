// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QToolBar>
#include <memory>
#include <vector>

#include "rqscope/simulation.h"

class QAction;
class QComboBox;
class QLabel;
class QSlider;

namespace rqscope::playback {

class Clock;

/// Run control: every action of it, forward and back, and the tool bar that holds them. It knows no session;
/// it only says what the user wants.
class Playback : public QObject {
  Q_OBJECT
 public:
  explicit Playback(QWidget* window);

  QToolBar* toolBar() const { return m_bar; }
  /// Actions for the Run menu, a null for a separator.
  const std::vector<QAction*>& menuActions() const { return m_menu; }
  QAction* openAction() const { return m_open; }
  QAction* stepAction(api::StepKind kind, api::Direction direction) const;
  QAction* runAction() const { return m_run; }
  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setRunning(bool isRunning);
  /// Captions under the icons, from 1400 px of window width.
  void setCaptions(bool hasCaptions);
  void retheme();

 Q_SIGNALS:
  void stepWanted(rqscope::api::StepKind kind, rqscope::api::Direction direction);
  void runWanted();
  void fastWanted();
  void expressWanted();
  void pauseWanted();
  void untilWanted(const rqscope::api::StopCondition& condition);
  void firstWanted();
  void lastWanted();
  void gotoWanted();
  void speedChanged(double nsPerSecond);

 private:
  QAction* add(const QString& icon, const QString& caption, const QString& tip,
               const QList<QKeySequence>& keys);
  void addSteps();
  void addRun();
  void addUntil(QWidget* window);
  void until();

  QToolBar* m_bar;
  QWidget* m_window;
  QAction* m_open;
  QAction* m_run = nullptr;
  std::vector<QAction*> m_menu;
  std::vector<QAction*> m_all;
  QAction* m_steps[4][2] = {};
  QComboBox* m_until = nullptr;
  QSlider* m_speed = nullptr;
  QLabel* m_speedText = nullptr;
  QLabel* m_speedLabel = nullptr;
  Clock* m_clock = nullptr;
  bool m_isRunning = false;
};

}  // namespace rqscope::playback
