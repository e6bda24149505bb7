// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QScrollBar>

#include "decision/ladder_widget.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::decision {

using look::qs;

look::AccessItem LadderWidget::accessibleItem(int index) const {
  look::AccessItem item;
  if (!m_ladder || index < 0 || index >= accessibleItemCount()) return item;
  const api::Rung& rung = m_ladder->rungs[static_cast<std::size_t>(index)];
  const bool isReached = m_rung < 0 || index <= m_rung;
  item.name = qs(look::rungTitle(rung));
  item.value = isReached ? qs(look::word(rung.outcome)) : tr("not reached yet");
  QStringList parts = {qs(rung.function)};
  for (const api::Operand& operand : rung.operands) parts << qs(look::operandText(operand));
  for (const api::Comparison& test : rung.tests) parts << qs(look::trueComparison(test));
  for (const api::RungRow& row : rung.rows) {
    QString text = qs(row.label);
    if (!row.groupType.empty()) text += QLatin1Char(' ') + qs(row.groupType);
    if (!row.verdict.empty()) text += QLatin1Char(' ') + qs(look::word(row.verdict));
    parts << text;
  }
  if (isReached) item.description = parts.join(QStringLiteral("; "));
  item.rect = m_rects[static_cast<std::size_t>(index)]
                  .translated(0, -verticalScrollBar()->value())
                  .toAlignedRect()
                  .intersected(viewport()->rect())
                  .translated(viewport()->pos());
  item.isSelected = index == (m_focused < 0 ? m_rung : m_focused);
  return item;
}

void LadderWidget::pressAccessibleItem(int index) {
  m_focused = index;
  Q_EMIT rungFocused(index);
  viewport()->update();
}

}  // namespace rqscope::decision
