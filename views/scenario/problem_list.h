// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <vector>

#include "rqscope/simulation.h"

class QVBoxLayout;

namespace rqscope::scenario {

/// The word a hint proposes ("did you mean run?"), or nothing.
QString proposedWord(const QString& hint);

/// Problems with line, reason and hint; a click goes there, a button repairs what can be repaired.
class ProblemList : public QScrollArea {
  Q_OBJECT
 public:
  explicit ProblemList(QWidget* parent = nullptr);
  void setProblems(const std::vector<api::Problem>& problems);

 Q_SIGNALS:
  void goWanted(int line, int column);
  void replaceWanted(int line, int column, const QString& word);

 private:
  QWidget* row(const api::Problem& problem);

  QWidget* m_content = nullptr;
};

}  // namespace rqscope::scenario
