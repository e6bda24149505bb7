// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "domains/domains_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "domains/pill_delegate.h"
#include "look/fonts.h"
#include "look/level_names.h"
#include "look/painting.h"
#include "look/panel.h"
#include "look/words.h"

namespace rqscope::domains {

using look::qs;

namespace {

constexpr int kFactPx = 20, kFactsTopPx = 6, kTreeRowPx = 23;

}  // namespace

/// Names and values of one domain, then its flags as running text.
class FactsPanel : public QWidget {
 public:
  explicit FactsPanel(QWidget* parent) : QWidget(parent) {}
  void setFacts(std::vector<std::pair<QString, QString>> facts, QStringList flags) {
    m_facts = std::move(facts);
    m_flags = std::move(flags);
    setMinimumHeight(static_cast<int>(neededHeight()));
    update();
  }

 protected:
  void resizeEvent(QResizeEvent*) override { setMinimumHeight(static_cast<int>(neededHeight())); }
  double line() const { return kFactPx * look::textScale(); }
  QString flagText() const { return m_flags.join(QStringLiteral(" · ")); }
  double neededHeight() const {
    const double facts = static_cast<double>(m_facts.size()) * line() + 10;
    if (m_flags.isEmpty()) return facts;
    const QRectF text =
        QFontMetricsF(look::monoFont(look::kSmallPx))
            .boundingRect(QRectF(0, 0, std::max(width() - 18, 60), 4000), Qt::TextWordWrap, flagText());
    return facts + line() + text.height() + 18;
  }
  void paintEvent(QPaintEvent*) override {
    const look::Palette& p = look::colors(this);
    QPainter painter(this);
    painter.fillRect(rect(), p.dock);
    painter.fillRect(0, 0, width(), 1, p.line);
    double y = kFactsTopPx;
    for (const auto& [name, value] : m_facts) {
      const QRectF row(9, y, width() - 18, line());
      painter.setFont(look::monoFont());
      const double valueWidth = painter.fontMetrics().horizontalAdvance(value) + 8;
      painter.setPen(p.text);
      painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, value);
      painter.setFont(look::uiFont(look::kNotePx));
      painter.setPen(p.text2);
      look::drawElided(painter, row.adjusted(0, 0, -valueWidth, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
      y += line();
    }
    if (m_flags.isEmpty()) return;
    y += 6;
    painter.setFont(look::uiFont(look::kNotePx, look::Weight::Bold));
    painter.setPen(p.text2);
    painter.drawText(QRectF(9, y, width() - 18, line()), Qt::AlignLeft | Qt::AlignVCenter,
                     QObject::tr("Flags"));
    painter.setFont(look::monoFont(look::kSmallPx));
    painter.drawText(QRectF(9, y + line(), width() - 18, height() - y - line()), Qt::TextWordWrap,
                     flagText());
  }

 private:
  std::vector<std::pair<QString, QString>> m_facts;
  QStringList m_flags;
};

namespace {

/// The facts in whole rows: what is left of a row at the bottom stays empty.
class FactsArea : public QScrollArea {
 public:
  explicit FactsArea(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QScrollArea::resizeEvent(event);
    const int row = static_cast<int>(kFactPx * look::textScale());
    verticalScrollBar()->setSingleStep(row);
    const int rest = std::max(height() - kFactsTopPx, 0) % row;
    const bool isCut = widget() && widget()->minimumHeight() > height();
    const int bottom = isCut ? rest : 0;
    if (viewportMargins().bottom() != bottom) setViewportMargins(0, 0, 0, bottom);
  }
};

}  // namespace

/// The tree, or why the CPU has none.
class DomainTree : public QTreeWidget {
 public:
  using QTreeWidget::QTreeWidget;
  void setReason(const QString& reason) {
    m_reason = reason;
    setAccessibleDescription(reason);
    viewport()->update();
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QTreeWidget::paintEvent(event);
    if (m_reason.isEmpty()) return;
    QPainter painter(viewport());
    painter.setFont(look::uiFont());
    painter.setPen(look::colors(this).text2);
    painter.drawText(viewport()->rect().adjusted(9, 6, -9, -6),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_reason);
  }

 private:
  QString m_reason;
};

namespace {

/// Why a CPU is in no domain; empty when it is in one.
QString reasonOf(const api::MachineLayout& layout, const api::LayoutCpu& cpu) {
  if (!cpu.domains.empty()) return {};
  if (!cpu.online) return QObject::tr("CPU %1 is offline: it is in no domain.").arg(cpu.id);
  if (layout.cpus.size() == 1)
    return QObject::tr("The machine has one CPU: there is no domain, and nothing to balance.");
  if (cpu.isolated) return QObject::tr("CPU %1 is isolated: it balances with no other.").arg(cpu.id);
  return QObject::tr("CPU %1 is alone: it is in no domain.").arg(cpu.id);
}

}  // namespace

DomainsView::DomainsView(QWidget* parent)
    : QWidget(parent),
      m_cpuBox(new QComboBox(this)),
      m_tree(new DomainTree(this)),
      m_facts(new FactsPanel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* strip = new look::ToolStrip(this);
  m_cpuBox->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  strip->addLabel(tr("CPU"));
  strip->addWidget(m_cpuBox);
  strip->addStretch();
  column->addWidget(strip);
  auto* scroll = new FactsArea(this);
  scroll->setWidget(m_facts);
  m_splitter = new QSplitter(Qt::Vertical, this);
  m_splitter->addWidget(m_tree);
  m_splitter->addWidget(scroll);
  m_splitter->setStretchFactor(0, 1);
  m_splitter->setStretchFactor(1, 1);
  m_splitter->setChildrenCollapsible(false);
  m_splitter->setHandleWidth(3);
  m_tree->setMinimumHeight(48);
  scroll->setMinimumHeight(24);
  column->addWidget(m_splitter, 1);
  m_tree->header()->hide();
  m_tree->setIndentation(15);
  m_tree->setItemDelegate(new PillDelegate(m_tree));
  m_tree->setUniformRowHeights(true);
  m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_tree->setAccessibleName(tr("Domains of the selected CPU"));
  connect(m_cpuBox, &QComboBox::activated, this,
          [this] { Q_EMIT cpuActivated(m_cpuBox->currentData().toInt()); });
  connect(m_tree, &QTreeWidget::currentItemChanged, this, &DomainsView::onCurrent);
}

QTreeWidget* DomainsView::tree() const { return m_tree; }

std::pair<int, int> DomainsView::placeOf(const QTreeWidgetItem& item) {
  const QVariant group = item.data(0, kGroupIndexRole);
  const QTreeWidgetItem* domain = group.isValid() ? item.parent() : &item;
  return {domain ? domain->data(0, kDomainIndexRole).toInt() : -1, group.isValid() ? group.toInt() : -1};
}

int DomainsView::levelOf(int domain) const {
  const auto at = static_cast<std::size_t>(domain);
  const bool isKnown = m_frame && m_frame->layout && domain >= 0 && at < m_frame->layout->domains.size();
  return isKnown ? m_frame->layout->domains[at].level : -1;
}

void DomainsView::onCurrent() {
  showFacts();
  const QTreeWidgetItem* item = m_tree->currentItem();
  if (!item || m_isFilling) return;
  const auto [domain, group] = placeOf(*item);
  m_level = levelOf(domain);
  Q_EMIT domainActivated(domain, group);
}

void DomainsView::choose(int domain, int group) {
  const bool wasFilling = std::exchange(m_isFilling, true);
  for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
    QTreeWidgetItem* item = m_tree->topLevelItem(i);
    if (placeOf(*item).first != domain) continue;
    for (int c = 0; group >= 0 && c < item->childCount(); ++c)
      if (placeOf(*item->child(c)).second == group) item = item->child(c);
    m_tree->setCurrentItem(item);
    m_level = levelOf(domain);
    break;
  }
  m_isFilling = wasFilling;
}

void DomainsView::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  const bool isNew = !m_frame || !frame || m_frame->layout != frame->layout;
  m_frame = frame;
  if (isNew) {
    rebuild();
  } else {
    refresh();
  }
}

void DomainsView::setSelectedCpu(int cpu) {
  if (cpu == m_cpu) return;
  m_cpu = cpu;
  rebuild();
}

void DomainsView::rebuild() {
  const bool wasFilling = std::exchange(m_isFilling, true);
  m_tree->clear();
  const QSignalBlocker blocker(m_cpuBox);
  m_cpuBox->clear();
  if (!m_frame || !m_frame->layout || m_frame->layout->cpus.empty()) {
    m_isFilling = wasFilling;
    m_tree->setReason({});
    return m_facts->setFacts({}, {});
  }
  const api::MachineLayout& layout = *m_frame->layout;
  m_names = look::domainNames(layout);
  for (const api::LayoutCpu& cpu : layout.cpus) {
    QString text = QString::number(cpu.id);
    if (!cpu.kind.empty()) text += QStringLiteral(" · ") + qs(cpu.kind);
    m_cpuBox->addItem(text + QStringLiteral(" · %1").arg(cpu.capacity), cpu.id);
  }
  const int at = m_cpuBox->findData(m_cpu);
  m_cpuBox->setCurrentIndex(std::max(at, 0));
  const api::LayoutCpu& shown = layout.cpus[static_cast<std::size_t>(std::max(at, 0))];
  m_tree->setReason(reasonOf(layout, shown));
  const auto& domains = shown.domains;
  for (auto it = domains.rbegin(); it != domains.rend(); ++it) addDomain(*it, it == domains.rbegin());
  // What the user looked at on another CPU stays in view, if this one has it.
  for (int i = 0; i < m_tree->topLevelItemCount() && m_level >= 0; ++i)
    if (levelOf(placeOf(*m_tree->topLevelItem(i)).first) == m_level)
      m_tree->setCurrentItem(m_tree->topLevelItem(i));
  m_isFilling = wasFilling;
  refresh();
  fitTree();
}

void DomainsView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitTree();
}

/// The tree gets the rows it has, as long as a good part is left for the facts.
void DomainsView::fitTree() {
  int rows = 0;
  for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
    rows += 1 + (m_tree->topLevelItem(i)->isExpanded() ? m_tree->topLevelItem(i)->childCount() : 0);
  }
  const int row = static_cast<int>(kTreeRowPx * look::textScale());
  const int all = m_splitter->height();
  // A reason in place of a tree has the whole height; rows are never cut.
  const int most = rows == 0 ? all : all * 57 / 100;
  const int tree = rows == 0 ? most : std::min(rows, std::max(most / row, 1)) * row + 2;
  m_splitter->setSizes({tree, all - tree});
}

void DomainsView::addDomain(std::int32_t index, bool isTop) {
  const api::MachineLayout& layout = *m_frame->layout;
  const api::LayoutDomain& domain = layout.domains[static_cast<std::size_t>(index)];
  auto* item = new QTreeWidgetItem(m_tree);
  const QString name = qs(m_names[static_cast<std::size_t>(index)]);
  item->setText(0, name);
  item->setData(0, kMonoRole, qs(look::cpuList(domain.span)));
  item->setData(
      0, Qt::AccessibleTextRole,
      tr("domain %1 %2, %3 groups").arg(name, qs(look::cpuList(domain.span))).arg(domain.groups.size()));
  item->setData(0, kNoteRole, tr("%1 groups").arg(domain.groups.size()));
  item->setData(0, kDomainIndexRole, index);
  for (const std::int32_t group : domain.groups) {
    auto* child = new QTreeWidgetItem(item);
    child->setData(
        0, Qt::AccessibleTextRole,
        tr("group %1").arg(qs(look::cpuList(layout.groups[static_cast<std::size_t>(group)].cpus))));
    child->setData(0, kMonoRole, qs(look::cpuList(layout.groups[static_cast<std::size_t>(group)].cpus)));
    child->setData(0, kGroupIndexRole, group);
  }
  item->setExpanded(isTop || domain.groups.size() <= 8);
  if (isTop) m_tree->setCurrentItem(item);
}

namespace {

/// The CPU whose pass gave the group the type it has in this frame, inside a decision; -1: no pass did.
int cpuOfPass(const api::Frame& frame, std::size_t group) {
  if (frame.rung < 0 || !frame.ladder) return -1;
  for (const api::Rung& rung : frame.ladder->rungs)
    for (const api::RungRow& row : rung.rows)
      if (row.subject.kind == api::SubjectKind::Group && !row.groupType.empty() &&
          row.subject.id == static_cast<std::int32_t>(group))
        return frame.ladder->cpu;
  return -1;
}

}  // namespace

void DomainsView::refresh() {
  for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
    QTreeWidgetItem* domain = m_tree->topLevelItem(i);
    for (int c = 0; c < domain->childCount(); ++c) {
      const auto group = static_cast<std::size_t>(domain->child(c)->data(0, kGroupIndexRole).toInt());
      if (group >= m_frame->groups.size()) continue;
      domain->child(c)->setData(0, kGroupTypeRole, qs(m_frame->groups[group].type));
      domain->child(c)->setData(0, Qt::AccessibleDescriptionRole, qs(m_frame->groups[group].type));
      const int passCpu = cpuOfPass(*m_frame, group);
      const bool isOther = passCpu >= 0 && passCpu != m_cpu;
      domain->child(c)->setData(0, kNoteRole,
                                isOther ? tr("to CPU %1").arg(passCpu) : (c == 0 ? tr("local") : QString()));
    }
  }
  showFacts();
}

void DomainsView::showFacts() {
  QTreeWidgetItem* item = m_tree->currentItem();
  if (!item || !m_frame) return m_facts->setFacts({}, {});
  std::vector<std::pair<QString, QString>> facts;
  const QVariant groupIndex = item->data(0, kGroupIndexRole);
  if (groupIndex.isValid() && groupIndex.toUInt() < m_frame->groups.size()) {
    const api::GroupFrame& g = m_frame->groups[groupIndex.toUInt()];
    facts = {{QStringLiteral("group_type"), qs(g.type)},
             {QStringLiteral("group_load"), QString::number(g.load)},
             {QStringLiteral("group_util"), QString::number(g.util)},
             {QStringLiteral("group_runnable"), QString::number(g.runnable)},
             {QStringLiteral("group_capacity"), QString::number(g.capacity)},
             {QStringLiteral("sum_nr_running"), QString::number(g.nrRunning)},
             {QStringLiteral("idle_cpus"), QString::number(g.idleCpus)}};
    QStringList flags;
    for (const std::string& flag : m_frame->layout->groups[groupIndex.toUInt()].flags) flags << qs(flag);
    return m_facts->setFacts(std::move(facts), flags);
  }
  const auto index = static_cast<std::size_t>(item->data(0, kDomainIndexRole).toInt());
  if (index >= m_frame->domains.size()) return;
  const api::LayoutDomain& domain = m_frame->layout->domains[index];
  const api::DomainFrame& now = m_frame->domains[index];
  std::int64_t capacity = 0, least = 0, most = 0;
  for (std::size_t i = 0; i < m_frame->cpus.size(); ++i) {
    if (!std::binary_search(domain.span.begin(), domain.span.end(), m_frame->cpus[i].id)) continue;
    const std::int64_t own = m_frame->cpus[i].capacity;
    least = capacity == 0 ? own : std::min(least, own);
    most = std::max(most, own);
    capacity += own;
  }
  facts = {
      {QStringLiteral("nr_balance_failed"), QString::number(now.nrBalanceFailed)},
      {QStringLiteral("balance_interval"),
       tr("%1 ms (%2-%3)").arg(now.balanceIntervalMs).arg(domain.minIntervalMs).arg(domain.maxIntervalMs)},
      {QStringLiteral("imbalance_pct"), QString::number(domain.imbalancePct)},
      {QStringLiteral("capacity"), QString::number(capacity)},
      {QStringLiteral("min / max capacity"), QStringLiteral("%1 / %2").arg(least).arg(most)},
      {QStringLiteral("cache_nice_tries"), QString::number(domain.cacheNiceTries)},
      {QStringLiteral("busy_factor"), QString::number(domain.busyFactor)},
      {QStringLiteral("max_newidle_lb_cost"), qs(look::durationText(now.maxNewidleCostNs))}};
  if (domain.imbNumaNr > 0)
    facts.emplace_back(QStringLiteral("imb_numa_nr"), QString::number(domain.imbNumaNr));
  QStringList flags;
  for (const std::string& flag : domain.flags) flags << qs(flag);
  m_facts->setFacts(std::move(facts), flags);
}

}  // namespace rqscope::domains
