// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>
#include <memory>

#include "rqscope/decision_list.h"

namespace rqscope::decision_log {

/// One row per decision: number, time, CPU, how it came about, domain, result.
class LogModel final : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kNumber, kTime, kCpu, kEntry, kDomain, kResult, kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  void setList(std::shared_ptr<const api::DecisionList> list);
  /// The decision that the ladder shows, or none; and the moment of the run, which parts past and future.
  void setNow(std::optional<std::uint64_t> decision, std::int64_t timeNs);
  const api::Simulation::DecisionSummary* at(int row) const;
  int rowOf(std::uint64_t decision) const;  ///< -1: not listed
  bool isNow(int row) const;
  bool isFuture(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const api::DecisionList> m_list;
  std::optional<std::uint64_t> m_now;
  std::int64_t m_timeNs = 0;
};

/// The row of now on its own ground, the future in the third text colour, results in theirs.
class LogDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace rqscope::decision_log
