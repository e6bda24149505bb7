// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runqueue/tree.h"

#include <algorithm>

#include "base/fixed.h"

namespace rqscope {
namespace {

EntityId& childOn(TreeLinks& links, bool left) { return left ? links.left : links.right; }

}  // namespace

template <QueueKind kKind>
bool QueueTree<kKind>::isBefore(EntityId a, EntityId b) const {
  const SchedEntity& x = m_e[a.index()];
  const SchedEntity& y = m_e[b.index()];
  if constexpr (kKind == QueueKind::Cfs) return virtualDelta(x.vruntime, y.vruntime) < 0;
  return virtualDelta(x.deadline, y.deadline) < 0;
}

/// True when the subtree's figures did not change.
template <QueueKind kKind>
bool QueueTree<kKind>::recompute(EntityId id) {
  if constexpr (kKind == QueueKind::Cfs) {
    return true;
  } else {
    SchedEntity& e = m_e[id.index()];
    std::uint64_t minVruntime = e.vruntime;
    std::uint64_t minSlice = e.slice;
    std::uint64_t maxSlice = e.slice;
    for (const EntityId child : {e.tree.right, e.tree.left}) {
      if (!child.isValid()) continue;
      const SchedEntity& c = m_e[child.index()];
      if (virtualDelta(minVruntime, c.minVruntime) > 0) minVruntime = c.minVruntime;
      minSlice = std::min(minSlice, c.minSlice);
      maxSlice = std::max(maxSlice, c.maxSlice);
    }
    bool same = minVruntime == e.minVruntime && minSlice == e.minSlice;
    if constexpr (kKind == QueueKind::FlatEevdf) {
      same = same && maxSlice == e.maxSlice;
      e.maxSlice = maxSlice;
    }
    e.minVruntime = minVruntime;
    e.minSlice = minSlice;
    return same;
  }
}

template <QueueKind kKind>
void QueueTree<kKind>::propagateUntil(EntityId node, EntityId stop) {
  while (node != stop && !recompute(node)) node = links(node).parent;
}

template <QueueKind kKind>
void QueueTree<kKind>::propagate(EntityId node) {
  propagateUntil(node, EntityId{});
}

/// The v6.12 callbacks carry over the one field they are declared with: slices go stale until the next
/// propagation passes, and the state dumps of real kernels show it. v7.3 carries over all three.
template <QueueKind kKind>
void QueueTree<kKind>::copyAugmented(EntityId from, EntityId to) {
  if constexpr (kKind == QueueKind::Cfs) return;
  const SchedEntity& old = m_e[from.index()];
  SchedEntity& e = m_e[to.index()];
  e.minVruntime = old.minVruntime;
  if constexpr (kKind == QueueKind::FlatEevdf) {
    e.minSlice = old.minSlice;
    e.maxSlice = old.maxSlice;
  }
}

template <QueueKind kKind>
void QueueTree<kKind>::replaceChild(EntityId old, EntityId replacement, EntityId parent) {
  if (!parent.isValid())
    m_queue.root = replacement;
  else
    childOn(links(parent), links(parent).left == old) = replacement;
}

/// Rotates at `top`: its child on the other side takes its place. Colours are the caller's.
template <QueueKind kKind>
void QueueTree<kKind>::rotate(EntityId top, bool left) {
  TreeLinks& old = links(top);
  const EntityId up = childOn(old, !left);
  TreeLinks& risen = links(up);
  const EntityId moved = childOn(risen, left);
  childOn(old, !left) = moved;
  if (moved.isValid()) links(moved).parent = top;
  replaceChild(top, up, old.parent);
  risen.parent = old.parent;
  childOn(risen, left) = top;
  old.parent = up;
  copyAugmented(top, up);
  recompute(top);
}

template <QueueKind kKind>
void QueueTree<kKind>::insert(EntityId node) {
  SchedEntity& e = m_e[node.index()];
  e.minVruntime = e.vruntime;
  e.minSlice = e.slice;
  e.maxSlice = e.slice;
  EntityId parent;
  EntityId at = m_queue.root;
  bool left = false;
  bool isLeftmost = true;
  while (at.isValid()) {
    parent = at;
    left = isBefore(node, at);
    isLeftmost = isLeftmost && left;
    at = childOn(links(at), left);
  }
  e.tree = TreeLinks{parent, {}, {}, true};
  if (parent.isValid())
    childOn(links(parent), left) = node;
  else
    m_queue.root = node;
  if (isLeftmost) m_queue.leftmost = node;
  propagateUntil(parent, EntityId{});
  fixInsert(node);
}

/// Restores the colours above a new red node.
template <QueueKind kKind>
void QueueTree<kKind>::fixInsert(EntityId node) {
  while (true) {
    const EntityId parent = links(node).parent;
    if (!parent.isValid()) {
      links(node).isRed = false;
      return;
    }
    if (!isRed(parent)) return;
    const EntityId grand = links(parent).parent;
    const bool left = links(grand).left == parent;
    const EntityId uncle = childOn(links(grand), !left);
    if (isRed(uncle)) {
      links(uncle).isRed = false;
      links(parent).isRed = false;
      links(grand).isRed = true;
      node = grand;
      continue;
    }
    EntityId top = parent;
    if (childOn(links(parent), !left) == node) {
      rotate(parent, left);
      top = node;
    }
    links(top).isRed = false;
    links(grand).isRed = true;
    rotate(grand, !left);
    return;
  }
}

/// Puts the successor in the place of a node with two children. Returns the parent to rebalance at, or none.
template <QueueKind kKind>
EntityId QueueTree<kKind>::removeTwoChildren(EntityId node) {
  const TreeLinks gone = links(node);
  EntityId successor = gone.right;
  EntityId parent = successor;
  while (links(successor).left.isValid()) {
    parent = successor;
    successor = links(successor).left;
  }
  const EntityId orphan = links(successor).right;
  if (successor == gone.right) {
    copyAugmented(node, successor);
  } else {
    links(parent).left = orphan;
    links(successor).right = gone.right;
    links(gone.right).parent = successor;
    copyAugmented(node, successor);
    propagateUntil(parent, successor);
  }
  TreeLinks& s = links(successor);
  s.left = gone.left;
  links(gone.left).parent = successor;
  replaceChild(node, successor, gone.parent);
  const bool wasBlack = !s.isRed;
  s.parent = gone.parent;
  s.isRed = gone.isRed;
  EntityId rebalance;
  if (orphan.isValid()) {
    links(orphan).parent = parent;
    links(orphan).isRed = false;
  } else if (wasBlack) {
    rebalance = parent;
  }
  propagateUntil(successor, EntityId{});
  return rebalance;
}

/// Takes a node out of the links. Returns the parent to rebalance at, or none.
template <QueueKind kKind>
EntityId QueueTree<kKind>::unlink(EntityId node) {
  const TreeLinks gone = links(node);
  if (gone.left.isValid() && gone.right.isValid()) return removeTwoChildren(node);
  const EntityId child = gone.left.isValid() ? gone.left : gone.right;
  replaceChild(node, child, gone.parent);
  EntityId rebalance;
  if (child.isValid()) {
    links(child).parent = gone.parent;
    links(child).isRed = gone.isRed;
  } else if (!gone.isRed) {
    rebalance = gone.parent;
  }
  propagateUntil(gone.parent, EntityId{});
  return rebalance;
}

/// Restores the black heights: the (empty or black) side of `parent` that lost a node is one short.
template <QueueKind kKind>
void QueueTree<kKind>::fixErase(EntityId parent) {
  EntityId node;
  while (true) {
    const bool left = links(parent).left == node;
    EntityId sibling = childOn(links(parent), !left);
    if (isRed(sibling)) {
      links(sibling).isRed = links(parent).isRed;
      links(parent).isRed = true;
      rotate(parent, left);
      sibling = childOn(links(parent), !left);
    }
    const EntityId outer = childOn(links(sibling), !left);
    if (!isRed(outer)) {
      const EntityId inner = childOn(links(sibling), left);
      if (!isRed(inner)) {
        links(sibling).isRed = true;
        if (links(parent).isRed) {
          links(parent).isRed = false;
          return;
        }
        node = parent;
        parent = links(node).parent;
        if (!parent.isValid()) return;
        continue;
      }
      rotate(sibling, !left);
      links(inner).isRed = false;
      links(sibling).isRed = true;
      sibling = inner;
    }
    links(childOn(links(sibling), !left)).isRed = false;
    links(sibling).isRed = links(parent).isRed;
    links(parent).isRed = false;
    rotate(parent, left);
    return;
  }
}

template <QueueKind kKind>
void QueueTree<kKind>::erase(EntityId node) {
  if (m_queue.leftmost == node) m_queue.leftmost = treeNext(m_e, node);
  const EntityId rebalance = unlink(node);
  if (rebalance.isValid()) fixErase(rebalance);
  m_e[node.index()].tree = TreeLinks{};
}

EntityId treeNext(const SchedEntity* entities, EntityId node) {
  const auto links = [entities](EntityId id) -> const TreeLinks& { return entities[id.index()].tree; };
  if (EntityId at = links(node).right; at.isValid()) {
    while (links(at).left.isValid()) at = links(at).left;
    return at;
  }
  EntityId parent = links(node).parent;
  while (parent.isValid() && links(parent).right == node) {
    node = parent;
    parent = links(node).parent;
  }
  return parent;
}

template class QueueTree<QueueKind::Cfs>;
template class QueueTree<QueueKind::Eevdf>;
template class QueueTree<QueueKind::FlatEevdf>;

}  // namespace rqscope
