// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision/decision_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

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

DecisionView::DecisionView(QWidget* parent)
    : QWidget(parent),
      m_head(new HeadStrip(this)),
      m_ladder(new LadderWidget(this)),
      m_card(new QLabel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_head);
  column->addWidget(m_ladder, 1);
  column->addWidget(m_card);
  m_card->setWordWrap(true);
  m_card->setMargin(9);
  m_card->setTextFormat(Qt::RichText);
  m_card->setAutoFillBackground(true);
  m_card->setBackgroundRole(QPalette::Button);
  m_card->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_card->hide();
  connect(m_head->copyButton(), &QPushButton::clicked, this, &DecisionView::copyText);
  connect(m_ladder, &LadderWidget::numberActivated, this, &DecisionView::explain);
  connect(m_ladder, &LadderWidget::subjectHovered, this, &DecisionView::subjectHovered);
}

void DecisionView::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  const auto ladder = frame ? frame->ladder : nullptr;
  if (ladder != m_shown) m_card->hide();
  m_shown = ladder;
  const int rung = frame ? frame->rung : -1;
  m_head->setLadder(ladder.get(), frame ? frame->layout.get() : nullptr, rung);
  m_ladder->setLadder(ladder, rung);
}

void DecisionView::copyText() const {
  if (m_shown) QApplication::clipboard()->setText(qs(look::ladderText(*m_shown)));
}

QString DecisionView::explanation() const { return m_card->isHidden() ? QString() : m_card->text(); }

void DecisionView::explain(const Hit& hit) {
  const look::Palette& p = look::colors(this);
  QString meaning = qs(look::explainName(hit.name.toStdString()));
  if (meaning.isEmpty()) meaning = tr("An operand of this rung, by the kernel's own name.");
  m_card->setText(
      QStringLiteral(
          "<b>%1</b> <span style='color:%2'>%3</span><br>%4<br><span style='color:%5'>%6() · %7</span>")
          .arg(hit.name.toHtmlEscaped(), p.accent.name(), hit.value.toHtmlEscaped(), meaning.toHtmlEscaped(),
               p.text2.name(), hit.function.toHtmlEscaped(), hit.fidelity.toHtmlEscaped()));
  m_card->show();
}

}  // namespace rqscope::decision
