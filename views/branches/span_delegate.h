// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

#include "session/branches.h"

namespace rqscope::branches {

/// Draws a run as a bar on the time axis that all rows share: from where it leaves its parent to how far it
/// was run, with where it stands.
class SpanDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void setBranches(session::BranchesPtr branches) { m_branches = std::move(branches); }
  /// End of the axis.
  qint64 endNs() const;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  session::BranchesPtr m_branches;
};

/// Item data: the id of the run of a row.
constexpr int kBranchRole = Qt::UserRole;

}  // namespace rqscope::branches
