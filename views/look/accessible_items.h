// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>
#include <QRect>
#include <QString>

namespace rqscope::look {

/// One painted thing, as a screen reader meets it.
struct AccessItem {
  QString name, value, description;
  QRect rect;  ///< in the widget; empty when it is out of view
  QAccessible::Role role = QAccessible::ListItem;
  bool isSelected = false;
};

/// A widget that paints many things says them here, so that each can be reached and pressed without seeing
/// it. The constructor of the widget calls installAccessibleItems().
class PaintedItems {
 public:
  virtual ~PaintedItems() = default;
  virtual int accessibleItemCount() const = 0;
  virtual AccessItem accessibleItem(int index) const = 0;
  virtual void pressAccessibleItem(int index) = 0;
};

/// Makes Qt ask PaintedItems of widgets that have them. May be called often.
void installAccessibleItems();

}  // namespace rqscope::look
