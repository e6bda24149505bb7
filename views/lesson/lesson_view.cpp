// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson/lesson_view.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "lesson/lesson_index.h"
#include "lesson/question_card.h"
#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"

namespace rqscope::lesson {
namespace {

using look::qs;

constexpr int kEdgePx = 14, kGapPx = 10;
constexpr double kHeadingPx = 18, kTextPx = 13.5;

QLabel* paragraph(const QString& text, double px, look::Weight weight, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setWordWrap(true);
  label->setTextFormat(Qt::RichText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setFont(look::uiFont(px, weight));
  return label;
}

}  // namespace

LessonView::LessonView(QWidget* parent)
    : QWidget(parent),
      m_choice(new QComboBox(this)),
      m_kernel(new QComboBox(this)),
      m_progress(new QLabel(this)),
      m_scroll(new QScrollArea(this)),
      m_back(new QPushButton(tr("Back"), this)),
      m_next(new QPushButton(tr("Next"), this)),
      m_stop(new QPushButton(tr("Stop"), this)),
      m_status(new QLabel(this)),
      m_marker(new Marker(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* strip = new look::ToolStrip(this);
  m_choice->setAccessibleName(tr("Lesson"));
  m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_choice->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  strip->addWidget(m_choice);
  m_kernel->setAccessibleName(tr("Kernel of the lesson"));
  m_kernel->setToolTip(tr("The kernel that the lesson is read with; another one may give other answers"));
  strip->addWidget(m_kernel);
  strip->addWidget(m_progress);
  column->addWidget(strip);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setAccessibleName(tr("Step of the lesson"));
  column->addWidget(m_scroll, 1);
  auto* foot = new look::ToolStrip(this);
  foot->addWidget(m_back);
  foot->addWidget(m_next);
  foot->addWidget(m_stop);
  foot->addWidget(m_status);
  foot->addStretch();
  column->addWidget(foot);
  connect(m_choice, &QComboBox::activated, this, [this] { choose(m_choice->currentData().toString()); });
  connect(m_kernel, &QComboBox::activated, this, [this] {
    m_answers.clear();
    showCurrent();
  });
  connect(m_back, &QPushButton::clicked, this, [this] { showStep(step() - 1); });
  connect(m_next, &QPushButton::clicked, this, [this] { showStep(step() + 1); });
  connect(m_stop, &QPushButton::clicked, m_marker, &Marker::cancel);
  connect(m_marker, &Marker::marked, this, &LessonView::onMarked);
  showCurrent();
}

void LessonView::fillChoice() {
  if (m_choice->count() > 0) return;
  m_lessons = api::lessons();
  m_choice->addItem(tr("All lessons"), QString());
  for (const api::Lesson& lesson : m_lessons) {
    m_choice->addItem(qs(lesson.title), qs(lesson.name));
    m_choice->setItemData(m_choice->count() - 1, qs(lesson.description), Qt::ToolTipRole);
  }
}

void LessonView::fillKernels() {
  m_kernel->clear();
  if (m_lesson)
    for (const std::string& kernel : m_lesson->kernels) m_kernel->addItem(qs(kernel));
  m_kernel->setVisible(m_kernel->count() > 1);
}

/// The index is made when the dock is first seen: reading no lesson costs nothing at start.
void LessonView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_choice->count() == 0) showIndex();
}

void LessonView::choose(const QString& name) {
  if (name.isEmpty())
    showIndex();
  else
    open(name);
}

void LessonView::showIndex() {
  fillChoice();
  m_lesson = nullptr;
  m_answers.clear();
  m_choice->setCurrentIndex(0);
  m_status->clear();
  fillKernels();
  showCurrent();
}

bool LessonView::open(const QString& name) {
  fillChoice();
  auto lesson = std::make_shared<const api::Lesson>(api::readLesson(name.toStdString()));
  if (lesson->steps.empty()) {
    m_status->setText(lesson->problems.empty() ? tr("There is no lesson %1").arg(name)
                                               : qs(lesson->problems.front().text()));
    m_status->setToolTip(m_status->text());
    return false;
  }
  m_status->clear();
  m_status->setToolTip(QString());
  m_lesson = std::move(lesson);
  m_answers.clear();
  m_step = 0;
  if (m_choice->findData(name) < 0) m_choice->addItem(qs(m_lesson->title), name);
  m_choice->setCurrentIndex(m_choice->findData(name));
  fillKernels();
  showCurrent();
  return true;
}

api::Overrides LessonView::overrides(const api::LessonStep& step) const {
  return api::overridesOf(*m_lesson, step, m_kernel->currentText().toStdString());
}

void LessonView::showStep(int step) {
  if (step < 0 || step >= stepCount()) return;
  m_step = static_cast<std::size_t>(step);
  showCurrent();
}

void LessonView::showCurrent() {
  m_card = nullptr;
  m_scroll->setWidget(m_lesson ? stepPage() : indexPage());
  updateButtons();
}

QWidget* LessonView::indexPage() {
  auto* index = new LessonIndex(m_lessons, m_scroll);
  // Later: the row that was clicked is deleted with the page.
  connect(index, &LessonIndex::chosen, this, &LessonView::open, Qt::QueuedConnection);
  return index;
}

QWidget* LessonView::stepPage() {
  auto* page = new QWidget(m_scroll);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(kEdgePx, kEdgePx, kEdgePx, kEdgePx);
  column->setSpacing(kGapPx);
  const api::LessonStep& step = m_lesson->steps[m_step];
  column->addWidget(paragraph(qs(step.title), kHeadingPx, look::Weight::Bold, page));
  for (const std::string& text : step.paragraphs)
    column->addWidget(paragraph(qs(text), kTextPx, look::Weight::Regular, page));
  for (const api::LessonButton& button : step.buttons) {
    auto* go = new QPushButton(qs(button.label), page);
    connect(go, &QPushButton::clicked, this, [this, &step, place = button.place] {
      Q_EMIT placeWanted(qs(step.scenario), overrides(step), place);
    });
    column->addWidget(go, 0, Qt::AlignLeft);
  }
  if (step.question) addQuestion(page, *step.question);
  column->addStretch(1);
  return page;
}

void LessonView::addQuestion(QWidget* page, const api::LessonQuestion& question) {
  m_card = new QuestionCard(question, page);
  page->layout()->addWidget(m_card);
  if (const auto known = m_answers.find(m_step); known != m_answers.end())
    m_card->setMark(*known->second.mark, known->second.said);
  m_card->setBusy(m_marker->isRunning());
  // Later, when it has its place: in a low dock it would stand below the edge.
  connect(m_card, &QuestionCard::grown, m_scroll, [this](QWidget* part) {
    QMetaObject::invokeMethod(
        m_scroll,
        [this, shown = QPointer<QWidget>(part)] {
          if (shown) m_scroll->ensureWidgetVisible(shown, 0, kEdgePx);
        },
        Qt::QueuedConnection);
  });
  connect(m_card, &QuestionCard::lookWanted, this, [this](int option) {
    if (m_marker->isRunning()) return;
    m_asked = m_step;
    m_askedOf = m_lesson;
    m_askedWith = m_kernel->currentText();
    m_said = option;
    m_marker->start(m_lesson, m_step, m_kernel->currentText().toStdString());
    m_card->setBusy(true);
    updateButtons();
  });
}

/// Marks the answer and shows where one sees it. Nothing when another lesson or kernel is read by now.
void LessonView::onMarked(const MarkPtr& mark) {
  m_status->clear();
  if (m_card) m_card->setBusy(false);
  const bool isOld = m_lesson != m_askedOf || m_kernel->currentText() != m_askedWith;
  if (!isOld && mark->problems.empty()) m_answers[m_asked] = {m_said, mark};
  const bool isShown = !isOld && m_asked == m_step;
  if (m_card && isShown && !m_marker->isCancelled()) m_card->setMark(*mark, m_said);
  updateButtons();
  if (!mark->problems.empty() || !isShown) return;
  const api::LessonStep& step = m_lesson->steps[m_step];
  Q_EMIT placeWanted(qs(step.scenario), overrides(step), mark->place);
}

QString LessonView::statusText() const { return m_status->text(); }

void LessonView::updateButtons() {
  m_stop->setVisible(m_marker->isRunning());
  m_back->setEnabled(m_lesson && m_step > 0);
  m_next->setEnabled(m_lesson && step() + 1 < stepCount());
  m_progress->setText(m_lesson ? QStringLiteral("%1 / %2").arg(step() + 1).arg(stepCount()) : QString());
  int right = 0;
  for (const auto& [at, answer] : m_answers) right += answer.said == answer.mark->right ? 1 : 0;
  if (m_marker->isRunning())
    m_status->setText(tr("The model runs"));
  else if (!m_answers.empty())
    m_status->setText(tr("%1 of %2 right").arg(right).arg(m_answers.size()));
}

void LessonView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  // Later: the page that is made anew is among those that hear of the change now.
  if (event->type() == QEvent::PaletteChange && m_choice->count() > 0)
    QMetaObject::invokeMethod(this, &LessonView::showCurrent, Qt::QueuedConnection);
}

}  // namespace rqscope::lesson
