// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLayout>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <utility>

#include "branches/branch_view.h"
#include "charts/charts_view.h"
#include "compare/compare_view.h"
#include "compare/trace_view.h"
#include "decision/decision_view.h"
#include "decision_log/log_view.h"
#include "dock_table.h"
#include "domains/domains_view.h"
#include "lesson/lesson_view.h"
#include "look/fonts.h"
#include "look/icons.h"
#include "look/painting.h"
#include "look/theme.h"
#include "look/words.h"
#include "machine/canvas.h"
#include "machine/lens.h"
#include "machine/machine_view.h"
#include "machine/overview.h"
#include "playback/playback.h"
#include "problem_card.h"
#include "published/published_view.h"
#include "runqueues/queue_axis.h"
#include "runqueues/queue_table.h"
#include "runqueues/queue_view.h"
#include "runqueues/shared_queue_list.h"
#include "scenario/scenario_view.h"
#include "timeline/timeline_canvas.h"
#include "topology_editor/machine_editor.h"

namespace rqscope::app {
namespace {

using look::qs;

constexpr int kSmallWidth = 1280, kSmallHeight = 720;
const QString kPassLink = QStringLiteral("pass:");
constexpr const char *kLayoutVersion = "layout4", *kCenterVersion = "center2";

}  // namespace

MainWindow::MainWindow(session::Session& session, look::Theme theme, Settings settings)
    : m_session(session), m_theme(theme), m_settings(settings) {
  setWindowIcon(look::programIcon());
  setWindowTitle(QStringLiteral("rqscope"));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::TopRightCorner, Qt::RightDockWidgetArea);
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  m_playback = new playback::Playback(this);
  addToolBar(m_playback->toolBar());
  buildDocks();
  buildMenus();
  buildStatus();
  connectSession();
  connectViews();
  connectPlayback();
  connectBranches();
  resize(kSmallWidth, kSmallHeight);
  m_playback->setCaptions(false);
  bool isRestored = false;
  if (m_settings == Settings::Keep) {
    QSettings store;
    restoreGeometry(store.value(QStringLiteral("geometry")).toByteArray());
    isRestored = restoreState(store.value(QLatin1String(kLayoutVersion)).toByteArray());
    m_center->restoreState(store.value(QLatin1String(kCenterVersion)).toByteArray());
  }
  connectOverview();
  if (isRestored) {
    QTimer::singleShot(0, this, &MainWindow::keepOwnSizes);
  } else {
    scheduleArrange();
  }
  qApp->installEventFilter(this);
  scheduleTitles();
}

void MainWindow::buildStatus() {
  const auto label = [this](bool isPermanent) {
    auto* result = new QLabel(this);
    result->setContentsMargins(9, 0, 9, 0);
    isPermanent ? statusBar()->addPermanentWidget(result) : statusBar()->addWidget(result);
    return result;
  };
  statusBar()->setSizeGripEnabled(false);
  m_state = label(false);
  m_where = label(false);
  m_profile = label(false);
  m_branchButton = new QToolButton(this);
  m_branchButton->setObjectName(QStringLiteral("branchButton"));
  m_branchButton->setAutoRaise(true);
  m_branchButton->setPopupMode(QToolButton::InstantPopup);
  m_branchButton->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  m_branchButton->setMaximumHeight(m_state->sizeHint().height());  // else the bar grows, though it is hidden
  m_branchButton->hide();
  statusBar()->addWidget(m_branchButton);
  m_message = label(false);
  m_message->setObjectName(QStringLiteral("message"));
  m_message->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  m_hints = label(true);
  m_hints->setText(QStringLiteral(
      "<span style='font-family:\"JetBrains Mono\",monospace'>.</span> next rung &nbsp; "
      "<span style='font-family:\"JetBrains Mono\",monospace'>,</span> back &nbsp; "
      "<span style='font-family:\"JetBrains Mono\",monospace'>Ctrl+Right</span> next pass &nbsp; "
      "<span style='font-family:\"JetBrains Mono\",monospace'>?</span> keys"));
  updateStatus();
}

void MainWindow::connectSession() {
  connect(&m_session, &session::Session::frameChanged, this, &MainWindow::onFrame);
  connect(&m_session, &session::Session::opened, this, &MainWindow::onOpened);
  connect(&m_session, &session::Session::problemsFound, this, &MainWindow::onProblems);
  connect(&m_session, &session::Session::paceChanged, this, &MainWindow::onPace);
  connect(&m_session, &session::Session::timelineReady, m_timeline, &timeline::TimelineCanvas::setWindow);
  connect(&m_session, &session::Session::overviewReady, m_timeline, &timeline::TimelineCanvas::setOverview);
  connect(&m_session, &session::Session::explainedReady, this,
          [this](const session::ExplainedPtr& explained) { noteExplained(*explained); });
  connect(&m_session, &session::Session::queueReady, m_axis, &runqueues::QueueAxis::setQueue);
  connect(&m_session, &session::Session::numbersReady, this, [this](const session::NumbersPtr& numbers) {
    noteExplained(numbers->explained);
    m_queueView->setNumbers(numbers->cpu, numbers->shown, numbers->explained);
  });
  connect(&m_session, &session::Session::chartReady, m_charts, &charts::ChartsView::setChart);
  connect(&m_session, &session::Session::decisionsReady, m_log, &decision_log::LogView::setList);
  connect(&m_session, &session::Session::whatIfReady, m_decision, &decision::DecisionView::setWhatIf);
  connect(&m_session, &session::Session::whyNotReady, m_decision, &decision::DecisionView::setWhyNot);
  connect(&m_session, &session::Session::derivationReady, m_decision, &decision::DecisionView::setDerivation);
  connect(&m_session, &session::Session::explainedReady, m_decision, &decision::DecisionView::setExplained);
  connect(&m_session, &session::Session::idleCausesReady, m_decision, &decision::DecisionView::setIdleCauses);
  connect(&m_session, &session::Session::untilEnded, this, [this](bool met) {
    m_message->setText(met ? QString() : tr("The end came before the condition"));
  });
  connect(&m_session, &session::Session::busyChanged, this, [this](bool isBusy) {
    if (!isBusy) showPlace();
  });
  connectOpening();
  connect(&m_session, &session::Session::seekMissed, this, &MainWindow::onSeekMissed);
  connect(m_message, &QLabel::linkActivated, this, [this](const QString& link) {
    if (link.startsWith(kPassLink)) m_session.seekPass(link.mid(kPassLink.size()).toULongLong());
  });
}

void MainWindow::connectViews() {
  const auto choose = [this](int cpu) { chooseCpu(cpu); };
  connect(m_machine, &machine::MachineView::cpuActivated, this, choose);
  connect(m_machine, &machine::MachineView::taskActivated, this, &MainWindow::selectTask);
  connect(m_machine, &machine::MachineView::groupActivated, m_domains, &domains::DomainsView::choose);
  connect(m_domains, &domains::DomainsView::cpuActivated, this, choose);
  connect(m_domains, &domains::DomainsView::domainActivated, m_machine, &machine::MachineView::showDomain);
  connect(m_decision->ladder(), &decision::LadderWidget::rungFocused, m_machine,
          &machine::MachineView::setLitRung);
  connect(m_queues, &runqueues::QueueTable::cpuActivated, this, choose);
  connect(m_axis, &runqueues::QueueAxis::taskActivated, this, &MainWindow::selectTask);
  connect(m_sharedQueues, &runqueues::SharedQueueList::taskActivated, this, &MainWindow::selectTask);
  connect(m_sharedQueues, &runqueues::SharedQueueList::cpuActivated, this, choose);
  connect(m_axis, &runqueues::QueueAxis::queueWanted, &m_session, &session::Session::requestQueue);
  connect(m_queueView, &runqueues::QueueView::numbersWanted, &m_session, &session::Session::requestNumbers);
  connect(m_queues, &runqueues::QueueTable::numberActivated, this, &MainWindow::explainNumber);
  connect(m_queues, &runqueues::QueueTable::menuWanted, this, &MainWindow::showCpuMenu);
  if (auto* canvas = m_machine->findChild<machine::Canvas*>()) {
    canvas->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(canvas, &QWidget::customContextMenuRequested, this, [this, canvas](const QPoint& at) {
      if (m_cpu >= 0) showCpuMenu(m_cpu, canvas->mapToGlobal(at));
    });
  }
  connect(m_published, &published::PublishedView::openWanted, this,
          [this](const QString& scenario, const api::Overrides& overrides) {
            m_session.open(scenario, overrides);
            raiseDock(QStringLiteral("machine"));
          });
  connect(m_lesson, &lesson::LessonView::placeWanted, this, &MainWindow::goToPlace);
  connect(
      m_compare, &compare::CompareView::openWanted, this,
      [this](const QString& file, const QString& text, const api::Overrides& overrides, quint64 decision) {
        applyText(file, text, overrides);
        m_session.seekPass(decision);
        raiseDock(QStringLiteral("machine"));
      });
  connect(m_log, &decision_log::LogView::listWanted, &m_session, &session::Session::requestDecisions);
  connect(m_log, &decision_log::LogView::decisionActivated, &m_session, &session::Session::seekPass);
  connect(m_charts, &charts::ChartsView::chartWanted, &m_session, &session::Session::requestChart);
  using decision::DecisionView;
  connect(m_decision, &DecisionView::whatIfWanted, &m_session, &session::Session::requestWhatIf);
  connect(m_decision, &DecisionView::whyNotWanted, &m_session, &session::Session::requestWhyNot);
  connect(m_decision, &DecisionView::derivationWanted, &m_session, &session::Session::requestDerivation);
  connect(m_decision, &DecisionView::valueWanted, &m_session, &session::Session::requestExplained);
  connect(m_decision, &DecisionView::queueWanted, this, &MainWindow::explainNumber);
  connect(m_decision, &DecisionView::idleChartWanted, this, [this] {
    raiseDock(QStringLiteral("charts"));
    m_charts->setCurrentChart(QStringLiteral("idle_causes"));
  });
  connect(m_decision, &DecisionView::idleCausesWanted, &m_session, &session::Session::requestIdleCauses);
  connect(m_decision, &DecisionView::decisionActivated, &m_session, &session::Session::seekPass);
  // What is applied from a view has its problems shown there.
  connect(m_scenario, &scenario::ScenarioView::applyWanted, this, &MainWindow::applyText);
  connect(m_editor, &topology_editor::MachineEditor::applyWanted, this, &MainWindow::applyText);
  m_card = new ProblemCard(this);
  connect(m_card, &ProblemCard::builtinWanted, this, [this] { m_session.open(QStringLiteral("juno"), {}); });
  connect(m_card, &ProblemCard::fileWanted, this, &MainWindow::openFile);
  connect(m_timeline, &timeline::TimelineCanvas::cpuActivated, this, choose);
  connect(m_timeline, &timeline::TimelineCanvas::timeActivated, &m_session, &session::Session::seekTime);
  connect(m_timeline, &timeline::TimelineCanvas::passActivated, &m_session, &session::Session::seekPass);
  connect(m_timeline, &timeline::TimelineCanvas::windowWanted, &m_session,
          &session::Session::requestTimeline);
  connect(m_timeline, &timeline::TimelineCanvas::overviewWanted, &m_session,
          &session::Session::requestOverview);
  connectTrace();
}

void MainWindow::connectPlayback() {
  using playback::Playback;
  using session::Pace;
  connect(m_playback, &Playback::stepWanted, &m_session, &session::Session::step);
  connect(m_playback, &Playback::runWanted, this, [this] { m_session.setPace(Pace::Run); });
  connect(m_playback, &Playback::fastWanted, this, [this] { m_session.setPace(Pace::Fast); });
  connect(m_playback, &Playback::expressWanted, this, [this] { m_session.setPace(Pace::Express); });
  connect(m_playback, &Playback::pauseWanted, this, [this] { m_session.pause(); });
  connect(m_playback, &Playback::untilWanted, &m_session, &session::Session::runUntil);
  connect(m_playback, &Playback::firstWanted, this, [this] { m_session.seekEvent(0); });
  connect(m_playback, &Playback::lastWanted, this, [this] { m_session.seekEnd(); });
  connect(m_playback, &Playback::gotoWanted, this, &MainWindow::gotoDialog);
  connect(m_playback, &Playback::speedChanged, &m_session, &session::Session::setSpeed);
  connect(m_playback->openAction(), &QAction::triggered, this, &MainWindow::openFile);
}

void MainWindow::onFrame(const session::FramePtr& frame) {
  m_isTaskNew = false;  // chosen on another rung, or at another moment
  m_overview->setFrame(frame);
  m_machine->setFrame(frame);
  m_decision->setFrame(frame);
  m_domains->setFrame(frame);
  m_queues->setFrame(frame);
  m_sharedQueues->setFrame(frame);
  m_queueView->setFrame(frame);
  m_timeline->setFrame(frame);
  m_charts->setFrame(frame);
  m_log->setFrame(frame);
  m_playback->setFrame(frame);
  m_lens->setFrame(frame);
  if (!m_isCpuChosen && frame && frame->ladder && frame->ladder->cpu >= 0) selectCpu(frame->ladder->cpu);
  if (std::exchange(m_isGotoNote, false)) m_message->clear();
  if (m_cpu < 0 && frame && !frame->cpus.empty()) selectCpu(frame->cpus.front().id);
  updateStatus();
}

/// Says what there is instead, and offers it.
void MainWindow::onSeekMissed(session::Place place, quint64 wanted) {
  const auto frame = m_session.frame();
  if (!frame) return;
  QString text;
  if (place == session::Place::Pass && frame->ladder) {
    const QString last = QString::number(frame->ladder->index);
    text = tr("There is no pass %1, the last is %2: <a style='color:%4' href='%3%2'>go to the last</a>")
               .arg(QString::number(wanted), last, kPassLink, look::palette(m_theme).accent.name());
  } else if (place == session::Place::Decision) {
    text = tr("The run has no such decision");
  } else if (place == session::Place::Pass) {
    text = tr("There is no pass %1: this run has none").arg(wanted);
  } else if (place == session::Place::Event) {
    text = tr("There is no event %1: the last is %2, shown now").arg(wanted).arg(frame->eventIndex);
  } else {
    text = tr("The run ends at %1, shown now").arg(qs(look::timeText(frame->timeNs)));
  }
  m_message->setText(text);
  m_message->setToolTip(text);
  m_isGotoNote = true;
}

void MainWindow::onPace(session::Pace pace) {
  m_playback->setRunning(pace != session::Pace::Paused);
  updateStatus();
}

void MainWindow::updateStatus() {
  const look::Palette& p = look::palette(m_theme);
  const char* const states[] = {QT_TR_NOOP("Paused"), QT_TR_NOOP("Running"), QT_TR_NOOP("Running fast"),
                                QT_TR_NOOP("Express")};
  const auto frame = m_session.frame();
  QString state = tr(states[static_cast<int>(m_session.pace())]);
  if (frame && frame->atEnd) state = tr("At the end");
  m_state->setText(QStringLiteral("<b style='color:%1'>%2</b>").arg(p.nowText.name(), state));
  QString where;
  if (frame && frame->ladder && frame->rung >= 0) {
    where = tr("Rung %1 of %2").arg(frame->rung + 1).arg(frame->ladder->rungs.size());
  } else if (frame) {
    where = frame->eventText.empty() || frame->eventText == "none"
                ? tr("Before the first event")
                : tr("After %1").arg(qs(look::word(frame->eventText)));
  }
  m_where->setText(where);
  QString profile;
  if (frame && frame->layout) {
    profile = tr("Profile %1").arg(qs(frame->layout->kernel));
    for (const std::string& patch : frame->layout->patches) profile += QStringLiteral(" · ") + qs(patch);
  }
  m_profile->setText(profile);
}

/// By the user: the selection no longer follows the decisions, and what is shown speaks for this CPU.
void MainWindow::chooseCpu(int cpu) {
  m_isCpuChosen = true;
  selectCpu(cpu);
  m_session.setViewpoint(cpu);
}

void MainWindow::selectCpu(int cpu) {
  if (cpu < 0) return;
  m_cpu = cpu;
  m_machine->setSelectedCpu(cpu);
  m_domains->setSelectedCpu(cpu);
  m_queues->setSelectedCpu(cpu);
  m_sharedQueues->setSelectedCpu(cpu);
  m_queueView->setSelectedCpu(cpu);
  m_charts->setSelectedCpu(cpu);
  m_log->setSelectedCpu(cpu);
  m_timeline->setSelectedCpu(cpu);
  if (QDockWidget* queue = dock(QStringLiteral("queue")))
    queue->setWindowTitle(tr("Queue of CPU %1").arg(cpu));
}

void MainWindow::selectTask(int slot) {
  m_task = slot;
  m_isTaskNew = slot >= 0;
  m_machine->setSelectedTask(slot);
  m_timeline->setSelectedTask(slot);
  m_charts->setSelectedTask(slot);
}

bool MainWindow::showLevel(const QString& label) { return m_machine->showLevel(label); }

QStringList MainWindow::levels() const { return m_machine->levels(); }

void MainWindow::setNote(const QString& text) { m_message->setText(text); }

void MainWindow::setMotion(bool isAnimated) { m_machine->setMotion(isAnimated); }

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  // The mouse is released on the window itself only after a splitter between docks was dragged.
  if (watched == this && event->type() == QEvent::MouseButtonRelease)
    QTimer::singleShot(0, this, &MainWindow::keepOwnSizes);
  if (event->type() == QEvent::ShortcutOverride) {
    // Plain arrows, Home and End belong to trees, tables and the walk in the machine while these have focus.
    auto* key = static_cast<QKeyEvent*>(event);
    QWidget* focus = QApplication::focusWidget();
    const auto* canvas = qobject_cast<machine::Canvas*>(focus);
    const bool walks = canvas && canvas->focusedCpu() >= 0;
    // A table whose rows are chosen as a whole has no columns to walk: there the arrows go on stepping.
    const auto* items = qobject_cast<QAbstractItemView*>(focus);
    const bool isList = items && (qobject_cast<const QTreeView*>(items) ||
                                  items->selectionBehavior() != QAbstractItemView::SelectRows);
    const bool isMove = key->key() == Qt::Key_Left || key->key() == Qt::Key_Right ||
                        key->key() == Qt::Key_Home || key->key() == Qt::Key_End;
    if ((walks || isList) && isMove && key->modifiers() == Qt::NoModifier) {
      event->accept();
      return true;
    }
  }
  return QMainWindow::eventFilter(watched, event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  setWide(false);
  if (m_settings == Settings::Keep) {
    QSettings store;
    store.setValue(QStringLiteral("geometry"), saveGeometry());
    store.setValue(QLatin1String(kLayoutVersion), saveState());
    store.setValue(QLatin1String(kCenterVersion), m_center->saveState());
    store.setValue(QStringLiteral("theme"),
                   m_theme == look::Theme::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
  }
  QMainWindow::closeEvent(event);
}

}  // namespace rqscope::app
