// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>
#include <QWidget>
#include <vector>

#include "decision/rung_painter.h"
#include "rqscope/derivation.h"
#include "rqscope/explain_value.h"

class QToolButton;

namespace rqscope::decision {

/// Below the ladder: what a number is and what it was computed from. Numbers that go on are links; step by
/// step they lead down to single CPUs and tasks. Enter follows, Backspace goes back, Esc closes.
class NumberCard : public QWidget {
  Q_OBJECT
 public:
  explicit NumberCard(QWidget* parent);

  /// Begins with a number of the ladder, and a sentence about it.
  void showNumber(const Hit& hit, const QString& more);
  void setDerivation(const api::Derivation& derivation);
  /// The answer to valueWanted().
  void setExplained(const api::ExplainedValue& explained);
  void back();
  const Hit& number() const { return m_hit; }
  /// How many steps down from the number of the ladder.
  int depth() const { return static_cast<int>(m_way.size()); }
  QString text() const;
  QTextBrowser* browser() const { return m_text; }

 Q_SIGNALS:
  /// How this one comes about, as the decision read it.
  void valueWanted(const rqscope::api::ValueRef& ref);
  /// To be shown among the numbers of the queue.
  void queueWanted(const rqscope::api::ValueRef& ref);
  void closed();
  /// The keys go back to the ladder.
  void leaveWanted();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// A step down: the reference followed, what it stood for where it was followed, and the answer.
  struct Step {
    api::ValueRef ref;
    std::int64_t read = 0;
    api::ExplainedValue explained;
    bool isAnswered = false;
  };
  void follow(const QUrl& url);
  void refill();
  void fit();
  QString numberHtml();
  QString stepHtml(const Step& step);
  QString link(const api::ValueRef& ref, std::int64_t read, const QString& name);
  QString treeHtml(const api::Derivation& derivation, int depth);

  QToolButton* m_back;
  QToolButton* m_close;
  QTextBrowser* m_text;
  Hit m_hit;
  QString m_more;
  api::Derivation m_derivation;
  bool m_hasDerivation = false;
  std::vector<Step> m_way;
  std::vector<std::pair<api::ValueRef, std::int64_t>> m_links;  ///< of the page shown
};

}  // namespace rqscope::decision
