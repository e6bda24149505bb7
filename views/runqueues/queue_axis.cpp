// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueues/queue_axis.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"
#include "look/words.h"
#include "runqueues/queue_axis_metrics.h"

namespace rqscope::runqueues {
namespace {

using look::Palette;
using look::qs;

using namespace axis;

constexpr double kLeastTickPx = 46;

/// 1, 2 or 5 times a power of ten, such that the labels have room.
double tickStep(double span, double widthPx) {
  const double least = span * px(kLeastTickPx) / std::max(widthPx, 1.0);
  const double power = std::pow(10, std::floor(std::log10(std::max(least, 1e-6))));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

}  // namespace

QueueAxis::QueueAxis(QWidget* parent) : QAbstractScrollArea(parent) {
  look::installAccessibleItems();  // before anything is said of this widget
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Queue of one CPU by virtual time"));
  viewport()->setMouseTracking(true);
}

void QueueAxis::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  m_frame = frame;
  if (m_cpu < 0 && frame && !frame->cpus.empty()) m_cpu = frame->cpus.front().id;
  if (m_cpu >= 0 && isVisible()) Q_EMIT queueWanted(m_cpu);
  viewport()->update();
}

void QueueAxis::setSelectedCpu(int cpu) {
  m_cpu = cpu;
  m_focused = -1;
  if (cpu >= 0) Q_EMIT queueWanted(cpu);
}

void QueueAxis::setQueue(int cpu, const std::shared_ptr<const std::vector<api::QueueEntity>>& queue) {
  if (cpu != m_cpu) return;
  m_queue = queue;
  rebuild();
}

QString QueueAxis::keyOf(const api::QueueEntity& entity, int depth) const {
  return QStringLiteral("%1/%2/%3").arg(depth).arg(entity.group).arg(qs(entity.name));
}

void QueueAxis::addRows(const std::vector<api::QueueEntity>& entities, int depth, const std::string& path) {
  std::vector<const api::QueueEntity*> order;
  for (const api::QueueEntity& entity : entities) order.push_back(&entity);
  const bool byVruntime = isCfs();
  std::stable_sort(order.begin(), order.end(), [byVruntime](const auto* a, const auto* b) {
    return byVruntime ? a->vruntime < b->vruntime : a->deadline < b->deadline;
  });
  for (const api::QueueEntity* entity : order) {
    m_rows.push_back({entity, depth, {}});
    if (!entity->children.empty() && !m_closed.contains(keyOf(*entity, depth)))
      addRows(entity->children, depth + 1, path + entity->name);
  }
}

void QueueAxis::rebuild() {
  m_rows.clear();
  if (m_queue) addRows(*m_queue, 0, {});
  const double free = viewport()->height() - px(kHeadPx) - px(kFootPx);
  const double count = std::max<double>(static_cast<double>(m_rows.size()), 1);
  const double height = std::clamp(free / count, px(kRowLeastPx), px(kRowMostPx));
  double y = px(kHeadPx);
  for (Row& row : m_rows) {
    row.rect = QRectF(0, y, viewport()->width(), height);
    y += height;
  }
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(y + px(kFootPx)) - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  viewport()->update();
}

void QueueAxis::resizeEvent(QResizeEvent*) { rebuild(); }

const api::CpuFrame* QueueAxis::cpuFrame() const {
  if (!m_frame) return nullptr;
  const auto it = std::find_if(m_frame->cpus.begin(), m_frame->cpus.end(),
                               [&](const api::CpuFrame& cpu) { return cpu.id == m_cpu; });
  return it == m_frame->cpus.end() ? nullptr : &*it;
}

int QueueAxis::slotOf(const api::QueueEntity& entity) const {
  if (entity.task < 0 || !m_frame || static_cast<std::size_t>(entity.task) >= m_frame->tasks.size())
    return -1;
  return m_frame->tasks[static_cast<std::size_t>(entity.task)].id;
}

bool QueueAxis::hasAxis() const {
  return std::any_of(m_rows.begin(), m_rows.end(), [](const Row& row) { return !row.entity->isThrottled; });
}

QueueAxis::Axis QueueAxis::axisOf() const {
  Axis axis;
  axis.left = px(kNamePx);
  axis.right = std::max(viewport()->width() - px(kFiguresPx), axis.left + 40);
  const api::CpuFrame* cpu = cpuFrame();
  const double v = cpu && !isCfs() ? milliseconds(cpu->averageVruntime) : 0;
  axis.low = axis.high = v;
  for (const Row& row : m_rows) {
    if (row.entity->isThrottled) continue;
    axis.low = std::min(axis.low, milliseconds(startOf(row)));
    axis.high = std::max(axis.high, milliseconds(endOf(row)));
  }
  const double span = std::max(axis.high - axis.low, 1.0);
  axis.low -= span * 0.06;
  axis.high += span * 0.06;
  return axis;
}

QString QueueAxis::lineText(double v) const {
  // CFS counts vruntimes from min_vruntime on, so that is where the line stands.
  return isCfs() ? QStringLiteral("min_vruntime") : QStringLiteral("V = %1").arg(v, 0, 'f', 3);
}

std::int64_t QueueAxis::startOf(const Row& row) const {
  if (row.depth == 0 || isCfs()) return row.entity->vruntime;
  const api::CpuFrame* cpu = cpuFrame();
  return (cpu ? cpu->averageVruntime : 0) - row.entity->lag;
}

std::int64_t QueueAxis::endOf(const Row& row) const {
  constexpr std::int64_t kNice0Weight = 1024;
  const api::QueueEntity& e = *row.entity;
  if (!isCfs()) return startOf(row) + e.deadline - e.vruntime;
  return startOf(row) + e.slice * kNice0Weight / std::max<std::int64_t>(e.weight, 1);
}

QRectF QueueAxis::flagRect(const Axis& axis, double v) const {
  const QFontMetricsF metrics(look::monoFont(look::kMonoPx, look::Weight::Bold));
  const double width = std::ceil(metrics.horizontalAdvance(lineText(v))) + 14;
  return QRectF(std::clamp(axis.x(v) - width / 2, axis.left, std::max(axis.right - width, axis.left)), 5,
                width, px(18));
}

QRectF QueueAxis::chipRect(const Row& row) const {
  const double left = 10 + row.depth * kIndentPx;
  return QRectF(left, row.rect.center().y() - px(10), px(row.entity->children.empty() ? 22 : 34), px(20));
}

double QueueAxis::thicknessOf(const Row& row) const {
  return std::clamp(3 + 5 * std::log2(1 + static_cast<double>(row.entity->weight) / 512), 4.0,
                    row.rect.height() * 0.4);
}

void QueueAxis::paintAxis(QPainter& painter, const Axis& axis, double v) const {
  const Palette& p = look::colors(this);
  const double top = px(kHeadPx) - 4, bottom = viewport()->height() - px(kFootPx);
  if (!isCfs()) {  // who is eligible lies here
    QColor zone = p.yes;
    zone.setAlpha(34);
    painter.fillRect(QRectF(axis.left, top, std::max(axis.x(v) - axis.left, 0.0), bottom - top), zone);
  }
  const double every = tickStep(axis.high - axis.low, axis.right - axis.left);
  painter.setFont(look::monoFont(look::kSmallPx));
  // Whole multiples: adding up fractions would label 0 as -5.6e-17.
  for (double k = std::ceil(axis.low / every); k * every <= axis.high; ++k) {
    const double t = k == 0 ? 0 : k * every;
    painter.setPen(QPen(p.line, 1, Qt::DotLine));
    painter.drawLine(QPointF(axis.x(t), top), QPointF(axis.x(t), bottom));
    painter.setPen(p.text2);
    painter.drawText(QRectF(axis.x(t) - 40, bottom + 2, 80, px(18)), Qt::AlignCenter,
                     QString::number(t, 'g', 6));
  }
  painter.setPen(p.text2);
  painter.setFont(look::uiFont(look::kNotePx));
  painter.drawText(QRectF(10, bottom + 2, px(kNamePx) - 12, px(18)), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("virtual time, ms"));
  paintLine(painter, axis, v);
}

void QueueAxis::paintHeads(QPainter& painter) const {
  const Palette& p = look::colors(this);
  const double right = viewport()->width() - kMarginPx;
  painter.setFont(look::uiFont(look::kNotePx));
  painter.setPen(p.text2);
  painter.drawText(QRectF(10, px(22), px(kNamePx), px(20)), Qt::AlignLeft | Qt::AlignVCenter,
                   isCfs() ? tr("Order: vruntime") : tr("Order: deadline"));
  painter.drawText(QRectF(right - px(kWeightPx), px(22), px(kWeightPx), px(20)),
                   Qt::AlignRight | Qt::AlignVCenter, tr("weight"));
  painter.drawText(QRectF(right - px(kLagFromPx), px(22), px(kLagPx), px(20)),
                   Qt::AlignRight | Qt::AlignVCenter, isCfs() ? tr("slice") : tr("lag"));
}

/// The line that says where the queue is, with its flag and what lies on either side.
void QueueAxis::paintLine(QPainter& painter, const Axis& axis, double v) const {
  const Palette& p = look::colors(this);
  const double top = px(kHeadPx) - 4, bottom = viewport()->height() - px(kFootPx);
  const QColor color = isCfs() ? p.accent : p.yes;
  painter.setPen(QPen(color, 1.6));
  painter.drawLine(QPointF(axis.x(v), top - px(18)), QPointF(axis.x(v), bottom));
  painter.setFont(look::monoFont(look::kMonoPx, look::Weight::Bold));
  const QRectF flag = flagRect(axis, v);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawRoundedRect(flag, 3, 3);
  painter.setPen(p.theme == look::Theme::Dark ? look::taskText() : QColor(Qt::white));
  painter.drawText(flag, Qt::AlignCenter, lineText(v));
  if (isCfs()) return;
  painter.setFont(look::uiFont(look::kNotePx));
  painter.setPen(p.yes);
  if (flag.left() - axis.left > px(54))
    painter.drawText(QRectF(flag.left() - px(64), 5, px(58), px(18)), Qt::AlignRight | Qt::AlignVCenter,
                     tr("eligible"));
  painter.setPen(p.text2);
  if (axis.right - flag.right() > px(170))
    painter.drawText(QRectF(flag.right() + 8, 5, px(180), px(18)), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("has had more than its share"));
}

void QueueAxis::paintRow(QPainter& painter, const Row& row, const Axis& axis, double v) const {
  const Palette& p = look::colors(this);
  if (row.entity->isNext) {
    QColor ground = p.nowGround;
    ground.setAlpha(190);
    painter.fillRect(row.rect, ground);
    painter.fillRect(QRectF(0, row.rect.top(), 3, row.rect.height()), p.now);
  }
  painter.setPen(QPen(p.line, 1));
  painter.drawLine(row.rect.bottomLeft(), row.rect.bottomRight());
  paintName(painter, row);
  paintFigures(painter, row);
  if (!row.entity->isThrottled) paintBar(painter, row, axis, v);  // else it is on no queue
}

QColor QueueAxis::colorOf(const api::QueueEntity& entity) const {
  const Palette& p = look::colors(this);
  const int slot = slotOf(entity);
  return slot >= 0 ? look::taskColor(slot, p.theme) : p.text3;
}

void QueueAxis::paintName(QPainter& painter, const Row& row) const {
  const Palette& p = look::colors(this);
  const api::QueueEntity& e = *row.entity;
  const QRectF chip = chipRect(row);
  const look::TaskForm form = e.isThrottled ? look::TaskForm::Throttled
                              : e.isCurrent ? look::TaskForm::Running
                              : e.isDelayed ? look::TaskForm::Delayed
                                            : look::TaskForm::Queued;
  // The chip of a group holds its fold sign, that of a task its name where it is short.
  const bool isGroup = !e.children.empty();
  const QString fold = m_closed.contains(keyOf(e, row.depth)) ? QStringLiteral("+") : QStringLiteral("-");
  look::drawTaskShape(painter, chip, colorOf(e), form, p.theme);
  painter.setFont(look::uiFont(look::kNotePx, look::Weight::Bold));
  painter.setPen(e.isCurrent ? look::taskText() : p.text);
  painter.drawText(chip, Qt::AlignCenter, isGroup ? fold : (e.name.size() <= 2 ? qs(e.name) : QString()));
  const QRectF names(chip.right() + 7, row.rect.top(), px(kNamePx) - chip.right() - 10, row.rect.height());
  painter.setFont(
      look::uiFont(look::kBasePx, e.isNext || e.isCurrent ? look::Weight::Bold : look::Weight::Regular));
  painter.setPen(e.isNext ? p.nowText : p.text);
  look::drawElided(painter, QRectF(names.left(), names.center().y() - px(16), names.width(), px(16)),
                   Qt::AlignLeft | Qt::AlignVCenter, qs(e.name));
  painter.setFont(look::uiFont(look::kNotePx));
  painter.setPen(p.text2);
  look::drawElided(painter, QRectF(names.left(), names.center().y(), names.width(), px(15)),
                   Qt::AlignLeft | Qt::AlignVCenter, noteOf(e));
}

void QueueAxis::paintFigures(QPainter& painter, const Row& row) const {
  const Palette& p = look::colors(this);
  const api::QueueEntity& e = *row.entity;
  const double right = viewport()->width() - kMarginPx;
  const QRectF first(right - px(kLagFromPx), row.rect.top(), px(kLagPx), row.rect.height());
  painter.setFont(look::monoFont());
  if (e.isThrottled) {
    painter.setPen(p.text3);
    painter.drawText(first, Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("–"));
  } else if (isCfs()) {
    painter.setPen(p.text);
    painter.drawText(first, Qt::AlignRight | Qt::AlignVCenter, qs(look::durationText(e.slice)));
  } else {
    painter.setPen(e.lag >= 0 ? p.yes : p.no);
    painter.drawText(first, Qt::AlignRight | Qt::AlignVCenter,
                     QStringLiteral("%1%2")
                         .arg(e.lag > 0 ? QStringLiteral("+") : QString())
                         .arg(milliseconds(e.lag), 0, 'f', 3));
  }
  painter.setPen(p.text2);
  painter.drawText(QRectF(right - px(kWeightPx), row.rect.top(), px(kWeightPx), row.rect.height()),
                   Qt::AlignRight | Qt::AlignVCenter, QString::number(e.weight));
}

void QueueAxis::paintBar(QPainter& painter, const Row& row, const Axis& axis, double v) const {
  const Palette& p = look::colors(this);
  const api::QueueEntity& e = *row.entity;
  const QColor color = colorOf(e);
  const double x0 = axis.x(milliseconds(startOf(row))), x1 = axis.x(milliseconds(endOf(row)));
  const double thick = thicknessOf(row);
  const double y = row.rect.center().y() - 2;
  painter.setPen(QPen(color, 1.3));
  painter.setBrush(e.isCurrent ? color : look::mix(color, p.canvas, 0.35));
  painter.drawRect(QRectF(x0, y - thick / 2, std::max(x1 - x0, 1.0), thick));
  if (isCfs()) {
    painter.setPen(QPen(p.accent, 1.8));
    painter.setBrush(e.isCurrent ? p.accent : p.canvas);
    painter.drawEllipse(QPointF(x0, y), 4.4, 4.4);
    return;
  }
  painter.setPen(QPen(color, 2));
  painter.drawLine(QPointF(x1, y - thick / 2 - 5), QPointF(x1, y + thick / 2 + 5));
  painter.setPen(QPen(e.eligible ? p.yes : p.no, 1.8));
  painter.setBrush(e.eligible ? p.yes : p.canvas);
  painter.drawEllipse(QPointF(x0, y), 4.4, 4.4);
  const double arrowY = y + thick / 2 + 7;
  const double end = axis.x(v);
  if (std::abs(end - x0) < 6 || arrowY > row.rect.bottom() - 2) return;
  painter.setPen(QPen(p.text2, 1.1));
  const double way = end > x0 ? 1 : -1;
  painter.drawLine(QPointF(x0, arrowY), QPointF(end - way, arrowY));
  painter.drawLine(QPointF(end - way, arrowY), QPointF(end - way * 6, arrowY - 3));
  painter.drawLine(QPointF(end - way, arrowY), QPointF(end - way * 6, arrowY + 3));
}

void QueueAxis::paintEvent(QPaintEvent*) {
  const Palette& p = look::colors(this);
  const api::CpuFrame* cpu = cpuFrame();
  if (!cpu)
    return look::paintEmpty(viewport(), tr("No CPU chosen"), tr("Click one in Machine or Runqueues."));
  if (m_rows.empty()) {
    return look::paintEmpty(viewport(), tr("CPU %1 has nothing to run").arg(m_cpu),
                            tr("Choose a CPU with tasks in Machine or Runqueues."));
  }
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(viewport()->rect(), p.canvas);
  const Axis axis = axisOf();
  const double v = isCfs() ? 0 : milliseconds(cpu->averageVruntime);
  painter.save();
  painter.setClipRect(
      QRectF(0, px(kHeadPx), viewport()->width(), viewport()->height() - px(kHeadPx) - px(kFootPx)));
  painter.translate(0, -verticalScrollBar()->value());
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    paintRow(painter, m_rows[i], axis, v);
    if (static_cast<int>(i) == m_focused && hasFocus())
      look::drawFocus(painter, m_rows[i].rect.adjusted(2, 2, -2, -2), p);
  }
  painter.restore();
  if (hasAxis()) paintAxis(painter, axis, v);
  paintHeads(painter);
}

}  // namespace rqscope::runqueues
