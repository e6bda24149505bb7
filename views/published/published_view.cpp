// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "published/published_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QTabBar>
#include <QTableView>
#include <QTextBrowser>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"
#include "published/published_export.h"
#include "published/published_model.h"
#include "published/ratio_chart.h"

namespace rqscope::published {
namespace {

using look::qs;

constexpr int kThousand = 1000;
constexpr int kRowPx = 23, kProgressPx = 120;
constexpr int kWidePx = 1000;       ///< from this width on chart and notes stand beside the table
constexpr int kTallPx = 520;        ///< lower and narrow: table, chart or notes, one at a time
constexpr int kFigureMostPx = 150;  ///< of a column of what else was counted
enum Page { kTablePage, kChartPage, kNotesPage };

/// One line that gives way: elided, whole in the tooltip.
class StatusLabel final : public QLabel {
 public:
  using QLabel::QLabel;
  QSize minimumSizeHint() const override { return {20, QLabel::minimumSizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setPen(look::colors(this).text2);
    painter.setFont(font());
    look::drawElided(painter, rect(), Qt::AlignLeft | Qt::AlignVCenter, text());
  }
};

QString remainingText(double seconds) {
  if (seconds < 0) return QObject::tr("estimating");
  if (seconds < 60) return QObject::tr("about %1 s left").arg(std::ceil(seconds));
  return QObject::tr("about %1 min %2 s left")
      .arg(static_cast<int>(seconds) / 60)
      .arg(static_cast<int>(seconds) % 60);
}

/// The published rows, with the model's figures where they are known. Rows of another table stand alone.
std::vector<ShownRow> rowsOf(const api::Reproduction& table, const api::Reproduction& result) {
  std::vector<ShownRow> out;
  if (!isOfTable(result, table)) {
    for (const api::ReproducedRow& row : result.rows) out.push_back({row, true});
    return out;
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool isRun = i < result.rows.size();
    out.push_back({isRun ? result.rows[i] : table.rows[i], isRun});
  }
  return out;
}

}  // namespace

PublishedView::PublishedView(QWidget* parent)
    : QWidget(parent),
      m_which(new QComboBox(this)),
      m_what(new QComboBox(this)),
      m_run(new QPushButton(tr("Run"), this)),
      m_open(new QPushButton(tr("Open scenario"), this)),
      m_report(new QPushButton(tr("Report"), this)),
      m_statusRow(new QWidget(this)),
      m_progress(new QProgressBar(this)),
      m_status(new StatusLabel(this)),
      m_table(new QTableView(this)),
      m_model(new PublishedModel(this)),
      m_pages(new QTabBar(this)),
      m_chartPane(new QWidget(this)),
      m_chart(new RatioChart(this)),
      m_data(new look::DataChart(this)),
      m_notes(new QTextBrowser(this)),
      m_split(new QSplitter(Qt::Vertical, this)),
      m_side(new QSplitter(Qt::Vertical, this)),
      m_runner(new Runner(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  buildStrip();
  buildStatus();
  buildTable();
  buildPages();
  buildSide();
  column->addWidget(m_split, 1);
  connectParts();
  setStatus({});
  updateButtons();
}

void PublishedView::buildStrip() {
  auto* strip = new look::ToolStrip(this);
  strip->addLabel(tr("Discussion"));
  m_which->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_which->setAccessibleName(tr("Published discussion"));
  strip->addWidget(m_which);
  strip->addWidget(m_run);
  strip->addStretch();
  m_open->setToolTip(tr("Open the chosen row's scenario with its patches (Enter)"));
  m_report->setToolTip(tr("Open or save a report; save the table as CSV, the bars as SVG or PNG"));
  strip->addWidget(m_open);
  strip->addWidget(m_report);
  buildReportMenu();
  layout()->addWidget(strip);
}

/// How far a run is, or where what is shown comes from; away when there is nothing to say.
void PublishedView::buildStatus() {
  auto* row = new QHBoxLayout(m_statusRow);
  row->setContentsMargins(9, 3, 9, 3);
  m_progress->setRange(0, kThousand);
  m_progress->setTextVisible(false);
  m_progress->setFixedWidth(static_cast<int>(kProgressPx * look::textScale()));
  m_progress->setAccessibleName(tr("Progress of the run"));
  m_progress->hide();
  row->addWidget(m_progress);
  row->addWidget(m_status, 1);
  layout()->addWidget(m_statusRow);
}

void PublishedView::buildTable() {
  m_table->setModel(m_model);
  m_table->setItemDelegate(new PublishedDelegate(m_table));
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_table->setShowGrid(false);
  m_table->setFrameShape(QFrame::NoFrame);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(static_cast<int>(kRowPx * look::textScale()));
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  m_table->setTabKeyNavigation(false);
  m_table->setAccessibleName(tr("Published rows and the model's"));
}

void PublishedView::buildPages() {
  m_pagesStrip = new look::ToolStrip(this);
  for (const QString& name : {tr("Table"), tr("Chart"), tr("Notes")}) m_pages->addTab(name);
  m_pages->setDrawBase(false);
  m_pages->setExpanding(false);
  m_pages->setAccessibleName(tr("Table, chart or notes"));
  m_pagesStrip->addWidget(m_pages);
  m_pagesStrip->addStretch();
  layout()->addWidget(m_pagesStrip);
}

void PublishedView::buildSide() {
  m_notes->setFrameShape(QFrame::NoFrame);
  m_notes->setOpenExternalLinks(true);
  m_notes->setAccessibleName(tr("Notes"));
  m_notes->document()->setDocumentMargin(9);
  m_what->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_what->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_what->setAccessibleName(tr("What the chart shows"));
  auto* strip = new look::ToolStrip(m_chartPane);
  strip->addWidget(m_what);
  auto* pane = new QVBoxLayout(m_chartPane);
  pane->setContentsMargins(0, 0, 0, 0);
  pane->setSpacing(0);
  pane->addWidget(strip);
  pane->addWidget(m_chart, 1);
  pane->addWidget(m_data, 1);
  m_data->setHint(tr("Run the discussion or open a report of it."));
  m_data->hide();
  m_side->addWidget(m_chartPane);
  m_side->addWidget(m_notes);
  m_split->addWidget(m_table);
  m_split->addWidget(m_side);
  for (QSplitter* splitter : {m_split, m_side}) {
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
  }
}

void PublishedView::connectParts() {
  m_table->viewport()->installEventFilter(this);
  m_notes->installEventFilter(this);
  connect(m_which, &QComboBox::activated, this, &PublishedView::showDiscussion);
  connect(m_what, &QComboBox::activated, this, &PublishedView::showChart);
  connect(m_pages, &QTabBar::currentChanged, this, &PublishedView::arrangeParts);
  connect(m_run, &QPushButton::clicked, this, [this] { isRunning() ? cancel() : run(); });
  connect(m_open, &QPushButton::clicked, this, &PublishedView::openSelected);
  connect(m_table, &QTableView::activated, this, &PublishedView::openSelected);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &PublishedView::updateButtons);
  connect(m_runner, &Runner::progressed, this, &PublishedView::onProgress);
  connect(m_runner, &Runner::rowDone, this, [this](const ReproductionPtr& soFar) {
    if (discussion() == m_running) showRows(*soFar);
  });
  connect(m_runner, &Runner::finished, this, &PublishedView::onFinished);
}

void PublishedView::setChartPainter(look::ChartPainter painter) { m_data->setPainter(std::move(painter)); }

void PublishedView::addChoice(const QString& name, const QString& title) {
  m_which->addItem(name, name);
  m_which->setItemData(m_which->count() - 1, title, Qt::ToolTipRole);
}

void PublishedView::fillChoice() {
  if (m_which->count() != 0) return;
  for (const api::Named& named : api::discussions()) addChoice(qs(named.name), qs(named.title));
}

QString PublishedView::discussion() const { return m_which->currentData().toString(); }

void PublishedView::chooseDiscussion(const QString& name) {
  fillChoice();
  const int index = m_which->findData(name);
  if (index < 0) return;
  m_which->setCurrentIndex(index);
  showDiscussion();
}

void PublishedView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_which->count() != 0) return;
  fillChoice();
  showDiscussion();
}

void PublishedView::showDiscussion() {
  readKept();
  const auto known = m_known.find(discussion());
  const bool isKnown = known != m_known.end();
  const api::Reproduction result =
      isKnown ? *known->second.result : api::publishedTable(discussion().toStdString());
  m_which->setToolTip(qs(result.title));
  showRows(isKnown ? result : api::Reproduction{});
  showNotes(result);
  if (!isRunning()) setStatus(isKnown ? known->second.origin : QString());
}

void PublishedView::showRows(const api::Reproduction& result) {
  const api::Reproduction table = api::publishedTable(discussion().toStdString());
  const int selected = m_table->currentIndex().row();
  m_model->setRows(rowsOf(table, result), qs(table.unit.empty() ? result.unit : table.unit));
  m_table->clearSpans();
  for (int line = 0; line < m_model->rowCount(); ++line)
    if (m_model->isHead(line)) m_table->setSpan(line, 0, 1, m_model->columnCount());
  if (selected >= 0 && selected < m_model->rowCount()) m_table->selectRow(selected);
  m_chart->setBars({qs(table.title.empty() ? result.title : table.title), m_model->rows()});
  fillCharts(result);
  fitColumns();
  updateButtons();
}

/// What the chart can show: the changes, each figure that was counted, and the report's charts over time.
void PublishedView::fillCharts(const api::Reproduction& result) {
  const QString before = m_what->currentData().toString();
  m_what->clear();
  m_what->addItem(tr("Change against the first row"), QStringLiteral("changes"));
  for (const std::string& key : m_model->keys())
    m_what->addItem(figureName(key), QStringLiteral("figure:") + qs(key));
  // Charts by case are what the figures show already.
  for (std::size_t i = 0; i < result.charts.size(); ++i)
    if (result.charts[i].categories.empty())
      m_what->addItem(qs(result.charts[i].title), QStringLiteral("chart:%1").arg(i));
  m_what->setCurrentIndex(std::max(0, m_what->findData(before)));
  showChart();
}

void PublishedView::showChart() {
  const QString what = m_what->currentData().toString();
  const QString kind = what.section(QLatin1Char(':'), 0, 0), which = what.section(QLatin1Char(':'), 1);
  const auto known = m_known.find(discussion());
  const auto index = static_cast<std::size_t>(which.toULongLong());
  const bool isData = kind == QStringLiteral("chart") && known != m_known.end() &&
                      index < known->second.result->charts.size();
  if (isData) {
    m_data->setData(known->second.result->charts[index]);
  } else {
    RatioBars bars = m_chart->bars();
    bars.figure = kind == QStringLiteral("figure") ? which.toStdString() : std::string();
    m_chart->setBars(std::move(bars));
  }
  m_what->setToolTip(m_what->currentText());
  m_data->setVisible(isData);
  m_chart->setVisible(!isData);
}

void PublishedView::showNotes(const api::Reproduction& result) {
  QString html;
  for (const api::Problem& problem : result.problems)
    html += QStringLiteral("<p><b>%1</b></p>").arg(qs(problem.text()).toHtmlEscaped());
  html += QStringLiteral("<p><b>%1</b><br>%2</p>")
              .arg(qs(result.title).toHtmlEscaped(), qs(result.source).toHtmlEscaped());
  const auto list = [&](const QString& head, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    html += QStringLiteral("<p><b>%1</b></p><ul style=\"margin-left:-22px\">").arg(head);
    for (const std::string& line : lines)
      html += QStringLiteral("<li style=\"margin-bottom:4px\">%1</li>").arg(qs(line).toHtmlEscaped());
    html += QStringLiteral("</ul>");
  };
  list(tr("What holds and what does not"), result.findings);
  list(tr("How far to trust it"), result.notes);
  m_notes->setHtml(html);
}

void PublishedView::setStatus(const QString& text) {
  m_status->setText(text);
  m_status->setToolTip(text);
  m_statusRow->setVisible(isRunning() || !text.isEmpty());
}

void PublishedView::run() {
  if (isRunning() || discussion().isEmpty()) return;
  m_running = discussion();
  m_progress->setValue(0);
  m_progress->show();
  m_runner->start(m_running);
  setStatus(tr("%1 is starting").arg(m_running));
  updateButtons();
}

void PublishedView::cancel() {
  m_runner->cancel();
  setStatus(tr("stopping"));
}

void PublishedView::onProgress(const api::ReproduceProgress& progress) {
  if (m_status->text() == tr("stopping")) return;
  m_progress->setValue(static_cast<int>(progress.share * kThousand));
  setStatus(tr("%1: row %2 of %3, %4 (%5, %6)")
                .arg(m_running)
                .arg(std::min(progress.row + 1, progress.rows))
                .arg(progress.rows)
                .arg(remainingText(progress.remainingSeconds), qs(progress.caseName), qs(progress.rowName)));
}

void PublishedView::onFinished(const ReproductionPtr& result) {
  m_progress->hide();
  m_known[m_running] = {result, {}};
  if (discussion() == m_running) showDiscussion();
  if (result->wasCancelled)
    setStatus(tr("cancelled after %n row(s)", nullptr, static_cast<int>(result->rows.size())));
  else
    setStatus(result->problems.empty() ? tr("done") : qs(result->problems.front().text()));
  keep(*result);
  m_running.clear();
  updateButtons();
  Q_EMIT finished();
}

QString PublishedView::statusText() const { return m_status->text(); }

void PublishedView::openSelected() {
  const ShownRow* shown = m_model->rowAt(m_table->currentIndex().row());
  if (!shown) return;
  api::Overrides overrides;
  overrides.patches = shown->row.patches;
  Q_EMIT openWanted(qs(shown->row.scenario), overrides);
}

void PublishedView::updateButtons() {
  m_run->setText(isRunning() ? tr("Cancel") : tr("Run"));
  m_run->setEnabled(isRunning() || !discussion().isEmpty());
  m_open->setEnabled(m_model->rowAt(m_table->currentIndex().row()) != nullptr);
}

/// Chart and notes beside the table or below it; where there is no room, one of the three with tabs to
/// choose.
void PublishedView::arrangeParts() {
  const double scale = look::textScale();
  const bool isWide = width() >= kWidePx * scale;
  const Qt::Orientation orientation = isWide ? Qt::Horizontal : Qt::Vertical;
  const bool isOne = !isWide && height() < kTallPx * scale;
  const int page = m_pages->currentIndex();
  m_pagesStrip->setVisible(isOne);
  m_table->setVisible(!isOne || page == kTablePage);
  m_side->setVisible(!isOne || page != kTablePage);
  m_chartPane->setVisible(!isOne || page == kChartPage);
  m_notes->setVisible(!isOne || page == kNotesPage);
  // The first sizes of an arrangement; later ones are the user's.
  const int arrangement = isOne ? 0 : isWide ? 1 : 2;
  if (std::exchange(m_arrangement, arrangement) != arrangement) {
    m_split->setOrientation(orientation);
    m_split->setSizes(isWide ? QList<int>{width() * 55 / 100, width() * 45 / 100}
                             : QList<int>{height() / 2, height() / 2});
    m_side->setSizes({height() / 2, height() / 2});
  }
}

void PublishedView::showPart(const QString& part) {
  const bool isNotes = part == QStringLiteral("notes"), isTable = part == QStringLiteral("table");
  m_pages->setCurrentIndex(isTable ? kTablePage : isNotes ? kNotesPage : kChartPage);
  const int index = m_what->findData(part);
  if (index < 0) return;
  m_what->setCurrentIndex(index);
  showChart();
}

void PublishedView::fitColumns() {
  const double scale = look::textScale();
  const auto least = [&](int px) { return static_cast<int>(px * scale); };
  int used = 0;
  for (int c = PublishedModel::kPublished; c < m_model->columnCount(); ++c) {
    const int head = m_table->horizontalHeader()->sectionSizeHint(c);
    int wanted = std::max(least(82), head);
    if (c == PublishedModel::kLabel) wanted = least(96);
    if (c > PublishedModel::kLabel) wanted = std::min(wanted, least(kFigureMostPx));
    m_table->setColumnWidth(c, wanted);
    if (c <= PublishedModel::kLabel) used += wanted;
  }
  // The name takes what the fixed columns leave; what else was counted is scrolled to.
  m_table->setColumnWidth(PublishedModel::kName, std::max(m_table->viewport()->width() - used, least(110)));
}

/// The columns follow the table, whose size a splitter changes as well.
bool PublishedView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_table->viewport() && event->type() == QEvent::Resize) fitColumns();
  // Notes that were laid out while hidden come up a little scrolled.
  if (watched == m_notes && event->type() == QEvent::Show)
    QTimer::singleShot(0, m_notes, [this] { m_notes->verticalScrollBar()->setValue(0); });
  return QWidget::eventFilter(watched, event);
}

void PublishedView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrangeParts();
}

}  // namespace rqscope::published
