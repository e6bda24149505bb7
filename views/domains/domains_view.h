// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>
#include <utility>

#include "rqscope/frame.h"

class QComboBox;
class QSplitter;
class QTreeWidget;
class QTreeWidgetItem;

namespace rqscope::domains {

class DomainTree;
class FactsPanel;

/// Domain tree of the selected CPU, its groups with their types, and the facts of the selected domain.
class DomainsView : public QWidget {
  Q_OBJECT
 public:
  explicit DomainsView(QWidget* parent = nullptr);

  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setSelectedCpu(int cpu);
  int selectedCpu() const { return m_cpu; }
  QTreeWidget* tree() const;
  /// Goes to a domain of the selected CPU, or to one of its groups (-1: none), without a signal.
  void choose(int domain, int group);

 Q_SIGNALS:
  void cpuActivated(int cpu);
  /// The user went to a domain, or to a group of it; else -1.
  void domainActivated(int domain, int group);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuild();
  void refresh();
  void showFacts();
  void fitTree();
  void addDomain(std::int32_t index, bool isTop);
  void onCurrent();
  /// Indexes of the domain and the group of an item; -1: none.
  static std::pair<int, int> placeOf(const QTreeWidgetItem& item);
  int levelOf(int domain) const;

  QComboBox* m_cpuBox;
  DomainTree* m_tree;
  FactsPanel* m_facts;
  QSplitter* m_splitter;
  std::shared_ptr<const api::Frame> m_frame;
  int m_cpu = -1;
  std::vector<std::string> m_names;  ///< by domain of the layout
  int m_level = -1;                  ///< LayoutDomain::level of the domain that the user went to
  bool m_isFilling = false;          ///< the tree changes, not the user
};

}  // namespace rqscope::domains
