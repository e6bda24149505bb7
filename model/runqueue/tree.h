// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/profile.h"
#include "runqueue/entities.h"

namespace rqscope {

/// Successor in order, or none. Kernel: rb_next().
EntityId treeNext(const SchedEntity* entities, EntityId node);

/// The red-black tree of one queue, intrusive by entity id. Ordered by vruntime (v6.1) or deadline (later),
/// equal keys to the right, so that its shape and its augmentation are those of the kernel's tree.
/// Kernel: rb_root_cached with min_vruntime_cb (fair.c v6.12), lib/rbtree.c.
template <QueueKind kKind>
class QueueTree {
 public:
  /// `entities` is Machine::entities.data(); both must outlive this view.
  QueueTree(SchedEntity* entities, CfsRq& queue) : m_e(entities), m_queue(queue) {}

  void insert(EntityId node);
  void erase(EntityId node);
  /// Recomputes the augmentation from `node` up until nothing changes. Kernel: min_vruntime_cb_propagate().
  void propagate(EntityId node);

 private:
  TreeLinks& links(EntityId id) { return m_e[id.index()].tree; }
  bool isRed(EntityId id) const { return id.isValid() && m_e[id.index()].tree.isRed; }
  bool isBefore(EntityId a, EntityId b) const;
  bool recompute(EntityId id);
  void propagateUntil(EntityId node, EntityId stop);
  void copyAugmented(EntityId from, EntityId to);
  void replaceChild(EntityId old, EntityId replacement, EntityId parent);
  void rotate(EntityId parent, bool left);
  EntityId removeTwoChildren(EntityId node);
  EntityId unlink(EntityId node);
  void fixInsert(EntityId node);
  void fixErase(EntityId parent);

  SchedEntity* m_e;
  CfsRq& m_queue;
};

extern template class QueueTree<QueueKind::Cfs>;
extern template class QueueTree<QueueKind::Eevdf>;
extern template class QueueTree<QueueKind::FlatEevdf>;

}  // namespace rqscope
