// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision/number_card.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QTextDocument>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/palette.h"
#include "look/words.h"

namespace rqscope::decision {

using look::qs;

namespace {

constexpr int kLeastPx = 44;
constexpr double kMostShare = 0.45;  ///< of the height that ladder and card share

QString dim(const QString& text, const look::Palette& p) {
  return QStringLiteral("<span style='color:%1'>%2</span>").arg(p.text2.name(), text);
}

QString operandHtml(const api::ValueOperand& operand) {
  api::Operand shown{operand.name, operand.value, operand.unit, {}, {}};
  return qs(look::operandValue(shown)).toHtmlEscaped();
}

QToolButton* smallButton(QWidget* parent, const QString& text, const QString& name, const QString& tip) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setAutoRaise(true);
  button->setAccessibleName(name);
  button->setToolTip(tip);
  button->setFocusPolicy(Qt::NoFocus);
  return button;
}

}  // namespace

NumberCard::NumberCard(QWidget* parent)
    : QWidget(parent),
      m_back(smallButton(this, QStringLiteral("\u2190"), tr("Back"),
                         tr("Back to the number before (Backspace)"))),
      m_close(smallButton(this, QStringLiteral("\u00D7"), tr("Close"), tr("Close (Esc)"))),
      m_text(new QTextBrowser(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(3, 2, 2, 2);
  row->setSpacing(0);
  row->addWidget(m_text, 1);
  auto* buttons = new QVBoxLayout;
  buttons->setSpacing(0);
  buttons->addWidget(m_close);
  buttons->addWidget(m_back);
  buttons->addStretch(1);
  row->addLayout(buttons);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Button);
  m_text->setFrameShape(QFrame::NoFrame);
  m_text->setOpenLinks(false);
  m_text->viewport()->setAutoFillBackground(false);
  m_text->setAccessibleName(tr("Where the number comes from"));
  m_text->document()->setDocumentMargin(5);
  m_text->installEventFilter(this);
  connect(m_text, &QTextBrowser::anchorClicked, this, &NumberCard::follow);
  connect(m_back, &QToolButton::clicked, this, &NumberCard::back);
  connect(m_close, &QToolButton::clicked, this, &NumberCard::closed);
}

void NumberCard::showNumber(const Hit& hit, const QString& more) {
  m_hit = hit;
  m_more = more;
  m_hasDerivation = false;
  m_way.clear();
  refill();
}

void NumberCard::setDerivation(const api::Derivation& derivation) {
  m_derivation = derivation;
  m_hasDerivation = true;
  if (m_way.empty()) refill();
}

void NumberCard::setExplained(const api::ExplainedValue& explained) {
  if (m_way.empty() || !(m_way.back().ref == explained.ref)) return;
  m_way.back().explained = explained;
  m_way.back().isAnswered = true;
  refill();
}

void NumberCard::back() {
  if (m_way.empty()) return;
  m_way.pop_back();
  refill();
}

QString NumberCard::text() const { return m_text->toPlainText(); }

QString NumberCard::link(const api::ValueRef& ref, std::int64_t read, const QString& name) {
  m_links.emplace_back(ref, read);
  return QStringLiteral("<a href='value:%1' style='color:%2'>%3</a>")
      .arg(m_links.size() - 1)
      .arg(look::colors(this).accent.name(), name);
}

QString NumberCard::treeHtml(const api::Derivation& d, int depth) {
  const look::Palette& p = look::colors(this);
  QString name = qs(d.what.name).toHtmlEscaped();
  if (d.value) name = link(*d.value, d.what.value, name);
  QString line = name + QStringLiteral(" <b>%1</b>").arg(qs(look::operandValue(d.what)).toHtmlEscaped());
  if (!d.formula.empty()) line += dim(QStringLiteral(" = ") + qs(d.formula).toHtmlEscaped(), p);
  QString html = QStringLiteral("<div style='margin-left:%1px'>%2</div>").arg(depth * 10).arg(line);
  if (!d.note.empty())
    html += QStringLiteral("<div style='margin-left:%1px'>%2</div>")
                .arg(depth * 10 + 10)
                .arg(dim(qs(d.note).toHtmlEscaped(), p));
  for (const api::Derivation& part : d.parts) html += treeHtml(part, depth + 1);
  return html;
}

QString NumberCard::numberHtml() {
  const look::Palette& p = look::colors(this);
  QString meaning = qs(look::explainName(m_hit.name.toStdString()));
  if (meaning.isEmpty()) meaning = tr("An operand of this rung, by the kernel's own name.");
  QString html =
      QStringLiteral("<div><b>%1</b> <span style='color:%2'>%3</span><br>%4<br>%5</div>")
          .arg(m_hit.name.toHtmlEscaped(), p.accent.name(), m_hit.value.toHtmlEscaped(),
               meaning.toHtmlEscaped(),
               dim(m_hit.function.toHtmlEscaped() + QStringLiteral("() · ") + m_hit.fidelity.toHtmlEscaped(),
                   p));
  if (!m_more.isEmpty()) html += QStringLiteral("<div>%1</div>").arg(m_more.toHtmlEscaped());
  const bool isBare = m_derivation.parts.empty() && m_derivation.formula.empty() && !m_derivation.value;
  if (m_hasDerivation && isBare)
    html += QStringLiteral("<div>%1</div>").arg(dim(qs(m_derivation.note).toHtmlEscaped(), p));
  else if (m_hasDerivation)
    html += treeHtml(m_derivation, 0);
  return html;
}

QString NumberCard::stepHtml(const Step& step) {
  const look::Palette& p = look::colors(this);
  QString from = m_hit.name;
  for (const Step& passed : m_way) {
    if (&passed == &step) break;
    from += QStringLiteral(" ← ") + qs(passed.ref.name);
  }
  QString html = QStringLiteral("<div>%1</div>").arg(dim(from.toHtmlEscaped() + QStringLiteral(" ←"), p));
  if (!step.isAnswered) return html + QStringLiteral("<div><b>%1</b></div>").arg(qs(step.ref.name));
  const api::ExplainedValue& e = step.explained;
  if (e.rule.empty()) return html + tr("There is no such number at this moment.");
  const api::Operand result{"", e.result, e.unit, {}, {}};
  html += QStringLiteral("<div><b>%1</b> %2 <span style='color:%3'>%4</span><br>%5<br>%6</div>")
              .arg(qs(e.ref.name).toHtmlEscaped(), dim(qs(e.subject).toHtmlEscaped(), p), p.accent.name(),
                   qs(look::operandValue(result)).toHtmlEscaped(), qs(e.meaning).toHtmlEscaped(),
                   dim(qs(e.function).toHtmlEscaped() + QStringLiteral(" · ") + qs(e.kernel), p));
  html += QStringLiteral("<div>= %1</div>").arg(qs(e.formula).toHtmlEscaped());
  for (const api::ValueOperand& operand : e.operands) {
    const QString name = qs(operand.name).toHtmlEscaped();
    html += QStringLiteral("<div style='margin-left:10px'>%1 <b>%2</b></div>")
                .arg(operand.ref ? link(*operand.ref, operand.value, name) : name, operandHtml(operand));
  }
  if (step.read != e.result)
    html +=
        QStringLiteral("<div>%1</div>").arg(dim(tr("The step before counts %1 of it.").arg(step.read), p));
  if (e.sinceNs >= 0)
    html += QStringLiteral("<div>%1</div>")
                .arg(dim(tr("Unchanged since %1 (%2); the operands are those of then.")
                             .arg(qs(look::timeText(e.sinceNs)), qs(look::word(e.sinceEvent))),
                         p));
  return html + QStringLiteral("<div><a href='queue:' style='color:%1'>%2</a></div>")
                    .arg(p.accent.name(), tr("among the numbers of its queue"));
}

void NumberCard::refill() {
  m_links.clear();
  m_back->setVisible(!m_way.empty());
  m_text->setHtml(m_way.empty() ? numberHtml() : stepHtml(m_way.back()));
  fit();
}

/// As high as the text, up to a share of the view; more is scrolled.
void NumberCard::fit() {
  m_text->document()->setTextWidth(std::max(m_text->viewport()->width(), 60));
  const int text = static_cast<int>(m_text->document()->size().height()) + 6;
  const int most = parentWidget() ? static_cast<int>(parentWidget()->height() * kMostShare) : text;
  setFixedHeight(std::clamp(text, kLeastPx, std::max(most, kLeastPx)));
}

void NumberCard::follow(const QUrl& url) {
  if (url.scheme() == QStringLiteral("queue") && !m_way.empty()) return Q_EMIT queueWanted(m_way.back().ref);
  const auto number = static_cast<std::size_t>(url.path().toInt());
  if (url.scheme() != QStringLiteral("value") || number >= m_links.size()) return;
  const auto [ref, read] = m_links[number];
  m_way.push_back({ref, read, {}, false});
  refill();
  Q_EMIT valueWanted(ref);
}

bool NumberCard::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_text && event->type() == QEvent::KeyPress) {
    switch (static_cast<QKeyEvent*>(event)->key()) {
      case Qt::Key_Backspace:
        m_way.empty() ? Q_EMIT leaveWanted() : back();
        return true;
      case Qt::Key_Escape:
        Q_EMIT closed();
        return true;
      default:
        break;
    }
  }
  return QWidget::eventFilter(watched, event);
}

/// The colours stand in the text, so another theme writes it anew.
void NumberCard::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && isVisible()) QTimer::singleShot(0, this, &NumberCard::refill);
}

void NumberCard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->oldSize().width() != event->size().width()) QTimer::singleShot(0, this, &NumberCard::fit);
}

}  // namespace rqscope::decision
