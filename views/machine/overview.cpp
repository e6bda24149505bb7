// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/overview.h"

#include <QGridLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <set>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"

namespace rqscope::machine {
namespace {

constexpr double kReachPx = 5.5;  ///< over the gaps between tiles, so that what is in sight is one outline
constexpr double kRowPx = 21, kBarPx = 7, kCountPx = 26, kEdgePx = 9;
constexpr int kDragPx = 4;

}  // namespace

MiniMap::MiniMap(QWidget* parent) : Canvas(parent) {
  setAccessibleName(tr("Map of the machine"));
  setFocusPolicy(Qt::NoFocus);  // what it does is done by keys in the machine
  setToolTip(tr("Drag to move what the machine shows; click to choose a group's first CPU"));
  setMotion(false);
  hideSpans();
  setDetail(Detail::Group);
}

void MiniMap::follow(Canvas* machine) {
  m_machine = machine;
  connect(machine, &Canvas::viewChanged, this, [this] { adoptChoices(*m_machine); });
  adoptChoices(*machine);
}

QPainterPath MiniMap::sight() const {
  QPainterPath path;
  path.setFillRule(Qt::WindingFill);  // tiles that meet are one
  if (!m_machine) return path;
  const std::vector<std::int32_t> cpus = m_machine->cpusInSight();
  for (const BoxItem& box : geometryShown().boxes) {
    if (!box.isTile) continue;
    const bool isSeen = std::any_of(box.cpus.begin(), box.cpus.end(), [&](std::int32_t cpu) {
      return std::binary_search(cpus.begin(), cpus.end(), cpu);
    });
    if (isSeen) path.addRect(box.rect.adjusted(-kReachPx, -kReachPx, kReachPx, kReachPx));
  }
  return path.simplified();
}

void MiniMap::paintEvent(QPaintEvent* event) {
  Canvas::paintEvent(event);
  if (!frame()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(-toScene(QPointF(0, 0)));
  painter.setPen(QPen(look::colors(this).accent, 2));
  painter.drawPath(sight());
}

int MiniMap::cpuAt(QPointF point) const {
  const int box = geometryShown().boxAt(toScene(point));
  if (box < 0 || !geometryShown().boxes[static_cast<std::size_t>(box)].isTile) return -1;
  return geometryShown().boxes[static_cast<std::size_t>(box)].cpus.front();
}

void MiniMap::wheelEvent(QWheelEvent* event) { event->ignore(); }

void MiniMap::mousePressEvent(QMouseEvent* event) {
  m_pressed = event->position();
  mouseMoveEvent(event);
}

void MiniMap::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton) || !m_machine) return;
  if (const int cpu = cpuAt(event->position()); cpu >= 0) m_machine->centerOn(cpu);
}

void MiniMap::mouseReleaseEvent(QMouseEvent* event) {
  const bool isClick = (event->position() - m_pressed).manhattanLength() < kDragPx;
  const int cpu = cpuAt(event->position());
  if (isClick && cpu >= 0 && event->button() == Qt::LeftButton) Q_EMIT cpuActivated(cpu);
}

void MiniMap::mouseDoubleClickEvent(QMouseEvent* event) { mousePressEvent(event); }

TypeCounts::TypeCounts(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  setAccessibleName(tr("Group types"));
}

void TypeCounts::setRows(std::vector<Row> rows, int groups) {
  if (rows == m_rows && groups == m_groups) return;
  const bool isOtherHeight = rows.size() != m_rows.size();
  m_rows = std::move(rows);
  m_groups = groups;
  QStringList words;
  for (const auto& [type, count] : m_rows) words << QStringLiteral("%1 %2").arg(look::qs(type)).arg(count);
  setAccessibleDescription(words.join(QStringLiteral(", ")));
  if (isOtherHeight) updateGeometry();
  update();
}

QSize TypeCounts::sizeHint() const {
  return {200, static_cast<int>(kRowPx * look::textScale() * static_cast<double>(m_rows.size()))};
}

void TypeCounts::paintEvent(QPaintEvent*) {
  const look::Palette& p = look::colors(this);
  const double scale = look::textScale(), row = kRowPx * scale;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  double widest = 0;
  for (const auto& [type, count] : m_rows)
    widest = std::max(widest, look::pillWidth(type, look::PillForm::Full));
  double y = 0;
  for (const auto& [type, count] : m_rows) {
    look::drawPill(painter, {kEdgePx, y + (row - look::kPillHeight * scale) / 2}, type, look::PillForm::Full,
                   p.theme);
    const double left = kEdgePx + widest + 12, right = width() - kEdgePx - kCountPx * scale;
    const QRectF bar(left, y + (row - kBarPx) / 2, std::max(right - left, 0.0), kBarPx);
    painter.fillRect(bar, p.line);
    const double share = m_groups > 0 ? static_cast<double>(count) / m_groups : 0;
    painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * share, kBarPx),
                     look::groupTypeLook(type, p.theme).fill);
    painter.setFont(look::monoFont());
    painter.setPen(p.text);
    painter.drawText(QRectF(right, y, width() - kEdgePx - right, row), Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(count));
    y += row;
  }
}

Overview::Overview(QWidget* parent)
    : QWidget(parent),
      m_map(new MiniMap(this)),
      m_counts(new TypeCounts(this)),
      m_cpus(new QLabel(this)),
      m_level(new QLabel(this)),
      m_idle(look::monoLabel(QString(), this)),
      m_waiting(look::monoLabel(QString(), this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 6);
  column->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(9, 5, 9, 0);
  m_level->setFont(look::uiFont(look::kNotePx));
  head->addWidget(m_cpus);
  head->addStretch(1);
  head->addWidget(m_level);
  column->addLayout(head);
  column->addWidget(m_map, 1);
  column->addWidget(m_counts);
  auto* sums = new QGridLayout;
  sums->setContentsMargins(9, 4, 9, 0);
  sums->setVerticalSpacing(2);
  sums->addWidget(new QLabel(tr("Idle CPUs"), this), 0, 0);
  sums->addWidget(m_idle, 0, 1, Qt::AlignRight);
  sums->addWidget(new QLabel(tr("Tasks waiting"), this), 1, 0);
  sums->addWidget(m_waiting, 1, 1, Qt::AlignRight);
  column->addLayout(sums);
  connect(m_map, &MiniMap::cpuActivated, this, &Overview::cpuActivated);
}

void Overview::follow(Canvas* machine) {
  m_map->follow(machine);
  connect(machine, &Canvas::viewChanged, this, &Overview::count);
}

void Overview::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  m_map->setFrame(frame);
  count();
}

void Overview::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  count();
}

QString Overview::idleText() const { return m_idle->text(); }
QString Overview::waitingText() const { return m_waiting->text(); }

void Overview::count() {
  const auto& frame = m_map->frame();
  if (!frame || !frame->layout || !isVisible()) return;
  const api::MachineLayout& layout = *frame->layout;
  std::set<std::int32_t> groups;
  for (const Level& level : levelsOf(layout))
    for (const api::LayoutDomain& domain : layout.domains)
      if (level.label == m_map->level() && isAt(domain, level))
        groups.insert(domain.groups.begin(), domain.groups.end());
  std::vector<TypeCounts::Row> rows;
  for (const std::string_view type : look::groupTypeNames()) {
    const auto isOfType = [&](std::int32_t group) {
      return static_cast<std::size_t>(group) < frame->groups.size() &&
             frame->groups[static_cast<std::size_t>(group)].type == type;
    };
    const auto count = static_cast<int>(std::count_if(groups.begin(), groups.end(), isOfType));
    if (count > 0) rows.emplace_back(std::string(type), count);
  }
  m_counts->setRows(std::move(rows), static_cast<int>(groups.size()));
  int idle = 0;
  std::size_t waiting = 0;
  for (const api::CpuFrame& cpu : frame->cpus) {
    idle += cpu.online && cpu.isIdle ? 1 : 0;
    waiting += cpu.queued.size();
  }
  m_cpus->setText(tr("%1 CPUs").arg(layout.cpus.size()));
  m_level->setText(tr("%1 groups at %2").arg(groups.size()).arg(look::qs(m_map->level())));
  m_idle->setText(QString::number(idle));
  m_waiting->setText(QString::number(waiting));
}

}  // namespace rqscope::machine
