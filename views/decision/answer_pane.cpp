// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision/answer_pane.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "look/decision_text.h"
#include "look/fonts.h"
#include "look/painting.h"
#include "look/palette.h"
#include "look/words.h"

namespace rqscope::decision {

using look::qs;

namespace {

QTextBrowser* textBrowser(QWidget* parent, const QString& name) {
  auto* text = new QTextBrowser(parent);
  text->setFrameShape(QFrame::NoFrame);
  text->setOpenLinks(false);
  text->setAccessibleName(name);
  text->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  text->setMinimumHeight(90);
  text->document()->setDocumentMargin(6);
  return text;
}

/// The number behind a link "decision:12".
quint64 linked(const QUrl& url) { return url.path().toULongLong(); }

QString stepHtml(const api::WhyNotStep& step, const api::WhyNot& why, const look::Palette& p, bool isHere) {
  QString place = qs(look::word(step.entry));
  if (!step.domainName.empty()) place += QStringLiteral(" · ") + qs(step.domainName);
  const bool went = step.reason == "went" || step.reason == "there_already";
  const QColor color = went ? p.yes : isHere ? p.text : p.text2;
  return QStringLiteral(
             "<p style='margin:0 0 5px 0'><a style='color:%1' href='decision:%2'>%3</a> <span "
             "style='color:%4'>%5</span><br>"
             "<span style='color:%6'>%7</span></p>")
      .arg(p.accent.name())
      .arg(step.decision)
      .arg(qs(look::timeText(step.timeNs)), p.text2.name(), place.toHtmlEscaped(), color.name(),
           qs(look::whyNotSentence(step, why.taskName, why.cpu)).toHtmlEscaped());
}

}  // namespace

WhyNotPane::WhyNotPane(QWidget* parent)
    : QWidget(parent),
      m_task(new QComboBox(this)),
      m_cpu(new QComboBox(this)),
      m_text(textBrowser(this, tr("Why the task is not on the CPU"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(9, 4, 9, 4);
  row->setSpacing(6);
  row->addWidget(new QLabel(tr("Why is"), this));
  row->addWidget(m_task, 1);
  row->addWidget(new QLabel(tr("not on"), this));
  row->addWidget(m_cpu, 1);
  column->addLayout(row);
  column->addWidget(m_text, 1);
  m_task->setAccessibleName(tr("Task"));
  m_cpu->setAccessibleName(tr("CPU"));
  for (QComboBox* box : {m_task, m_cpu}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(5);
    connect(box, &QComboBox::activated, this, [this] { Q_EMIT asked(task(), cpu()); });
  }
  connect(m_text, &QTextBrowser::anchorClicked, this,
          [this](const QUrl& url) { Q_EMIT decisionActivated(linked(url)); });
}

int WhyNotPane::task() const { return m_task->currentIndex() < 0 ? -1 : m_task->currentData().toInt(); }
int WhyNotPane::cpu() const { return m_cpu->currentIndex() < 0 ? -1 : m_cpu->currentData().toInt(); }

void WhyNotPane::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  std::vector<std::pair<int, QString>> tasks;
  if (frame)
    for (const api::TaskFrame& task : frame->tasks)
      if (task.state != "dead") tasks.emplace_back(task.id, qs(task.name));
  if (tasks != m_tasks) {
    const int before = task();
    m_tasks = std::move(tasks);
    m_task->clear();
    for (const auto& [slot, name] : m_tasks) m_task->addItem(name, slot);
    const int row = m_task->findData(before);
    if (row >= 0) m_task->setCurrentIndex(row);
  }
  const int count = frame ? static_cast<int>(frame->cpus.size()) : 0;
  if (m_cpu->count() == count) return;
  m_cpu->clear();
  for (int i = 0; i < count; ++i) {
    const int id = frame->cpus[static_cast<std::size_t>(i)].id;
    m_cpu->addItem(QStringLiteral("CPU %1").arg(id), id);
  }
}

void WhyNotPane::choose(int task, int cpu) {
  if (const int row = m_task->findData(task); row >= 0) m_task->setCurrentIndex(row);
  if (const int row = m_cpu->findData(cpu); row >= 0) m_cpu->setCurrentIndex(row);
  Q_EMIT asked(this->task(), this->cpu());
}

void WhyNotPane::setAnswer(const std::shared_ptr<const api::WhyNot>& why) {
  const look::Palette& p = look::colors(this);
  m_why = why;
  if (!why) return m_text->clear();
  if (!why->problem.empty()) return m_text->setPlainText(qs(why->problem));
  QString html;
  const auto head = [&](const QString& text) {
    html += QStringLiteral("<p style='margin:0 0 3px 0'><b>%1</b></p>").arg(text.toHtmlEscaped());
  };
  head(tr("This decision"));
  html += why->here ? stepHtml(*why->here, *why, p, true) : tr("says nothing about it");
  if (why->before.empty())
    head(tr("No earlier decision could have moved it there"));
  else
    head(tr("The last %1 that could have moved it").arg(why->before.size()));
  for (const api::WhyNotStep& step : why->before) html += stepHtml(step, *why, p, false);
  m_text->setHtml(html);
}

void WhyNotPane::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    Q_EMIT closed();
    return;
  }
  QWidget::keyPressEvent(event);
}

/// The colours stand in the text, so another theme writes it anew.
void WhyNotPane::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_why) setAnswer(m_why);
}

IdlePane::IdlePane(QWidget* parent)
    : QWidget(parent), m_text(textBrowser(this, tr("Why CPUs idled while work waited"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_text);
  connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    if (url.scheme() == QStringLiteral("chart")) return Q_EMIT chartWanted();
    Q_EMIT decisionActivated(linked(url));
  });
}

void IdlePane::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !m_causes.empty()) setCauses(std::vector(m_causes));
}

void IdlePane::setCauses(const std::vector<api::Outcome::IdleCause>& causes) {
  const look::Palette& p = look::colors(this);
  m_causes = causes;
  if (causes.empty())
    return m_text->setPlainText(tr("No CPU has idled while an allowed task waited elsewhere."));
  std::uint64_t sum = 0;
  for (const auto& cause : causes) sum += cause.ns;
  QString html = QStringLiteral(
                     "<p style='margin:0 0 4px 0'><b>%1</b> %2 &nbsp;<a style='color:%3' "
                     "href='chart:idle_causes'>%4</a></p>"
                     "<table cellspacing='0' cellpadding='2'>")
                     .arg(tr("Idle while work waited"), qs(look::timeText(static_cast<std::int64_t>(sum))),
                          p.accent.name(), tr("over time"));
  for (const auto& cause : causes) {
    QString what = qs(look::idleCauseText(cause)).toHtmlEscaped();
    if (cause.firstDecision >= 0)
      what = QStringLiteral("<a style='color:%1' href='decision:%2'>%3</a>")
                 .arg(p.accent.name())
                 .arg(cause.firstDecision)
                 .arg(what);
    html += QStringLiteral(
                "<tr><td align='right' style='white-space:nowrap'>%1 &nbsp;</td><td>%2 "
                "<span style='color:%3'>× %4</span></td></tr>")
                .arg(qs(look::timeText(static_cast<std::int64_t>(cause.ns))), what, p.text2.name())
                .arg(cause.times);
  }
  m_text->setHtml(html + QStringLiteral("</table>"));
}

}  // namespace rqscope::decision
