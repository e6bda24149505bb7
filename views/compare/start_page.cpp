// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/start_page.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "look/fonts.h"

namespace rqscope::compare {

namespace {

constexpr int kTextPx = 420;  ///< width of the column at 100 %
constexpr double kHeadingPx = 18;

}  // namespace

StartPage::StartPage(const QString& text, const QString& note, QWidget* parent)
    : QWidget(parent), m_heading(new QLabel(this)), m_offers(new QVBoxLayout) {
  auto* column = new QVBoxLayout;
  column->setSpacing(12);
  m_heading->setFont(look::uiFont(kHeadingPx, look::Weight::Bold));
  m_heading->setWordWrap(true);
  column->addStretch(2);
  column->addWidget(m_heading);
  column->addWidget(new QLabel(text, this));
  column->addLayout(m_offers);
  column->addWidget(new QLabel(note, this));
  column->addStretch(3);
  for (int i = 0; i < column->count(); ++i)
    if (auto* label = qobject_cast<QLabel*>(column->itemAt(i)->widget())) {
      label->setWordWrap(true);
      label->setFixedWidth(static_cast<int>(kTextPx * look::textScale()));
    }
  auto* row = new QHBoxLayout(this);
  row->addStretch();
  row->addLayout(column);
  row->addStretch();
}

void StartPage::setOffers(const QString& heading, const QStringList& names) {
  m_heading->setText(heading);
  qDeleteAll(m_buttons);
  m_buttons.clear();
  for (const QString& name : names) {
    auto* button = new QPushButton(name, this);
    button->setProperty("primary", m_buttons.isEmpty());
    const int place = static_cast<int>(m_buttons.size());
    connect(button, &QPushButton::clicked, this, [this, place] { Q_EMIT taken(place); });
    m_offers->addWidget(button, 0, Qt::AlignLeft);
    m_buttons.append(button);
  }
}

}  // namespace rqscope::compare
