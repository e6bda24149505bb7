// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QActionGroup>
#include <QFontMetrics>
#include <QMenu>
#include <QSettings>
#include <QToolButton>
#include <algorithm>

#include "branch_words.h"
#include "branches/branch_view.h"
#include "compare/compare_view.h"
#include "look/painting.h"
#include "look/words.h"
#include "main_window.h"

namespace rqscope::app {
namespace {

constexpr int kButtonPx = 220;
const QString kBudgetKey = QStringLiteral("historyBudget");

compare::CompareView::Run runOf(const session::Branch& branch) {
  return {branch.title(), branch.fileName, branch.text, branch.overrides};
}

}  // namespace

void MainWindow::buildBranchMenu(QMenu* run) {
  const auto add = [&](const QString& text, const char* key, auto slot) {
    QAction* const action = run->addAction(text);
    action->setShortcut(QKeySequence(QString::fromLatin1(key)));
    action->setEnabled(false);
    connect(action, &QAction::triggered, this, slot);
    return action;
  };
  m_undo = add(tr("&Undo change"), "Ctrl+Alt+Z", &MainWindow::undoChange);
  m_nextBranch = add(tr("Next &branch"), "Ctrl+B", [this] { stepBranch(1); });
  m_previousBranch = add(tr("Previous b&ranch"), "Ctrl+Shift+B", [this] { stepBranch(-1); });
}

void MainWindow::connectBranches() {
  using branches::BranchView;
  connect(&m_session, &session::Session::branchesChanged, this, &MainWindow::onBranches);
  connect(m_branchView, &BranchView::showWanted, this, [this](int id, bool atThisMoment) {
    const auto frame = m_session.frame();
    m_session.showBranch(id, atThisMoment && frame ? frame->timeNs : -1);
  });
  connect(m_branchView, &BranchView::renameWanted, &m_session, &session::Session::renameBranch);
  connect(m_branchView, &BranchView::removeWanted, &m_session, &session::Session::removeBranch);
  connect(m_branchView, &BranchView::compareWanted, this, &MainWindow::compareBranch);
  connect(m_branchView, &BranchView::budgetWanted, this, [this](quint64 bytes) {
    m_session.setHistoryBudget(bytes);
    if (m_settings == Settings::Keep) QSettings().setValue(kBudgetKey, bytes);
  });
  auto* menu = new QMenu(m_branchButton);
  m_branchButton->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, &MainWindow::fillBranchMenu);
  const quint64 kept =
      m_settings == Settings::Keep ? QSettings().value(kBudgetKey).toULongLong() : quint64{0};
  if (kept > 0) m_session.setHistoryBudget(kept);
}

void MainWindow::onBranches(const session::BranchesPtr& branches) {
  m_branchView->setBranches(branches);
  const session::Branch* const shown = branches->shown();
  const bool hasOthers = branches->all.size() > 1;
  m_undo->setEnabled(shown != nullptr && shown->parent >= 0);
  m_nextBranch->setEnabled(hasOthers);
  m_previousBranch->setEnabled(hasOthers);
  m_branchButton->setVisible(hasOthers);
  if (!hasOthers || shown == nullptr) return;
  const QString text = tr("Branch: %1").arg(shown->title());
  m_branchButton->setText(m_branchButton->fontMetrics().elidedText(text, Qt::ElideRight, kButtonPx) +
                          QStringLiteral(" \u25be"));
  m_branchButton->setToolTip(
      tr("%1\nOne of %2 runs; Ctrl+B shows the next").arg(text).arg(branches->all.size()));
  m_branchButton->setAccessibleName(text);
}

void MainWindow::fillBranchMenu() {
  QMenu* const menu = m_branchButton->menu();
  menu->clear();
  const session::BranchesPtr& branches = m_session.branches();
  for (const session::Branch& branch : branches->all) {
    const QString from = branch.parent < 0 ? tr("opened") : look::qs(look::timeText(branch.atNs));
    QAction* const action = menu->addAction(QStringLiteral("%1\t%2").arg(branch.title(), from));
    action->setCheckable(true);
    action->setChecked(branch.id == branches->current);
    connect(action, &QAction::triggered, this, [this, id = branch.id] { m_session.showBranch(id); });
  }
  menu->addSeparator();
  connect(menu->addAction(tr("All branches...")), &QAction::triggered, this,
          [this] { raiseDock(QStringLiteral("branches")); });
}

void MainWindow::undoChange() {
  const session::BranchesPtr& branches = m_session.branches();
  const session::Branch* const shown = branches ? branches->shown() : nullptr;
  if (shown != nullptr && shown->parent >= 0) m_session.showBranch(shown->parent);
}

void MainWindow::stepBranch(int step) {
  const session::BranchesPtr& branches = m_session.branches();
  if (!branches || branches->all.size() < 2) return;
  const auto count = static_cast<int>(branches->all.size());
  int at = 0;
  while (at < count && branches->all[static_cast<std::size_t>(at)].id != branches->current) ++at;
  m_session.showBranch(branches->all[static_cast<std::size_t>((at + step + count) % count)].id);
}

/// What a view changed in the scenario: a branch of the run shown. What is wrong with it is shown there.
void MainWindow::applyText(const QString& fileName, const QString& text, const api::Overrides& overrides) {
  const session::OpenedInfo& info = m_session.info();
  m_isApplying = true;
  if (info.branch < 0) return m_session.openText(fileName, text, overrides);
  session::BranchWish wish;
  api::Overrides named = info.overrides;
  if (named.kernel.empty() && info.layout) named.kernel = info.layout->kernel;
  wish.change = changeText(info.scenarioText, named, text, overrides);
  wish.fileName = fileName;
  wish.text = text;
  wish.overrides = overrides;
  m_session.branch(wish);
}

void MainWindow::compareBranch(int id) {
  const session::BranchesPtr& branches = m_session.branches();
  const session::Branch* const other = branches ? branches->find(id) : nullptr;
  const session::Branch* const shown = branches ? branches->shown() : nullptr;
  if (other == nullptr || shown == nullptr || other == shown) return;
  // The older one is A: it is what the change was made to, as a rule.
  const bool isOtherOlder = other->id < shown->id;
  raiseDock(QStringLiteral("compare"));
  m_compare->compareRuns(runOf(isOtherOlder ? *other : *shown), runOf(isOtherOlder ? *shown : *other));
}

}  // namespace rqscope::app
