// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "decision/ladder_widget.h"
#include "rqscope/derivation.h"
#include "rqscope/explain_value.h"
#include "rqscope/frame.h"
#include "rqscope/simulation.h"
#include "rqscope/what_if.h"
#include "rqscope/why_not.h"

class QLabel;
class QToolButton;

namespace rqscope::decision {

class HeadStrip;
class IdlePane;
class NumberCard;
class WhatIfStrip;
class WhyNotPane;

/// Head, ladder and the card that explains a number; what if it were another one; why a task is not
/// elsewhere; why CPUs idle. What it needs from the run it asks for by signals.
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
  NumberCard* card() const { return m_card; }
  WhyNotPane* whyNotPane() const { return m_whyNot; }
  IdlePane* idlePane() const { return m_idle; }
  const std::vector<api::OperandOverride>& changes() const { return m_changes; }
  /// "failed -> moved C", while a number is changed; else empty.
  QString whatIfText() const;
  /// Slot of the task that the rung looked at is about, or that is placed; -1: none.
  int taskOfRung() const;

 public Q_SLOTS:
  void setWhatIf(const std::shared_ptr<const rqscope::api::WhatIf>& what);
  void setWhyNot(const std::shared_ptr<const rqscope::api::WhyNot>& why);
  void setDerivation(const std::shared_ptr<const rqscope::api::Derivation>& derivation);
  void setExplained(const std::shared_ptr<const rqscope::api::ExplainedValue>& explained);
  void setIdleCauses(const std::shared_ptr<const std::vector<rqscope::api::Outcome::IdleCause>>& causes);
  /// Opens the question; -1: the task of the rung looked at, else what is chosen.
  void askWhyNot(int task, int cpu);
  /// Back to the numbers of the run.
  void reset();

 Q_SIGNALS:
  void whatIfWanted(quint64 decision, const std::vector<rqscope::api::OperandOverride>& changes);
  void whyNotWanted(quint64 decision, int task, int cpu);
  void derivationWanted(quint64 decision, const rqscope::api::OperandPath& path);
  /// A number that a decision read, how it came about then.
  void valueWanted(quint64 decision, const rqscope::api::ValueRef& ref);
  /// A number to be shown among those of its queue.
  void queueWanted(const rqscope::api::ValueRef& ref);
  void idleCausesWanted();
  void idleChartWanted();
  void decisionActivated(quint64 index);
  void subjectHovered(rqscope::api::Subject subject);

 private:
  void explain(const Hit& hit);
  void showCard(const Hit& hit, const QString& more);
  void closeCard();
  void change(const api::OperandPath& shownPath, qint64 value, const QString& text);
  api::OperandPath actualPath(const api::OperandPath& shownPath) const;
  void togglePane(QWidget* pane, bool isOpen);
  QToolButton* paneButton(const QString& text, QWidget* pane);

  HeadStrip* m_head;
  LadderWidget* m_ladder;
  NumberCard* m_card;
  WhatIfStrip* m_strip;
  WhyNotPane* m_whyNot;
  IdlePane* m_idle;
  QToolButton *m_whyNotButton, *m_idleButton;
  std::shared_ptr<const api::Frame> m_frame;
  std::shared_ptr<const api::Ladder> m_shown;
  std::vector<api::OperandOverride> m_changes;
  std::shared_ptr<const api::WhatIf> m_what;  ///< null: the decision as it was
};

}  // namespace rqscope::decision
