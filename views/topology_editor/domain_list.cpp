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
constexpr std::size_t kMostGroups = 64;
constexpr int kMostLetters = 1500;

const api::LayoutCpu* findCpu(const api::MachineLayout& layout, int cpu) {
  for (const api::LayoutCpu& candidate : layout.cpus)
    if (candidate.id == cpu) return &candidate;
  return nullptr;
}

/// The flags, first those that not every domain of the CPU has: they tell the domains apart, and a narrow
/// column cuts the others.
QString flagText(const std::vector<std::string>& flags, const std::vector<std::string>& common) {
  QStringList own, shared;
  for (const std::string& flag : flags) {
    const bool isCommon = std::find(common.begin(), common.end(), flag) != common.end();
    (isCommon ? shared : own) << (flag.starts_with("SD_") ? qs(flag).mid(3) : qs(flag));
  }
  return (own + shared).join(QLatin1Char(' '));
}

/// Flags that every domain of the CPU has; of a single one none, as there is nothing to tell apart.
std::vector<std::string> commonFlags(const api::MachineLayout& layout, const api::LayoutCpu& cpu) {
  if (cpu.domains.size() < 2) return {};
  const auto& flagsOf = [&](std::int32_t domain) -> const std::vector<std::string>& {
    return layout.domains[static_cast<std::size_t>(domain)].flags;
  };
  std::vector<std::string> common = flagsOf(cpu.domains.front());
  for (const std::int32_t domain : cpu.domains)
    std::erase_if(common, [&](const std::string& flag) {
      const auto& flags = flagsOf(domain);
      return std::find(flags.begin(), flags.end(), flag) == flags.end();
    });
  return common;
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

/// Text of the groups; of many the first ones, since nobody reads thousands and laying them out takes long.
QString groupText(const api::MachineLayout& layout, const api::LayoutDomain& domain) {
  QStringList groups;
  const std::size_t shown = std::min(domain.groups.size(), kMostGroups);
  for (std::size_t i = 0; i < shown; ++i)
    groups << qs(look::cpuList(layout.groups[static_cast<std::size_t>(domain.groups[i])].cpus));
  if (shown < domain.groups.size()) groups << QObject::tr("and %1 more").arg(domain.groups.size() - shown);
  return groups.join(QLatin1Char(' '));
}

}  // namespace

/// One domain of a CPU, in words and as it is.
struct DomainList::Row {
  QStringList cells;
  const api::MachineLayout* layout;
  const api::LayoutDomain* domain;

  const std::vector<std::int32_t>& groupCpus(std::size_t i) const {
    return layout->groups[static_cast<std::size_t>(domain->groups[i])].cpus;
  }
  bool hasSameGroups(const Row& other) const {
    if (domain->groups.size() != other.domain->groups.size()) return false;
    for (std::size_t i = 0; i < domain->groups.size(); ++i)
      if (groupCpus(i) != other.groupCpus(i)) return false;
    return true;
  }
  bool isSame(const Row& other, int column) const {
    if (column == Span) return domain->span == other.domain->span;
    if (column == Groups) return hasSameGroups(other);
    if (column == Flags) return domain->flags == other.domain->flags;
    return cells[column] == other.cells[column];
  }
};

/// Every domain of a CPU, highest first.
std::vector<DomainList::Row> DomainList::rowsOf(const api::MachineLayout* layout, int cpu) {
  std::vector<Row> out;
  const api::LayoutCpu* which = layout ? findCpu(*layout, cpu) : nullptr;
  if (!which) return out;
  const std::vector<std::string> common = commonFlags(*layout, *which);
  for (auto it = which->domains.rbegin(); it != which->domains.rend(); ++it) {
    const api::LayoutDomain& domain = layout->domains[static_cast<std::size_t>(*it)];
    out.push_back({{qs(domain.name), qs(look::cpuList(domain.span)).left(kMostLetters),
                    groupText(*layout, domain).left(kMostLetters), flagText(domain.flags, common),
                    capacityText(*layout, domain.span)},
                   layout,
                   &domain});
  }
  return out;
}

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

void DomainList::addRow(const Row& now, const Row* was, bool isGone) {
  const look::Palette& p = look::colors(this);
  const int row = rowCount();
  insertRow(row);
  for (int column = 0; column < ColumnCount; ++column) {
    const QString text = isGone && column > Span ? QString() : now.cells[column];
    auto* item = new QTableWidgetItem(isGone && column == Span ? tr("gone, was %1").arg(text) : text);
    const bool isChanged = was && !was->isSame(now, column);
    QFont font = column == Name ? look::uiFont(look::kBasePx, look::Weight::Bold) : look::monoFont();
    if (isChanged) font.setWeight(QFont::DemiBold);
    item->setFont(font);
    if (isChanged) item->setForeground(p.accent);
    if (isGone) item->setForeground(p.text3);
    item->setToolTip(isChanged ? tr("%1\nbefore: %2").arg(text, was->cells[column]) : text);
    setItem(row, column, item);
  }
  if (isGone) setSpan(row, Span, 1, ColumnCount - Span);
}

/// A domain that was not there before is new in every value.
void DomainList::markNew(int row) {
  for (int column = 0; column < ColumnCount; ++column) {
    QFont font = item(row, column)->font();
    font.setWeight(QFont::DemiBold);
    item(row, column)->setFont(font);
    item(row, column)->setForeground(look::colors(this).accent);
    item(row, column)->setToolTip(tr("%1\nbefore: none").arg(item(row, column)->text()));
  }
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
  std::vector<Row> old = rowsOf(before.get(), cpu);
  const bool hasOld = !old.empty();
  for (const Row& row : rowsOf(now.get(), cpu)) {
    const auto it =
        std::find_if(old.begin(), old.end(), [&](const Row& o) { return o.cells[Name] == row.cells[Name]; });
    if (it == old.end()) {
      addRow(row, nullptr, false);
      if (hasOld) markNew(rowCount() - 1);
    } else {
      addRow(row, &*it, false);
      old.erase(it);
    }
  }
  if (which) {
    for (const Row& row : old) addRow(row, nullptr, true);
  }
  fitColumns();
  updateGeometry();
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

QSize DomainList::sizeHint() const {
  const int rows = std::max(rowCount(), 1) * verticalHeader()->defaultSectionSize();
  return {QTableWidget::sizeHint().width(), horizontalHeader()->sizeHint().height() + rows + 4};
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
