// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "session/branches.h"

class QLabel;
class QPushButton;
class QSpinBox;
class QTreeWidget;
class QTreeWidgetItem;

namespace rqscope::branches {

class SpanDelegate;

/// The runs of the session as a tree: what was changed, where each leaves its parent, how far it went, and
/// what their histories take of the budget.
class BranchView : public QWidget {
  Q_OBJECT
 public:
  explicit BranchView(QWidget* parent = nullptr);

  void setBranches(const session::BranchesPtr& branches);
  /// The run that is chosen in the tree, or -1.
  int chosen() const;
  void choose(int id);
  QTreeWidget* tree() const { return m_tree; }
  QPushButton* showButton() const { return m_show; }
  QPushButton* compareButton() const { return m_compare; }
  QPushButton* renameButton() const { return m_rename; }
  QPushButton* removeButton() const { return m_remove; }
  QSpinBox* budget() const { return m_budget; }
  QString note() const;

  QSize sizeHint() const override { return {800, 178}; }
  QSize minimumSizeHint() const override { return {240, 100}; }

 Q_SIGNALS:
  /// Another run is to be shown, where it was left or at the moment shown now.
  void showWanted(int id, bool atThisMoment);
  void renameWanted(int id, const QString& name);
  void removeWanted(int id);
  /// The chosen run is to be compared with the one shown.
  void compareWanted(int id);
  void budgetWanted(quint64 bytes);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildStrip();
  void rebuild();
  void fill(QTreeWidgetItem& item, const session::Branch& branch);
  void showState();
  void showChosen(bool atThisMoment);
  void renameChosen();
  void removeChosen();
  void showMenu(const QPoint& at);
  QTreeWidgetItem* itemOf(int id) const;

  QTreeWidget* m_tree;
  SpanDelegate* m_spans;
  QPushButton *m_show, *m_here, *m_compare, *m_rename, *m_remove;
  QLabel *m_used, *m_note;
  QSpinBox* m_budget;
  session::BranchesPtr m_branches;
  bool m_isFilling = false;
};

}  // namespace rqscope::branches
