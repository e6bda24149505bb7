// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "runqueue/load_tracking.h"
#include "support/flat_machine.h"

namespace rqscope {
namespace {

constexpr CpuId kCpu{0};

struct Tree {
  Machine m = flatMachine("v6.12", 1);
  GroupId outer = addGroup(m, "outer", GroupId{0});
  GroupId inner = addGroup(m, "inner", outer);
  GroupId other = addGroup(m, "other", GroupId{0});

  Tree() {  // as if nothing had ever run
    for (CfsRq& queue : m.cfs) queue.onLeafList = false;
    m.rq(kCpu).leafList.clear();
    m.rq(kCpu).tmpAloneBranch = {};
  }
  CfsRqId of(GroupId group) const { return queueOf(m, group, kCpu); }
  const std::vector<CfsRqId>& list() const { return m.rq(kCpu).leafList; }
};

// An enqueue walks up: inner, outer, root. Until the root is on the list the branch hangs alone.
TEST(LeafList, PutsABranchInOrderChildrenFirst) {
  Tree t;
  EXPECT_FALSE(addLeafQueue(t.m, t.of(t.inner)));
  EXPECT_FALSE(addLeafQueue(t.m, t.of(t.outer)));
  EXPECT_TRUE(addLeafQueue(t.m, t.of(GroupId{0})));
  EXPECT_EQ(t.list(), (std::vector<CfsRqId>{t.of(t.inner), t.of(t.outer), t.of(GroupId{0})}));
  EXPECT_FALSE(t.m.rq(kCpu).tmpAloneBranch.isValid());
}

TEST(LeafList, PutsALaterChildBeforeItsParent) {
  Tree t;
  addLeafQueue(t.m, t.of(GroupId{0}));
  EXPECT_TRUE(addLeafQueue(t.m, t.of(t.outer)));
  EXPECT_TRUE(addLeafQueue(t.m, t.of(t.other)));
  EXPECT_TRUE(addLeafQueue(t.m, t.of(t.inner)));
  for (std::size_t i = 0; i < t.list().size(); ++i) {
    const GroupId parent = t.m.group(t.m.queue(t.list()[i]).group).parent;
    if (!parent.isValid()) continue;
    const auto place = std::find(t.list().begin(), t.list().end(), t.of(parent));
    EXPECT_GT(place - t.list().begin(), static_cast<std::ptrdiff_t>(i));
  }
}

TEST(LeafList, AddsOnceAndRemovesOnce) {
  Tree t;
  addLeafQueue(t.m, t.of(GroupId{0}));
  addLeafQueue(t.m, t.of(t.outer));
  addLeafQueue(t.m, t.of(t.outer));
  EXPECT_EQ(t.list().size(), 2U);
  removeLeafQueue(t.m, t.of(t.outer));
  removeLeafQueue(t.m, t.of(t.outer));
  EXPECT_EQ(t.list(), std::vector<CfsRqId>{t.of(GroupId{0})});
}

TEST(LeafList, MovesTheOpenBranchBackWhenItsLastQueueGoes) {
  Tree t;
  addLeafQueue(t.m, t.of(t.inner));
  addLeafQueue(t.m, t.of(t.outer));
  removeLeafQueue(t.m, t.of(t.outer));
  EXPECT_EQ(t.m.rq(kCpu).tmpAloneBranch, t.of(t.inner));
}

}  // namespace
}  // namespace rqscope
