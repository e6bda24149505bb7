// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>
#include <vector>

#include "published/runner.h"

namespace rqscope::published {

/// A row of a published table, with the model's figure once it was run.
struct ShownRow {
  api::ReproducedRow row;
  bool isRun = false;
};

/// The rows of a table under the heads of their cases.
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

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  /// Index into m_rows; a head is -1 - (index of its first row).
  std::vector<int> m_lines;
  std::vector<ShownRow> m_rows;
  QString m_unit;
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
