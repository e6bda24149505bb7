// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "session/session.h"

class QLabel;
class QPushButton;

namespace rqscope::app {

/// Over the middle of the window: what could not be opened, where and why, and what to do about it.
class ProblemCard : public QFrame {
  Q_OBJECT
 public:
  explicit ProblemCard(QWidget* parent);
  /// `stillOpen` is the scenario that goes on, or empty.
  void setProblems(const session::Problems& problems, const QString& stillOpen);
  QString text() const;

 Q_SIGNALS:
  void builtinWanted();
  void fileWanted();

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();

  QLabel* m_text;
  QPushButton *m_builtin, *m_close;
};

}  // namespace rqscope::app
