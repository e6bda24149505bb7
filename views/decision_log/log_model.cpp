// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision_log/log_model.h"

#include <QPainter>
#include <algorithm>
#include <utility>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::decision_log {

using look::qs;

namespace {

bool isRight(int column) { return column == LogModel::kNumber || column == LogModel::kTime; }

QColor resultColor(const std::string& result, const look::Palette& p) {
  if (result == "moved" || result == "active_started") return p.yes;
  return result == "failed" ? p.no : p.text2;
}

}  // namespace

void LogModel::setList(std::shared_ptr<const api::DecisionList> list) {
  beginResetModel();
  m_list = std::move(list);
  endResetModel();
}

void LogModel::setNow(std::optional<std::uint64_t> decision, std::int64_t timeNs) {
  m_now = decision;
  m_timeNs = timeNs;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

const api::Simulation::DecisionSummary* LogModel::at(int row) const {
  if (!m_list || row < 0 || row >= rowCount()) return nullptr;
  return &m_list->rows[static_cast<std::size_t>(row)];
}

int LogModel::rowOf(std::uint64_t decision) const {
  if (!m_list) return -1;
  const auto& rows = m_list->rows;
  const auto it =
      std::partition_point(rows.begin(), rows.end(), [&](const auto& row) { return row.index < decision; });
  return it == rows.end() || it->index != decision ? -1 : static_cast<int>(it - rows.begin());
}

bool LogModel::isNow(int row) const {
  const auto* decision = at(row);
  return decision && m_now && decision->index == *m_now;
}

bool LogModel::isFuture(int row) const {
  const auto* decision = at(row);
  return decision && (m_now ? decision->index > *m_now : decision->timeNs > m_timeNs);
}

int LogModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_list ? 0 : static_cast<int>(m_list->rows.size());
}

int LogModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant LogModel::data(const QModelIndex& index, int role) const {
  const auto* decision = index.isValid() ? at(index.row()) : nullptr;
  if (!decision) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((isRight(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole && role != Qt::ToolTipRole) return {};
  switch (index.column()) {
    case kNumber:
      return QString::number(decision->index);
    case kTime:
      return qs(look::timeText(decision->timeNs));
    case kCpu:
      return decision->cpu < 0 ? QString() : QString::number(decision->cpu);
    case kEntry:
      return qs(look::word(decision->kind));
    case kDomain:
      return qs(decision->domainName);
    default:
      return qs(look::word(decision->result));
  }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((isRight(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  const QString names[] = {tr("Number"), tr("Time"), tr("CPU"), tr("Entry"), tr("Domain"), tr("Result")};
  return names[section];
}

void LogDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  const auto* model = static_cast<const LogModel*>(index.model());
  const auto* decision = model->at(index.row());
  if (!decision) return;
  const look::Palette& p = look::colors(option.widget);
  const bool isNow = model->isNow(index.row()), isSelected = option.state.testFlag(QStyle::State_Selected);
  painter->save();
  if (isNow) {
    painter->fillRect(option.rect, p.nowGround);
    if (index.column() == 0)
      painter->fillRect(QRect(option.rect.left(), option.rect.top(), 2, option.rect.height()), p.now);
  } else if (isSelected) {
    painter->fillRect(option.rect, p.selection);
  } else if (index.row() % 2 == 1) {
    painter->fillRect(option.rect, look::mix(p.head, p.dock, 0.5));
  }
  const bool isPlain = isNow || isSelected || !model->isFuture(index.row());
  QColor ink = isPlain ? p.text : p.text3;
  if (index.column() == LogModel::kResult && isPlain && !isSelected) ink = resultColor(decision->result, p);
  painter->setPen(ink);
  const bool isWord = index.column() == LogModel::kEntry || index.column() == LogModel::kResult;
  painter->setFont(isWord ? look::uiFont() : look::monoFont());
  look::drawElided(*painter, QRectF(option.rect).adjusted(8, 0, -6, 0),
                   index.data(Qt::TextAlignmentRole).toInt(), index.data().toString());
  painter->restore();
}

}  // namespace rqscope::decision_log
