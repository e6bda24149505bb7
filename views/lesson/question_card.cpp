// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson/question_card.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

#include "look/painting.h"
#include "look/words.h"

namespace rqscope::lesson {
namespace {

using look::qs;

constexpr int kEdgePx = 12, kGapPx = 7;

QLabel* words(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setWordWrap(true);
  label->setTextFormat(Qt::RichText);
  return label;
}

/// A radio button's text does not wrap: this one's stands in a label beside it, and both can be clicked.
class OptionLabel final : public QLabel {
 public:
  OptionLabel(const QString& text, QRadioButton* button, QWidget* parent)
      : QLabel(text, parent), m_button(button) {
    setWordWrap(true);
    setTextFormat(Qt::RichText);
  }

 protected:
  void mousePressEvent(QMouseEvent*) override { m_button->click(); }

 private:
  QRadioButton* m_button;
};

}  // namespace

QuestionCard::QuestionCard(const api::LessonQuestion& question, QWidget* parent)
    : QFrame(parent),
      m_question(question),
      m_options(new QButtonGroup(this)),
      m_look(new QPushButton(tr("Look"), this)),
      m_hint(new QPushButton(tr("Show a hint"), this)),
      m_hintText(words(qs(question.hint), this)),
      m_verdict(words(QString(), this)) {
  const look::Palette& p = look::colors(parent);
  setObjectName(QStringLiteral("question"));
  setStyleSheet(QStringLiteral("#question { border: 1px solid %1; border-left: 3px solid %2; }"
                               "QRadioButton::indicator { width: 11px; height: 11px; border-radius: 6px;"
                               " border: 1px solid %3; background: %4; }"
                               "QRadioButton::indicator:checked { background: %5; border-color: %5; }"
                               "QRadioButton:focus { outline: 1px solid %5; }")
                    .arg(p.line2.name(), p.now.name(), p.text2.name(), p.canvas.name(), p.accent.name()));
  setAccessibleName(tr("Question"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kEdgePx, kEdgePx, kEdgePx, kEdgePx);
  column->setSpacing(kGapPx);
  column->addWidget(words(tr("Predict, then look: <b>%1</b>").arg(qs(question.text)), this));
  for (std::size_t i = 0; i < question.options.size(); ++i) {
    auto* row = new QHBoxLayout;
    auto* button = new QRadioButton(this);
    button->setAccessibleName(qs(question.options[i].text));
    m_options->addButton(button, static_cast<int>(i));
    row->addWidget(button, 0, Qt::AlignTop);
    row->addWidget(new OptionLabel(qs(question.options[i].text), button, this), 1);
    column->addLayout(row);
  }
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_look);
  buttons->addWidget(m_hint);
  buttons->addStretch(1);
  column->addLayout(buttons);
  column->addWidget(m_hintText);
  column->addWidget(m_verdict);
  m_hintText->hide();
  m_verdict->hide();
  m_verdict->setAccessibleName(tr("What the model did"));
  m_look->setToolTip(tr("Let the model run on and mark the answer (Ctrl+Enter)"));
  m_look->setShortcut(QKeySequence(QStringLiteral("Ctrl+Return")));
  connect(m_options, &QButtonGroup::idToggled, this, &QuestionCard::updateButtons);
  connect(m_hint, &QPushButton::clicked, this, [this] {
    m_hintText->show();
    Q_EMIT grown(m_hintText);
  });
  connect(m_look, &QPushButton::clicked, this, [this] { Q_EMIT lookWanted(chosen()); });
  updateButtons();
}

int QuestionCard::chosen() const { return m_options->checkedId(); }

void QuestionCard::choose(int option) {
  if (QAbstractButton* button = m_options->button(option)) button->setChecked(true);
}

void QuestionCard::setBusy(bool isBusy) {
  m_isBusy = isBusy;
  updateButtons();
}

void QuestionCard::updateButtons() {
  m_look->setEnabled(!m_isMarked && !m_isBusy && chosen() >= 0);
  m_hint->setEnabled(!m_isMarked && !m_question.hint.empty());
  for (QAbstractButton* button : m_options->buttons()) button->setEnabled(!m_isMarked && !m_isBusy);
}

QString QuestionCard::verdict() const { return m_verdict->isHidden() ? QString() : m_verdict->text(); }

/// The answer that fits, with the number where the answer is a range.
QString QuestionCard::didText(const api::LessonMark& mark) const {
  if (mark.right < 0) return qs(look::word(mark.outcome)).toHtmlEscaped();
  const api::LessonOption& option = m_question.options[static_cast<std::size_t>(mark.right)];
  const bool isRange = option.from || option.to;
  return isRange ? tr("%1 (%2)").arg(qs(option.text), qs(mark.outcome)) : qs(option.text);
}

void QuestionCard::setMark(const api::LessonMark& mark, int said) {
  const look::Palette& p = look::colors(this);
  m_verdict->show();
  if (!mark.problems.empty()) {
    m_verdict->setText(qs(mark.problems.front().text()).toHtmlEscaped());
    return;
  }
  m_isMarked = true;
  choose(said);
  const bool isRight = said == mark.right;
  const QString color = (isRight ? p.yes : p.no).name();
  const QString head = isRight ? tr("Right") : tr("No");
  const QString did = didText(mark);
  const QString model = mark.timeNs >= 0
                            ? tr("The model, at %1: %2.").arg(qs(look::timeText(mark.timeNs)), did)
                            : tr("The model: %1.").arg(did);
  m_verdict->setText(QStringLiteral("<span style='color:%1'><b>%2.</b></span> %3 %4")
                         .arg(color, head, model, qs(m_question.then)));
  updateButtons();
  Q_EMIT grown(m_verdict);
}

}  // namespace rqscope::lesson
