// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QString>
#include <memory>
#include <vector>

#include "rqscope/simulation.h"

namespace rqscope::session {

/// One run of those that a session holds: the one that was opened, or one that came of a change in another.
struct Branch {
  int id = -1;
  int parent = -1;       ///< the run that was changed; -1: this one was opened
  QString change, name;  ///< what was changed; the name a user gave, empty: none
  QString fileName, text;
  api::Overrides overrides;
  qint64 atNs = 0;                  ///< where it leaves its parent
  qint64 nowNs = 0, reachedNs = 0;  ///< where it stands, or was left; how far it was run
  quint64 event = 0;                ///< where it stands, or was left
  quint64 decision = 0;             ///< inside which, when rung >= 0
  int rung = -1;
  quint64 fingerprint = 0;  ///< of that state
  quint64 bytes = 0;        ///< of its history
  bool isKept = true;       ///< else only how it came about is kept: showing it runs it again
  QString title() const { return name.isEmpty() ? change : name; }
};

/// All of them, parents before children; the shown one is `current`.
struct Branches {
  std::vector<Branch> all;
  int current = -1;
  quint64 bytes = 0, budget = 0;  ///< of all histories together
  const Branch* find(int id) const;
  const Branch* shown() const { return find(current); }
};
using BranchesPtr = std::shared_ptr<const Branches>;

/// A change that is to start a branch of the run shown.
struct BranchWish {
  QString change;
  QString fileName, text;
  api::Overrides overrides;
  qint64 atNs = -1;  ///< -1: where the two texts first differ
};

/// Takes a run out of the tree: those that came of it now come of its parent. False, and nothing is changed,
/// when it is the one that was opened or is not there.
bool removeBranch(std::vector<Branch>& all, int id);
/// The runs that are to be let go so that the kept ones take at most `most` bytes, those shown longest ago
/// first. `order`: ids by when they were shown last, the latest at the end.
std::vector<int> branchesToDrop(const std::vector<Branch>& all, int current, const std::vector<int>& order,
                                quint64 most);
bool isSameRun(const Branch& branch, const BranchWish& wish);

}  // namespace rqscope::session

Q_DECLARE_METATYPE(rqscope::session::BranchesPtr)
