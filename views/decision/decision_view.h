// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "decision/ladder_widget.h"
#include "rqscope/frame.h"

class QLabel;

namespace rqscope::decision {

class HeadStrip;

/// Head, ladder and the card that explains a number.
class DecisionView : public QWidget {
  Q_OBJECT
 public:
  explicit DecisionView(QWidget* parent = nullptr);

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  LadderWidget* ladder() const { return m_ladder; }
  /// Puts the decision on the clipboard, as the command line prints it.
  void copyText() const;
  /// Text of the card; empty when none is open.
  QString explanation() const;

 Q_SIGNALS:
  void subjectHovered(rqscope::api::Subject subject);

 private:
  void explain(const Hit& hit);

  HeadStrip* m_head;
  LadderWidget* m_ladder;
  QLabel* m_card;
  std::shared_ptr<const api::Ladder> m_shown;
};

}  // namespace rqscope::decision
