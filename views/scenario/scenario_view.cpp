// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/scenario_view.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "look/painting.h"
#include "look/panel.h"
#include "rqscope/patches.h"
#include "scenario/json_highlighter.h"
#include "scenario/problem_list.h"

namespace rqscope::scenario {
namespace {

using look::qs;

constexpr int kCheckAfterMs = 250;

/// A menu of ticks that stays open, so that several can be set; Esc or a click beside it closes it.
class TickMenu : public QMenu {
 public:
  explicit TickMenu(QWidget* parent) : QMenu(parent) { setToolTipsVisible(true); }

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override {
    QAction* const action = actionAt(event->pos());
    if (action == nullptr || !action->isCheckable() || !action->isEnabled())
      return QMenu::mouseReleaseEvent(event);
    action->trigger();
  }
  void keyPressEvent(QKeyEvent* event) override {
    QAction* const action = activeAction();
    const bool isTick = event->key() == Qt::Key_Space && action != nullptr && action->isCheckable();
    if (!isTick) return QMenu::keyPressEvent(event);
    if (action->isEnabled()) action->trigger();
  }
};

/// What the patch changes, its commit, and where it is on.
QString patchTip(const api::PatchChoice& patch, const std::string& kernel) {
  QStringList on;
  for (const std::string& version : patch.onIn) on << qs(version);
  QString text = QStringLiteral("%1\n%2").arg(qs(patch.summary), qs(patch.commit));
  text += QLatin1Char('\n') + (on.isEmpty()
                                   ? QObject::tr("on by default in no kernel here")
                                   : QObject::tr("on by default in %1").arg(on.join(QStringLiteral(", "))));
  if (!patch.isKnown) text += QLatin1Char('\n') + QObject::tr("makes no sense on %1").arg(qs(kernel));
  return text;
}

}  // namespace

ScenarioView::ScenarioView(QWidget* parent)
    : QWidget(parent),
      m_editor(new TextEditor(this)),
      m_list(new ProblemList(this)),
      m_kernel(new QComboBox(this)),
      m_machine(new QComboBox(this)),
      m_patches(new QToolButton(this)),
      m_patchMenu(new TickMenu(this)),
      m_apply(new QPushButton(tr("Apply"), this)),
      m_save(new QPushButton(tr("Save as"), this)),
      m_status(new QLabel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* strip = new look::ToolStrip(this);
  m_kernel->setToolTip(tr("Kernel whose scheduler is modelled"));
  m_machine->setToolTip(tr("Machine instead of the scenario's own"));
  m_patches->setText(tr("Patches"));
  m_patches->setMenu(m_patchMenu);
  m_patches->setPopupMode(QToolButton::InstantPopup);
  strip->addWidget(m_kernel);
  strip->addWidget(m_machine);
  strip->addWidget(m_patches);
  strip->addStretch();
  column->addWidget(strip);
  auto* splitter = new QSplitter(Qt::Vertical, this);
  splitter->addWidget(m_editor);
  splitter->addWidget(m_list);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 1);
  splitter->setChildrenCollapsible(false);
  column->addWidget(splitter, 1);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(9, 4, 9, 4);
  m_status->setWordWrap(true);
  foot->addWidget(m_status, 1);
  foot->addWidget(m_save);
  foot->addWidget(m_apply);
  column->addLayout(foot);
  m_apply->setProperty("primary", true);
  m_apply->setToolTip(tr("Run this scenario from the beginning (Ctrl+Enter)"));
  m_apply->setShortcut(QKeySequence(QStringLiteral("Ctrl+Return")));
  new JsonHighlighter(m_editor->document(), this);
  m_list->hide();
  m_wait.setSingleShot(true);
  m_wait.setInterval(kCheckAfterMs);
  for (const api::Named& kernel : api::kernels()) m_kernel->addItem(qs(kernel.name));
  m_machine->addItem(tr("its machine"), QString());
  for (const api::Named& machine : api::builtinMachines())
    m_machine->addItem(qs(machine.name), qs(machine.name));
  connect(m_editor, &QPlainTextEdit::textChanged, this, [this] { m_wait.start(); });
  connect(&m_wait, &QTimer::timeout, this, &ScenarioView::check);
  connect(m_apply, &QPushButton::clicked, this, &ScenarioView::apply);
  connect(m_list, &ProblemList::goWanted, m_editor, &TextEditor::goTo);
  connect(m_list, &ProblemList::replaceWanted, this,
          [this](int line, int place, const QString& word) { m_editor->replaceWordAt(line, place, word); });
  connect(m_kernel, &QComboBox::activated, this,
          [this] { fillPatches(m_kernel->currentText().toStdString(), {}); });
  connect(m_save, &QPushButton::clicked, this, [this] {
    const QString name =
        QFileDialog::getSaveFileName(this, tr("Save scenario"), m_fileName, tr("Scenarios (*.json)"));
    QFile file(name);
    if (name.isEmpty()) return;
    const bool isSaved = file.open(QIODevice::WriteOnly) && file.write(m_editor->toPlainText().toUtf8()) >= 0;
    m_status->setText(isSaved ? tr("Saved %1").arg(name) : tr("Cannot write %1").arg(name));
    if (isSaved) m_editor->document()->setModified(false);
  });
}

void ScenarioView::fillPatches(const std::string& kernel, const std::vector<std::string>& patchesSet) {
  m_patchMenu->clear();
  for (const api::PatchChoice& patch : api::patchChoices(kernel)) {
    QAction* action = m_patchMenu->addAction(qs(patch.name));
    action->setCheckable(true);
    action->setEnabled(patch.isKnown);
    action->setToolTip(patchTip(patch, kernel));
    bool isOn = patch.isOnByDefault;
    for (const std::string& set : patchesSet)
      if (set.starts_with(patch.name + "=")) isOn = set.ends_with("=on");
    action->setChecked(isOn);
    action->setProperty("default", patch.isOnByDefault);
    // Whether it was touched, so that untouched patches stay as the scenario has them.
    connect(action, &QAction::toggled, this, [this, action] {
      action->setProperty("touched", true);
      showPatchCount();
    });
  }
  m_patches->setEnabled(!m_patchMenu->isEmpty());
  showPatchCount();
}

/// How many are not as the kernel has them.
void ScenarioView::showPatchCount() {
  QStringList other;
  for (const QAction* action : m_patchMenu->actions())
    if (action->isChecked() != action->property("default").toBool())
      other << action->text() + (action->isChecked() ? tr(" on") : tr(" off"));
  m_patches->setText(other.isEmpty() ? tr("Patches") : tr("Patches %1").arg(other.size()));
  m_patches->setToolTip(other.isEmpty()
                            ? tr("Commits that can be switched; all are as this kernel has them")
                            : tr("Not as this kernel has them: %1").arg(other.join(QStringLiteral(", "))));
}

void ScenarioView::setScenario(const QString& fileName, const QString& text, const api::Overrides& given,
                               const std::vector<std::string>& patchesSet, const std::string& kernel) {
  m_fileName = fileName;
  m_given = given;
  if (m_editor->toPlainText() != text) m_editor->setPlainText(text);
  m_editor->document()->setModified(false);
  m_kernel->setCurrentText(qs(kernel));
  m_machine->setCurrentIndex(std::max(m_machine->findData(qs(given.machine)), 0));
  fillPatches(kernel, patchesSet);
}

bool ScenarioView::isModified() const { return m_editor->document()->isModified(); }

api::Overrides ScenarioView::overrides() const {
  api::Overrides result = m_given;
  result.kernel = m_kernel->currentText().toStdString();
  result.machine = m_machine->currentData().toString().toStdString();
  for (const QAction* action : m_patchMenu->actions()) {
    if (!action->property("touched").toBool()) continue;
    const std::string name = action->text().toStdString();
    std::erase_if(result.patches, [&](const auto& patch) { return patch.first == name; });
    result.patches.emplace_back(name, action->isChecked());
  }
  return result;
}

void ScenarioView::apply() { Q_EMIT applyWanted(m_fileName, m_editor->toPlainText(), overrides()); }

void ScenarioView::check() {
  const quint64 ticket = ++m_ticket;
  const std::string name = m_fileName.toStdString();
  const std::string text = m_editor->toPlainText().toStdString();
  QPointer<ScenarioView> self(this);
  QThreadPool::globalInstance()->start([self, ticket, name, text] {
    auto problems = api::checkScenarioText(name, text);
    QMetaObject::invokeMethod(
        qApp,
        [self, ticket, found = std::move(problems)]() mutable {
          if (!self || self->m_ticket != ticket) return;
          self->showProblems(std::move(found));
          Q_EMIT self->checked();
        },
        Qt::QueuedConnection);
  });
}

void ScenarioView::setProblems(const std::vector<api::Problem>& problems) { showProblems(problems); }

void ScenarioView::showProblems(std::vector<api::Problem> problems) {
  m_problems = std::move(problems);
  m_editor->setProblems(m_problems);
  m_list->setProblems(m_problems);
  const auto errors = std::count_if(m_problems.begin(), m_problems.end(), [](const api::Problem& problem) {
    return problem.severity == api::Problem::Severity::Error;
  });
  m_apply->setEnabled(errors == 0);
  if (errors > 0) {
    m_status->setText(tr("%1 error(s). The last good scenario keeps running.").arg(errors));
  } else {
    m_status->setText(m_problems.empty() ? (isModified() ? tr("Changed, not applied") : QString())
                                         : tr("%1 warning(s)").arg(m_problems.size()));
  }
}

}  // namespace rqscope::scenario
