// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "evaluate/queue_records.h"

namespace rqscope {

/// Drives the fair class on one CPU by the operations of a sequence record, in the order in which the core
/// scheduler calls it (the record's harness has no other core).
class SequenceDriver {
 public:
  explicit SequenceDriver(const KernelProfile& profile, int cpus = 1);

  Machine& machine() { return m_machine; }
  const std::map<std::int64_t, TaskId>& tasks() const { return m_tasks; }
  std::int64_t idOf(TaskId task) const;  ///< -1 for none
  std::int64_t idOf(EntityId entity) const;
  const std::map<std::int64_t, GroupId>& groups() const { return m_groups; }
  /// Adds a row of the record's groups; errors stay in `row`.
  void addGroupOfRecord(RecordReader& row);
  /// Applies one operation; errors stay in `op`.
  void apply(RecordReader& op);

 private:
  TaskId taskOf(RecordReader& op);
  void advance(std::uint64_t ns);
  void fork(RecordReader& op, GroupId group);
  void wake(TaskId task);
  void schedule();
  void sleep(TaskId task);
  void renice(TaskId task, int nice);
  void setSlice(TaskId task, std::uint64_t sliceNs);
  template <class Change>
  void whileDequeued(TaskId task, std::uint32_t extraFlags, Change&& change);

  Machine m_machine;
  Observer m_nobody;
  Context m_ctx;
  std::map<std::int64_t, TaskId> m_tasks;
  std::map<std::int64_t, GroupId> m_groups;
};

}  // namespace rqscope
