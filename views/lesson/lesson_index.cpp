// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson/lesson_index.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::lesson {
namespace {

using look::qs;

constexpr int kEdgePx = 14, kRowEdgePx = 8, kNumberPx = 22, kLineGapPx = 2, kRadiusPx = 3;
constexpr int kLeastWidthPx = 200, kTallestPx = 1000;
constexpr double kHeadingPx = 18, kTitlePx = 13.5, kTextPx = 12.5, kNotePx = 11;

QString lengthText(const api::Lesson& lesson) {
  const std::size_t steps = lesson.steps.size(), questions = lesson.questionCount();
  QString text = steps == 1 ? LessonIndex::tr("1 step") : LessonIndex::tr("%1 steps").arg(steps);
  text += QStringLiteral(" · ");
  text += questions == 1 ? LessonIndex::tr("1 question") : LessonIndex::tr("%1 questions").arg(questions);
  if (lesson.minutes > 0) text += QStringLiteral(" · ") + LessonIndex::tr("%1 min").arg(lesson.minutes);
  return text;
}

}  // namespace

LessonRow::LessonRow(int number, const api::Lesson& lesson, QWidget* parent)
    : QAbstractButton(parent),
      m_number(number),
      m_title(qs(lesson.title)),
      m_about(qs(lesson.description)),
      m_length(lengthText(lesson)) {
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setAttribute(Qt::WA_Hover);
  setText(m_title);
  setAccessibleName(m_title);
  setAccessibleDescription(m_about);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

std::vector<LessonRow::Part> LessonRow::parts(int width) const {
  const look::Palette& p = look::colors(this);
  std::vector<Part> out = {{m_title, look::uiFont(kTitlePx, look::Weight::Bold), p.text, {}},
                           {m_about, look::uiFont(kTextPx), p.text2, {}},
                           {m_length, look::uiFont(kNotePx), p.text3, {}}};
  const int left = kRowEdgePx + kNumberPx;
  int top = kRowEdgePx;
  for (Part& part : out) {
    const QRect room(left, top, std::max(1, width - left - kRowEdgePx), kTallestPx);
    part.rect = QFontMetrics(part.font).boundingRect(room, Qt::TextWordWrap, part.text);
    part.rect.setLeft(left);
    part.rect.setWidth(room.width());
    if (!part.text.isEmpty()) top = part.rect.bottom() + 1 + kLineGapPx;
  }
  return out;
}

int LessonRow::heightForWidth(int width) const { return parts(width).back().rect.bottom() + 1 + kRowEdgePx; }

QSize LessonRow::sizeHint() const {
  return {kLeastWidthPx, heightForWidth(std::max(width(), kLeastWidthPx))};
}

void LessonRow::paintEvent(QPaintEvent*) {
  const look::Palette& p = look::colors(this);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  painter.setPen(QPen(p.line, 1));
  painter.setBrush(underMouse() || isDown() ? p.hover : p.canvas);
  painter.drawRoundedRect(box, kRadiusPx, kRadiusPx);
  if (hasFocus()) look::drawFocus(painter, box, p);
  const std::vector<Part> all = parts(width());
  painter.setFont(all.front().font);
  painter.setPen(p.accent);
  painter.drawText(QPoint(kRowEdgePx, all.front().rect.top() + QFontMetrics(all.front().font).ascent()),
                   QString::number(m_number));
  for (const Part& part : all) {
    painter.setFont(part.font);
    painter.setPen(part.color);
    painter.drawText(part.rect, Qt::TextWordWrap, part.text);
  }
}

void LessonRow::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter)
    return QAbstractButton::keyPressEvent(event);
  click();
}

LessonIndex::LessonIndex(const std::vector<api::Lesson>& lessons, QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kEdgePx, kEdgePx, kEdgePx, kEdgePx);
  column->setSpacing(kRowEdgePx);
  auto* heading = new QLabel(tr("Lessons"), this);
  heading->setFont(look::uiFont(kHeadingPx, look::Weight::Bold));
  column->addWidget(heading);
  auto* note = new QLabel(lessons.empty() ? tr("There is no lesson here.")
                                          : tr("Predict, then look: the model runs and marks each answer."),
                          this);
  note->setWordWrap(true);
  column->addWidget(note);
  int number = 0;
  for (const api::Lesson& lesson : lessons) {
    auto* row = new LessonRow(++number, lesson, this);
    connect(row, &QAbstractButton::clicked, this, [this, name = qs(lesson.name)] { Q_EMIT chosen(name); });
    column->addWidget(row);
  }
  column->addStretch(1);
}

}  // namespace rqscope::lesson
