// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/cell_delegate.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::topology_editor {
namespace {

constexpr double kBoxPx = 13;
constexpr double kPadPx = 5;

QRectF boxIn(const QRect& cell) {
  const double size = kBoxPx * look::textScale();
  return {cell.left() + 7.5, cell.center().y() - size / 2 + 0.5, size, size};
}

}  // namespace

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  const look::Palette& p = look::colors(option.widget);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (option.state.testFlag(QStyle::State_Selected)) painter->fillRect(option.rect, p.selection);
  const bool isFocused = option.state.testFlag(QStyle::State_HasFocus);
  const QVariant check = index.data(Qt::CheckStateRole);
  if (check.isValid()) {
    const QRectF box = boxIn(option.rect);
    painter->setPen(QPen(isFocused ? p.accent : p.text3, isFocused ? 2 : 1));
    painter->setBrush(p.canvas);
    painter->drawRoundedRect(box, 2, 2);
    if (check.toInt() == Qt::Checked) look::drawTick(*painter, box.center(), p.text);
  } else {
    const QVariant color = index.data(Qt::ForegroundRole), font = index.data(Qt::FontRole);
    const QVariant alignment = index.data(Qt::TextAlignmentRole);
    painter->setFont(font.isValid() ? qvariant_cast<QFont>(font) : look::uiFont());
    painter->setPen(color.isValid() ? qvariant_cast<QBrush>(color).color() : p.text);
    look::drawElided(
        *painter, QRectF(option.rect).adjusted(kPadPx, 0, -kPadPx, 0),
        alignment.isValid() ? alignment.toInt() : static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
        index.data(Qt::DisplayRole).toString());
    if (isFocused && index.flags().testFlag(Qt::ItemIsEditable)) {
      painter->setPen(p.accent);
      painter->drawLine(option.rect.bottomLeft() + QPoint(3, 0), option.rect.bottomRight() - QPoint(3, 0));
    }
  }
  painter->restore();
}

bool CellDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                               const QModelIndex& index) {
  if (!index.data(Qt::CheckStateRole).isValid()) return false;
  bool isWanted = false;
  if (event->type() == QEvent::MouseButtonRelease) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    isWanted = mouse->button() == Qt::LeftButton &&
               boxIn(option.rect).adjusted(-6, -6, 8, 6).contains(mouse->position());
  } else if (event->type() == QEvent::KeyPress) {
    isWanted = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
  }
  if (!isWanted) return false;
  const bool isChecked = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  return model->setData(index, isChecked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

}  // namespace rqscope::topology_editor
