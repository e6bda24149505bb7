// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "view_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "look/accessible_items.h"
#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::app {
namespace {

constexpr double kWidthPx = 640, kHeightPx = 420;  ///< at 100 %
constexpr int kFigures = 9;

}  // namespace

QWidget* paintedViewIn(const QWidget* dock) {
  QWidget* first = nullptr;
  for (QWidget* widget : dock->findChildren<QWidget*>()) {
    if (!widget->isVisible() || dynamic_cast<look::PaintedItems*>(widget) == nullptr) continue;
    if (widget->hasFocus()) return widget;
    if (first == nullptr) first = widget;
  }
  return first;
}

ViewTable::Content contentOf(const QWidget* painted) {
  ViewTable::Content content{{ViewTable::tr("What"), ViewTable::tr("Value"), ViewTable::tr("More")}, {}};
  const auto* items = dynamic_cast<const look::PaintedItems*>(painted);
  for (int i = 0; items != nullptr && i < items->accessibleItemCount(); ++i) {
    const look::AccessItem item = items->accessibleItem(i);
    content.rows.push_back({item.name, item.value, item.description});
  }
  return content;
}

ViewTable::Content contentOf(const api::ChartData& chart) {
  ViewTable::Content content;
  content.heads << (!chart.categories.empty() ? ViewTable::tr("Case") : ViewTable::tr("Time"));
  std::size_t rows = 0;
  for (const api::Series& series : chart.series) {
    const QString name = look::qs(series.name);
    content.heads << (series.unit.empty() ? name
                                          : QStringLiteral("%1 [%2]").arg(name, look::qs(series.unit)));
    rows = std::max(rows, series.value.size());
  }
  for (std::size_t row = 0; row < rows; ++row) {
    QStringList cells;
    if (row < chart.categories.size()) cells << look::qs(chart.categories[row]);
    for (const api::Series& series : chart.series)
      if (cells.isEmpty() && row < series.timeNs.size())
        cells << look::qs(look::timeText(series.timeNs[row]));
    if (cells.isEmpty()) cells << QString();
    for (const api::Series& series : chart.series)
      cells << (row < series.value.size() ? QString::number(series.value[row], 'g', kFigures) : QString());
    content.rows.push_back(cells);
  }
  return content;
}

ViewTable::ViewTable(const QString& title, QWidget* view, Reader read, Press press, QWidget* parent)
    : QDialog(parent),
      m_view(view),
      m_read(std::move(read)),
      m_count(new QLabel(this)),
      m_table(new QTableWidget(this)) {
  setWindowTitle(tr("Table of %1").arg(title));
  setAttribute(Qt::WA_DeleteOnClose);
  resize((QSizeF(kWidthPx, kHeightPx) * look::textScale()).toSize());
  m_table->setAccessibleName(windowTitle());
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setShowGrid(false);
  m_table->setTabKeyNavigation(false);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  auto* column = new QVBoxLayout(this);
  column->addWidget(m_table, 1);
  column->addWidget(m_count);
  connect(m_table, &QTableWidget::itemActivated, this,
          [this, press = std::move(press)](const QTableWidgetItem* item) {
            if (press && m_view) press(item->row());
          });
  refresh();
}

void ViewTable::refresh() {
  if (!m_view) return;
  const Content content = m_read();
  const int current = m_table->currentRow();
  m_table->setColumnCount(static_cast<int>(content.heads.size()));
  m_table->setHorizontalHeaderLabels(content.heads);
  m_table->setRowCount(static_cast<int>(content.rows.size()));
  for (int row = 0; row < m_table->rowCount(); ++row)
    for (int column = 0; column < m_table->columnCount(); ++column)
      m_table->setItem(row, column,
                       new QTableWidgetItem(content.rows[static_cast<std::size_t>(row)].value(column)));
  m_table->resizeColumnsToContents();
  m_table->horizontalHeader()->setStretchLastSection(true);
  if (current >= 0 && current < m_table->rowCount()) m_table->selectRow(current);
  m_count->setText(content.rows.empty()
                       ? tr("Nothing is shown there now.")
                       : tr("%n row(s); Ctrl+C copies those chosen", nullptr, m_table->rowCount()));
}

void ViewTable::copy() const {
  QStringList lines;
  for (int row = 0; row < m_table->rowCount(); ++row) {
    if (!m_table->selectionModel()->isRowSelected(row)) continue;
    QStringList cells;
    for (int column = 0; column < m_table->columnCount(); ++column)
      cells << m_table->item(row, column)->text();
    lines << cells.join(QLatin1Char('\t'));
  }
  QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void ViewTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return copy();
  QDialog::keyPressEvent(event);
}

}  // namespace rqscope::app
