// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "dock_table.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <vector>

#include "look/fonts.h"
#include "look/icons.h"
#include "look/palette.h"

namespace rqscope::app {
namespace {

constexpr int kTitlePx = 25;

QToolButton* button(QWidget* parent, const QString& name) {
  auto* result = new QToolButton(parent);
  result->setAutoRaise(true);
  result->setIconSize({12, 12});
  result->setFixedSize(20, 20);
  result->setAccessibleName(name);
  result->setToolTip(name);
  result->setFocusPolicy(Qt::NoFocus);
  return result;
}

}  // namespace

const std::vector<DockRow>& dockTable() {
  static const std::vector<DockRow> rows = {
      {"machine", QT_TR_NOOP("Machine"), Qt::TopDockWidgetArea, nullptr, nullptr},
      {"queue", QT_TR_NOOP("Queue"), Qt::TopDockWidgetArea, "machine", nullptr},
      {"domains", QT_TR_NOOP("Domains"), Qt::LeftDockWidgetArea, nullptr, nullptr},
      {"runqueues", QT_TR_NOOP("Runqueues"), Qt::LeftDockWidgetArea, nullptr, "domains"},
      {"decision", QT_TR_NOOP("Decision"), Qt::RightDockWidgetArea, nullptr, nullptr},
      {"timeline", QT_TR_NOOP("Timeline"), Qt::BottomDockWidgetArea, nullptr, nullptr},
      {"charts", QT_TR_NOOP("Charts"), Qt::BottomDockWidgetArea, "timeline", nullptr},
      {"scenario", QT_TR_NOOP("Scenario"), Qt::TopDockWidgetArea, "machine", nullptr},
      {"editor", QT_TR_NOOP("Editor"), Qt::TopDockWidgetArea, "machine", nullptr},
      {"published", QT_TR_NOOP("Published"), Qt::TopDockWidgetArea, "machine", nullptr},
      {"compare", QT_TR_NOOP("Compare"), Qt::TopDockWidgetArea, "machine", nullptr},
      {"trace", QT_TR_NOOP("Trace"), Qt::TopDockWidgetArea, "machine", nullptr},
      {"lesson", QT_TR_NOOP("Lesson"), Qt::LeftDockWidgetArea, "domains", nullptr},
      {"overview", QT_TR_NOOP("Overview"), Qt::LeftDockWidgetArea, "domains", nullptr},
      {"lens", QT_TR_NOOP("Lens"), Qt::LeftDockWidgetArea, "runqueues", nullptr},
      {"branches", QT_TR_NOOP("Branches"), Qt::BottomDockWidgetArea, "timeline", nullptr},
      {"log", QT_TR_NOOP("Log"), Qt::BottomDockWidgetArea, "charts", nullptr},
  };
  return rows;
}

DockTitle::DockTitle(QDockWidget* dock)
    : QWidget(dock), m_dock(dock), m_float(button(this, tr("Float"))), m_close(button(this, tr("Close"))) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 2, 4, 2);
  row->setSpacing(0);
  row->addStretch(1);
  row->addWidget(m_float);
  row->addWidget(m_close);
  setMinimumHeight(static_cast<int>(kTitlePx * look::textScale()));
  connect(m_float, &QToolButton::clicked, dock, [dock] { dock->setFloating(!dock->isFloating()); });
  connect(m_close, &QToolButton::clicked, dock, &QDockWidget::close);
  retheme();
}

void DockTitle::retheme() {
  const look::Palette& p = look::colors(m_dock);
  m_float->setIcon(look::icon(QStringLiteral("float"), p.text2, p.line2));
  m_close->setIcon(look::icon(QStringLiteral("close"), p.text2, p.line2));
}

void DockTitle::paintEvent(QPaintEvent*) {
  const look::Palette& p = look::colors(this);
  QPainter painter(this);
  painter.fillRect(rect(), p.head);
  painter.fillRect(0, height() - 1, width(), 1, p.line);
  painter.setPen(p.text);
  painter.setFont(look::uiFont(look::kBasePx, look::Weight::Bold));
  painter.drawText(rect().adjusted(9, 0, -46, 0), Qt::AlignLeft | Qt::AlignVCenter, m_dock->windowTitle());
}

}  // namespace rqscope::app
