// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision/ladder_widget.h"

#include <QComboBox>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPixmap>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"
#include "look/words.h"

namespace rqscope::decision {
namespace {

constexpr double kRailX = 18, kTextX = 34, kRightPx = 10, kTopPx = 5;

}  // namespace

LadderWidget::LadderWidget(QWidget* parent) : QAbstractScrollArea(parent) {
  setEmptyText(tr("No decision yet"), tr("Run to the next pass (Ctrl+Right) to see one."));
  look::installAccessibleItems();  // before anything is said of this widget
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  setAccessibleName(tr("Ladder of the decision"));
}

void LadderWidget::setEmptyText(const QString& what, const QString& hint) {
  m_emptyText = what;
  m_emptyHint = hint;
  viewport()->update();
}

void LadderWidget::setLadder(const std::shared_ptr<const api::Ladder>& ladder, int rung) {
  if (m_ladder != ladder) m_opened.clear();
  if (m_ladder != ladder || m_rung != rung) m_focused = -1;
  const bool isSame = m_ladder == ladder && m_rung == rung && m_marks.empty();
  closeEditor();
  m_ladder = ladder;
  m_rung = rung;
  m_marks.clear();
  m_changed.clear();
  if (!isSame) {
    m_chosen = {};
    m_chosenHit = {};
  }
  relayout();
}

void LadderWidget::setWhatIf(const std::shared_ptr<const api::WhatIf>& what,
                             std::vector<api::OperandPath> changed) {
  closeEditor();
  m_opened.clear();
  m_focused = -1;
  m_ladder = what->altered;
  m_rung = -1;
  m_marks = what->marks;
  m_changed = std::move(changed);
  relayout();
  const auto first = static_cast<std::size_t>(std::max(what->firstDifference, 0));
  if (what->firstDifference >= 0 && first < m_rects.size())
    verticalScrollBar()->setValue(static_cast<int>(m_rects[first].top()) - 24);
}

RungState LadderWidget::stateOf(std::size_t index) const {
  const int at = static_cast<int>(index);
  if (m_rung >= 0 && at > m_rung) return RungState::NotReached;
  if (at == m_rung) return RungState::Current;
  // What a changed number led to stands open.
  if (index < m_marks.size() && m_marks[index] != api::WhatIf::Mark::Same)
    return m_opened.contains(index) ? RungState::Folded : RungState::Done;
  return m_opened.contains(index) != m_unfolded.contains(index) ? RungState::Done : RungState::Folded;
}

double LadderWidget::contentWidth() const { return viewport()->width() - kTextX - kRightPx; }

void LadderWidget::relayout() {
  m_rects.clear();
  if (!m_ladder) return viewport()->update();
  QPixmap nothing(1, 1);
  QPainter painter(&nothing);
  RungPainter measurer(painter, look::colors(this), kTextX, contentWidth());
  measurer.setMode(RungPainter::Mode::Measure);
  const auto measure = [&] {
    m_rects.clear();
    double y = kTopPx;
    for (std::size_t i = 0; i < m_ladder->rungs.size(); ++i) {
      const double end = measurer.rung(m_ladder->rungs[i], y, stateOf(i), nullptr);
      m_rects.emplace_back(0, y, viewport()->width(), end - y);
      y = end;
    }
    return y;
  };
  m_unfolded.clear();
  double total = measure();
  // What is nearest above the current rung unfolds first, as far as there is room.
  const std::size_t count = m_ladder->rungs.size();
  for (std::size_t i = m_rung < 0 ? count : std::min(static_cast<std::size_t>(m_rung), count); i-- > 0;) {
    m_unfolded.insert(i);
    const double with = measure();
    if (with > viewport()->height()) m_unfolded.erase(i);
  }
  total = measure();
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(total) - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(22);
  if (m_rung >= 0 && m_rung < static_cast<int>(m_rects.size())) {
    const QRectF& now = m_rects[static_cast<std::size_t>(m_rung)];
    const int value = verticalScrollBar()->value();
    const int below = static_cast<int>(now.bottom()) + 40 - viewport()->height();
    verticalScrollBar()->setValue(std::clamp(value, std::min(below, static_cast<int>(now.top())),
                                             std::max(static_cast<int>(now.top()) - 4, 0)));
  }
  viewport()->update();
}

void LadderWidget::paintRail(QPainter& painter, std::size_t index, const QRectF& rect) const {
  const look::Palette& p = look::colors(this);
  const RungState state = stateOf(index);
  const QPointF center(kRailX, rect.top() + 12 * look::textScale());
  painter.setPen(QPen(p.line2, 2));
  if (index > 0) painter.drawLine(QPointF(kRailX, rect.top()), center - QPointF(0, 6));
  if (index + 1 < m_rects.size()) painter.drawLine(center + QPointF(0, 6), QPointF(kRailX, rect.bottom()));
  if (state == RungState::Current) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(p.now);
    painter.drawEllipse(center, 6, 6);
    painter.setBrush(p.nowGround);
    painter.drawPolygon(
        QPolygonF({center + QPointF(-1.8, -2.8), center + QPointF(2.8, 0), center + QPointF(-1.8, 2.8)}));
    return;
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(state == RungState::NotReached ? p.line2 : p.text3, 1.4));
  painter.drawEllipse(center, 5.2, 5.2);
  if (state == RungState::NotReached) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(p.text2);
  painter.drawEllipse(center, 2.4, 2.4);
}

/// A bar and a ground for a rung that is another one now.
void LadderWidget::paintMark(QPainter& painter, std::size_t index, const QRectF& rect) const {
  if (index >= m_marks.size() || m_marks[index] == api::WhatIf::Mark::Same) return;
  const look::Palette& p = look::colors(this);
  painter.fillRect(rect, look::mix(p.accent, p.dock, 0.13));
  painter.fillRect(QRectF(rect.left(), rect.top(), 3, rect.height()), p.accent);
}

void LadderWidget::paintEvent(QPaintEvent*) {
  const look::Palette& p = look::colors(this);
  if (!m_ladder) return look::paintEmpty(viewport(), m_emptyText, m_emptyHint);
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(viewport()->rect(), p.dock);
  painter.translate(0, -verticalScrollBar()->value());
  m_hits.clear();
  RungPainter rungs(painter, p, kTextX, contentWidth());
  for (std::size_t i = 0; i < m_rects.size(); ++i) {
    const QRectF& rect = m_rects[i];
    if (stateOf(i) == RungState::Current) {
      painter.fillRect(rect, p.nowGround);
      painter.fillRect(QRectF(rect.left(), rect.top(), 3, rect.height()), p.now);
    }
    if (static_cast<int>(i) == m_focused && hasFocus())
      look::drawFocus(painter, rect.adjusted(3, 1, -3, -1), p);
    paintMark(painter, i, rect);
    paintRail(painter, i, rect);
    rungs.setPlace(static_cast<std::int32_t>(i), &m_changed);
    rungs.rung(m_ladder->rungs[i], rect.top(), stateOf(i), &m_hits);
  }
}

void LadderWidget::resizeEvent(QResizeEvent*) { relayout(); }

const Hit* LadderWidget::hitAt(QPointF viewportPoint) const {
  const QPointF point = viewportPoint + QPointF(0, verticalScrollBar()->value());
  const auto it =
      std::find_if(m_hits.begin(), m_hits.end(), [&](const Hit& hit) { return hit.rect.contains(point); });
  return it == m_hits.end() ? nullptr : &*it;
}

/// Of the rung under the mouse: what its head has no room for.
QString LadderWidget::headText(QPoint viewportPoint) const {
  const QPointF point = viewportPoint + QPointF(0, verticalScrollBar()->value());
  for (std::size_t i = 0; m_ladder && i < m_rects.size(); ++i) {
    if (!m_rects[i].contains(point)) continue;
    const api::Rung& rung = m_ladder->rungs[i];
    return QStringLiteral("%1\n%2(): %3")
        .arg(look::qs(look::rungTitle(rung)), look::qs(rung.function), look::qs(look::word(rung.outcome)));
  }
  return {};
}

void LadderWidget::mousePressEvent(QMouseEvent* event) {
  closeEditor();
  m_pressed = event->position();
  if (const Hit* hit = hitAt(event->position())) {
    m_chosen = hit->path;
    m_chosenHit = *hit;
    const Hit copy = *hit;  // the card that opens lays the ladder out anew
    Q_EMIT numberActivated(copy);
    return;
  }
  m_chosenHit = {};
  const QPointF point = event->position() + QPointF(0, verticalScrollBar()->value());
  for (std::size_t i = 0; i < m_rects.size(); ++i) {
    if (!m_rects[i].contains(point)) continue;
    m_focused = static_cast<int>(i);
    if (!m_opened.erase(i)) m_opened.insert(i);
    Q_EMIT rungFocused(m_focused);
    relayout();
    return;
  }
}

void LadderWidget::mouseMoveEvent(QMouseEvent* event) {
  const Hit* hit = hitAt(event->position());
  viewport()->setCursor(hit ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (hit) Q_EMIT subjectHovered(hit->subject);
}

bool LadderWidget::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const Hit* hit = hitAt(help->pos());
    const QString text = hit ? hit->name + QStringLiteral(" = ") + hit->value : headText(help->pos());
    text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, viewport());
    return true;
  }
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) relayout();
  return QAbstractScrollArea::viewportEvent(event);
}

void LadderWidget::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(m_rects.size());
  if (count > 0 && (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up)) {
    const int from = m_focused < 0 ? m_rung : m_focused;
    m_focused = std::clamp(from + (event->key() == Qt::Key_Down ? 1 : -1), 0, count - 1);
    setAccessibleDescription(look::qs(look::rungTitle(m_ladder->rungs[static_cast<std::size_t>(m_focused)])));
    Q_EMIT rungFocused(m_focused);
    return viewport()->update();
  }
  if (m_focused >= 0 && event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) {
    const auto index = static_cast<std::size_t>(m_focused);
    if (!m_opened.erase(index)) m_opened.insert(index);
    return relayout();
  }
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_F2) && m_ladder) {
    const bool isEdit = event->key() == Qt::Key_F2;
    const Hit* const hit = chosenHit(!isEdit);
    if (hit == nullptr) return;
    const Hit copy = *hit;
    m_chosen = copy.path;
    if (isEdit) return edit(copy);
    Q_EMIT numberActivated(copy);
    return;
  }
  if (event->key() == Qt::Key_Escape) {
    Q_EMIT resetRequested();
    return;
  }
  if (event->key() == Qt::Key_Backspace) {
    Q_EMIT backRequested();
    return;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

/// The number that was chosen last, or the one after it on the same rung; of the rung in focus otherwise.
const Hit* LadderWidget::chosenHit(bool next) const {
  const int at = m_focused >= 0 ? m_focused : m_chosen.rung >= 0 ? m_chosen.rung : m_rung;
  const Hit* first = nullptr;
  bool isPast = false;
  for (const Hit& hit : m_hits) {
    if (hit.path.rung != at) continue;
    if (first == nullptr) first = &hit;
    if (isPast) return &hit;
    if (!(hit.path == m_chosen)) continue;
    if (!next) return &hit;
    isPast = true;
  }
  return first;
}

/// The first click may have opened a card, and the number may have moved: it is the same number all the same.
void LadderWidget::mouseDoubleClickEvent(QMouseEvent* event) {
  constexpr double kSamePlacePx = 6;
  const bool isSamePlace = (event->position() - m_pressed).manhattanLength() <= kSamePlacePx;
  if (isSamePlace && !m_chosenHit.name.isEmpty()) return edit(m_chosenHit);
  if (const Hit* const hit = hitAt(event->position())) return edit(*hit);
  QAbstractScrollArea::mouseDoubleClickEvent(event);
}

/// Edits the number where it stands now.
void LadderWidget::edit(Hit hit) {
  viewport()->repaint();
  for (const Hit& other : m_hits)
    if (other.path == hit.path) hit = Hit(other);
  beginEdit(hit);
}

void LadderWidget::beginEdit(const Hit& hit) {
  closeEditor();
  if (!m_ladder) return;
  const std::string fixed = api::whyFixed(*m_ladder, hit.path);
  if (!fixed.empty()) {
    Q_EMIT editRefused(hit, look::qs(fixed));
    return;
  }
  const auto operand = api::operandAt(*m_ladder, hit.path);
  const api::OperandPath path = hit.path;
  const std::vector<std::string> choices = api::choicesOf(*m_ladder, path);
  if (!choices.empty()) {
    auto* box = new QComboBox(viewport());
    for (const std::string& choice : choices) box->addItem(look::qs(choice));
    box->setCurrentText(look::qs(operand->text));
    connect(box, &QComboBox::activated, this, [this, path, box](int index) {
      const QString text = box->itemText(index);
      closeEditor();
      Q_EMIT valueEntered(path, index, text);
    });
    placeEditor(box, hit);
    return box->showPopup();
  }
  auto* line = new QLineEdit(QString::number(operand->value), viewport());
  line->setFont(look::monoFont());
  line->selectAll();
  connect(line, &QLineEdit::returnPressed, this, [this, path, line] { commitNumber(path, line->text()); });
  placeEditor(line, hit);
}

/// Over the number, inside the view.
void LadderWidget::placeEditor(QWidget* editor, const Hit& hit) {
  m_editor = editor;
  editor->setAccessibleName(tr("New value of %1").arg(hit.name));
  editor->installEventFilter(this);
  const QSize size = editor->sizeHint();
  const int width = std::min(std::max(static_cast<int>(hit.rect.width()) + 40, 110), viewport()->width() - 8);
  const int top = static_cast<int>(hit.rect.center().y()) - verticalScrollBar()->value() - size.height() / 2;
  const int left = std::clamp(static_cast<int>(hit.rect.left()) - 6, 4, viewport()->width() - width - 4);
  editor->setGeometry(left, std::clamp(top, 0, std::max(0, viewport()->height() - size.height())), width,
                      size.height());
  editor->show();
  editor->setFocus(Qt::OtherFocusReason);
}

void LadderWidget::commitNumber(const api::OperandPath& path, const QString& text) {
  bool isNumber = false;
  qint64 value = text.trimmed().toLongLong(&isNumber);
  if (text.trimmed() == QStringLiteral("yes") || text.trimmed() == QStringLiteral("no")) {
    isNumber = true;
    value = text.trimmed() == QStringLiteral("yes") ? 1 : 0;
  }
  if (!isNumber) {
    m_editor->setToolTip(tr("Write a whole number"));
    QToolTip::showText(m_editor->mapToGlobal(QPoint(0, m_editor->height())), m_editor->toolTip(), m_editor);
    return;
  }
  closeEditor();
  Q_EMIT valueEntered(path, value, QString());
}

void LadderWidget::closeEditor() {
  if (m_editor == nullptr) return;
  QWidget* const editor = m_editor;
  m_editor = nullptr;
  editor->removeEventFilter(this);
  editor->hide();
  editor->deleteLater();
  setFocus(Qt::OtherFocusReason);
}

bool LadderWidget::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_editor && m_editor != nullptr && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    closeEditor();
    return true;
  }
  // A shortcut of the window must not take the keys that are typed here.
  if (watched == m_editor && event->type() == QEvent::ShortcutOverride) {
    event->accept();
    return true;
  }
  return QAbstractScrollArea::eventFilter(watched, event);
}

}  // namespace rqscope::decision
