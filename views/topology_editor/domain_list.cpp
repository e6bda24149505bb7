// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/domain_list.h"

#include <QHeaderView>
#include <QPainter>
#include <algorithm>
#include <optional>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"
#include "topology_editor/cell_delegate.h"

namespace rqscope::topology_editor {
namespace {

using look::qs;

constexpr int kLeastListPx = 96;

const api::LayoutCpu* findCpu(const api::MachineLayout& layout, int cpu) {
  for (const api::LayoutCpu& candidate : layout.cpus)
    if (candidate.id == cpu) return &candidate;
  return nullptr;
}

QString flagText(const std::vector<std::string>& flags) {
  QStringList out;
  for (const std::string& flag : flags) out << (flag.starts_with("SD_") ? qs(flag).mid(3) : qs(flag));
  return out.join(QLatin1Char(' '));
}

QString capacityText(const api::MachineLayout& layout, const std::vector<std::int32_t>& span) {
  std::int64_t sum = 0, least = 0, most = 0;
  for (const api::LayoutCpu& cpu : layout.cpus) {
    if (!std::binary_search(span.begin(), span.end(), cpu.id)) continue;
    least = sum == 0 ? cpu.capacity : std::min<std::int64_t>(least, cpu.capacity);
    most = std::max<std::int64_t>(most, cpu.capacity);
    sum += cpu.capacity;
  }
  if (least == most) return QString::number(sum);
  return QStringLiteral("%1 (%2-%3)").arg(sum).arg(least).arg(most);
}

QStringList cellsOf(const api::MachineLayout& layout, const api::LayoutDomain& domain) {
  QStringList groups;
  for (const std::int32_t group : domain.groups)
    groups << qs(look::cpuList(layout.groups[static_cast<std::size_t>(group)].cpus));
  return {qs(domain.name), qs(look::cpuList(domain.span)), groups.join(QLatin1Char(' ')),
          flagText(domain.flags), capacityText(layout, domain.span)};
}

/// Cells of every domain of a CPU, highest first.
std::vector<QStringList> rowsOf(const api::MachineLayout* layout, int cpu) {
  std::vector<QStringList> out;
  const api::LayoutCpu* which = layout ? findCpu(*layout, cpu) : nullptr;
  if (!which) return out;
  for (auto it = which->domains.rbegin(); it != which->domains.rend(); ++it)
    out.push_back(cellsOf(*layout, layout->domains[static_cast<std::size_t>(*it)]));
  return out;
}

}  // namespace

DomainList::DomainList(QWidget* parent) : QTableWidget(0, ColumnCount, parent) {
  setHorizontalHeaderLabels({tr("Domain"), tr("Span"), tr("Groups"), tr("Flags"), tr("Capacity")});
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(static_cast<int>(23 * look::textScale()));
  setShowGrid(false);
  setItemDelegate(new CellDelegate(this));
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setWordWrap(false);
  setTextElideMode(Qt::ElideRight);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setAccessibleName(tr("Sched domains of the chosen CPU"));
  setMinimumHeight(70);
}

void DomainList::addRow(const QStringList& cells, const QStringList* was, bool isGone) {
  const look::Palette& p = look::colors(this);
  const int row = rowCount();
  insertRow(row);
  for (int column = 0; column < ColumnCount; ++column) {
    const QString text = isGone && column > Span ? QString() : cells[column];
    auto* item = new QTableWidgetItem(isGone && column == Span ? tr("gone, was %1").arg(text) : text);
    const bool isChanged = was && (*was)[column] != cells[column];
    QFont font = column == Name ? look::uiFont(look::kBasePx, look::Weight::Bold) : look::monoFont();
    if (isChanged) font.setWeight(QFont::DemiBold);
    item->setFont(font);
    if (isChanged) item->setForeground(p.accent);
    if (isGone) item->setForeground(p.text3);
    item->setToolTip(isChanged ? tr("%1\nbefore: %2").arg(text, (*was)[column]) : text);
    setItem(row, column, item);
  }
  if (isGone) setSpan(row, Span, 1, ColumnCount - Span);
}

void DomainList::show(const std::shared_ptr<const api::MachineLayout>& now,
                      const std::shared_ptr<const api::MachineLayout>& before, int cpu) {
  clearSpans();
  setRowCount(0);
  m_reason.clear();
  const api::LayoutCpu* which = now ? findCpu(*now, cpu) : nullptr;
  if (!which) {
    m_reason = now ? tr("Choose a CPU in the table above") : tr("No domains yet");
  } else if (which->domains.empty()) {
    m_reason = !which->online    ? tr("CPU %1 is offline: it is in no domain").arg(cpu)
               : which->isolated ? tr("CPU %1 balances with no other: it is in no domain").arg(cpu)
                                 : tr("CPU %1 is alone: it is in no domain").arg(cpu);
  }
  std::vector<QStringList> old = rowsOf(before.get(), cpu);
  const bool hasOld = !old.empty();
  for (const QStringList& cells : rowsOf(now.get(), cpu)) {
    const auto it =
        std::find_if(old.begin(), old.end(), [&](const auto& o) { return o[Name] == cells[Name]; });
    const QStringList none(ColumnCount);
    const QStringList was = it == old.end() ? none : *it;
    if (it != old.end()) old.erase(it);
    addRow(cells, hasOld ? &was : nullptr, false);
  }
  if (which) {
    for (const QStringList& cells : old) addRow(cells, nullptr, true);
  }
  fitColumns();
  viewport()->update();
}

/// Every column as wide as its text; when they do not fit, the long lists share what is left.
void DomainList::fitColumns() {
  resizeColumnsToContents();
  int all = 0, lists = 0;
  for (int column = 0; column < ColumnCount; ++column) {
    setColumnWidth(column, columnWidth(column) + 6);
    all += columnWidth(column);
    if (column == Span || column == Groups || column == Flags) lists += columnWidth(column);
  }
  const int over = all - viewport()->width();
  if (over <= 0 || lists <= 0) return;
  const int least = static_cast<int>(kLeastListPx * look::textScale());
  int others = columnWidth(Name) + columnWidth(Capacity);
  for (const int column : {Span, Groups}) {
    const int share = columnWidth(column) - over * columnWidth(column) / lists;
    setColumnWidth(column, std::max(share, std::min(columnWidth(column), least)));
    others += columnWidth(column);
  }
  setColumnWidth(Flags, std::max(viewport()->width() - others, least));
}

void DomainList::resizeEvent(QResizeEvent* event) {
  QTableWidget::resizeEvent(event);
  fitColumns();
}

QString DomainList::cell(int row, int column) const {
  const QTableWidgetItem* which = item(row, column);
  return which ? which->text() : QString();
}

void DomainList::paintEvent(QPaintEvent* event) {
  QTableWidget::paintEvent(event);
  if (m_reason.isEmpty()) return;
  const look::Palette& p = look::colors(this);
  QPainter painter(viewport());
  painter.setFont(look::uiFont());
  painter.setPen(p.text2);
  const int top = rowCount() * verticalHeader()->defaultSectionSize();
  painter.drawText(viewport()->rect().adjusted(9, top + 6, -9, 0),
                   Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_reason);
}

}  // namespace rqscope::topology_editor
