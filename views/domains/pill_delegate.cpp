// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "domains/pill_delegate.h"

#include <QPainter>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::domains {

void PillDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  const look::Palette& p = look::colors(option.widget);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (option.state.testFlag(QStyle::State_Selected)) painter->fillRect(option.rect, p.selection);
  QRectF rect = QRectF(option.rect).adjusted(4, 0, -7, 0);
  const std::string type = index.data(kGroupTypeRole).toString().toStdString();
  const QString note = index.data(kNoteRole).toString();
  const QString title = index.data(Qt::DisplayRole).toString();
  const QString mono = index.data(kMonoRole).toString();
  painter->setFont(look::uiFont(look::kBasePx, look::Weight::Bold));
  const double titleWidth = title.isEmpty() ? 0 : painter->fontMetrics().horizontalAdvance(title) + 6;
  const double monoWidth = QFontMetricsF(look::monoFont()).horizontalAdvance(mono);
  if (!type.empty()) {
    const double full = look::pillWidth(type, look::PillForm::Full);
    const look::PillForm form =
        titleWidth + monoWidth + full + 12 <= rect.width() ? look::PillForm::Full : look::PillForm::Letter;
    const double width = look::pillWidth(type, form);
    look::drawPill(*painter, {rect.right() - width, rect.center().y() - look::kPillHeight / 2}, type, form,
                   p.theme);
    rect.setRight(rect.right() - width - 6);
  }
  painter->setPen(p.text);
  if (!title.isEmpty()) look::drawElided(*painter, rect, Qt::AlignLeft | Qt::AlignVCenter, title);
  rect.setLeft(rect.left() + titleWidth);
  painter->setFont(look::monoFont());
  painter->setPen(title.isEmpty() ? p.text : p.text2);
  look::drawElided(*painter, rect, Qt::AlignLeft | Qt::AlignVCenter, mono);
  rect.setLeft(rect.left() + monoWidth + 6);
  painter->setFont(look::uiFont(look::kNotePx));
  painter->setPen(p.text2);
  const bool isRight = type.empty();
  if (painter->fontMetrics().horizontalAdvance(note) <= rect.width()) {
    painter->drawText(rect, (isRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, note);
  }
  painter->restore();
}

QSize PillDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return {100, static_cast<int>(23 * look::textScale())};
}

}  // namespace rqscope::domains
