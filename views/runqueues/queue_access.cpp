// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QScrollBar>

#include "look/painting.h"
#include "look/words.h"
#include "runqueues/queue_axis.h"

namespace rqscope::runqueues {

using look::qs;

QString QueueAxis::stateOf(const api::QueueEntity& entity) const {
  if (entity.isThrottled) return tr("throttled");
  if (entity.isDelayed) return tr("delayed");
  if (entity.isCurrent) return entity.isNext ? tr("runs on") : tr("running");
  if (entity.isNext) return tr("next");
  if (isCfs()) return tr("waiting");
  return entity.eligible ? tr("eligible") : tr("not yet");
}

QString QueueAxis::noteOf(const api::QueueEntity& entity) const {
  if (isCfs() || entity.task < 0 || entity.isThrottled)
    return stateOf(entity);  // CFS has the slice as a figure of its own
  return tr("%1 · slice %2").arg(stateOf(entity), qs(look::durationText(entity.slice)));
}

look::AccessItem QueueAxis::accessibleItem(int index) const {
  look::AccessItem item;
  if (index < 0 || index >= rowCount()) return item;
  const Row& row = m_rows[static_cast<std::size_t>(index)];
  const api::QueueEntity& entity = *row.entity;
  item.name = tr("%1, %2").arg(qs(entity.name), stateOf(entity));
  const QString vruntime = qs(look::durationText(entity.vruntime)),
                slice = qs(look::durationText(entity.slice));
  if (isCfs()) {
    item.value = slice;
    item.description =
        tr("vruntime %1 after min_vruntime, slice %2, weight %3").arg(vruntime, slice).arg(entity.weight);
  } else {
    item.value = qs(look::durationText(entity.lag));
    item.description = tr("vruntime %1, deadline %2, slice %3, lag %4, weight %5")
                           .arg(vruntime, qs(look::durationText(entity.deadline)), slice, item.value)
                           .arg(entity.weight);
  }
  if (!entity.children.empty()) item.description += tr(", a group of %1").arg(entity.children.size());
  item.rect = row.rect.translated(0, -verticalScrollBar()->value())
                  .toAlignedRect()
                  .intersected(viewport()->rect())
                  .translated(viewport()->pos());
  item.isSelected = index == m_focused;
  return item;
}

void QueueAxis::pressAccessibleItem(int index) {
  if (index >= 0 && index < rowCount()) pressRow(static_cast<std::size_t>(index));
}

/// A group opens or closes; a task is chosen.
void QueueAxis::pressRow(std::size_t index) {
  const Row& row = m_rows[index];
  m_focused = static_cast<int>(index);
  if (!row.entity->children.empty()) {
    const QString key = keyOf(*row.entity, row.depth);
    if (!m_closed.erase(key)) m_closed.insert(key);
    return rebuild();
  }
  if (slotOf(*row.entity) >= 0) Q_EMIT taskActivated(slotOf(*row.entity));
  viewport()->update();
}

}  // namespace rqscope::runqueues
