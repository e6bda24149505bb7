// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueues/shared_queue_list.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::runqueues {
namespace {

using look::qs;

constexpr double kHeadPx = 22, kRowPx = 46, kChipPx = 18, kGapPx = 4, kLongChipPx = 64;
constexpr int kRowsShown = 3;

double px(double value) { return value * look::textScale(); }

/// "0-7, 64-71".
QString rangesText(const std::vector<std::int32_t>& cpus) {
  QStringList parts;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i;
    while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) ++end;
    parts << (end == i ? QString::number(cpus[i]) : QStringLiteral("%1-%2").arg(cpus[i]).arg(cpus[end]));
    i = end + 1;
  }
  return parts.join(QStringLiteral(", "));
}

QString titleOf(const api::SharedQueueFrame& queue) {
  const QString cpus = SharedQueueList::tr("CPUs %1").arg(rangesText(queue.cpus));
  if (queue.shards <= 1) return cpus;
  return SharedQueueList::tr("%1 (shard %2 of %3)").arg(cpus).arg(queue.shard + 1).arg(queue.shards);
}

QString lockText(const api::SharedQueueFrame& queue) {
  if (queue.lockHolder < 0) return SharedQueueList::tr("free");
  const QString holder = SharedQueueList::tr("CPU %1 holds it").arg(queue.lockHolder);
  if (queue.lockWaiters.empty()) return holder;
  return SharedQueueList::tr("%1, %2 wait").arg(holder).arg(queue.lockWaiters.size());
}

QString waitedText(const api::SharedQueueFrame& queue) {
  return SharedQueueList::tr("taken %1, waited %2")
      .arg(queue.lockTaken)
      .arg(qs(look::durationText(queue.lockWaitedNs)));
}

}  // namespace

SharedQueueList::SharedQueueList(QWidget* parent) : QAbstractScrollArea(parent) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
  setAccessibleName(tr("Shared queues of the caches, with their locks"));
  hide();
}

int SharedQueueList::rowCount() const { return m_frame ? static_cast<int>(m_frame->sharedQueues.size()) : 0; }

void SharedQueueList::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  const int before = rowCount();
  m_frame = frame;
  setVisible(rowCount() > 0);
  if (rowCount() != before) {
    updateGeometry();
    resizeEvent(nullptr);
  }
  viewport()->update();
}

void SharedQueueList::setSelectedCpu(int cpu) {
  m_cpu = cpu;
  for (int row = 0; row < rowCount(); ++row)
    if (isSelected(m_frame->sharedQueues[static_cast<std::size_t>(row)]))
      verticalScrollBar()->setValue(static_cast<int>(row * px(kRowPx)));
  viewport()->update();
}

bool SharedQueueList::isSelected(const api::SharedQueueFrame& queue) const {
  return std::find(queue.cpus.begin(), queue.cpus.end(), m_cpu) != queue.cpus.end();
}

QString SharedQueueList::rowText(int row) const {
  const api::SharedQueueFrame& queue = m_frame->sharedQueues[static_cast<std::size_t>(row)];
  QStringList names;
  for (const std::int32_t task : queue.tasks)
    names << qs(m_frame->tasks[static_cast<std::size_t>(task)].name);
  return tr("%1: %2. Joined %3, pulled %4, refused %5. Lock: %6, %7, %8 of them after a wait")
      .arg(titleOf(queue), names.isEmpty() ? tr("empty") : names.join(QStringLiteral(" ")))
      .arg(queue.joined)
      .arg(queue.pulled)
      .arg(queue.refused)
      .arg(lockText(queue), waitedText(queue))
      .arg(queue.lockContended);
}

QSize SharedQueueList::sizeHint() const {
  return {240, static_cast<int>(px(kHeadPx) + std::min(rowCount(), kRowsShown) * px(kRowPx))};
}

QSize SharedQueueList::minimumSizeHint() const {
  return {120, static_cast<int>(px(kHeadPx) + std::min(rowCount(), 1) * px(kRowPx))};
}

void SharedQueueList::resizeEvent(QResizeEvent*) {
  const int content = static_cast<int>(px(kHeadPx) + rowCount() * px(kRowPx));
  verticalScrollBar()->setRange(0, std::max(0, content - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(static_cast<int>(px(kRowPx)));
}

QRectF SharedQueueList::rowRect(int row) const {
  return {0, px(kHeadPx) + row * px(kRowPx) - verticalScrollBar()->value(),
          static_cast<double>(viewport()->width()), px(kRowPx)};
}

int SharedQueueList::rowAt(const QPointF& point) const {
  for (int row = 0; row < rowCount(); ++row)
    if (rowRect(row).contains(point) && point.y() >= px(kHeadPx)) return row;
  return -1;
}

void SharedQueueList::paintTasks(QPainter& painter, const QRectF& rect,
                                 const api::SharedQueueFrame& queue) const {
  const look::Palette& p = look::colors(this);
  if (queue.tasks.empty()) {
    painter.setFont(look::uiFont());
    painter.setPen(p.text3);
    painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, tr("empty"));
    return;
  }
  const QFontMetricsF metrics(look::uiFont(look::kSmallPx, look::Weight::Bold));
  double x = rect.left();
  for (std::size_t i = 0; i < queue.tasks.size(); ++i) {
    const api::TaskFrame& task = m_frame->tasks[static_cast<std::size_t>(queue.tasks[i])];
    const double width = std::clamp(metrics.horizontalAdvance(qs(task.name)) + 10, kChipPx, kLongChipPx);
    const bool isLast = i + 1 == queue.tasks.size();
    if (x + width + (isLast ? 0 : 26) > rect.right() && i > 0) {
      painter.setFont(look::uiFont(look::kSmallPx));
      painter.setPen(p.text2);
      painter.drawText(QRectF(x, rect.top(), rect.right() - x, rect.height()),
                       Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("+%1").arg(queue.tasks.size() - i));
      return;
    }
    const QRectF chip(x, rect.center().y() - px(kChipPx) / 2, std::min(width, rect.width()), px(kChipPx));
    const look::TaskForm form = task.state == "running" ? look::TaskForm::Running : look::TaskForm::Queued;
    look::drawTaskChip(painter, chip, qs(task.name), task.id, form, p.theme);
    x += width + kGapPx;
  }
}

void SharedQueueList::paintLock(QPainter& painter, const QRectF& rect,
                                const api::SharedQueueFrame& queue) const {
  const look::Palette& p = look::colors(this);
  const bool isHeld = queue.lockHolder >= 0;
  const bool isContended = !queue.lockWaiters.empty();
  const QRectF body(rect.left(), rect.top() + px(8), px(10), px(8));
  const QColor color = isContended ? p.no : (isHeld ? p.now : p.text3);
  painter.setPen(QPen(color, 1.6));
  painter.setBrush(Qt::NoBrush);
  // The shackle of a free lock stands open.
  const QRectF shackle(body.left() + 2, body.top() - px(6), body.width() - 4, px(10));
  painter.drawArc(shackle.translated(isHeld ? 0 : px(3), isHeld ? 0 : -1), 0, 180 * 16);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawRoundedRect(body, 1.5, 1.5);
  const QRectF text = rect.adjusted(px(16), 0, 0, 0);
  painter.setFont(look::uiFont(look::kNotePx, isHeld ? look::Weight::Bold : look::Weight::Regular));
  painter.setPen(isHeld ? p.text : p.text2);
  look::drawElided(painter, QRectF(text.left(), text.top(), text.width(), px(18)),
                   Qt::AlignLeft | Qt::AlignVCenter, lockText(queue));
  painter.setFont(look::uiFont(look::kNotePx));
  painter.setPen(p.text2);
  look::drawElided(painter, QRectF(text.left(), text.top() + px(18), text.width(), px(18)),
                   Qt::AlignLeft | Qt::AlignVCenter, waitedText(queue));
}

void SharedQueueList::paintRow(QPainter& painter, int row) const {
  const look::Palette& p = look::colors(this);
  const api::SharedQueueFrame& queue = m_frame->sharedQueues[static_cast<std::size_t>(row)];
  const QRectF rect = rowRect(row);
  if (isSelected(queue)) painter.fillRect(rect, p.selection);
  painter.setPen(QPen(p.line, 1));
  painter.drawLine(rect.bottomLeft(), rect.bottomRight());
  const double lockWidth = std::clamp(rect.width() * 0.42, px(110), px(190));
  const QRectF left = rect.adjusted(8, 3, -lockWidth, -3);
  painter.setFont(look::uiFont(look::kNotePx));
  painter.setPen(p.text2);
  look::drawElided(painter, QRectF(left.left(), left.top(), left.width() - 6, px(16)),
                   Qt::AlignLeft | Qt::AlignVCenter, titleOf(queue));
  paintTasks(painter, QRectF(left.left(), left.top() + px(17), left.width() - 6, px(22)), queue);
  paintLock(painter, QRectF(rect.right() - lockWidth + 4, rect.top() + 4, lockWidth - 10, rect.height() - 8),
            queue);
}

void SharedQueueList::paintEvent(QPaintEvent*) {
  if (rowCount() == 0) return;
  const look::Palette& p = look::colors(this);
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(viewport()->rect(), p.dock);
  for (int row = 0; row < rowCount(); ++row)
    if (rowRect(row).intersects(QRectF(viewport()->rect()))) paintRow(painter, row);
  const QRectF head(0, 0, viewport()->width(), px(kHeadPx));
  painter.fillRect(head, p.head);
  painter.setFont(look::uiFont(look::kBasePx, look::Weight::Bold));
  painter.setPen(p.text);
  look::drawElided(painter, head.adjusted(8, 0, -8, 0), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("Shared queues, oldest first; locks"));
}

void SharedQueueList::mousePressEvent(QMouseEvent* event) {
  const int row = rowAt(event->position());
  if (row < 0) return;
  const api::SharedQueueFrame& queue = m_frame->sharedQueues[static_cast<std::size_t>(row)];
  if (!queue.tasks.empty())
    Q_EMIT taskActivated(m_frame->tasks[static_cast<std::size_t>(queue.tasks.front())].id);
  else if (!queue.cpus.empty())
    Q_EMIT cpuActivated(queue.cpus.front());
}

bool SharedQueueList::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos());
    if (row >= 0) QToolTip::showText(help->globalPos(), rowText(row), viewport());
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace rqscope::runqueues
