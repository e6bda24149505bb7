// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "problem_card.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "look/fonts.h"
#include "look/painting.h"

namespace rqscope::app {
namespace {

using look::qs;

constexpr int kWidthPx = 520, kMarginPx = 16;
constexpr std::size_t kMostShown = 4;

QString problemText(const api::Problem& problem, const look::Palette& p) {
  QString where = qs(problem.file).toHtmlEscaped();
  if (problem.line > 0) where += QObject::tr(", line %1, column %2").arg(problem.line).arg(problem.column);
  QString text = QStringLiteral("<p><span style='color:%1'>%2</span><br><b>%3</b>")
                     .arg(p.text2.name(), where, qs(problem.message).toHtmlEscaped());
  if (!problem.hint.empty()) text += QStringLiteral("<br>") + qs(problem.hint).toHtmlEscaped();
  return text + QStringLiteral("</p>");
}

}  // namespace

ProblemCard::ProblemCard(QWidget* parent)
    : QFrame(parent),
      m_text(new QLabel(this)),
      m_builtin(new QPushButton(tr("Open the default scenario"), this)),
      m_close(new QPushButton(this)) {
  setAccessibleName(tr("What could not be opened"));
  m_text->setWordWrap(true);
  m_text->setTextFormat(Qt::RichText);
  m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* file = new QPushButton(tr("Open another file"), this);
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  for (QPushButton* button : {m_builtin, file, m_close}) row->addWidget(button);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kMarginPx, kMarginPx, kMarginPx, kMarginPx);
  column->addWidget(m_text);
  column->addLayout(row);
  connect(m_close, &QPushButton::clicked, this, &QWidget::hide);
  connect(m_builtin, &QPushButton::clicked, this, &ProblemCard::builtinWanted);
  connect(file, &QPushButton::clicked, this, &ProblemCard::fileWanted);
  parent->installEventFilter(this);
  hide();
}

void ProblemCard::setProblems(const session::Problems& problems, const QString& stillOpen) {
  const look::Palette& p = look::colors(this);
  QString text = QStringLiteral("<b style='color:%1'>%2</b>").arg(p.no.name(), tr("This cannot be opened"));
  std::size_t shown = 0;
  for (const api::Problem& problem : problems) {
    if (problem.severity != api::Problem::Severity::Error) continue;
    if (++shown <= kMostShown) text += problemText(problem, p);
  }
  if (shown > kMostShown) text += QStringLiteral("<p>%1</p>").arg(tr("and %1 more").arg(shown - kMostShown));
  if (!stillOpen.isEmpty())
    text += QStringLiteral("<p>%1</p>").arg(tr("%1 is still open.").arg(stillOpen.toHtmlEscaped()));
  m_text->setText(text);
  m_close->setText(stillOpen.isEmpty() ? tr("Close") : tr("Go on with %1").arg(stillOpen));
  m_builtin->setVisible(stillOpen.isEmpty());
  show();
  place();
  raise();
}

QString ProblemCard::text() const { return isHidden() ? QString() : m_text->text(); }

void ProblemCard::place() {
  const QSize room = parentWidget()->size();
  const int width = std::min(static_cast<int>(kWidthPx * look::textScale()), room.width() - 2 * kMarginPx);
  const int height = std::min(std::max(layout()->heightForWidth(width), layout()->minimumSize().height()),
                              room.height() - 2 * kMarginPx);
  setGeometry((room.width() - width) / 2, (room.height() - height) / 2, width, height);
}

void ProblemCard::paintEvent(QPaintEvent*) {
  const look::Palette& p = look::colors(this);
  QPainter painter(this);
  painter.fillRect(rect(), p.window);
  painter.setPen(p.no);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

bool ProblemCard::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && !isHidden()) place();
  return QFrame::eventFilter(watched, event);
}

}  // namespace rqscope::app
