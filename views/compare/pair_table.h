// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableWidget>
#include <vector>

#include "compare/rung_pairs.h"

namespace rqscope::compare {

/// The ladders of A and B beside each other, line by line, as a table: keys walk it, Ctrl+C copies a cell.
class PairTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit PairTable(QWidget* parent = nullptr);
  void setHeads(const QString& a, const QString& b);
  void setLines(std::vector<PairLine> lines);
  const std::vector<PairLine>& lines() const { return m_lines; }
  /// Brings the first different rung into sight.
  void showFirst();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<PairLine> m_lines;
};

}  // namespace rqscope::compare
