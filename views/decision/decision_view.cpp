// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision/decision_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "decision/answer_pane.h"
#include "decision/number_card.h"

#include "look/decision_text.h"
#include "look/fonts.h"
#include "look/ladder_text.h"
#include "look/painting.h"
#include "look/panel.h"
#include "look/words.h"

namespace rqscope::decision {

using look::qs;

/// "CPU 5 at PKG {0-5} idle", the fidelity badge and Copy.
class HeadStrip : public QWidget {
 public:
  explicit HeadStrip(QWidget* parent) : QWidget(parent), m_copy(new QPushButton(tr("Copy"), this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(9, 4, 9, 5);
    row->addStretch(1);
    row->addWidget(m_copy);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_copy->setToolTip(tr("Copy the decision as text"));
  }
  QPushButton* copyButton() const { return m_copy; }
  void setLadder(const api::Ladder* ladder, const api::MachineLayout* layout, int rung) {
    m_pieces.clear();
    m_fidelity.clear();
    m_copy->setEnabled(ladder != nullptr);
    if (ladder) {
      m_pieces.push_back({QStringLiteral("CPU %1").arg(ladder->cpu), true, false});
      if (!ladder->domainName.empty()) {
        m_pieces.push_back({tr("at"), false, false});
        m_pieces.push_back({qs(ladder->domainName), true, false});
        const auto domain = static_cast<std::size_t>(ladder->domain);
        if (layout && ladder->domain >= 0 && domain < layout->domains.size()) {
          const std::string span = look::cpuList(layout->domains[domain].span);
          if (span.size() <= 20) m_pieces.push_back({qs(span), false, true});
        }
      }
      m_pieces.push_back({qs(look::word(ladder->idle.empty() ? ladder->entry : ladder->idle)), false, false});
      const bool known = rung >= 0 && rung < static_cast<int>(ladder->rungs.size());
      if (known) m_fidelity = ladder->rungs[static_cast<std::size_t>(rung)].fidelity;
      if (!known && !ladder->rungs.empty()) m_fidelity = ladder->rungs.back().fidelity;
    }
    update();
  }

 protected:
  struct Piece {
    QString text;
    bool isBold, isMono;
  };
  void paintEvent(QPaintEvent*) override {
    const look::Palette& p = look::colors(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), p.dock);
    painter.fillRect(0, height() - 1, width(), 1, p.line);
    double right = m_copy->x() - 8;
    if (!m_fidelity.empty())
      right -= look::drawFidelity(painter, {right, (height() - 17) / 2.0}, m_fidelity, p) + 8;
    double x = 9;
    for (const Piece& piece : m_pieces) {
      painter.setFont(piece.isMono ? look::monoFont()
                                   : look::uiFont(look::kBasePx,
                                                  piece.isBold ? look::Weight::Bold : look::Weight::Regular));
      painter.setPen(piece.isBold ? p.text : p.text2);
      const double width = painter.fontMetrics().horizontalAdvance(piece.text);
      if (x + width > right) break;
      painter.drawText(QRectF(x, 0, width + 2, height()), Qt::AlignLeft | Qt::AlignVCenter, piece.text);
      x += width + 6;
    }
  }

 private:
  QPushButton* m_copy;
  std::vector<Piece> m_pieces;
  std::string m_fidelity;
};

/// "What if": the changed numbers and what came of them, with the way back.
class WhatIfStrip : public QWidget {
 public:
  explicit WhatIfStrip(QWidget* parent)
      : QWidget(parent), m_text(new QLabel(this)), m_reset(new QPushButton(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(9, 5, 9, 6);
    row->addWidget(m_text, 1);
    row->addWidget(m_reset, 0, Qt::AlignTop);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_reset->setText(tr("Reset"));
    m_reset->setToolTip(tr("Back to the numbers of the run (Esc)"));
    hide();
  }
  QPushButton* resetButton() const { return m_reset; }
  QString text() const { return isHidden() ? QString() : m_text->text(); }
  void setWhatIf(const api::WhatIf& what, const std::vector<api::OperandOverride>& changes) {
    const look::Palette& p = look::colors(this);
    QString html;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      html += QStringLiteral("<span style='color:%1'>%2</span>")
                  .arg(p.accent.name(), qs(look::overrideText(*what.actual, changes[i])).toHtmlEscaped());
      const bool reached = i < what.reached.size() && what.reached[i];
      if (!reached)
        html += QStringLiteral(" <span style='color:%1'>%2</span>").arg(p.text2.name(), tr("not reached"));
      html += QStringLiteral("<br>");
    }
    for (const std::string& problem : what.problems)
      html += QStringLiteral("<span style='color:%1'>%2</span><br>")
                  .arg(p.no.name(), qs(problem).toHtmlEscaped());
    const bool isSame = what.before == what.after;
    html += tr("was: %1").arg(qs(look::outcomeText(what.before)).toHtmlEscaped());
    html += QStringLiteral("<br><b>%1</b>")
                .arg(isSame ? tr("what if: the same")
                            : tr("what if: %1").arg(qs(look::outcomeText(what.after)).toHtmlEscaped()));
    m_text->setText(html);
    show();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    const look::Palette& p = look::colors(this);
    QPainter painter(this);
    painter.fillRect(rect(), look::mix(p.accent, p.dock, 0.13));
    painter.fillRect(0, height() - 1, width(), 1, p.line);
  }

 private:
  QLabel* m_text;
  QPushButton* m_reset;
};

DecisionView::DecisionView(QWidget* parent)
    : QWidget(parent),
      m_head(new HeadStrip(this)),
      m_ladder(new LadderWidget(this)),
      m_card(new NumberCard(this)),
      m_strip(new WhatIfStrip(this)),
      m_whyNot(new WhyNotPane(this)),
      m_idle(new IdlePane(this)),
      m_whyNotButton(paneButton(tr("Why not?"), m_whyNot)),
      m_idleButton(paneButton(tr("Idle time"), m_idle)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_head);
  column->addWidget(m_strip);
  column->addWidget(m_ladder, 3);
  column->addWidget(m_card);
  column->addWidget(m_whyNot, 2);
  column->addWidget(m_idle, 2);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(9, 2, 9, 3);
  buttons->addWidget(m_whyNotButton);
  buttons->addWidget(m_idleButton);
  buttons->addStretch(1);
  column->addLayout(buttons);
  m_whyNotButton->setToolTip(tr("Why did a task not go to a CPU?"));
  m_idleButton->setToolTip(tr("Why CPUs idled while work waited"));
  m_card->hide();
  connect(m_head->copyButton(), &QPushButton::clicked, this, &DecisionView::copyText);
  connect(m_strip->resetButton(), &QPushButton::clicked, this, &DecisionView::reset);
  connect(m_ladder, &LadderWidget::numberActivated, this, &DecisionView::explain);
  connect(m_ladder, &LadderWidget::subjectHovered, this, &DecisionView::subjectHovered);
  connect(m_ladder, &LadderWidget::valueEntered, this, &DecisionView::change);
  connect(m_ladder, &LadderWidget::resetRequested, this, &DecisionView::reset);
  connect(m_ladder, &LadderWidget::editRefused, this, [this](const Hit& hit, const QString& reason) {
    showCard(hit, tr("It cannot be changed: %1.").arg(reason));
  });
  connect(m_whyNot, &WhyNotPane::asked, this, [this](int task, int cpu) {
    if (m_shown && task >= 0 && cpu >= 0) Q_EMIT whyNotWanted(m_shown->index, task, cpu);
  });
  connect(m_whyNot, &WhyNotPane::closed, this, [this] { m_whyNotButton->setChecked(false); });
  connect(m_whyNot, &WhyNotPane::decisionActivated, this, &DecisionView::decisionActivated);
  connect(m_idle, &IdlePane::decisionActivated, this, &DecisionView::decisionActivated);
  connect(m_idle, &IdlePane::chartWanted, this, &DecisionView::idleChartWanted);
  connect(m_card, &NumberCard::valueWanted, this, [this](const api::ValueRef& ref) {
    if (m_shown) Q_EMIT valueWanted(m_shown->index, ref);
  });
  connect(m_card, &NumberCard::queueWanted, this, &DecisionView::queueWanted);
  connect(m_card, &NumberCard::closed, this, &DecisionView::closeCard);
  connect(m_card, &NumberCard::leaveWanted, this, [this] { m_ladder->setFocus(Qt::OtherFocusReason); });
  connect(m_ladder, &LadderWidget::backRequested, this, [this] {
    if (!m_card->isHidden()) m_card->back();
  });
}

/// A button that opens and closes one of the panes; one is open at a time.
QToolButton* DecisionView::paneButton(const QString& text, QWidget* pane) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setCheckable(true);
  button->setAutoRaise(true);
  pane->hide();
  connect(button, &QToolButton::toggled, this, [this, pane](bool isOn) { togglePane(pane, isOn); });
  return button;
}

void DecisionView::togglePane(QWidget* pane, bool isOpen) {
  pane->setVisible(isOpen);
  if (!isOpen) return;
  if (pane == m_whyNot) {
    m_idleButton->setChecked(false);
    if (m_shown) Q_EMIT whyNotWanted(m_shown->index, m_whyNot->task(), m_whyNot->cpu());
  } else {
    m_whyNotButton->setChecked(false);
    Q_EMIT idleCausesWanted();
  }
}

void DecisionView::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  const auto ladder = frame ? frame->ladder : nullptr;
  m_frame = frame;
  m_whyNot->setFrame(frame);
  if (!m_idle->isHidden()) Q_EMIT idleCausesWanted();
  const int rung = frame ? frame->rung : -1;
  const bool isOther = ladder != m_shown;
  if (isOther) {
    m_card->hide();
    m_changes.clear();
    m_what.reset();
    m_strip->hide();
  }
  m_shown = ladder;
  if (isOther && ladder && !m_whyNot->isHidden())
    Q_EMIT whyNotWanted(ladder->index, m_whyNot->task(), m_whyNot->cpu());
  m_head->setLadder(ladder.get(), frame ? frame->layout.get() : nullptr, rung);
  if (!m_what) m_ladder->setLadder(ladder, rung);
}

void DecisionView::copyText() const {
  if (m_what)
    QApplication::clipboard()->setText(qs(look::whatIfText(*m_what, m_changes)));
  else if (m_shown)
    QApplication::clipboard()->setText(qs(look::ladderText(*m_shown)));
}

QString DecisionView::explanation() const { return m_card->isHidden() ? QString() : m_card->text(); }

void DecisionView::closeCard() {
  m_card->hide();
  m_ladder->setFocus(Qt::OtherFocusReason);
}

QString DecisionView::whatIfText() const { return m_strip->text(); }

/// Where a number of the ladder on show stands in the decision as it was; rung -1: nowhere.
api::OperandPath DecisionView::actualPath(const api::OperandPath& shownPath) const {
  api::OperandPath path = shownPath;
  const auto rung = static_cast<std::size_t>(std::max(path.rung, 0));
  if (m_what && rung < m_what->partners.size()) path.rung = m_what->partners[rung];
  return path;
}

void DecisionView::change(const api::OperandPath& shownPath, qint64 value, const QString& text) {
  if (!m_shown) return;
  const api::OperandPath path = actualPath(shownPath);
  if (path.rung < 0 || !api::operandAt(*m_shown, path)) {
    showCard(m_card->number(), tr("This rung is there only because of the change; reset first."));
    return;
  }
  std::erase_if(m_changes, [&](const api::OperandOverride& c) { return c.path == path; });
  m_changes.push_back({path, value, text.toStdString()});
  Q_EMIT whatIfWanted(m_shown->index, m_changes);
}

void DecisionView::setWhatIf(const std::shared_ptr<const api::WhatIf>& what) {
  if (!what || !what->altered || !what->actual || !m_shown || m_changes.empty()) return;
  if (what->actual->index != m_shown->index) return;  // of a decision that was left meanwhile
  m_what = what;
  m_card->hide();
  m_strip->setWhatIf(*what, m_changes);
  std::vector<api::OperandPath> changed;
  for (const api::OperandOverride& c : m_changes)
    for (std::size_t i = 0; i < what->partners.size(); ++i)
      if (what->partners[i] == c.path.rung)
        changed.push_back({static_cast<std::int32_t>(i), c.path.row, c.path.operand});
  m_ladder->setWhatIf(what, std::move(changed));
}

void DecisionView::reset() {
  if (m_changes.empty()) return closeCard();
  m_changes.clear();
  m_what.reset();
  m_strip->hide();
  m_card->hide();
  m_ladder->setLadder(m_shown, m_frame ? m_frame->rung : -1);
}

int DecisionView::taskOfRung() const {
  if (!m_shown) return -1;
  const int focused = m_ladder->focusedRung();
  const int rung = focused >= 0 ? focused : m_ladder->currentRung();
  if (rung >= 0 && rung < static_cast<int>(m_shown->rungs.size())) {
    const api::Subject& subject = m_shown->rungs[static_cast<std::size_t>(rung)].subject;
    if (subject.kind == api::SubjectKind::Task) return subject.id;
  }
  return m_shown->kind == api::Ladder::Kind::Placement ? m_shown->task : -1;
}

void DecisionView::askWhyNot(int task, int cpu) {
  m_whyNotButton->setChecked(true);
  m_whyNot->choose(task >= 0 ? task : taskOfRung(), cpu);
}

void DecisionView::setWhyNot(const std::shared_ptr<const api::WhyNot>& why) { m_whyNot->setAnswer(why); }

void DecisionView::setIdleCauses(const std::shared_ptr<const std::vector<api::Outcome::IdleCause>>& causes) {
  if (causes) m_idle->setCauses(*causes);
}

void DecisionView::setDerivation(const std::shared_ptr<const api::Derivation>& derivation) {
  if (!derivation || m_card->isHidden() || qs(derivation->what.name) != m_card->number().name) return;
  m_card->setDerivation(*derivation);
}

void DecisionView::setExplained(const std::shared_ptr<const api::ExplainedValue>& explained) {
  if (explained && !m_card->isHidden()) m_card->setExplained(*explained);
}

void DecisionView::showCard(const Hit& hit, const QString& more) {
  m_card->show();
  m_card->showNumber(hit, more);
}

void DecisionView::explain(const Hit& hit) {
  if (!m_shown) return;
  const api::OperandPath path = actualPath(hit.path);
  const bool isThere = path.rung >= 0 && api::operandAt(*m_shown, path).has_value();
  const bool canChange = isThere && api::whyFixed(*m_shown, path).empty();
  showCard(hit, canChange ? tr("Double click or F2: what if it were another number?") : QString());
  if (isThere) Q_EMIT derivationWanted(m_shown->index, path);
}

}  // namespace rqscope::decision
