// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "decision_log/log_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"
#include "look/words.h"

namespace rqscope::decision_log {

using look::qs;

namespace {

/// Frames come at up to 30 a second while it runs.
constexpr int kAskMs = 120;

void addKeys(QComboBox* box, const QString& any, std::initializer_list<const char*> keys) {
  box->addItem(any, QString());
  for (const char* key : keys) box->addItem(qs(look::word(key)), QString::fromLatin1(key));
}

}  // namespace

LogView::LogView(QWidget* parent)
    : QWidget(parent),
      m_entry(new QComboBox(this)),
      m_result(new QComboBox(this)),
      m_ownCpu(new QCheckBox(tr("Only the selected CPU"), this)),
      m_count(new QLabel(this)),
      m_table(new QTableView(this)),
      m_model(new LogModel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* strip = new look::ToolStrip(this);
  strip->addLabel(tr("Entry"))->setBuddy(m_entry);
  strip->addWidget(m_entry);
  strip->addLabel(tr("Result"))->setBuddy(m_result);
  strip->addWidget(m_result);
  strip->addWidget(m_ownCpu);
  strip->addStretch();
  strip->addWidget(m_count);
  column->addWidget(strip);
  column->addWidget(m_table, 1);

  addKeys(m_entry, tr("any"), {"tick", "nohz", "newidle", "active", "fork", "exec", "wakeup"});
  addKeys(m_result, tr("any"), {"balanced", "failed", "moved", "active_started", "placed"});
  m_entry->setAccessibleName(tr("Entry of the decisions listed"));
  m_result->setAccessibleName(tr("Result of the decisions listed"));
  m_count->setObjectName(QStringLiteral("count"));

  m_table->setModel(m_model);
  m_table->setItemDelegate(new LogDelegate(m_table));
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setShowGrid(false);
  m_table->setFrameShape(QFrame::NoFrame);
  m_table->setTabKeyNavigation(false);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setStretchLastSection(true);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  m_table->setAccessibleName(tr("Decisions"));
  m_table->installEventFilter(this);
  m_table->viewport()->installEventFilter(this);
  connect(m_table, &QTableView::clicked, this, &LogView::activate);

  m_later.setSingleShot(true);
  m_later.setInterval(kAskMs);
  connect(&m_later, &QTimer::timeout, this, &LogView::ask);
  for (QComboBox* box : {m_entry, m_result})
    connect(box, &QComboBox::currentIndexChanged, this, &LogView::ask);
  connect(m_ownCpu, &QCheckBox::toggled, this, &LogView::ask);
  fitColumns();
  say();
}

api::DecisionFilter LogView::filter() const {
  api::DecisionFilter filter;
  filter.entry = m_entry->currentData().toString().toStdString();
  filter.result = m_result->currentData().toString().toStdString();
  if (m_ownCpu->isChecked()) filter.cpu = m_cpu;
  return filter;
}

void LogView::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  m_frame = frame;
  m_isStale = true;
  follow();
  if (isVisible() && !m_later.isActive()) m_later.start();
}

void LogView::setSelectedCpu(int cpu) {
  if (cpu == m_cpu) return;
  m_cpu = cpu;
  m_ownCpu->setText(cpu < 0 ? tr("Only the selected CPU") : tr("Only CPU %1").arg(cpu));
  if (m_ownCpu->isChecked()) ask();
}

void LogView::setList(const std::shared_ptr<const api::DecisionList>& list) {
  m_list = list;
  const auto* current = m_model->at(m_table->currentIndex().row());
  const qint64 kept = current ? static_cast<qint64>(current->index) : -1;
  m_model->setList(list);
  if (const int row = kept < 0 ? -1 : m_model->rowOf(static_cast<std::uint64_t>(kept)); row >= 0)
    m_table->setCurrentIndex(m_model->index(row, 0));
  follow();
  say();
}

/// The row of the decision shown is in sight, and the current one.
void LogView::follow() {
  const bool hasDecision = m_frame && m_frame->ladder;
  m_model->setNow(hasDecision ? std::optional(m_frame->ladder->index) : std::nullopt,
                  m_frame ? m_frame->timeNs : 0);
  const int row = hasDecision ? m_model->rowOf(m_frame->ladder->index) : -1;
  if (row < 0) return;
  m_table->setCurrentIndex(m_model->index(row, 0));
  m_table->scrollTo(m_model->index(row, 0));
}

void LogView::ask() {
  if (!isVisible() || !m_frame) return;
  m_isStale = false;
  Q_EMIT listWanted(filter());
}

void LogView::say() {
  const auto number = [](std::uint64_t n) { return QString::number(n); };
  QString text;
  if (m_list) {
    text = m_list->hasEarlier || m_list->hasLater
               ? tr("%1 around now, of %2 decisions so far")
                     .arg(number(m_list->rows.size()), number(m_list->made))
               : tr("%1 of %2 decisions so far").arg(number(m_list->rows.size()), number(m_list->made));
  }
  m_count->setText(text);
  m_table->viewport()->update();
}

void LogView::activate(const QModelIndex& index) {
  if (const auto* decision = m_model->at(index.row())) Q_EMIT decisionActivated(decision->index);
}

bool LogView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_table && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      activate(m_table->currentIndex());
      return true;
    }
  }
  if (watched == m_table->viewport() && event->type() == QEvent::Paint && m_model->rowCount() == 0) {
    const bool isNone = m_list && m_list->made > 0;
    look::paintEmpty(
        m_table->viewport(), isNone ? tr("No decision of this kind so far") : tr("No decision yet"),
        isNone ? tr("Choose \"any\" above, or let it run on") : tr("Ctrl+Right goes to the first"));
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

void LogView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_isStale) m_later.start(0);
}

void LogView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) fitColumns();
}

void LogView::fitColumns() {
  const double scale = look::textScale();
  m_table->verticalHeader()->setDefaultSectionSize(static_cast<int>(22 * scale));
  const int widths[] = {90, 110, 56, 190, 90};
  for (int column = 0; column < LogModel::kResult; ++column)
    m_table->setColumnWidth(column, static_cast<int>(widths[column] * scale));
}

}  // namespace rqscope::decision_log
