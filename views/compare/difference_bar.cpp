// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/difference_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include "look/painting.h"
#include "look/palette.h"

namespace rqscope::compare {

namespace {

constexpr int kDiamondPx = 30;  ///< of the left side, for the mark

}  // namespace

DifferenceBar::DifferenceBar(QWidget* parent)
    : QWidget(parent),
      m_text(new QLabel(this)),
      m_number(new QLabel(this)),
      m_previous(new QPushButton(tr("Previous"), this)),
      m_next(new QPushButton(tr("Next"), this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(kDiamondPx, 4, 8, 4);
  row->addWidget(m_text, 1);
  row->addWidget(m_number);
  row->addWidget(m_previous);
  row->addWidget(m_next);
  m_text->setWordWrap(true);
  m_text->setTextFormat(Qt::RichText);
  m_previous->setToolTip(tr("The difference before (P)"));
  m_next->setToolTip(tr("The next difference (X)"));
  connect(m_previous, &QPushButton::clicked, this, &DifferenceBar::previousWanted);
  connect(m_next, &QPushButton::clicked, this, &DifferenceBar::nextWanted);
}

void DifferenceBar::setText(const QString& text, std::size_t number, std::size_t count) {
  m_text->setText(text);
  const bool isOne = number != 0;
  m_number->setVisible(isOne);
  m_previous->setVisible(isOne);
  m_next->setVisible(isOne);
  m_number->setText(tr("%1 of %2").arg(number).arg(count));
  m_previous->setEnabled(number > 1);
  m_next->setEnabled(number < count);
  update();
}

QString DifferenceBar::text() const { return m_text->text(); }

void DifferenceBar::paintEvent(QPaintEvent*) {
  const look::Palette& p = look::colors(this);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), p.head);
  if (!m_next->isVisibleTo(this)) return;
  painter.fillRect(0, 0, 3, height(), p.now);
  look::drawDiamond(painter, {kDiamondPx / 2.0 + 1, height() / 2.0}, 5.5, p.now, look::DiamondForm::Filled);
}

}  // namespace rqscope::compare
