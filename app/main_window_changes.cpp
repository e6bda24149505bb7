// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QMenu>
#include <algorithm>
#include <optional>
#include <utility>

#include "branch_words.h"
#include "charts/charts_view.h"
#include "compare/compare_view.h"
#include "compare/trace_view.h"
#include "cpu_dialog.h"
#include "lesson/lesson_view.h"
#include "look/painting.h"
#include "main_window.h"
#include "published/published_view.h"
#include "rqscope/reproduce.h"
#include "rqscope/scenario_edit.h"
#include "runqueues/queue_view.h"
#include "task_dialog.h"
#include "timeline/timeline_canvas.h"

namespace rqscope::app {

void MainWindow::showCpuMenu(int cpu, const QPoint& globalPosition) {
  QMenu menu(this);
  QAction* numbers = menu.addAction(tr("Explain the numbers of CPU %1").arg(cpu));
  QAction* speed = menu.addAction(tr("Frequency, capacity, throughput..."));
  const auto frame = m_session.frame();
  const bool hasTask = frame && m_task >= 0 && static_cast<std::size_t>(m_task) < frame->tasks.size();
  const QAction* task = nullptr;
  if (hasTask)
    task = menu.addAction(
        tr("Nice, policy, CPUs of %1...").arg(look::qs(frame->tasks[static_cast<std::size_t>(m_task)].name)));
  const QAction* chosen = menu.exec(globalPosition);
  if (chosen != nullptr && chosen == task) changeTask(m_task);
  if (chosen == numbers) explainNumber({"util", cpu, -1, -1});
  if (chosen == speed) changeCpu(cpu);
}

/// Opens the numbers of the queue at this one, on the CPU it belongs to.
void MainWindow::explainNumber(const api::ValueRef& ref) {
  if (ref.cpu >= 0 && ref.cpu != m_cpu) chooseCpu(ref.cpu);
  raiseDock(QStringLiteral("queue"));
  m_queueView->explain(ref);
}

void MainWindow::changeCpu(int cpu) {
  const auto frame = m_session.frame();
  if (!frame) return;
  m_session.pause();
  auto* dialog = new CpuDialog(cpu, frame->timeNs, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(&m_session, &session::Session::numbersReady, dialog, [dialog](const session::NumbersPtr& numbers) {
    if (numbers->cpu == dialog->cpu()) dialog->setNumbers(numbers->shown);
  });
  connect(dialog, &QDialog::accepted, this,
          [this, dialog, timeNs = frame->timeNs] { changeScenario(timeNs, dialog->operations()); });
  m_session.requestNumbers(cpu, {});
  dialog->open();
}

void MainWindow::changeTask(int slot) {
  const auto frame = m_session.frame();
  if (!frame || !frame->layout) return;
  const auto task = std::ranges::find(frame->tasks, slot, &api::TaskFrame::id);
  if (task == frame->tasks.end() || task->state == "dead")
    return setNote(tr("Choose a task first: a click on it in Machine or Queue"));
  m_session.pause();
  std::vector<std::int32_t> cpus;
  for (const api::LayoutCpu& cpu : frame->layout->cpus) cpus.push_back(cpu.id);
  std::ranges::sort(cpus);
  auto* dialog = new TaskDialog(*task, std::move(cpus), frame->timeNs, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this,
          [this, dialog, timeNs = frame->timeNs] { changeScenario(timeNs, dialog->operations()); });
  dialog->open();
}

/// Writes operations into the scenario at a time: a branch of the run shown, which stays as it is.
void MainWindow::changeScenario(std::int64_t timeNs, const std::vector<std::string>& operations) {
  if (operations.empty()) return;
  const session::OpenedInfo& info = m_session.info();
  const api::EditedScenario edited =
      api::withOperations(info.fileName.toStdString(), info.scenarioText.toStdString(), timeNs, operations);
  if (!edited.problems.empty() && edited.text == info.scenarioText.toStdString()) {
    m_message->setText(QString::fromStdString(edited.problems.front().text()));
    return;
  }
  session::BranchWish wish;
  wish.change = operationsText(operations);
  wish.fileName = info.fileName;
  wish.text = QString::fromStdString(edited.text);
  wish.overrides = info.overrides;
  wish.atNs = timeNs;
  m_isApplying = true;
  m_session.branch(wish);
}

namespace {

/// The number that words such as "cpu 3 util" mean in the frame; nothing when there is none.
std::optional<api::ValueRef> valueNamed(const api::Frame& frame, const QString& text) {
  const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (words.size() < 3) return std::nullopt;
  const std::string owner = words[1].toStdString();
  std::string kind = words[0].toStdString();
  api::ValueRef ref{words.last().toStdString(), -1, -1, -1};
  const auto hasCpu = [&](const QString& number) {
    return std::any_of(frame.cpus.begin(), frame.cpus.end(),
                       [&](const api::CpuFrame& cpu) { return QString::number(cpu.id) == number; });
  };
  if (kind == "cpu" && hasCpu(words[1])) ref.cpu = words[1].toInt();
  for (const api::TaskFrame& task : frame.tasks)
    if (kind == "task" && owner == task.name) ref.task = task.id;
  for (const api::TaskGroupFrame& group : frame.taskGroups)
    if (kind == "group" && owner == group.name) ref.group = group.id;
  if (kind == "group" && words.size() > 4 && hasCpu(words[words.size() - 2])) {
    ref.cpu = words[words.size() - 2].toInt();
    kind = "group on cpu";
  }
  const std::vector<std::string> names = api::valueNames(kind);
  const bool isNamed = std::find(names.begin(), names.end(), ref.name) != names.end();
  const bool isOwned = ref.cpu >= 0 || ref.task >= 0 || ref.group >= 0;
  return isNamed && isOwned ? std::optional(ref) : std::nullopt;
}

/// "NAME/STEP" of a lesson, "NAME" for its first step. A name may be a path.
std::pair<QString, int> lessonStep(const QString& what) {
  const qsizetype slash = what.lastIndexOf(QLatin1Char('/'));
  bool isNumber = false;
  const int step = slash < 0 ? 1 : what.mid(slash + 1).toInt(&isNumber);
  return isNumber ? std::pair(what.left(slash), step) : std::pair(what, 1);
}

}  // namespace

/// Where a lesson leads: the scenario as the step has it, unless it is open already, and the place in its
/// run.
void MainWindow::goToPlace(const QString& scenario, const api::Overrides& overrides,
                           const api::LessonPlace& place) {
  const session::BranchesPtr& branches = m_session.branches();
  const session::Branch* const first = branches && !branches->all.empty() ? &branches->all.front() : nullptr;
  const bool isFirst =
      first != nullptr && first->fileName == scenario && first->overrides.patches == overrides.patches &&
      first->overrides.kernel == overrides.kernel && first->overrides.features == overrides.features;
  const bool isOpen = isFirst && branches->current == first->id;
  const bool goesSomewhere = place.timeNs >= 0 || place.decision;
  // What the user changed stays beside it.
  if (!isOpen && goesSomewhere)
    isFirst ? m_session.showBranch(first->id) : m_session.open(scenario, overrides);
  if (place.timeNs >= 0) m_session.seekTime(place.timeNs);
  if (place.decision) {
    m_session.seekDecision(*place.decision);
    if (place.rung < 0) m_session.stepToRefusal();
    for (int i = 0; i < place.rung; ++i) m_session.step(api::StepKind::Rung, api::Direction::Forward);
  }
  if (place.cpu >= 0) m_wantedCpu = place.cpu;
  if (isOpen && place.cpu >= 0) chooseCpu(std::exchange(m_wantedCpu, -1));
  m_wantedPlace = place;
  if (!m_session.isBusy()) showPlace();
}

/// What of a place is shown once the session is there: its dock, what the dock shows, the framed level.
void MainWindow::showPlace() {
  if (!m_wantedPlace) return;
  const api::LessonPlace place = *std::exchange(m_wantedPlace, std::nullopt);
  if (!place.level.empty()) showLevel(QString::fromStdString(place.level));
  const QString wanted = QString::fromStdString(place.dock);
  const QString name = wanted.section(QLatin1Char(':'), 0, 0), what = wanted.section(QLatin1Char(':'), 1);
  if (dock(name)) raiseDock(name);
  if (!what.isEmpty()) showInDock(name, what);
}

/// What the command line asks a dock to show: "published:spawn:notes", "charts:pelt_task:0",
/// "compare:migrate_util_shr_bound/figures", "queue:cpu 3 util".
bool MainWindow::showInDock(const QString& name, const QString& what) {
  if (name == QStringLiteral("published")) {
    const QString discussion = what.section(QLatin1Char(':'), 0, 0), part = what.section(QLatin1Char(':'), 1);
    m_published->chooseDiscussion(discussion);
    if (m_published->discussion() != discussion) return false;
    if (!part.isEmpty()) m_published->showPart(part);
    if (!m_published->hasResult()) m_published->run();
    return m_published->isRunning();
  }
  if (name == QStringLiteral("lesson")) {
    const auto [lesson, step] = lessonStep(what);
    if (m_lesson->open(lesson)) m_lesson->showStep(step - 1);
    return false;
  }
  if (name == QStringLiteral("compare")) {
    const QString a = what.section(QLatin1Char('|'), 0, 0), b = what.section(QLatin1Char('|'), 1);
    if (!b.isEmpty())
      m_compare->setSettings(a, b);
    else if (!m_compare->choose(what))
      return false;
    m_compare->run();
    return m_compare->isRunning();
  }
  if (name == QStringLiteral("trace")) m_trace->showNumber(what.toInt());
  if (name == QStringLiteral("charts")) m_charts->setCurrentChart(what);
  if (name == QStringLiteral("queue")) {
    const auto frame = m_session.frame();
    if (const auto ref = frame ? valueNamed(*frame, what) : std::nullopt) m_queueView->explain(*ref);
  }
  return false;
}

QString MainWindow::dockProblem(const QString& name, const QString& what) const {
  if (name == QStringLiteral("charts")) return m_charts->chartProblem(what);
  if (name == QStringLiteral("published")) {
    QStringList names;
    for (const api::Named& known : api::discussions()) names << QString::fromStdString(known.name);
    const QString wanted = what.section(QLatin1Char(':'), 0, 0);
    return names.contains(wanted)
               ? QString()
               : tr("there is no discussion %1; there are %2").arg(wanted, names.join(QStringLiteral(", ")));
  }
  if (name == QStringLiteral("lesson")) {
    QStringList names;
    for (const api::Named& known : api::lessonNames()) names << QString::fromStdString(known.name);
    const auto [wanted, step] = lessonStep(what);
    if (!names.contains(wanted) && !QFile::exists(wanted))
      return tr("there is no lesson %1; there are %2").arg(wanted, names.join(QStringLiteral(", ")));
    if (!m_lesson->lesson()) return m_lesson->statusText();
    return step >= 1 && step <= m_lesson->stepCount()
               ? QString()
               : tr("lesson %1 has the steps 1 to %2").arg(wanted).arg(m_lesson->stepCount());
  }
  if (name == QStringLiteral("compare")) {
    if (!what.contains(QLatin1Char('|')) && m_compare->changeBox()->findData(what) < 0)
      return tr("there is no change %1; write the name of a patch, \"v6.1:v6.12\" or the settings, \"X|Y\"")
          .arg(what);
    return m_compare->isRunning() ? QString() : m_compare->statusText();
  }
  if (name == QStringLiteral("trace"))
    return m_trace->hasNumber(what.toInt())
               ? QString()
               : tr("there is no parting %1; write its number from 1, as Trace counts them").arg(what);
  if (name == QStringLiteral("queue")) {
    const auto frame = m_session.frame();
    return frame && valueNamed(*frame, what)
               ? QString()
               : tr("there is no number \"%1\"; write \"cpu 3 util\", \"task A lag\" or \"group /a shares\"")
                     .arg(what);
  }
  return tr("only charts, compare, lesson, queue, published and trace are told what to show");
}

/// The recorded machine's slices and the partings go to the timeline; a parting chosen is gone to.
void MainWindow::connectTrace() {
  using compare::TraceRunner;
  using compare::TraceView;
  using timeline::TimelineCanvas;
  connect(m_trace, &TraceView::openWanted, this, &MainWindow::openTrace);
  connect(m_trace, &TraceView::reportChanged, m_timeline, &TimelineCanvas::setTrace);
  connect(m_timeline, &TimelineCanvas::windowWanted, m_trace->runner(), &TraceRunner::requestWindow);
  connect(m_trace->runner(), &TraceRunner::windowReady, m_timeline, &TimelineCanvas::setMachineWindow);
  connect(m_timeline, &TimelineCanvas::partingWanted, m_trace, &TraceView::step);
  connect(m_trace, &TraceView::partingChosen, this, [this](std::size_t index) {
    const api::Parting& parting = m_trace->result()->report->partings[index];
    m_timeline->setParting(static_cast<int>(index));
    m_session.seekTime(parting.timeNs);
    if (parting.cpu >= 0) chooseCpu(parting.cpu);
  });
}

}  // namespace rqscope::app
