// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>

class QHBoxLayout;

namespace rqscope::look {

/// The strip of controls at the top of a view, one hairline below.
class ToolStrip : public QWidget {
  Q_OBJECT
 public:
  explicit ToolStrip(QWidget* parent);
  QLabel* addLabel(const QString& text);
  void addWidget(QWidget* widget);
  void addStretch();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QHBoxLayout* m_layout;
};

/// Label in the fixed font for what the kernel names.
QLabel* monoLabel(const QString& text, QWidget* parent);
/// What a view shows when it has nothing: never an empty white dock.
void paintEmpty(QWidget* widget, const QString& what, const QString& hint);

}  // namespace rqscope::look
