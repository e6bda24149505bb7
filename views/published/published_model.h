// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>
#include <string>
#include <vector>

#include "published/runner.h"

namespace rqscope::published {

/// A row of a published table, with the model's figure once it was run.
struct ShownRow {
  api::ReproducedRow row;
  bool isRun = false;
};

/// The row's figure of that key; null: it has none.
const double* figureOf(const api::ReproducedRow& row, const std::string& key);
/// Keys of all that was counted beside the figures, in the order in which they come.
std::vector<std::string> figureKeys(const std::vector<ShownRow>& rows);
/// Whether the rows of a result are the first rows of that table.
bool isOfTable(const api::Reproduction& result, const api::Reproduction& table);
/// "lock_waited_percent_of_busy" as a person reads it.
QString figureName(const std::string& key);

/// The rows of a table under the heads of their cases. After the fixed columns: the sign's verdict and the
/// figure of half the time where a row has them, and what else was counted.
class PublishedModel final : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kName, kPublished, kModel, kPublishedRatio, kModelRatio, kDeviation, kLabel, kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  void setRows(std::vector<ShownRow> rows, const QString& unit);
  const std::vector<ShownRow>& rows() const { return m_rows; }
  const QString& unit() const { return m_unit; }
  /// The table row's figures; null for the head of a case.
  const ShownRow* rowAt(int line) const;
  bool isHead(int line) const { return rowAt(line) == nullptr; }

  const std::vector<std::string>& keys() const { return m_keys; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  QVariant headText(int line, int column) const;
  QString extraText(const ShownRow& shown, int column) const;
  QString extraHead(int column) const;
  int verdictColumn() const { return m_hasVerdicts ? kColumns : -1; }
  int halfColumn() const { return m_hasHalves ? kColumns + (m_hasVerdicts ? 1 : 0) : -1; }
  int firstFigure() const { return kColumns + (m_hasVerdicts ? 1 : 0) + (m_hasHalves ? 1 : 0); }
  bool isFigure(int column) const;

  /// Index into m_rows; a head is -1 - (index of its first row).
  std::vector<int> m_lines;
  std::vector<ShownRow> m_rows;
  QString m_unit;
  std::vector<std::string> m_keys;
  bool m_hasVerdicts = false, m_hasHalves = false;
};

/// Figures as a person reads them: four significant figures, or whole from a thousand on.
QString figureText(double value);
QString ratioText(double ratio);
QString percentText(double percent);
QString detailsText(const ShownRow& shown);

/// Heads across all columns, labels as pills.
class PublishedDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace rqscope::published
