// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QLabel>
#include <QWidget>
#include <vector>

class QToolButton;

namespace rqscope::app {

/// A row of the dock table: where a view lives when nothing was moved.
struct DockRow {
  const char* name;  ///< object name, kept in the saved layout
  const char* title;
  Qt::DockWidgetArea area;
  const char* tabWith;  ///< name of the dock it shares a place with, or null
  const char* below;    ///< name of the dock it stands under, or null
};
const std::vector<DockRow>& dockTable();

/// Title of a dock on its own: bold name, float and close. Docks in tabs have the tab bar instead.
class DockTitle : public QWidget {
  Q_OBJECT
 public:
  explicit DockTitle(QDockWidget* dock);
  void retheme();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QDockWidget* m_dock;
  QToolButton *m_float, *m_close;
};

}  // namespace rqscope::app
