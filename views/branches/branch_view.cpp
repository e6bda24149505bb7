// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "branches/branch_view.h"

#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "branches/span_delegate.h"
#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"
#include "look/words.h"

namespace rqscope::branches {
namespace {

using look::qs;

enum Column { kRun, kSpan, kFrom, kReached, kHistory, kColumns };
constexpr int kBytesPerMb = 1'000'000;
constexpr int kLeastMb = 8, kMostMb = 64'000;
constexpr int kWidePx = 760;  ///< narrower strips leave renaming and removing to keys and the menu

QString megabytes(quint64 bytes) {
  const double mb = static_cast<double>(bytes) / kBytesPerMb;
  return QString::number(mb, 'f', mb < 100 ? 1 : 0);
}

}  // namespace

BranchView::BranchView(QWidget* parent)
    : QWidget(parent),
      m_tree(new QTreeWidget(this)),
      m_spans(new SpanDelegate(m_tree)),
      m_show(new QPushButton(tr("Show"), this)),
      m_here(new QPushButton(tr("At this moment"), this)),
      m_compare(new QPushButton(tr("Compare"), this)),
      m_rename(new QPushButton(tr("Rename"), this)),
      m_remove(new QPushButton(tr("Delete"), this)),
      m_used(new QLabel(this)),
      m_note(new QLabel(this)),
      m_budget(new QSpinBox(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  buildStrip();
  m_tree->setColumnCount(kColumns);
  m_tree->setHeaderLabels({tr("Run"), tr("When"), tr("From"), tr("Run to"), tr("History")});
  m_tree->setAccessibleName(tr("Runs"));
  m_tree->setItemDelegateForColumn(kSpan, m_spans);
  m_tree->setExpandsOnDoubleClick(false);
  m_tree->setAllColumnsShowFocus(true);
  m_tree->setUniformRowHeights(true);
  m_tree->setFrameShape(QFrame::NoFrame);
  m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
  m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_tree->header()->setStretchLastSection(false);
  m_tree->header()->setMinimumSectionSize(40);
  m_tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_tree->header()->setSectionResizeMode(kRun, QHeaderView::Interactive);
  m_tree->header()->setSectionResizeMode(kSpan, QHeaderView::Stretch);
  m_tree->installEventFilter(this);
  column->addWidget(m_tree, 1);
  m_note->setContentsMargins(9, 3, 9, 4);
  m_note->setWordWrap(true);
  column->addWidget(m_note);
  setFocusProxy(m_tree);
  connect(m_tree, &QTreeWidget::itemSelectionChanged, this, &BranchView::showState);
  connect(m_tree, &QTreeWidget::itemDoubleClicked, this, [this] { showChosen(false); });
  connect(m_tree, &QWidget::customContextMenuRequested, this, &BranchView::showMenu);
  connect(m_tree, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int changed) {
    if (!m_isFilling && changed == kRun)
      Q_EMIT renameWanted(item->data(kRun, kBranchRole).toInt(), item->text(kRun));
  });
  showState();
}

void BranchView::buildStrip() {
  auto* strip = new look::ToolStrip(this);
  m_show->setToolTip(tr("This run, where it was left (Enter, or a double click)"));
  m_here->setToolTip(tr("This run at the moment that is shown now (Shift+Enter)"));
  m_compare->setToolTip(tr("This run and the one that is shown, side by side (C)"));
  m_rename->setToolTip(tr("Another name for this run (F2)"));
  m_remove->setToolTip(tr("Forget this run (Del)"));
  for (QPushButton* button : {m_show, m_here, m_compare, m_rename, m_remove}) strip->addWidget(button);
  strip->addStretch();
  strip->addWidget(m_used);
  m_budget->setRange(kLeastMb, kMostMb);
  m_budget->setValue(256);
  m_budget->setSuffix(tr(" MB"));
  m_budget->setAccessibleName(tr("Budget of the history of all runs"));
  m_budget->setToolTip(
      tr("Memory for the history of all runs together. Over it, ways back take longer, and runs "
         "that were not shown for long are run again when they are."));
  m_budget->setKeyboardTracking(false);
  m_budget->setButtonSymbols(QAbstractSpinBox::NoButtons);
  strip->addWidget(m_budget);
  layout()->addWidget(strip);
  connect(m_show, &QPushButton::clicked, this, [this] { showChosen(false); });
  connect(m_here, &QPushButton::clicked, this, [this] { showChosen(true); });
  connect(m_compare, &QPushButton::clicked, this, [this] { Q_EMIT compareWanted(chosen()); });
  connect(m_rename, &QPushButton::clicked, this, &BranchView::renameChosen);
  connect(m_remove, &QPushButton::clicked, this, &BranchView::removeChosen);
  connect(m_budget, &QSpinBox::valueChanged, this, [this](int mb) {
    if (!m_isFilling) Q_EMIT budgetWanted(static_cast<quint64>(mb) * kBytesPerMb);
  });
}

QTreeWidgetItem* BranchView::itemOf(int id) const {
  for (QTreeWidgetItemIterator it(m_tree); *it != nullptr; ++it)
    if ((*it)->data(kRun, kBranchRole).toInt() == id) return *it;
  return nullptr;
}

int BranchView::chosen() const {
  const QList<QTreeWidgetItem*> items = m_tree->selectedItems();
  return items.isEmpty() ? -1 : items.front()->data(kRun, kBranchRole).toInt();
}

void BranchView::choose(int id) {
  if (QTreeWidgetItem* const item = itemOf(id)) m_tree->setCurrentItem(item);
}

void BranchView::fill(QTreeWidgetItem& item, const session::Branch& branch) {
  const bool isShown = branch.id == m_branches->current;
  const auto set = [&](int column, const QString& text) {
    if (item.text(column) != text) item.setText(column, text);
  };
  set(kRun, branch.title());
  set(kFrom, branch.parent < 0 ? tr("opened") : qs(look::timeText(branch.atNs)));
  set(kReached, qs(look::timeText(branch.reachedNs)));
  set(kHistory, branch.isKept ? tr("%1 MB").arg(megabytes(branch.bytes)) : tr("run again"));
  for (int column = 0; column < kColumns; ++column) {
    item.setData(column, kBranchRole, branch.id);
    item.setTextAlignment(
        column, column < kFrom ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
  }
  QFont font = look::uiFont(look::kBasePx, isShown ? look::Weight::Bold : look::Weight::Regular);
  item.setFont(kRun, font);
  QString tip = branch.change;
  if (!branch.isKept) tip += tr("\nIts history was let go: showing it runs it again, to the same state.");
  item.setToolTip(kRun, tip);
  item.setToolTip(kHistory, tip);
  item.setData(kRun, Qt::AccessibleTextRole, isShown ? tr("%1, shown").arg(branch.title()) : branch.title());
  item.setData(kSpan, Qt::AccessibleTextRole,
               tr("from %1 to %2, stands at %3")
                   .arg(qs(look::timeText(branch.atNs)), qs(look::timeText(branch.reachedNs)),
                        qs(look::timeText(branch.nowNs))));
  item.setFlags(item.flags() | Qt::ItemIsEditable);
}

void BranchView::rebuild() {
  const int before = chosen();
  m_tree->clear();
  for (const session::Branch& branch : m_branches->all) {
    QTreeWidgetItem* const parent = itemOf(branch.parent);
    auto* item = parent ? new QTreeWidgetItem(parent) : new QTreeWidgetItem(m_tree);
    fill(*item, branch);
    item->setExpanded(true);
  }
  m_tree->expandAll();
  choose(m_branches->find(before) ? before : m_branches->current);
}

void BranchView::setBranches(const session::BranchesPtr& branches) {
  const auto isSameTree = [&] {
    if (!m_branches || m_branches->all.size() != branches->all.size()) return false;
    return std::equal(m_branches->all.begin(), m_branches->all.end(), branches->all.begin(),
                      [](const session::Branch& a, const session::Branch& b) {
                        return a.id == b.id && a.parent == b.parent;
                      });
  };
  const bool isSame = isSameTree();
  const bool isOtherShown = m_branches && m_branches->current != branches->current;
  m_branches = branches;
  m_spans->setBranches(branches);
  m_isFilling = true;
  if (!isSame)
    rebuild();
  else
    for (const session::Branch& branch : branches->all)
      if (QTreeWidgetItem* const item = itemOf(branch.id)) fill(*item, branch);
  if (isOtherShown || chosen() < 0) choose(branches->current);
  if (branches->budget > 0 && !m_budget->hasFocus())
    m_budget->setValue(static_cast<int>(branches->budget / kBytesPerMb));
  m_isFilling = false;
  m_tree->viewport()->update();
  showState();
}

void BranchView::showState() {
  const session::Branch* const branch = m_branches ? m_branches->find(chosen()) : nullptr;
  const bool isOther = branch != nullptr && branch->id != m_branches->current;
  for (QPushButton* button : {m_show, m_here, m_compare}) button->setEnabled(isOther);
  m_rename->setEnabled(branch != nullptr);
  m_remove->setEnabled(branch != nullptr && branch->parent >= 0);
  if (!m_branches) {
    m_note->setText(tr("No run yet. Open a scenario."));
    return;
  }
  m_used->setText(tr("History %1 of").arg(megabytes(m_branches->bytes)));
  m_note->setVisible(m_branches->all.size() <= 1);
  m_note->setText(tr(
      "One run so far. What is changed at a moment - a CPU (Run menu), the scenario, the machine - starts a "
      "branch there; this run stays as it is."));
}

QString BranchView::note() const { return m_note->isHidden() ? QString() : m_note->text(); }

void BranchView::showChosen(bool atThisMoment) {
  if (m_branches && chosen() >= 0 && chosen() != m_branches->current)
    Q_EMIT showWanted(chosen(), atThisMoment);
}

void BranchView::renameChosen() {
  if (QTreeWidgetItem* const item = itemOf(chosen())) m_tree->editItem(item, kRun);
}

void BranchView::removeChosen() {
  const session::Branch* const branch = m_branches ? m_branches->find(chosen()) : nullptr;
  if (branch != nullptr && branch->parent >= 0) Q_EMIT removeWanted(branch->id);
}

void BranchView::showMenu(const QPoint& at) {
  QMenu menu(this);
  for (QPushButton* button : {m_show, m_here, m_compare, m_rename, m_remove}) {
    QAction* const action = menu.addAction(button->text(), button, &QPushButton::click);
    action->setEnabled(button->isEnabled());
  }
  menu.exec(m_tree->viewport()->mapToGlobal(at));
}

bool BranchView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_tree || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const auto modifiers = key->modifiers() & ~Qt::KeypadModifier;
  const bool isPlain = modifiers == Qt::NoModifier;
  switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!isPlain && modifiers != Qt::ShiftModifier) break;
      showChosen(!isPlain);
      return true;
    case Qt::Key_F2:
      if (!isPlain) break;
      renameChosen();
      return true;
    case Qt::Key_Delete:
      if (!isPlain) break;
      removeChosen();
      return true;
    case Qt::Key_C:
      if (!isPlain) break;
      if (m_compare->isEnabled()) Q_EMIT compareWanted(chosen());
      return true;
    default:
      break;
  }
  return QWidget::eventFilter(watched, event);
}

void BranchView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool isWide = width() >= kWidePx * look::textScale();
  m_rename->setVisible(isWide);
  m_remove->setVisible(isWide);
  m_here->setVisible(isWide);
  m_tree->header()->resizeSection(kRun, std::clamp(width() * 2 / 5, 120, 480));
}

}  // namespace rqscope::branches
