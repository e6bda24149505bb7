// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableWidget>
#include <memory>
#include <vector>

#include "rqscope/layout.h"

namespace rqscope::topology_editor {

/// The sched domains of one CPU, highest first, and in which values they differ from those before the edits.
class DomainList : public QTableWidget {
  Q_OBJECT
 public:
  enum Column { Name, Span, Groups, Flags, Capacity, ColumnCount };

  explicit DomainList(QWidget* parent);

  /// `before` may be null or another machine's; then nothing is marked.
  void show(const std::shared_ptr<const api::MachineLayout>& now,
            const std::shared_ptr<const api::MachineLayout>& before, int cpu);
  /// Why there are no rows; empty when there are some.
  QString reason() const { return m_reason; }
  QString cell(int row, int column) const;
  /// High enough for its rows.
  QSize sizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void fitColumns();
  struct Row;
  static std::vector<Row> rowsOf(const api::MachineLayout* layout, int cpu);
  void markNew(int row);
  void addRow(const Row& now, const Row* was, bool isGone);

  QString m_reason;
};

}  // namespace rqscope::topology_editor
