// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QVBoxLayout>

#include "charts/charts_view.h"
#include "command_palette.h"
#include "commands.h"
#include "decision/decision_view.h"
#include "dock_table.h"
#include "keys_dialog.h"
#include "look/accessible_items.h"
#include "machine/machine_view.h"
#include "main_window.h"
#include "playback/playback.h"
#include "rqscope/simulation.h"
#include "timeline/timeline_canvas.h"
#include "topology_editor/machine_editor.h"
#include "topology_editor/machine_export.h"
#include "view_table.h"

namespace rqscope::app {
namespace {

constexpr int kDocksWithKeys = 9;

const char* const kKeys[][2] = {
    {"Right, Shift+Right, Ctrl+Right, .", "event, tick, pass, rung forward; Left and , the same back"},
    {"Space; F5, F6, F7, F8", "run or pause; run, fast, express, pause"},
    {"F10, Shift+F10, F11, Shift+F11", "event on, back; into the decision, out"},
    {"Ctrl+F5; Ctrl+G; Home, End", "run until; go to time, event or pass; first, last"},
    {"W S A D, Ctrl+wheel, F", "timeline or machine zoom and pan; fit"},
    {"Z held over the machine", "lens: the group under the mouse closer"},
    {"Shift+A, Shift+B, Ctrl+D", "markers A and B here; clear them"},
    {"M, Shift+M", "note at this moment; write and keep it (without words: remove it)"},
    {"Enter or click on a number", "why this number, again the next one; Esc closes"},
    {"Alt+Left, Alt+Right", "to where the number was set; back"},
    {"Tab, Enter; Backspace", "in the card: to what it was computed from, step by step; back again"},
    {"F2 or double click on a number", "what if it were another; Esc goes back to the run"},
    {"N", "why is the task not on this CPU?"},
    {"Ctrl+B, Ctrl+Shift+B; Ctrl+Alt+Z", "next, previous branch; back to the run before the change"},
    {"Enter on the machine, then arrows; Esc", "walk CPUs; PageUp, PageDown walk tasks; out again"},
    {"G, Shift+G on the machine", "next or previous group, where the groups of the domain overlap"},
    {"X, P in Compare", "next or previous difference between A and B"},
    {"X, P in Trace or Timeline", "next or previous parting of machine and model"},
    {"Tab, Shift+Tab; Ctrl+Tab, Ctrl+Shift+Tab", "next widget, previous; next dock, previous"},
    {"Ctrl+T", "what the view shows as a table"},
    {"Ctrl+1..9; Ctrl+Shift+P; ?", "show dock n; commands; this sheet"},
};

}  // namespace

void MainWindow::buildMenus() {
  buildFileMenu();
  buildViewMenu();
  buildRunMenu();
  buildHelpMenu();
  if (m_settings != Settings::Keep) return;
  QSettings store;
  loadKeys(commandsOf(*this), store);
}

void MainWindow::buildFileMenu() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  file->addAction(m_playback->openAction());
  QMenu* builtin = file->addMenu(tr("Built-in &scenarios"));
  connect(builtin, &QMenu::aboutToShow, this, [this, builtin] {
    builtin->clear();
    for (const api::Named& named : api::builtinScenarios()) {
      const QString name = QString::fromStdString(named.name);
      QAction* action = builtin->addAction(named.title.empty() ? name : QString::fromStdString(named.title));
      connect(action, &QAction::triggered, this, [this, name] { m_session.open(name, {}); });
    }
  });
  QMenu* exports = file->addMenu(tr("&Export machine"));
  exports->addAction(tr("Picture (SVG, PNG, PDF)"), m_machine, &machine::MachineView::exportPicture);
  for (std::size_t row = 0; row < topology_editor::exportRows().size(); ++row)
    connect(exports->addAction(tr(topology_editor::exportRows()[row].title)), &QAction::triggered, m_editor,
            [this, row] { m_editor->exportRunning(row); });
  file->addSeparator();
  QAction* copy = file->addAction(tr("&Copy decision as text"));
  copy->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+C")));
  connect(copy, &QAction::triggered, m_decision, &decision::DecisionView::copyText);
  file->addSeparator();
  QAction* quit = file->addAction(tr("&Quit"));
  quit->setShortcut(QKeySequence::Quit);
  connect(quit, &QAction::triggered, this, &QWidget::close);
}

void MainWindow::buildDockActions(QMenu* view) {
  int number = 1;
  for (const DockRow& row : dockTable()) {
    QDockWidget* which = dock(QString::fromLatin1(row.name));
    if (!which) continue;
    QAction* show = view->addAction(tr(row.title));
    if (number <= kDocksWithKeys) show->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number++)));
    connect(show, &QAction::triggered, this, [this, name = which->objectName()] { raiseDock(name); });
  }
  view->addSeparator();
  const auto add = [&](const QString& text, const char* key, auto slot) {
    QAction* action = view->addAction(text);
    action->setShortcut(QKeySequence(QString::fromLatin1(key)));
    connect(action, &QAction::triggered, this, slot);
  };
  add(tr("&Next dock"), "Ctrl+Tab", [this] { walkDocks(1); });
  add(tr("&Previous dock"), "Ctrl+Shift+Tab", [this] { walkDocks(-1); });
  add(tr("&Table of the view"), "Ctrl+T", &MainWindow::showTable);
}

void MainWindow::buildViewMenu() {
  QMenu* view = menuBar()->addMenu(tr("&View"));
  buildDockActions(view);
  view->addSeparator();
  auto* group = new QActionGroup(this);
  for (const look::Theme theme : {look::Theme::Dark, look::Theme::Light}) {
    QAction* choose = view->addAction(theme == look::Theme::Dark ? tr("&Dark") : tr("&Light"));
    choose->setCheckable(true);
    choose->setChecked(theme == m_theme);
    group->addAction(choose);
    connect(choose, &QAction::triggered, this, [this, theme] { setTheme(theme); });
  }
  view->addSeparator();
  QAction* motion = view->addAction(tr("&Animate migrations"));
  motion->setCheckable(true);
  motion->setChecked(true);
  connect(motion, &QAction::toggled, this, &MainWindow::setMotion);
  connect(view->addAction(tr("&Reset layout")), &QAction::triggered, this, &MainWindow::resetLayout);
}

void MainWindow::buildRunMenu() {
  QMenu* run = menuBar()->addMenu(tr("&Run"));
  for (QAction* action : m_playback->menuActions()) {
    if (action) {
      run->addAction(action);
    } else {
      run->addSeparator();
    }
  }
  run->addSeparator();
  connect(run->addAction(tr("Change the &CPU...")), &QAction::triggered, this, [this] { changeCpu(m_cpu); });
  connect(run->addAction(tr("Change the &task...")), &QAction::triggered, this,
          [this] { changeTask(m_task); });
  buildBranchMenu(run);
  run->addSeparator();
  QAction* clear = run->addAction(tr("Clear markers"));
  clear->setShortcut(QKeySequence(QStringLiteral("Ctrl+D")));
  connect(clear, &QAction::triggered, this, [this] {
    m_timeline->setMarker(QLatin1Char('A'), std::nullopt);
    m_timeline->setMarker(QLatin1Char('B'), std::nullopt);
  });

  const auto add = [&](const QString& text, const char* key, auto slot) {
    QAction* action = run->addAction(text);
    action->setShortcut(QKeySequence(QString::fromLatin1(key)));
    connect(action, &QAction::triggered, this, slot);
  };
  add(tr("&Note here"), "M", &MainWindow::noteHere);
  add(tr("&Keep the note..."), "Shift+M", &MainWindow::keepNote);
  run->addSeparator();
  add(tr("To where the number was &set"), "Alt+Left", &MainWindow::goToSetting);
  add(tr("&Back from there"), "Alt+Right", &MainWindow::goBack);
  QAction* whyNot = run->addAction(tr("&Why is the task not on this CPU?"));
  whyNot->setShortcut(QKeySequence(QStringLiteral("N")));
  connect(whyNot, &QAction::triggered, this, &MainWindow::askWhyNot);
}

void MainWindow::buildHelpMenu() {
  QMenu* help = menuBar()->addMenu(tr("&Help"));
  QAction* keys = help->addAction(tr("&Keys"));
  keys->setShortcut(QKeySequence(QStringLiteral("?")));
  connect(keys, &QAction::triggered, this, &MainWindow::showKeys);
  QAction* commands = help->addAction(tr("&Commands..."));
  commands->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+P")));
  connect(commands, &QAction::triggered, this, &MainWindow::showCommands);
  connect(help->addAction(tr("C&hange keys...")), &QAction::triggered, this, &MainWindow::changeKeys);
  connect(help->addAction(tr("&About rqscope")), &QAction::triggered, this, &MainWindow::showAbout);
}

/// For the CPU that is selected, and the task that was selected here, else the one that the rung is about.
void MainWindow::askWhyNot() {
  raiseDock(QStringLiteral("decision"));
  const int ofRung = m_decision->taskOfRung();
  m_decision->askWhyNot(m_isTaskNew || ofRung < 0 ? m_task : ofRung, m_cpu);
}

void MainWindow::showCommands() {
  auto* palette = new CommandPalette(commandsOf(*this), this);
  palette->setAttribute(Qt::WA_DeleteOnClose);
  palette->open();
}

void MainWindow::changeKeys() {
  auto* dialog = new KeysDialog(commandsOf(*this), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this] {
    if (m_settings != Settings::Keep) return;
    QSettings store;
    saveKeys(commandsOf(*this), store);
  });
  dialog->open();
}

/// Of the dock with the focus, else of the machine. Docks that are tables themselves have no other.
void MainWindow::showTable() {
  QDockWidget* of = dock(QStringLiteral("machine"));
  for (const auto& [name, which] : m_docks)
    if (which->isAncestorOf(QApplication::focusWidget())) of = which;
  const bool isChart = of == dock(QStringLiteral("charts"));
  QWidget* const painted = isChart ? m_charts : paintedViewIn(of);
  if (painted == nullptr) return setNote(tr("%1 is text or a table already").arg(of->windowTitle()));
  auto* items = isChart ? nullptr : dynamic_cast<look::PaintedItems*>(painted);
  const auto read = [this, isChart, painted] {
    if (!isChart) return contentOf(painted);
    return m_charts->data() ? contentOf(*m_charts->data()) : ViewTable::Content();
  };
  const auto press = [items](int row) {
    if (items != nullptr) items->pressAccessibleItem(row);
  };
  auto* table = new ViewTable(of->windowTitle(), painted, read, press, this);
  connect(&m_session, &session::Session::busyChanged, table, [table](bool isBusy) {
    if (!isBusy) table->refresh();
  });
  table->show();
}

/// The sheet names the program's own keys; those of the user stand above.
void MainWindow::showKeys() {
  QDialog sheet(this);
  sheet.setWindowTitle(tr("Keys"));
  QString table = QStringLiteral("<table cellspacing='6'>");
  const auto add = [&](const QString& keys, const QString& what) {
    table += QStringLiteral("<tr><td><b>%1</b></td><td>&nbsp;%2</td></tr>")
                 .arg(keys.toHtmlEscaped(), what.toHtmlEscaped());
  };
  for (const Command& command : commandsOf(*this))
    if (command.action->shortcuts() != ownKeys(*command.action))
      add(keysText(command.action->shortcuts()), tr("%1 (changed)").arg(command.name));
  for (const auto& [keys, what] : kKeys) add(tr(keys), tr(what));
  auto* column = new QVBoxLayout(&sheet);
  column->addWidget(new QLabel(table + QStringLiteral("</table>"), &sheet));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &sheet);
  connect(buttons, &QDialogButtonBox::rejected, &sheet, &QDialog::reject);
  column->addWidget(buttons);
  sheet.exec();
}

void MainWindow::showAbout() {
  QMessageBox::about(
      this, tr("About rqscope"),
      tr("<b>rqscope</b><p>An explorer of the Linux fair scheduler's load balancer: a model that can be "
         "stepped, "
         "forward and back, and shows for each decision what was compared and why.<p>GPL-3.0-or-later"));
}

}  // namespace rqscope::app
