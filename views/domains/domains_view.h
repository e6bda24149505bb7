// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "rqscope/frame.h"

class QComboBox;
class QSplitter;
class QTreeWidget;
class QTreeWidgetItem;

namespace rqscope::domains {

class FactsPanel;

/// Domain tree of the selected CPU, its groups with their types, and the facts of the selected domain.
class DomainsView : public QWidget {
  Q_OBJECT
 public:
  explicit DomainsView(QWidget* parent = nullptr);

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setSelectedCpu(int cpu);
  int selectedCpu() const { return m_cpu; }
  QTreeWidget* tree() const { return m_tree; }

 Q_SIGNALS:
  void cpuActivated(int cpu);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuild();
  void refresh();
  void showFacts();
  void fitTree();
  void addDomain(std::int32_t index, bool isTop);

  QComboBox* m_cpuBox;
  QTreeWidget* m_tree;
  FactsPanel* m_facts;
  QSplitter* m_splitter;
  std::shared_ptr<const api::Frame> m_frame;
  int m_cpu = -1;
};

}  // namespace rqscope::domains
