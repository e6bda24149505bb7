// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "rqscope/scenario_edit.h"
#include "session/worker.h"

namespace rqscope::session {
namespace {

constexpr int kSliceMs = 100;  // running a branch up to its moment looks for a cancel this often

std::string plain(const QString& text) { return text.toStdString(); }

}  // namespace

Branch* Worker::find(int id) {
  const auto it =
      std::find_if(m_branches.begin(), m_branches.end(), [id](const Branch& b) { return b.id == id; });
  return it == m_branches.end() ? nullptr : &*it;
}

void Worker::forgetBranches() {
  m_branches.clear();
  m_parked.clear();
  m_order.clear();
  m_shown = -1;
}

void Worker::swapIn(int id, std::unique_ptr<api::Simulation> simulation) {
  {
    const std::lock_guard lock(m_guard);
    std::swap(m_simulation, simulation);
  }
  if (simulation && find(m_shown) != nullptr) m_parked[m_shown] = std::move(simulation);
  m_shown = id;
  std::erase(m_order, id);
  m_order.push_back(id);
  m_viewpoint = -1;
  m_sharedBudget = 0;
}

void Worker::tellOpened(bool isOfSameTree) {
  const Branch& branch = *find(m_shown);
  OpenedInfo info;
  info.branch = m_shown;
  info.isOfSameTree = isOfSameTree;
  info.fileName = branch.fileName;
  info.scenarioName = QString::fromStdString(m_simulation->scenarioName());
  info.scenarioText = branch.text;
  info.layout = m_simulation->layout();
  info.chartIds = m_simulation->chartIds();
  info.overrides = branch.overrides;
  Q_EMIT opened(info);
}

void Worker::tellBranches() {
  auto branches = std::make_shared<Branches>();
  branches->all = m_branches;
  branches->current = m_shown;
  branches->budget = m_budget;
  for (const Branch& branch : m_branches) branches->bytes += branch.bytes;
  Q_EMIT branchesChanged(branches);
}

/// What is known of the run shown once another one is.
void Worker::noteStanding(const api::Frame& frame) {
  if (m_budget == 0) m_budget = frame.historyBudget;
  Branch* const branch = find(m_shown);
  if (branch == nullptr) return;
  branch->nowNs = frame.timeNs;
  branch->reachedNs = std::max<qint64>(branch->reachedNs, frame.timeNs);
  branch->event = frame.eventIndex;
  branch->decision = frame.passIndex;
  branch->rung = frame.rung;
  branch->fingerprint = frame.fingerprint;
  branch->bytes = frame.historyBytes;
}

quint64 Worker::bytesAside() const {
  quint64 bytes = 0;
  for (const Branch& branch : m_branches)
    if (branch.id != m_shown) bytes += branch.bytes;
  return bytes;
}

/// The runs aside may have half of the budget; the run shown has what they leave.
void Worker::shareBudget() {
  for (const int id : branchesToDrop(m_branches, m_shown, m_order, m_budget / 2)) {
    m_parked.erase(id);
    find(id)->isKept = false;
    find(id)->bytes = 0;
  }
  const quint64 own = m_budget - bytesAside();
  if (own != m_sharedBudget) m_simulation->setHistoryBudget(own);
  m_sharedBudget = own;
}

void Worker::setHistoryBudget(quint64 bytes) {
  m_budget = bytes;
  m_sharedBudget = 0;
  publish();
}

/// On to a moment, in slices. False when it was cancelled on the way.
bool Worker::runUp(qint64 timeNs) {
  api::StopCondition there;
  there.kind = api::StopKind::Time;
  there.timeNs = timeNs;
  for (quint64 before = UINT64_MAX; !m_simulation->runUntil(there, kSliceMs);) {
    if (m_isCancelled) return false;
    const auto frame = m_simulation->frame();
    if (frame->atEnd || frame->eventIndex == before) break;
    before = frame->eventIndex;
    publish();
  }
  m_simulation->seekTime(timeNs);
  return !m_isCancelled;
}

void Worker::branch(BranchWish wish) {
  if (!m_simulation) return;
  setPace(Pace::Paused);
  m_isCancelled = false;
  noteStanding(*m_simulation->frame());
  const Branch& from = *find(m_shown);
  // The kernel of the run shown, named though nothing named it before, is no change.
  if (from.overrides.kernel.empty() && wish.overrides.kernel == m_simulation->layout()->kernel)
    wish.overrides.kernel.clear();
  for (const Branch& branch : m_branches)
    if (isSameRun(branch, wish)) return showBranch(branch.id, std::max<qint64>(wish.atNs, 0));
  if (wish.atNs < 0) {
    BranchWish unchanged = wish;
    unchanged.text = from.text;
    if (isSameRun(from, unchanged))
      wish.atNs =
          api::branchPointNs(plain(wish.fileName), plain(from.text), plain(wish.text), wish.overrides);
    wish.atNs = std::max<qint64>(wish.atNs, 0);
  }
  api::Opened opened = api::Simulation::openText(plain(wish.fileName), plain(wish.text), wish.overrides);
  if (!opened.simulation) return Q_EMIT problemsFound(opened.problems, false);
  Branch made;
  made.id = m_nextBranch++;
  made.parent = m_shown;
  made.change = wish.change;
  made.fileName = wish.fileName;
  made.text = wish.text;
  made.overrides = wish.overrides;
  made.atNs = wish.atNs;
  m_branches.push_back(made);
  swapIn(made.id, std::move(opened.simulation));
  tellOpened(true);
  Q_EMIT problemsFound(opened.problems, true);
  runUp(made.atNs);
  publish();
}

void Worker::showBranch(int id, qint64 timeNs) {
  if (!m_simulation || find(id) == nullptr) return;
  setPace(Pace::Paused);
  m_isCancelled = false;
  if (id != m_shown) {
    noteStanding(*m_simulation->frame());
    const Branch left = *find(id);
    std::unique_ptr<api::Simulation> simulation = std::move(m_parked[id]);
    m_parked.erase(id);
    if (!simulation) {
      api::Opened again = api::Simulation::openText(plain(left.fileName), plain(left.text), left.overrides);
      if (!again.simulation) return Q_EMIT problemsFound(again.problems, false);
      simulation = std::move(again.simulation);
    }
    swapIn(id, std::move(simulation));
    find(id)->isKept = true;
    m_simulation->setViewpoint(-1);
    tellOpened(true);
    if (!left.isKept) comeBack(left);
  }
  Q_EMIT problemsFound({}, true);
  if (timeNs >= 0 && !m_isCancelled) m_simulation->seekTime(timeNs);
  publish();
}

/// Runs a branch again as far as it was, then back to where it was left.
void Worker::comeBack(const Branch& left) {
  if (!runUp(left.reachedNs)) return;
  if (left.rung < 0) {
    m_simulation->seekEvent(left.event);
  } else {
    m_simulation->seekPass(left.decision);
    for (int rung = 0; rung < left.rung; ++rung)
      m_simulation->step(api::StepKind::Rung, api::Direction::Forward);
  }
  if (m_isCancelled || m_simulation->frame()->fingerprint == left.fingerprint) return;
  api::Problem problem;
  problem.file = plain(left.fileName);
  problem.message = "running the branch again came to another state than before";
  Q_EMIT problemsFound({problem}, true);
}

void Worker::renameBranch(int id, const QString& name) {
  if (Branch* const branch = find(id)) branch->name = name.trimmed();
  tellBranches();
}

void Worker::removeBranch(int id) {
  const Branch* const branch = find(id);
  if (branch == nullptr || branch->parent < 0) return;
  if (id == m_shown) showBranch(branch->parent, -1);
  if (id == m_shown) return;  // its parent could not be shown
  m_parked.erase(id);
  std::erase(m_order, id);
  session::removeBranch(m_branches, id);
  shareBudget();
  publish();
}

}  // namespace rqscope::session
