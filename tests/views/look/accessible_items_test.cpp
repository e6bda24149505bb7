// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/accessible_items.h"

#include <gtest/gtest.h>

#include <QWidget>

namespace rqscope::look {
namespace {

class Row : public QWidget, public PaintedItems {
 public:
  Row() { installAccessibleItems(); }
  int accessibleItemCount() const override { return count; }
  AccessItem accessibleItem(int index) const override {
    AccessItem item;
    item.name = QStringLiteral("item %1").arg(index);
    item.value = QString::number(index * 10);
    item.rect = QRect(index * 20, 0, 20, 20);
    item.isSelected = index == 1;
    return item;
  }
  void pressAccessibleItem(int index) override { pressed = index; }
  int count = 3, pressed = -1;
};

TEST(AccessibleItems, AreChildrenWithNamesValuesAndPlaces) {
  Row row;
  row.resize(100, 20);
  row.show();
  QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&row);
  ASSERT_NE(access, nullptr);
  ASSERT_EQ(access->childCount(), 3);
  QAccessibleInterface* second = access->child(1);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second, access->child(1)) << "one interface per item";
  EXPECT_EQ(second->text(QAccessible::Name), QStringLiteral("item 1"));
  EXPECT_EQ(second->text(QAccessible::Value), QStringLiteral("10"));
  EXPECT_EQ(second->parent(), access);
  EXPECT_EQ(access->indexOfChild(second), 1);
  EXPECT_TRUE(second->state().selected);
  EXPECT_EQ(second->rect(), QRect(row.mapToGlobal(QPoint(20, 0)), QSize(20, 20)));
  const QPoint inside = row.mapToGlobal(QPoint(45, 5));
  EXPECT_EQ(access->childAt(inside.x(), inside.y()), access->child(2));
}

TEST(AccessibleItems, CanBePressedAndVanishWithTheirWidget) {
  Row row;
  QAccessibleInterface* access = QAccessible::queryAccessibleInterface(&row);
  QAccessibleInterface* last = access->child(2);
  last->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
  EXPECT_EQ(row.pressed, 2);
  row.count = 1;
  EXPECT_FALSE(last->isValid());
  EXPECT_EQ(access->child(2), nullptr);
}

}  // namespace
}  // namespace rqscope::look
