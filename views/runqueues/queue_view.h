// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSplitter>
#include <memory>

#include "rqscope/explain_value.h"
#include "rqscope/frame.h"

namespace rqscope::runqueues {

class NumbersPanel;
class QueueAxis;

/// One CPU's queue: the axis, and beside it, once a number was asked for, the numbers and how they come
/// about.
class QueueView : public QSplitter {
  Q_OBJECT
 public:
  explicit QueueView(QWidget* parent = nullptr);

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setSelectedCpu(int cpu);
  void setNumbers(int cpu, const std::vector<api::ShownValue>& shown, const api::ExplainedValue& explained);
  /// Opens the numbers at this one.
  void explain(const api::ValueRef& ref);
  QueueAxis* axis() const { return m_axis; }
  NumbersPanel* numbers() const { return m_numbers; }

 Q_SIGNALS:
  void numbersWanted(int cpu, const rqscope::api::ValueRef& ref);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QueueAxis* m_axis;
  NumbersPanel* m_numbers;
  std::int64_t m_timeNs = -1;
  std::uint64_t m_event = 0;
};

}  // namespace rqscope::runqueues
