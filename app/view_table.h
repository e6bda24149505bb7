// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QPointer>
#include <functional>
#include <vector>

#include "rqscope/series.h"

class QLabel;
class QTableWidget;

namespace rqscope::app {

/// What a painted view shows, as a table: for those who read rather than look, and to copy from. It follows
/// the run.
class ViewTable : public QDialog {
  Q_OBJECT
 public:
  struct Content {
    QStringList heads;
    std::vector<QStringList> rows;
  };
  using Reader = std::function<Content()>;
  using Press = std::function<void(int row)>;

  /// Content of `view`, read anew by each refresh(). Enter on a row does what a click on it in the view does.
  ViewTable(const QString& title, QWidget* view, Reader read, Press press, QWidget* parent);

  void refresh();
  QTableWidget* table() const { return m_table; }

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void copy() const;

  QPointer<QWidget> m_view;
  Reader m_read;
  QLabel* m_count;
  QTableWidget* m_table;
};

/// The painted view that the table of a dock is made of: the one with the focus, else the first in view;
/// null: the dock paints nothing.
QWidget* paintedViewIn(const QWidget* dock);
/// Its items: what, value, more.
ViewTable::Content contentOf(const QWidget* painted);
/// A row for each moment, class or case, a column for each series.
ViewTable::Content contentOf(const api::ChartData& chart);

}  // namespace rqscope::app
