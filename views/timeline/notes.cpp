// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <algorithm>
#include <utility>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/palette.h"
#include "look/words.h"
#include "timeline/timeline_canvas.h"

namespace rqscope::timeline {
namespace {

constexpr double kChipPx = 14, kMostTextPx = 160, kLeastTextPx = 24;
constexpr double kTextPx = 9;  ///< clear of the playhead

}  // namespace

void TimelineCanvas::setNotes(std::vector<Note> notes) {
  std::ranges::stable_sort(notes, {}, &Note::timeNs);
  m_notes = std::move(notes);
  update();
}

/// The chip of a note in the ruler, as wide as its text but for what the next one needs; null: out of view.
QRectF TimelineCanvas::noteRect(std::size_t at) const {
  const double x = m_geometry.xAt(static_cast<double>(m_notes[at].timeNs));
  const double right = m_geometry.lanesArea.right();
  if (x < m_geometry.lanesArea.left() - 1 || x > right + 1) return {};
  const QFontMetricsF metrics(look::uiFont(look::kSmallPx));
  double width =
      std::min(metrics.horizontalAdvance(m_notes[at].text) + kTextPx + 6, kMostTextPx * look::textScale());
  const double next =
      at + 1 < m_notes.size() ? m_geometry.xAt(static_cast<double>(m_notes[at + 1].timeNs)) : right;
  width = std::min({width, next - x - 2, right - x});
  if (width < kLeastTextPx) width = kChipPx / 2;
  return {x, m_geometry.ruler.top() + 1, width, std::max(kChipPx, metrics.height())};
}

int TimelineCanvas::noteAt(QPointF point) const {
  for (std::size_t i = m_notes.size(); i-- > 0;)
    if (noteRect(i).adjusted(-2, 0, 2, 0).contains(point)) return static_cast<int>(i);
  return -1;
}

bool TimelineCanvas::isUnderNote(const QRectF& rect) const {
  for (std::size_t i = 0; i < m_notes.size(); ++i)
    if (noteRect(i).intersects(rect)) return true;
  return false;
}

/// A flag at its moment: filled once it is kept, an outline before.
void TimelineCanvas::paintNotes(QPainter& painter) const {
  const look::Palette& p = look::colors(this);
  painter.setFont(look::uiFont(look::kSmallPx));
  for (std::size_t i = 0; i < m_notes.size(); ++i) {
    const QRectF chip = noteRect(i);
    if (chip.isNull()) continue;
    const bool isKept = m_notes[i].isKept;
    painter.setPen(QPen(p.accent, 1.2, isKept ? Qt::SolidLine : Qt::DashLine));
    painter.drawLine(chip.topLeft(), QPointF(chip.left(), m_geometry.lanesArea.bottom()));
    painter.setBrush(isKept ? p.selection : p.canvas);
    painter.drawRect(chip);
    painter.setBrush(Qt::NoBrush);
    if (chip.width() < kLeastTextPx) continue;
    painter.setPen(p.text);
    const QString text = painter.fontMetrics().elidedText(m_notes[i].text, Qt::ElideRight,
                                                          static_cast<int>(chip.width() - kTextPx - 3));
    painter.drawText(chip.adjusted(kTextPx, 0, -3, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
  }
}

QString TimelineCanvas::noteText(std::size_t at) const {
  const Note& note = m_notes[at];
  const QString time = look::qs(look::timeText(note.timeNs));
  return note.isKept ? tr("Note at %1: %2").arg(time, note.text)
                     : tr("Note at %1, not kept (Shift+M keeps it): %2").arg(time, note.text);
}

look::AccessItem TimelineCanvas::noteItem(std::size_t at) const {
  look::AccessItem item;
  item.name = tr("Note: %1").arg(m_notes[at].text);
  item.value = look::qs(look::timeText(m_notes[at].timeNs));
  item.description = m_notes[at].isKept ? tr("kept") : tr("not kept");
  item.rect = noteRect(at).toAlignedRect();
  item.isSelected = m_frame && m_frame->timeNs == m_notes[at].timeNs;
  return item;
}

}  // namespace rqscope::timeline
