// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/accessible_items.h"

#include <QAccessibleWidget>
#include <QPointer>
#include <QWidget>
#include <map>

namespace rqscope::look {
namespace {

PaintedItems* itemsOf(QObject* object) { return dynamic_cast<PaintedItems*>(object); }

/// One item. Its facts are asked for when they are wanted, so they are never stale.
class ItemInterface : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  ItemInterface(QWidget* widget, int index) : m_widget(widget), m_index(index) {}

  int index() const { return m_index; }
  bool isValid() const override {
    const PaintedItems* items = itemsOf(m_widget);
    return items && m_index < items->accessibleItemCount();
  }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return m_widget ? m_widget->window()->windowHandle() : nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_widget); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QAccessible::Role role() const override { return item().role; }
  QRect rect() const override {
    const QRect own = item().rect;
    return m_widget && !own.isEmpty() ? QRect(m_widget->mapToGlobal(own.topLeft()), own.size()) : QRect();
  }
  QString text(QAccessible::Text kind) const override {
    const AccessItem what = item();
    switch (kind) {
      case QAccessible::Name:
        return what.name;
      case QAccessible::Value:
        return what.value;
      case QAccessible::Description:
        return what.description;
      default:
        return {};
    }
  }
  void setText(QAccessible::Text, const QString&) override {}
  QAccessible::State state() const override {
    const AccessItem what = item();
    QAccessible::State state;
    state.focusable = state.selectable = true;
    state.selected = what.isSelected;
    state.offscreen = what.rect.isEmpty();
    state.disabled = m_widget && !m_widget->isEnabled();
    return state;
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }

  QStringList actionNames() const override { return {pressAction()}; }
  void doAction(const QString& name) override {
    if (name == pressAction() && isValid()) itemsOf(m_widget)->pressAccessibleItem(m_index);
  }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }

 private:
  AccessItem item() const { return isValid() ? itemsOf(m_widget)->accessibleItem(m_index) : AccessItem(); }

  QPointer<QWidget> m_widget;
  int m_index;
};

/// The widget: its children are what it paints.
class PaintedInterface : public QAccessibleWidget {
 public:
  explicit PaintedInterface(QWidget* widget) : QAccessibleWidget(widget, QAccessible::List) {}
  ~PaintedInterface() override {
    for (const auto& [index, id] : m_ids) QAccessible::deleteAccessibleInterface(id);
  }

  int childCount() const override {
    const PaintedItems* items = itemsOf(object());
    return items ? items->accessibleItemCount() : 0;
  }
  QAccessibleInterface* child(int index) const override {
    if (index < 0 || index >= childCount()) return nullptr;
    const auto it = m_ids.find(index);
    if (it != m_ids.end()) return QAccessible::accessibleInterface(it->second);
    auto* made = new ItemInterface(widget(), index);
    m_ids[index] = QAccessible::registerAccessibleInterface(made);
    return made;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    const PaintedItems* items = itemsOf(object());
    const QPoint point = widget()->mapFromGlobal(QPoint(x, y));
    for (int i = 0; items && i < items->accessibleItemCount(); ++i)
      if (items->accessibleItem(i).rect.contains(point)) return child(i);
    return nullptr;
  }
  int indexOfChild(const QAccessibleInterface* which) const override {
    const auto* item = dynamic_cast<const ItemInterface*>(which);
    return item ? item->index() : -1;
  }

 private:
  mutable std::map<int, QAccessible::Id> m_ids;  ///< children that were asked for
};

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
  auto* widget = qobject_cast<QWidget*>(object);
  return widget && itemsOf(object) ? new PaintedInterface(widget) : nullptr;
}

}  // namespace

void installAccessibleItems() { QAccessible::installFactory(makeInterface); }

}  // namespace rqscope::look
