// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableWidget>
#include <vector>

#include "rqscope/run_comparison.h"

namespace rqscope::compare {

/// What each run amounts to, and the change from A to B.
class OutcomeTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit OutcomeTable(QWidget* parent);
  void setOutcomes(const std::vector<api::OutcomeRow>& rows);
  /// Tab-separated, with the heads.
  QString text() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace rqscope::compare
