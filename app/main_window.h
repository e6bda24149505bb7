// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QStringList>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "look/palette.h"
#include "rqscope/explain_value.h"
#include "rqscope/lesson.h"
#include "session/session.h"

class QAction;
class QLabel;
class QMenu;
class QToolButton;

namespace rqscope::machine {
class Lens;
class MachineView;
class Overview;
}  // namespace rqscope::machine
namespace rqscope::decision {
class DecisionView;
}
namespace rqscope::branches {
class BranchView;
}
namespace rqscope::domains {
class DomainsView;
}
namespace rqscope::timeline {
class TimelineCanvas;
}
namespace rqscope::runqueues {
class QueueTable;
class QueueAxis;
class QueueView;
class SharedQueueList;
}  // namespace rqscope::runqueues
namespace rqscope::charts {
class ChartsView;
}
namespace rqscope::scenario {
class ScenarioView;
}
namespace rqscope::topology_editor {
class MachineEditor;
}
namespace rqscope::published {
class PublishedView;
}
namespace rqscope::compare {
class CompareView;
class TraceView;
}  // namespace rqscope::compare
namespace rqscope::lesson {
class LessonView;
}
namespace rqscope::decision_log {
class LogView;
}
namespace rqscope::playback {
class Playback;
}

namespace rqscope::app {

class ProblemCard;

/// The window: docks from the table, menus, tool bar and status, all fed by one session and one selection.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  enum class Settings { Keep, Ignore };
  MainWindow(session::Session& session, look::Theme theme, Settings settings);
  ~MainWindow() override;

  void chooseCpu(int cpu);
  void selectCpu(int cpu);
  void selectTask(int slot);
  void raiseDock(const QString& name);
  /// Frames the groups of a domain level; false when the machine has none of that name.
  bool showLevel(const QString& label);
  QStringList levels() const;
  void setMotion(bool isAnimated);
  look::Theme theme() const { return m_theme; }
  QDockWidget* dock(const QString& name) const;
  playback::Playback* playback() const { return m_playback; }
  published::PublishedView* published() const { return m_published; }
  branches::BranchView* branchView() const { return m_branchView; }
  compare::CompareView* compareView() const { return m_compare; }
  compare::TraceView* traceView() const { return m_trace; }
  lesson::LessonView* lesson() const { return m_lesson; }
  /// A CPU's frequency, capacity or throughput from the present moment on, by a dialog.
  void changeCpu(int cpu);
  /// A task's nice, policy and allowed CPUs, in the same way; slot as in Frame::tasks.
  void changeTask(int slot);
  /// Adds operations to the scenario at a time, as a branch of the run shown; undoChange() goes back to that.
  void changeScenario(std::int64_t timeNs, const std::vector<std::string>& operations);
  void undoChange();
  /// Shows the next run of the tree, or the one before.
  void stepBranch(int step);
  void explainNumber(const api::ValueRef& ref);
  /// Opens a file: a report of a published discussion in its dock, anything else as what is run. Empty when
  /// done or when the session will tell, else why not.
  QString openAny(const QString& file);
  /// Shows a report in the Published dock and raises it; empty when done, else why not.
  QString openReport(const QString& file);
  /// Lets a dock show something by name; true when it takes a while and the view's finished() tells.
  bool showInDock(const QString& name, const QString& what);
  /// What of that is not there, once it was asked for, and what there is instead; empty: all is.
  QString dockProblem(const QString& name, const QString& what) const;
  ProblemCard* problemCard() const { return m_card; }
  /// A short note in the status bar; empty: none.
  void setNote(const QString& text);

 public Q_SLOTS:
  void setTheme(rqscope::look::Theme theme);
  void openFile();
  void openTrace();
  void showKeys();
  void showAbout();
  void gotoDialog();
  void askWhyNot();
  /// All commands, to be searched and run.
  void showCommands();
  /// Other keys for the commands, by a dialog.
  void changeKeys();
  /// What the painted view with the focus shows, as a table.
  void showTable();
  /// To where the number explained last was set; back to where that began.
  void goToSetting();
  void goBack();
  /// A note at this moment; its words, and that it stays.
  void noteHere();
  void keepNote();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildDocks();
  void buildMenus();
  void buildFileMenu();
  void buildViewMenu();
  void buildDockActions(QMenu* view);
  void buildRunMenu();
  void buildHelpMenu();
  void walkDocks(int step);
  void resetLayout();
  void noteExplained(const api::ExplainedValue& value);
  void storeNotes() const;
  void loadNotes(const QString& scenario);
  void buildStatus();
  void connectSession();
  void connectOpening();
  void connectViews();
  void connectPlayback();
  void arrange();
  void keepOwnSizes();
  void scheduleArrange();
  void refreshTitles();
  void scheduleTitles();
  void onFrame(const session::FramePtr& frame);
  void onOpened(const session::OpenedInfo& info);
  void onProblems(const session::Problems& problems, bool isOpen);
  void onPace(session::Pace pace);
  void onSeekMissed(session::Place place, quint64 wanted);
  void updateStatus();
  void showCpuMenu(int cpu, const QPoint& globalPosition);
  std::optional<api::DecisionFilter> nextDecision(const QStringList& words) const;
  void goToPlace(const QString& scenario, const api::Overrides& overrides, const api::LessonPlace& place);
  void showPlace();
  void connectBranches();
  void connectOverview();
  void fitDocksTo(const api::MachineLayout& layout);
  void buildBranchMenu(QMenu* run);
  void onBranches(const session::BranchesPtr& branches);
  void fillBranchMenu();
  void applyText(const QString& fileName, const QString& text, const api::Overrides& overrides);
  void compareBranch(int id);
  QWidget* viewFor(const QString& name);
  QWidget* runqueuesView();
  QWidget* publishedView();
  QWidget* makeCompareView();
  QWidget* makeTraceView();
  void connectTrace();
  void setWide(bool isWide);
  QMainWindow* hostOf(QDockWidget* dock);

  session::Session& m_session;
  look::Theme m_theme;
  Settings m_settings;
  std::map<QString, QDockWidget*> m_docks;
  /// Sizes of the docks around the middle, in px.
  struct DockSizes {
    int left, right, bottom, queues;
  };
  std::optional<DockSizes> m_own;  ///< as the user dragged them; else by the size of the window
  QMainWindow* m_center;           ///< machine, queue and editor
  playback::Playback* m_playback;
  machine::MachineView* m_machine;
  decision::DecisionView* m_decision;
  domains::DomainsView* m_domains;
  timeline::TimelineCanvas* m_timeline;
  runqueues::QueueTable* m_queues;
  runqueues::QueueView* m_queueView;
  runqueues::SharedQueueList* m_sharedQueues;
  runqueues::QueueAxis* m_axis;
  charts::ChartsView* m_charts;
  scenario::ScenarioView* m_scenario;
  topology_editor::MachineEditor* m_editor;
  published::PublishedView* m_published;
  compare::CompareView* m_compare;
  compare::TraceView* m_trace;
  std::vector<QDockWidget*> m_putAside;  ///< docks hidden while Compare has the whole window
  bool m_isWide = false;
  lesson::LessonView* m_lesson;
  decision_log::LogView* m_log;
  branches::BranchView* m_branchView;
  machine::Overview* m_overview;
  machine::Lens* m_lens;
  bool m_isBig = false;  ///< so many CPUs that the machine has an overview and a lens beside it
  QAction *m_undo, *m_nextBranch, *m_previousBranch;
  QToolButton* m_branchButton;
  ProblemCard* m_card;
  QString m_opening;  ///< name of what is being opened
  QLabel *m_state, *m_where, *m_profile, *m_message, *m_hints;
  int m_cpu = -1, m_task = -1;
  int m_wantedCpu = -1;  ///< to choose once what was asked for is open
  /// An event of the run, and the rung looked at in it.
  struct Place {
    quint64 event, decision;
    int rung;  ///< -1: none
  };
  std::vector<Place> m_back;                       ///< from where goToSetting() left, the last at the end
  std::optional<api::ExplainedValue> m_explained;  ///< the number explained last
  std::optional<api::LessonPlace> m_wantedPlace;   ///< to show once the session is there
  bool m_isCpuChosen = false, m_isApplying = false, m_isGotoNote = false, m_isTaskNew = false,
       m_hasTitlesPending = false, m_hasArrangePending = false, m_isLessonRead = false;
};

}  // namespace rqscope::app
