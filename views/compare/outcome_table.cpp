// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/outcome_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::compare {

namespace {

constexpr int kColumns = 4;
constexpr double kRowPx = 22;

QString valueText(const api::OutcomeRow& row, const std::optional<double>& value) {
  if (!value) return QStringLiteral("–");
  return row.isTime ? look::qs(look::timeText(static_cast<std::int64_t>(*value)))
                    : QString::number(*value, 'f', 0);
}

/// "-8.7 %", or the difference of counts that are small.
QString changeText(const api::OutcomeRow& row) {
  if (!row.a || !row.b) return QStringLiteral("–");
  constexpr double kFew = 20;
  const double change = *row.b - *row.a;
  const QString sign = change > 0 ? QStringLiteral("+") : QString();
  if (!row.isTime && *row.a < kFew && *row.b < kFew) return sign + QString::number(change, 'f', 0);
  if (*row.a == 0) return change == 0 ? QStringLiteral("0.0 %") : QStringLiteral("–");
  return sign + QStringLiteral("%1 %").arg(change / *row.a * 100, 0, 'f', 1);
}

}  // namespace

OutcomeTable::OutcomeTable(QWidget* parent) : QTableWidget(parent) {
  setColumnCount(kColumns);
  setHorizontalHeaderLabels({tr("Quantity"), tr("A"), tr("B"), tr("Change")});
  setAccessibleName(tr("Outcomes of A and B"));
  setEditTriggers(NoEditTriggers);
  setSelectionBehavior(SelectRows);
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(static_cast<int>(kRowPx * look::textScale()));
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  for (int column = 1; column < kColumns; ++column) {
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  }
  horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void OutcomeTable::setOutcomes(const std::vector<api::OutcomeRow>& rows) {
  setRowCount(static_cast<int>(rows.size()));
  for (int i = 0; i < rowCount(); ++i) {
    const api::OutcomeRow& row = rows[static_cast<std::size_t>(i)];
    const QString texts[kColumns] = {look::qs(row.name), valueText(row, row.a), valueText(row, row.b),
                                     changeText(row)};
    for (int column = 0; column < kColumns; ++column) {
      auto* item = new QTableWidgetItem(texts[column]);
      if (column != 0) {
        item->setFont(look::monoFont(look::kNotePx));
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      }
      setItem(i, column, item);
    }
  }
}

QString OutcomeTable::text() const {
  QString out = QStringLiteral("Quantity\tA\tB\tChange\n");
  for (int i = 0; i < rowCount(); ++i) {
    for (int column = 0; column < kColumns; ++column)
      out += item(i, column)->text() + (column + 1 < kColumns ? QLatin1Char('\t') : QLatin1Char('\n'));
  }
  return out;
}

void OutcomeTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy))
    QApplication::clipboard()->setText(text());
  else
    QTableWidget::keyPressEvent(event);
}

}  // namespace rqscope::compare
