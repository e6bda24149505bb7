// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDockWidget>
#include <QStandardPaths>
#include <QTabBar>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>
#include <utility>

#include "branches/branch_view.h"
#include "charts/chart_export.h"
#include "charts/charts_view.h"
#include "cli_options.h"
#include "compare/compare_view.h"
#include "compare/trace_view.h"
#include "compare_side.h"
#include "decision/decision_view.h"
#include "decision/ladder_widget.h"
#include "decision_log/log_view.h"
#include "dock_table.h"
#include "domains/domains_view.h"
#include "lesson/lesson_view.h"
#include "look/painting.h"
#include "look/theme.h"
#include "machine/lens.h"
#include "machine/machine_view.h"
#include "machine/overview.h"
#include "main_window.h"
#include "playback/playback.h"
#include "published/published_view.h"
#include "rqscope/simulation.h"
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

constexpr std::size_t kOverviewFromCpus = 33;
constexpr const char* kDocksOfBig[] = {"overview", "lens"};

bool isOfBig(const QString& name) {
  return std::any_of(std::begin(kDocksOfBig), std::end(kDocksOfBig),
                     [&](const char* other) { return name == QLatin1String(other); });
}

}  // namespace

QMainWindow* MainWindow::hostOf(QDockWidget* dock) {
  auto* host = qobject_cast<QMainWindow*>(dock->parentWidget());
  return host ? host : this;
}

/// The table of CPUs; below it the shared queues of the caches when a patch adds them.
QWidget* MainWindow::runqueuesView() {
  auto* both = new QWidget(this);
  auto* column = new QVBoxLayout(both);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_queues = new runqueues::QueueTable(both), 1);
  column->addWidget(m_sharedQueues = new runqueues::SharedQueueList(both));
  return both;
}

/// Charts of a report are drawn by the room of the charts; the last results are kept beside the settings.
QWidget* MainWindow::publishedView() {
  m_published = new published::PublishedView(this);
  m_published->setChartPainter(&charts::paintChart);
  if (m_settings == Settings::Keep)
    m_published->setKeepFolder(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                               QStringLiteral("/published"));
  return m_published;
}

/// Settings are read as on the command line.
QWidget* MainWindow::makeCompareView() {
  m_compare = new compare::CompareView(this);
  m_compare->setChartPainter(&charts::paintChart);
  m_compare->setSides({makeCompareSide(m_compare), makeCompareSide(m_compare)});
  m_compare->setReader([](const QString& text, api::Overrides& overrides) {
    return qs(readSettings(text.toStdString(), overrides));
  });
  return m_compare;
}

QWidget* MainWindow::makeTraceView() {
  m_trace = new compare::TraceView(this);
  auto* ladder = new decision::LadderWidget(m_trace);
  ladder->setEmptyText(
      tr("The model decides nothing here"),
      tr("It takes no decision for this CPU within the window, or a queue decides by itself."));
  m_trace->setLadder(ladder, [ladder](const std::shared_ptr<const api::Ladder>& shown) {
    ladder->setLadder(shown, shown ? static_cast<int>(shown->rungs.size()) - 1 : -1);
  });
  return m_trace;
}

/// Docks tell that they are hidden while the base class ends, when nothing here is left to hear of it.
MainWindow::~MainWindow() {
  for (const auto& [name, dock] : m_docks) dock->disconnect(this);
}

/// Two machines side by side need the whole window: the docks around are put aside while Compare is in front.
void MainWindow::setWide(bool isWide) {
  if (m_isWide == isWide) return;
  m_isWide = isWide;
  if (!isWide) {
    for (QDockWidget* dock : std::exchange(m_putAside, {})) dock->show();
    return scheduleArrange();
  }
  for (const auto& [name, dock] : m_docks)
    if (hostOf(dock) == this && !dock->isFloating() && !dock->isHidden()) {
      m_putAside.push_back(dock);
      dock->hide();
    }
}

QWidget* MainWindow::viewFor(const QString& name) {
  if (name == QStringLiteral("machine")) return m_machine = new machine::MachineView(this);
  if (name == QStringLiteral("decision")) return m_decision = new decision::DecisionView(this);
  if (name == QStringLiteral("domains")) return m_domains = new domains::DomainsView(this);
  if (name == QStringLiteral("timeline")) return m_timeline = new timeline::TimelineCanvas(this);
  if (name == QStringLiteral("runqueues")) return runqueuesView();
  if (name == QStringLiteral("queue")) {
    m_queueView = new runqueues::QueueView(this);
    m_axis = m_queueView->axis();
    return m_queueView;
  }
  if (name == QStringLiteral("published")) return publishedView();
  if (name == QStringLiteral("compare")) return makeCompareView();
  if (name == QStringLiteral("trace")) return makeTraceView();
  if (name == QStringLiteral("lesson")) return m_lesson = new lesson::LessonView(this);
  if (name == QStringLiteral("overview")) return m_overview = new machine::Overview(this);
  if (name == QStringLiteral("lens")) return m_lens = new machine::Lens(this);
  if (name == QStringLiteral("branches")) return m_branchView = new branches::BranchView(this);
  if (name == QStringLiteral("log")) return m_log = new decision_log::LogView(this);
  if (name == QStringLiteral("charts")) return m_charts = new charts::ChartsView(this);
  if (name == QStringLiteral("scenario")) return m_scenario = new scenario::ScenarioView(this);
  if (name == QStringLiteral("editor")) return m_editor = new topology_editor::MachineEditor(this);
  return nullptr;
}

void MainWindow::buildDocks() {
  m_center = new QMainWindow(this);
  m_center->setWindowFlags(Qt::Widget);  // Its constructor makes a window of its own in any case.
  m_center->setDockNestingEnabled(true);
  m_center->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  m_center->setContextMenuPolicy(Qt::PreventContextMenu);
  setCentralWidget(m_center);
  for (const DockRow& row : dockTable()) {
    const QString name = QString::fromLatin1(row.name);
    QWidget* view = viewFor(name);
    if (!view) continue;
    // What stands in the middle takes the space that is left; the docks around keep their size.
    QMainWindow* host = row.area == Qt::TopDockWidgetArea ? m_center : this;
    auto* dock = new QDockWidget(tr(row.title), host);
    dock->setObjectName(name);
    dock->setWidget(view);
    dock->setTitleBarWidget(new DockTitle(dock));
    host->addDockWidget(row.area, dock);
    if (row.tabWith) host->tabifyDockWidget(m_docks.at(QString::fromLatin1(row.tabWith)), dock);
    if (row.below) host->splitDockWidget(m_docks.at(QString::fromLatin1(row.below)), dock, Qt::Vertical);
    connect(dock, &QDockWidget::dockLocationChanged, this, &MainWindow::scheduleTitles);
    connect(dock, &QDockWidget::topLevelChanged, this, &MainWindow::scheduleTitles);
    connect(dock, &QDockWidget::visibilityChanged, this, &MainWindow::scheduleTitles);
    if (name == QStringLiteral("lesson"))
      connect(dock, &QDockWidget::visibilityChanged, this, [this](bool isVisible) {
        m_isLessonRead = isVisible;  // a dock behind another tab is visible to Qt
        scheduleArrange();
      });
    m_docks[name] = dock;
  }
  QDockWidget* compare = m_docks.at(QStringLiteral("compare"));
  connect(compare, &QDockWidget::visibilityChanged, this,
          [this, compare](bool isVisible) { setWide(isVisible && !compare->isFloating()); });
  for (const DockRow& row : dockTable()) {
    if (!row.tabWith && dock(QString::fromLatin1(row.name))) dock(QString::fromLatin1(row.name))->raise();
  }
  for (const char* name : kDocksOfBig) m_docks.at(QLatin1String(name))->hide();
}

void MainWindow::connectOverview() {
  const auto choose = [this](int cpu) { chooseCpu(cpu); };
  m_overview->follow(m_machine->canvas());
  m_lens->follow(m_machine->canvas());
  connect(m_overview, &machine::Overview::cpuActivated, this, choose);
  connect(m_lens, &machine::Canvas::cpuActivated, this, choose);
  connect(m_lens, &machine::Canvas::taskActivated, this, &MainWindow::selectTask);
  m_isBig = m_settings == Settings::Keep && !m_docks.at(QStringLiteral("overview"))->isHidden();
}

/// A machine whose CPUs are too small to be read is shown with its overview and a lens.
void MainWindow::fitDocksTo(const api::MachineLayout& layout) {
  const bool isBig = layout.cpus.size() >= kOverviewFromCpus;
  if (isBig == std::exchange(m_isBig, isBig)) return;
  for (const char* name : kDocksOfBig) {
    QDockWidget* const which = dock(QLatin1String(name));
    which->setVisible(isBig);
    if (isBig) which->raise();
  }
  scheduleArrange();
}

void MainWindow::resetLayout() {
  for (const auto& [name, which] : m_docks) {
    which->setFloating(false);
    which->setVisible(m_isBig || !isOfBig(name));
  }
  m_own.reset();
  scheduleArrange();
}

/// From the dock that has the focus, in the table's order; those behind a tab come to the front.
void MainWindow::walkDocks(int step) {
  std::vector<QString> shown;
  int at = -1;
  for (const DockRow& row : dockTable()) {
    const QString name = QString::fromLatin1(row.name);
    if (dock(name)->isHidden()) continue;
    if (dock(name)->isAncestorOf(QApplication::focusWidget())) at = static_cast<int>(shown.size());
    shown.push_back(name);
  }
  const int count = static_cast<int>(shown.size());
  if (at < 0 && step < 0) at = 0;
  if (count > 0) raiseDock(shown[static_cast<std::size_t>((at + step + count) % count)]);
}

QDockWidget* MainWindow::dock(const QString& name) const {
  const auto it = m_docks.find(name);
  return it == m_docks.end() ? nullptr : it->second;
}

void MainWindow::raiseDock(const QString& name) {
  QDockWidget* which = dock(name);
  if (!which) return;
  which->show();
  which->raise();
  which->widget()->setFocus();
}

void MainWindow::scheduleTitles() {
  if (m_hasTitlesPending) return;
  m_hasTitlesPending = true;
  QTimer::singleShot(0, this, &MainWindow::refreshTitles);
}

void MainWindow::refreshTitles() {
  m_hasTitlesPending = false;
  for (const auto& [name, dock] : m_docks) {
    // Docks that are hidden keep their place among the tabs, but show none.
    const QList<QDockWidget*> others = hostOf(dock)->tabifiedDockWidgets(dock);
    const bool inTabs =
        !dock->isFloating() && std::any_of(others.begin(), others.end(),
                                           [](const QDockWidget* other) { return !other->isHidden(); });
    const bool hasTitle = dynamic_cast<DockTitle*>(dock->titleBarWidget()) != nullptr;
    if (inTabs == !hasTitle) continue;
    QWidget* old = dock->titleBarWidget();
    dock->setTitleBarWidget(inTabs ? new QWidget(dock) : new DockTitle(dock));
    delete old;
  }
  QList<QTabBar*> bars = findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
  bars += m_center->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
  for (QTabBar* bar : bars) {
    bar->setExpanding(false);
    bar->setDocumentMode(true);
    bar->setElideMode(Qt::ElideNone);
    bar->setDrawBase(false);
  }
}

}  // namespace rqscope::app
