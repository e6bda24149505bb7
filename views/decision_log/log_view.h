// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>
#include <QTimer>
#include <QWidget>
#include <memory>

#include "decision_log/log_model.h"
#include "rqscope/frame.h"

class QCheckBox;
class QComboBox;
class QLabel;

namespace rqscope::decision_log {

/// The decisions around now, to be looked through: by how they came about, what came of them and CPU. Asks
/// for what it shows only while it is visible.
class LogView : public QWidget {
  Q_OBJECT
 public:
  explicit LogView(QWidget* parent = nullptr);
  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setSelectedCpu(int cpu);
  void setList(const std::shared_ptr<const api::DecisionList>& list);
  api::DecisionFilter filter() const;
  LogModel* logModel() const { return m_model; }

 Q_SIGNALS:
  void listWanted(const rqscope::api::DecisionFilter& filter);
  /// A row was clicked, or Enter pressed on it.
  void decisionActivated(quint64 index);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void ask();
  void follow();
  void say();
  void fitColumns();
  void activate(const QModelIndex& index);

  QComboBox* m_entry;
  QComboBox* m_result;
  QCheckBox* m_ownCpu;
  QLabel* m_count;
  QTableView* m_table;
  LogModel* m_model;
  QTimer m_later;  ///< asks once for many frames
  std::shared_ptr<const api::Frame> m_frame;
  std::shared_ptr<const api::DecisionList> m_list;
  int m_cpu = -1;
  bool m_isStale = true;
};

}  // namespace rqscope::decision_log
