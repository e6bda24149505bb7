// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace rqscope::domains {

/// Roles of a tree item beside its text.
enum ItemRole { kGroupTypeRole = Qt::UserRole + 1, kMonoRole, kNoteRole, kGroupIndexRole, kDomainIndexRole };

/// Draws "PKG {0-5}" with the list in the fixed font, a note in grey and the group's pill.
class PillDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace rqscope::domains
