// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/trace_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "compare/difference_bar.h"
#include "compare/start_page.h"
#include "compare/trace_rows.h"
#include "look/fonts.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::compare {

namespace {

using look::qs;

constexpr double kRowPx = 22;

QTableWidget* tableOf(QWidget* parent, const QString& name, const QStringList& heads) {
  auto* table = new QTableWidget(parent);
  table->setColumnCount(static_cast<int>(heads.size()));
  table->setHorizontalHeaderLabels(heads);
  table->setAccessibleName(name);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setFrameShape(QFrame::NoFrame);
  table->setShowGrid(false);
  table->setTabKeyNavigation(false);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(static_cast<int>(kRowPx * look::textScale()));
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  for (int column = 1; column < table->columnCount(); ++column)
    table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  return table;
}

void fill(QTableWidget* table, const std::vector<QStringList>& rows, bool areNumbers) {
  table->setRowCount(static_cast<int>(rows.size()));
  for (int row = 0; row < table->rowCount(); ++row)
    for (int column = 0; column < table->columnCount(); ++column) {
      auto* item = new QTableWidgetItem(rows[static_cast<std::size_t>(row)].value(column));
      item->setToolTip(item->text());
      if (column != 0 && areNumbers) {
        item->setFont(look::monoFont(look::kNotePx));
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      }
      table->setItem(row, column, item);
    }
}

}  // namespace

TraceView::TraceView(QWidget* parent)
    : QWidget(parent),
      m_runner(new TraceRunner(this)),
      m_status(new QLabel(this)),
      m_head(new QLabel(this)),
      m_progress(new QProgressBar(this)),
      m_again(new QPushButton(tr("Cancel"), this)),
      m_bar(new DifferenceBar(this)),
      m_start(new StartPage(
          tr("The tasks of the trace are woken when and from where they were, and compute as long as they "
             "did; where they run, and what is moved, the model decides. Here stand the moments in which "
             "machine and model part, who runs where on both sides, what the model decided, and how far "
             "they agree. The timeline gets a row of the machine above that of the model."),
          tr("trace.dat, or the text of trace-cmd report, ftrace or perf script; compressed, too. The "
             "machine "
             "is that of NAME.plat_info.yml beside the trace, else as many like CPUs as it has, unless the "
             "command line names another."),
          this)),
      m_body(new QSplitter(Qt::Vertical, this)),
      m_above(new QSplitter(Qt::Horizontal, m_body)),
      m_below(new QTabWidget(m_body)),
      m_sides(
          tableOf(m_above, tr("Machine and model at the parting"), {tr("CPU"), tr("Machine"), tr("Model")})),
      m_outcomes(tableOf(m_below, tr("Outcomes of machine and model"),
                         {tr("Quantity"), tr("Machine"), tr("Model"), tr("Agree")})),
      m_tasks(tableOf(m_below, tr("Tasks of machine and model"),
                      {tr("Task"), tr("Ran, machine"), tr("Model"), tr("Same CPU"), tr("Moves")})) {
  build();
  connect(m_runner, &TraceRunner::progressed, this, &TraceView::setStatus);
  connect(m_runner, &TraceRunner::finished, this, &TraceView::onFinished);
  connect(m_runner, &TraceRunner::momentReady, this, &TraceView::onMoment);
  connect(m_bar, &DifferenceBar::nextWanted, this, [this] { step(1); });
  connect(m_bar, &DifferenceBar::previousWanted, this, [this] { step(-1); });
  connect(m_start, &StartPage::taken, this, &TraceView::openWanted);
  connect(m_again, &QPushButton::clicked, this, [this] {
    if (isRunning()) return cancel();
    setInput(m_file, m_overrides);
  });
  setInput({}, {});
}

void TraceView::build() {
  setFocusPolicy(Qt::StrongFocus);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* strip = new QHBoxLayout;
  strip->setContentsMargins(10, 5, 8, 5);
  m_head->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_head->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  strip->addWidget(m_head, 1);
  strip->addWidget(m_progress);
  strip->addWidget(m_again);
  m_progress->setRange(0, 0);
  m_progress->setFixedWidth(90);
  m_progress->setTextVisible(false);
  column->addLayout(strip);
  m_status->setContentsMargins(10, 4, 10, 6);
  m_status->setWordWrap(true);
  column->addWidget(m_status);
  m_start->setOffers(tr("A recorded trace beside the model"), {tr("Open a trace...")});
  column->addWidget(m_start, 1);
  column->addWidget(m_bar);
  column->addWidget(m_body, 1);
  column->addStretch(0);
  for (QSplitter* splitter : {m_body, m_above}) {
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
  }
  for (int c = 0; c < m_sides->columnCount(); ++c)
    m_sides->horizontalHeader()->setSectionResizeMode(
        c, c == 0 ? QHeaderView::ResizeToContents : QHeaderView::Stretch);
  m_below->setDocumentMode(true);
  m_below->addTab(m_outcomes, tr("Outcomes"));
  m_below->addTab(m_tasks, tr("Tasks"));
  m_body->setSizes({440, 560});
}

void TraceView::setLadder(QWidget* widget, LadderShower show) {
  m_showLadder = std::move(show);
  m_above->addWidget(widget);
  m_above->setSizes({500, 500});
}

void TraceView::setStatus(const QString& text) {
  m_status->setText(text);
  m_status->setVisible(!text.isEmpty());
}

QString TraceView::statusText() const { return m_status->text(); }

void TraceView::setInput(const QString& file, const api::Overrides& overrides) {
  m_file = file;
  m_overrides = overrides;
  m_result.reset();
  m_fresh.clear();
  m_parting = -1;
  m_body->hide();
  m_bar->hide();
  m_head->clear();
  m_progress->hide();
  m_again->hide();
  m_start->setVisible(file.isEmpty());
  setStatus({});
  Q_EMIT reportChanged(nullptr);
  if (file.isEmpty()) return;
  m_runner->start(file, overrides);
  m_progress->show();
  m_again->setText(tr("Cancel"));
  m_again->show();
}

void TraceView::onFinished(const TraceResultPtr& result) {
  m_progress->hide();
  if (!result->isTrace) {
    setInput({}, {});
    return Q_EMIT finished();
  }
  m_again->setText(tr("Compare again"));
  m_again->setVisible(result->report == nullptr);
  setStatus(result->isCancelled ? tr("Cancelled") : QString());
  if (result->report == nullptr && !result->problems.empty()) setStatus(qs(result->problems.front().text()));
  m_result = result;
  if (report() != nullptr) showReport(*report());
  Q_EMIT finished();
}

void TraceView::showReport(const api::TraceReport& report) {
  m_head->setText(headOf(report));
  m_head->setToolTip(noteOf(report));
  for (std::size_t i = 0; i < report.partings.size(); ++i)
    if (report.partings[i].isFresh) m_fresh.push_back(i);
  fill(m_outcomes, outcomeRowsOf(report), true);
  fill(m_tasks, taskRowsOf(report), true);
  m_bar->show();
  m_body->show();
  m_above->setVisible(!m_fresh.empty());
  if (!m_fresh.empty()) {
    m_parting = static_cast<int>(m_fresh.front());
    m_runner->show(m_fresh.front());
  }
  showBar();
  Q_EMIT reportChanged(m_result->report);
}

void TraceView::showBar() {
  const api::TraceReport* r = report();
  if (r == nullptr) return;
  if (m_parting < 0)
    return m_bar->setText(tr("Machine and model never part, within %1.").arg(qs(look::timeText(r->windowNs))),
                          0, 0);
  const api::Parting& parting = r->partings[static_cast<std::size_t>(m_parting)];
  const auto at = std::ranges::find(m_fresh, static_cast<std::size_t>(m_parting));
  m_bar->setText(QStringLiteral("<b>%1</b> &nbsp; %2")
                     .arg(qs(look::timeText(parting.timeNs)), qs(parting.text()).toHtmlEscaped()),
                 static_cast<std::size_t>(at - m_fresh.begin()) + 1, m_fresh.size());
}

void TraceView::step(int way) {
  if (m_fresh.empty()) return;
  const auto at = std::ranges::lower_bound(m_fresh, static_cast<std::size_t>(std::max(m_parting, 0)));
  const auto next = std::clamp<std::ptrdiff_t>(at - m_fresh.begin() + way, 0,
                                               static_cast<std::ptrdiff_t>(m_fresh.size()) - 1);
  showParting(m_fresh[static_cast<std::size_t>(next)]);
}

void TraceView::showNumber(int number) {
  if (hasNumber(number)) showParting(m_fresh[static_cast<std::size_t>(number) - 1]);
}

void TraceView::showParting(std::size_t index) {
  if (report() == nullptr || index >= report()->partings.size()) return;
  m_parting = static_cast<int>(index);
  showBar();
  m_runner->show(index);
  Q_EMIT partingChosen(index);
}

void TraceView::onMoment(const TraceMomentPtr& moment) {
  const api::TraceReport* r = report();
  if (r == nullptr || static_cast<int>(moment->parting) != m_parting) return;
  fill(m_sides, sideRowsOf(moment->at, r->partings[moment->parting]), false);
  if (m_showLadder) m_showLadder(moment->ladder);
}

void TraceView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_X)
    step(1);
  else if (event->key() == Qt::Key_P)
    step(-1);
  else
    QWidget::keyPressEvent(event);
}

}  // namespace rqscope::compare
