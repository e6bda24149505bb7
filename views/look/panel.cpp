// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/panel.h"

#include <QHBoxLayout>
#include <QPainter>

#include "look/fonts.h"
#include "look/palette.h"

namespace rqscope::look {
namespace {
constexpr int kStripHeight = 34;
}

ToolStrip::ToolStrip(QWidget* parent) : QWidget(parent), m_layout(new QHBoxLayout(this)) {
  m_layout->setContentsMargins(9, 4, 9, 5);
  m_layout->setSpacing(7);
  setMinimumHeight(kStripHeight);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

QLabel* ToolStrip::addLabel(const QString& text) {
  auto* label = new QLabel(text, this);
  label->setForegroundRole(QPalette::WindowText);
  m_layout->addWidget(label);
  return label;
}

void ToolStrip::addWidget(QWidget* widget) { m_layout->addWidget(widget); }

void ToolStrip::addStretch() { m_layout->addStretch(1); }

void ToolStrip::paintEvent(QPaintEvent*) {
  const Palette& p = colors(this);
  QPainter painter(this);
  painter.fillRect(rect(), p.dock);
  painter.fillRect(0, height() - 1, width(), 1, p.line);
}

QLabel* monoLabel(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setFont(monoFont(kMonoPx));
  return label;
}

void paintEmpty(QWidget* widget, const QString& what, const QString& hint) {
  const Palette& p = colors(widget);
  QPainter painter(widget);
  painter.fillRect(widget->rect(), p.canvas);
  const QRectF middle = QRectF(widget->rect()).adjusted(12, 0, -12, 0);
  painter.setPen(p.text);
  painter.setFont(uiFont());
  painter.drawText(middle.adjusted(0, -22, 0, -22), Qt::AlignCenter | Qt::TextWordWrap, what);
  painter.setPen(p.text2);
  painter.setFont(uiFont(kNotePx));
  painter.drawText(middle.adjusted(0, 22, 0, 22), Qt::AlignCenter | Qt::TextWordWrap, hint);
}

}  // namespace rqscope::look
