// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/branches.h"

#include <algorithm>

namespace rqscope::session {

const Branch* Branches::find(int id) const {
  const auto it = std::find_if(all.begin(), all.end(), [id](const Branch& b) { return b.id == id; });
  return it == all.end() ? nullptr : &*it;
}

bool removeBranch(std::vector<Branch>& all, int id) {
  const auto it = std::find_if(all.begin(), all.end(), [id](const Branch& b) { return b.id == id; });
  if (it == all.end() || it->parent < 0) return false;
  for (Branch& branch : all) {
    if (branch.parent != id) continue;
    branch.parent = it->parent;
    branch.atNs = std::min(branch.atNs, it->atNs);  // there it first differs from the parent's parent
  }
  all.erase(it);
  return true;
}

std::vector<int> branchesToDrop(const std::vector<Branch>& all, int current, const std::vector<int>& order,
                                quint64 most) {
  quint64 kept = 0;
  for (const Branch& branch : all)
    if (branch.isKept && branch.id != current) kept += branch.bytes;
  std::vector<int> dropped;
  for (const int id : order) {
    if (kept <= most) break;
    const auto it = std::find_if(all.begin(), all.end(), [id](const Branch& b) { return b.id == id; });
    if (it == all.end() || id == current || !it->isKept) continue;
    kept -= it->bytes;
    dropped.push_back(id);
  }
  return dropped;
}

bool isSameRun(const Branch& branch, const BranchWish& wish) {
  const api::Overrides& a = branch.overrides;
  const api::Overrides& b = wish.overrides;
  return branch.fileName == wish.fileName && branch.text == wish.text && a.kernel == b.kernel &&
         a.machine == b.machine && a.patches == b.patches && a.features == b.features &&
         a.untilNs == b.untilNs && a.seed == b.seed;
}

}  // namespace rqscope::session
