// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueues/queue_table.h"

#include <QContextMenuEvent>
#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::runqueues {
namespace {

using look::qs;

constexpr double kChipPx = 18, kChipGapPx = 4, kLongChipPx = 54;

double chipWidth(const QString& name, const QFontMetricsF& metrics) {
  return std::clamp(metrics.horizontalAdvance(name) + 10, kChipPx, kLongChipPx);
}

}  // namespace

void QueueModel::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  const std::size_t before = m_frame ? m_frame->cpus.size() : 0;
  const std::size_t now = frame ? frame->cpus.size() : 0;
  if (before != now) {
    beginResetModel();
    m_frame = frame;
    endResetModel();
    return;
  }
  m_frame = frame;
  if (now > 0) Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(now) - 1, kColumns - 1));
}

void QueueModel::setCapacityShown(bool isShown) {
  if (isShown == m_hasCapacity) return;
  m_hasCapacity = isShown;
  Q_EMIT headerDataChanged(Qt::Horizontal, kUtil, kUtil);
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, kUtil), index(rowCount() - 1, kUtil));
}

int QueueModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_frame ? 0 : static_cast<int>(m_frame->cpus.size());
}

int QueueModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant QueueModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_frame) return {};
  const api::CpuFrame& cpu = m_frame->cpus[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole) {
    return static_cast<int>((index.column() >= kCount ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role == Qt::FontRole) return index.column() == kCpu ? look::uiFont() : look::monoFont();
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole && role != Qt::ToolTipRole) return {};
  switch (index.column()) {
    case kCpu:
      return QString::number(cpu.id);
    case kRuns:
      if (!cpu.online) return tr("offline");
      if (cpu.running < 0) return cpu.isIdle ? tr("idle") : tr("stopper");
      return qs(m_frame->tasks[static_cast<std::size_t>(cpu.running)].name);
    case kQueue: {
      QStringList names;
      for (const std::int32_t task : cpu.queued)
        names << qs(m_frame->tasks[static_cast<std::size_t>(task)].name);
      return names.join(QStringLiteral(" "));
    }
    case kCount:
      return QString::number(cpu.nrRunning);
    default:
      if (!m_hasCapacity && role == Qt::DisplayRole) return QString::number(cpu.util);
      return QStringLiteral("%1 / %2").arg(cpu.util).arg(cpu.capacity);
  }
}

QVariant QueueModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((section >= kCount ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  const QString names[] = {tr("CPU"), tr("Runs"), tr("Queue"), tr("nr"),
                           m_hasCapacity ? tr("util / cap") : tr("util")};
  return names[section];
}

void ChipDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  const auto* model = static_cast<const QueueModel*>(index.model());
  const api::Frame* frame = model->frame();
  const look::Palette& p = look::colors(option.widget);
  const auto& cpu = frame->cpus[static_cast<std::size_t>(index.row())];
  const bool isRuns = index.column() == QueueModel::kRuns;
  const bool isText = !isRuns && index.column() != QueueModel::kQueue;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (option.state.testFlag(QStyle::State_Selected)) {
    painter->fillRect(option.rect, p.selection);
  } else if (index.row() % 2 == 1) {
    painter->fillRect(option.rect, look::mix(p.head, p.dock, 0.5));
  }
  const QRectF cell = QRectF(option.rect).adjusted(6, 0, -3, 0);
  if (isText) {
    const bool isCount = index.column() >= QueueModel::kCount;
    painter->setPen(p.text);
    painter->setFont(isCount ? look::monoFont() : look::uiFont());
    const QRectF text = cell.adjusted(0, 0, -3, 0);
    look::drawElided(*painter, text, (isCount ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                     index.data().toString());
    return painter->restore();
  }
  const double height = 16 * look::textScale();
  if (isRuns && cpu.running < 0) {
    painter->setPen(p.text3);
    painter->setFont(look::uiFont());
    painter->drawText(cell, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
    return painter->restore();
  }
  std::vector<std::int32_t> tasks = cpu.queued;
  if (isRuns) tasks = {cpu.running};
  const QFontMetricsF metrics(look::uiFont(look::kSmallPx, look::Weight::Bold));
  double x = cell.left();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const api::TaskFrame& task = frame->tasks[static_cast<std::size_t>(tasks[i])];
    const double width =
        std::min(chipWidth(qs(task.name), metrics), std::max(cell.right() - cell.left(), kChipPx));
    const bool isLast = i + 1 == tasks.size();
    if (x + width + (isLast ? 0 : 22) > cell.right() + 1) {
      painter->setPen(p.text2);
      painter->setFont(look::uiFont(look::kSmallPx));
      painter->drawText(QRectF(x, cell.top(), cell.right() - x, cell.height()),
                        Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("+%1").arg(tasks.size() - i));
      break;
    }
    const look::TaskForm form = isRuns ? look::TaskForm::Running : look::taskForm(task.state);
    look::drawTaskChip(*painter, QRectF(x, cell.center().y() - height / 2, width, height), qs(task.name),
                       task.id, form, p.theme);
    x += width + kChipGapPx;
  }
  painter->restore();
}

QueueTable::QueueTable(QWidget* parent) : QTableView(parent), m_model(new QueueModel(this)) {
  setModel(m_model);
  setItemDelegate(new ChipDelegate(this));
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  verticalHeader()->hide();
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTabKeyNavigation(false);
  setAccessibleName(tr("Runqueues"));
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (now.isValid() && m_model->frame())
      Q_EMIT cpuActivated(m_model->frame()->cpus[static_cast<std::size_t>(now.row())].id);
  });
  fitColumns();
}

void QueueTable::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  m_model->setFrame(frame);
  fitColumns();
}

void QueueTable::setSelectedCpu(int cpu) {
  const api::Frame* frame = m_model->frame();
  for (std::size_t i = 0; frame && i < frame->cpus.size(); ++i) {
    if (frame->cpus[i].id != cpu) continue;
    const QSignalBlocker blocker(selectionModel());
    setCurrentIndex(m_model->index(static_cast<int>(i), 0));
    viewport()->update();
    return;
  }
}

void QueueTable::fitColumns() {
  const double scale = look::textScale();
  verticalHeader()->setDefaultSectionSize(static_cast<int>(22 * scale));
  bool isNamed = false;
  if (const api::Frame* frame = m_model->frame()) {
    for (const api::TaskFrame& task : frame->tasks) isNamed = isNamed || task.name.size() > 2;
  }
  const int width = std::max(viewport()->width(), 120);
  const int cpu = headed(QueueModel::kCpu, 36 * scale);
  const int count = headed(QueueModel::kCount, 26 * scale);
  const int queue = headed(QueueModel::kQueue, 24 * scale);
  const int most = headed(QueueModel::kRuns, (isNamed ? 66 : 48) * scale);
  const int least = headed(QueueModel::kRuns, 46 * scale);
  // The head of Queue is never cut: first the capacity goes, then Runs shrinks to one chip, then util goes.
  const int rest = cpu + count + queue;
  const bool hasCapacity = rest + most + static_cast<int>(92 * scale) <= width;
  m_model->setCapacityShown(hasCapacity);
  int util = headed(QueueModel::kUtil, (hasCapacity ? 92 : 46) * scale);
  const bool isNarrow = rest + least + util > width;
  if (isNarrow) util = 0;
  const int runs = std::clamp(width - rest - util, least, most);
  setColumnHidden(QueueModel::kUtil, isNarrow);
  setColumnWidth(QueueModel::kCpu, cpu);
  setColumnWidth(QueueModel::kRuns, runs);
  setColumnWidth(QueueModel::kCount, count);
  setColumnWidth(QueueModel::kUtil, util);
  setColumnWidth(QueueModel::kQueue, std::max(width - cpu - runs - count - util, queue));
}

/// Width of a column, at least that of its head.
int QueueTable::headed(int column, double px) const {
  return std::max(static_cast<int>(px), horizontalHeader()->sectionSizeHint(column));
}

int QueueTable::cpuOf(const QModelIndex& index) const {
  const api::Frame* frame = m_model->frame();
  return index.isValid() && frame ? frame->cpus[static_cast<std::size_t>(index.row())].id : -1;
}

void QueueTable::mouseDoubleClickEvent(QMouseEvent* event) {
  const QModelIndex index = indexAt(event->pos());
  const int cpu = cpuOf(index);
  if (cpu < 0) return;
  if (index.column() == QueueModel::kUtil) {
    // Two numbers in one cell: left of the sign the utilisation, right of it the capacity.
    const QRect cell = visualRect(index);
    const QString text = index.data().toString();
    const QFontMetricsF metrics(look::monoFont());
    const double sign = cell.right() - 6 - metrics.horizontalAdvance(text.section(QLatin1Char('/'), 1));
    Q_EMIT numberActivated({event->pos().x() < sign ? "util" : "capacity", cpu, -1, -1});
  } else if (index.column() == QueueModel::kCount) {
    Q_EMIT numberActivated({"nr_running", cpu, -1, -1});
  } else {
    QTableView::mouseDoubleClickEvent(event);
  }
}

void QueueTable::keyPressEvent(QKeyEvent* event) {
  const int cpu = cpuOf(currentIndex());
  if (cpu >= 0 && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter))
    return Q_EMIT numberActivated({"util", cpu, -1, -1});
  QTableView::keyPressEvent(event);
}

void QueueTable::contextMenuEvent(QContextMenuEvent* event) {
  const bool isMouse = event->reason() == QContextMenuEvent::Mouse;
  const QModelIndex index = isMouse ? indexAt(event->pos()) : currentIndex();
  const int cpu = cpuOf(index);
  if (cpu < 0) return;
  Q_EMIT menuWanted(cpu, isMouse ? event->globalPos() : viewport()->mapToGlobal(visualRect(index).center()));
}

void QueueTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  fitColumns();
}

void QueueTable::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() == QEvent::FontChange) fitColumns();
}

}  // namespace rqscope::runqueues
