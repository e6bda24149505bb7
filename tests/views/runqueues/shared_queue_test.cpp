// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QImage>

#include "rqscope/simulation.h"
#include "runqueues/shared_queue_list.h"

namespace rqscope::runqueues {
namespace {

std::shared_ptr<api::Frame> frameWithQueue() {
  auto frame = std::make_shared<api::Frame>();
  for (int i = 0; i < 3; ++i) {
    api::TaskFrame task;
    task.id = i;
    task.name = i == 0 ? "A" : (i == 1 ? "B" : "C");
    task.state = "queued";
    frame->tasks.push_back(task);
  }
  api::SharedQueueFrame queue;
  queue.llcCpu = 0;
  queue.cpus = {0, 1, 2, 3, 8};
  queue.tasks = {1, 2};
  queue.joined = 7;
  queue.pulled = 3;
  queue.lockHolder = 2;
  queue.lockWaiters = {0, 3};
  queue.lockTaken = 40;
  queue.lockContended = 9;
  queue.lockWaitedNs = 2'500;
  frame->sharedQueues.push_back(queue);
  return frame;
}

TEST(SharedQueueList, SaysTasksInOrderAndWhoHoldsTheLock) {
  SharedQueueList list;
  list.setFrame(frameWithQueue());
  ASSERT_EQ(list.rowCount(), 1);
  const std::string text = list.rowText(0).toStdString();
  EXPECT_NE(text.find("CPUs 0-3, 8: B C."), std::string::npos) << text;
  EXPECT_NE(text.find("CPU 2 holds it, 2 wait"), std::string::npos) << text;
  EXPECT_NE(text.find("pulled 3"), std::string::npos) << text;
}

TEST(SharedQueueList, IsHiddenWithoutSuchQueues) {
  SharedQueueList list;
  list.setFrame(std::make_shared<api::Frame>());
  EXPECT_TRUE(list.isHidden());
  list.setFrame(frameWithQueue());
  EXPECT_FALSE(list.isHidden());
  list.setFrame(nullptr);
  EXPECT_TRUE(list.isHidden());
}

TEST(SharedQueueList, PaintsMoreWhenTasksWait) {
  SharedQueueList list;
  list.resize(420, 90);
  auto full = frameWithQueue();
  auto empty = std::make_shared<api::Frame>(*full);
  empty->sharedQueues[0].tasks.clear();
  empty->sharedQueues[0].lockHolder = -1;
  empty->sharedQueues[0].lockWaiters.clear();
  list.setFrame(full);
  const QImage withTasks = list.grab().toImage();
  list.setFrame(empty);
  EXPECT_NE(withTasks, list.grab().toImage());
}

TEST(SharedQueueList, ShowsTheQueueOfTheThoughtExperiment) {
  api::Opened opened = api::Simulation::open("wakequeue-thought-experiment", {});
  ASSERT_NE(opened.simulation, nullptr);
  opened.simulation->seekTime(41'200'000);
  SharedQueueList list;
  list.setFrame(opened.simulation->frame());
  ASSERT_EQ(list.rowCount(), 1);
  EXPECT_NE(list.rowText(0).toStdString().find("CPUs 0-3: P."), std::string::npos)
      << list.rowText(0).toStdString();
}

}  // namespace
}  // namespace rqscope::runqueues
