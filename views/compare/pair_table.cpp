// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/pair_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"

namespace rqscope::compare {
namespace {

constexpr int kLinePx = 42, kFoldPx = 24, kSidePx = 9, kBarPx = 3;

/// Two lines for a rung, one for a fold.
class PairDelegate final : public QStyledItemDelegate {
 public:
  explicit PairDelegate(PairTable* table) : QStyledItemDelegate(table), m_table(table) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const auto row = static_cast<std::size_t>(index.row());
    if (row >= m_table->lines().size()) return;
    const look::Palette& p = look::colors(m_table);
    const PairLine& line = m_table->lines()[row];
    painter->save();
    painter->fillRect(option.rect, line.isFirst ? p.nowGround : p.canvas);
    if (line.isFirst && index.column() == 0)
      painter->fillRect(option.rect.left(), option.rect.top(), kBarPx, option.rect.height(), p.now);
    painter->fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1, p.line);
    const QRectF inner = QRectF(option.rect).adjusted(kSidePx, 3, -kSidePx, -3);
    if (!line.fold.isEmpty()) {
      painter->setFont(look::uiFont(look::kNotePx));
      painter->setPen(p.text2);
      look::drawElided(*painter, inner, Qt::AlignLeft | Qt::AlignVCenter, line.fold);
    } else if (const auto& cell = index.column() == 0 ? line.a : line.b) {
      paintCell(*painter, inner, *cell, line, p);
    } else {
      painter->setPen(p.text3);
      painter->setFont(look::uiFont(look::kNotePx));
      painter->drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, tr("no such rung"));
    }
    if (option.state.testFlag(QStyle::State_HasFocus))
      look::drawFocus(*painter, QRectF(option.rect).adjusted(1, 1, -1, -1), p);
    painter->restore();
  }

 private:
  static void paintCell(QPainter& painter, const QRectF& inner, const PairCell& cell, const PairLine& line,
                        const look::Palette& p) {
    const QRectF top(inner.left(), inner.top(), inner.width(), inner.height() / 2);
    const QRectF low(inner.left(), inner.center().y(), inner.width(), inner.height() / 2);
    painter.setFont(
        look::uiFont(look::kBasePx, line.isDifferent ? look::Weight::Bold : look::Weight::Regular));
    const double outcome =
        std::min<double>(painter.fontMetrics().horizontalAdvance(cell.outcome) + 8.0, inner.width() * 0.55);
    painter.setPen(cell.tone == api::Tone::Neutral ? p.text : look::toneColor(cell.tone, p));
    look::drawElided(painter, QRectF(top.right() - outcome, top.top(), outcome, top.height()),
                     Qt::AlignRight | Qt::AlignVCenter, cell.outcome);
    const QRectF left(top.left(), top.top(), top.width() - outcome - 6, top.height());
    painter.setFont(look::uiFont(look::kBasePx, look::Weight::Bold));
    painter.setPen(p.text);
    look::drawElided(painter, left, Qt::AlignLeft | Qt::AlignVCenter, cell.title);
    const double used = painter.fontMetrics().horizontalAdvance(cell.title) + 8;
    painter.setFont(look::monoFont(look::kMonoPx));
    painter.setPen(p.text3);
    if (left.width() - used > 30)
      look::drawElided(painter, left.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                       cell.function);
    painter.setPen(line.isDifferent ? p.text : p.text2);
    look::drawElided(painter, low, Qt::AlignLeft | Qt::AlignVCenter, cell.detail);
  }

  PairTable* m_table;
};

}  // namespace

PairTable::PairTable(QWidget* parent) : QTableWidget(parent) {
  setColumnCount(2);
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  setItemDelegate(new PairDelegate(this));
  setAccessibleName(tr("The first different decision in A and B"));
  setHeads(QStringLiteral("A"), QStringLiteral("B"));
}

void PairTable::setHeads(const QString& a, const QString& b) { setHorizontalHeaderLabels({a, b}); }

void PairTable::setLines(std::vector<PairLine> lines) {
  m_lines = std::move(lines);
  clearSpans();
  setRowCount(0);
  setRowCount(static_cast<int>(m_lines.size()));
  for (int row = 0; row < rowCount(); ++row) {
    const PairLine& line = m_lines[static_cast<std::size_t>(row)];
    const bool isFold = !line.fold.isEmpty();
    setRowHeight(row, static_cast<int>((isFold ? kFoldPx : kLinePx) * look::textScale()));
    if (isFold) setSpan(row, 0, 1, 2);
    for (const int column : {0, 1}) {
      const auto& cell = column == 0 ? line.a : line.b;
      const QString text = isFold ? line.fold : cell ? cell->text() : tr("no such rung");
      auto* item = new QTableWidgetItem(text);
      item->setToolTip(text);
      setItem(row, column, item);
    }
  }
  viewport()->update();
}

void PairTable::showFirst() {
  for (std::size_t row = 0; row < m_lines.size(); ++row)
    if (m_lines[row].isFirst) return scrollToItem(item(static_cast<int>(row), 0), PositionAtCenter);
}

void PairTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy) && currentItem()) {
    QGuiApplication::clipboard()->setText(currentItem()->text());
    return event->accept();
  }
  QTableWidget::keyPressEvent(event);
}

void PairTable::paintEvent(QPaintEvent* event) {
  if (!m_lines.empty()) return QTableWidget::paintEvent(event);
  look::paintEmpty(
      viewport(), tr("Nothing compared yet"),
      tr("Choose what to change and press Compare: the scenario runs twice, with it and without."));
}

}  // namespace rqscope::compare
