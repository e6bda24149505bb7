// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "branches/span_delegate.h"

#include <QPainter>
#include <QWidget>
#include <algorithm>

#include "look/painting.h"

namespace rqscope::branches {
namespace {

constexpr double kBarPx = 6, kStandPx = 2, kInsetPx = 8;

}  // namespace

qint64 SpanDelegate::endNs() const {
  qint64 end = 1;
  if (m_branches)
    for (const session::Branch& branch : m_branches->all) end = std::max(end, branch.reachedNs);
  return end;
}

void SpanDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);  // the ground and the selection
  const session::Branch* branch = m_branches ? m_branches->find(index.data(kBranchRole).toInt()) : nullptr;
  if (branch == nullptr || option.widget == nullptr) return;
  const look::Palette& p = look::colors(option.widget);
  const bool isShown = branch->id == m_branches->current;
  const QRectF room = QRectF(option.rect).adjusted(kInsetPx, 0, -kInsetPx, 0);
  const double middle = room.center().y();
  const auto x = [&](qint64 ns) {
    return room.left() + room.width() * static_cast<double>(ns) / static_cast<double>(endNs());
  };
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  // What it shares with its parent is a hairline: the bar begins where it is a run of its own.
  painter->fillRect(QRectF(x(0), middle - 0.5, x(branch->atNs) - x(0), 1), p.line2);
  const QRectF bar(x(branch->atNs), middle - kBarPx / 2,
                   std::max(x(branch->reachedNs) - x(branch->atNs), 2.0), kBarPx);
  painter->setPen(branch->isKept ? QPen(Qt::NoPen) : QPen(p.text3, 1, Qt::DashLine));
  painter->setBrush(branch->isKept ? QBrush(isShown ? p.accent : p.text3) : QBrush(Qt::NoBrush));
  painter->drawRoundedRect(branch->isKept ? bar : bar.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
  if (branch->parent >= 0) {
    painter->setPen(QPen(p.text2, 1.5));
    painter->drawLine(QPointF(bar.left(), middle - kBarPx), QPointF(bar.left(), middle + kBarPx));
  }
  painter->fillRect(
      QRectF(x(branch->nowNs) - kStandPx / 2, option.rect.top() + 3, kStandPx, option.rect.height() - 6),
      isShown ? p.now : p.text2);
  painter->restore();
}

}  // namespace rqscope::branches
