// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueues/queue_view.h"

#include <algorithm>

#include "runqueues/numbers_panel.h"
#include "runqueues/queue_axis.h"

namespace rqscope::runqueues {
namespace {

constexpr int kPanelLeast = 240, kPanelMost = 360, kAxisLeast = 300;

}  // namespace

QueueView::QueueView(QWidget* parent)
    : QSplitter(Qt::Horizontal, parent), m_axis(new QueueAxis(this)), m_numbers(new NumbersPanel(this)) {
  setChildrenCollapsible(false);
  setHandleWidth(1);
  addWidget(m_axis);
  addWidget(m_numbers);
  setStretchFactor(0, 1);
  setStretchFactor(1, 0);
  m_numbers->hide();
  setFocusProxy(m_axis);
  connect(m_axis, &QueueAxis::numberActivated, this, &QueueView::explain);
  connect(m_numbers, &NumbersPanel::numberWanted, this,
          [this](const api::ValueRef& ref) { Q_EMIT numbersWanted(m_axis->cpu(), ref); });
  connect(m_numbers, &NumbersPanel::closeWanted, this, [this] {
    m_numbers->hide();
    m_axis->setFocus();
  });
}

void QueueView::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  m_axis->setFrame(frame);
  if (!frame || (frame->timeNs == m_timeNs && frame->eventIndex == m_event)) return;
  m_timeNs = frame->timeNs;
  m_event = frame->eventIndex;
  if (m_numbers->isVisible()) m_numbers->refresh();
}

void QueueView::setSelectedCpu(int cpu) {
  const bool isOther = cpu != m_axis->cpu();
  m_axis->setSelectedCpu(cpu);
  if (isOther && m_numbers->isVisible()) m_numbers->follow({m_axis->lineName(), cpu, -1, -1});
}

void QueueView::setNumbers(int cpu, const std::vector<api::ShownValue>& shown,
                           const api::ExplainedValue& explained) {
  if (cpu == m_axis->cpu()) m_numbers->setNumbers(shown, explained);
}

void QueueView::explain(const api::ValueRef& ref) {
  if (m_numbers->isHidden()) {
    const int panel = std::clamp(width() * 2 / 5, kPanelLeast, kPanelMost);
    m_numbers->show();
    setSizes({std::max(width() - panel, kAxisLeast), panel});
  }
  m_numbers->follow(ref);
}

void QueueView::showEvent(QShowEvent* event) {
  QSplitter::showEvent(event);
  if (!m_numbers->isHidden()) m_numbers->refresh();
}

}  // namespace rqscope::runqueues
