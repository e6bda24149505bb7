// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "published/published_view.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

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

QString remainingText(double seconds) {
  if (seconds < 0) return QObject::tr("estimating");
  if (seconds < 60) return QObject::tr("about %1 s left").arg(std::ceil(seconds));
  return QObject::tr("about %1 min %2 s left")
      .arg(static_cast<int>(seconds) / 60)
      .arg(static_cast<int>(seconds) % 60);
}

/// The published rows, with the model's figures where they are known.
std::vector<ShownRow> rowsOf(const api::Reproduction& table, const api::Reproduction* result) {
  std::vector<ShownRow> out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool isRun = result && i < result->rows.size();
    out.push_back({isRun ? result->rows[i] : table.rows[i], isRun});
  }
  return out;
}

}  // namespace

PublishedView::PublishedView(QWidget* parent)
    : QWidget(parent),
      m_which(new QComboBox(this)),
      m_run(new QPushButton(tr("Run"), this)),
      m_open(new QPushButton(tr("Open scenario"), this)),
      m_export(new QPushButton(tr("Export"), this)),
      m_progress(new QProgressBar(this)),
      m_status(new QLabel(this)),
      m_table(new QTableView(this)),
      m_model(new PublishedModel(this)),
      m_chart(new RatioChart(this)),
      m_notes(new QTextBrowser(this)),
      m_split(new QSplitter(Qt::Vertical, this)),
      m_runner(new Runner(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  buildStrip();
  buildTable();
  m_notes->setFrameShape(QFrame::NoFrame);
  m_notes->setOpenExternalLinks(true);
  m_notes->setAccessibleName(tr("Notes"));
  m_split->addWidget(m_table);
  m_split->addWidget(m_chart);
  m_split->addWidget(m_notes);
  m_split->setStretchFactor(0, 3);
  m_split->setStretchFactor(1, 3);
  m_split->setStretchFactor(2, 2);
  m_split->setHandleWidth(1);
  m_split->setChildrenCollapsible(false);
  column->addWidget(m_split, 1);
  connectParts();
  updateButtons();
}

void PublishedView::buildStrip() {
  auto* strip = new look::ToolStrip(this);
  strip->addLabel(tr("Discussion"));
  m_which->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_which->setAccessibleName(tr("Published discussion"));
  strip->addWidget(m_which);
  strip->addWidget(m_run);
  m_progress->setRange(0, kThousand);
  m_progress->setTextVisible(false);
  m_progress->setFixedWidth(static_cast<int>(kProgressPx * look::textScale()));
  m_progress->hide();
  strip->addWidget(m_progress);
  strip->addWidget(m_status);
  strip->addStretch();
  m_open->setToolTip(tr("Open the chosen row's scenario with its patches (Enter)"));
  m_export->setToolTip(tr("Save the table as CSV, the bars as SVG or PNG"));
  strip->addWidget(m_open);
  strip->addWidget(m_export);
  layout()->addWidget(strip);
}

void PublishedView::buildTable() {
  m_table->setModel(m_model);
  m_table->setItemDelegate(new PublishedDelegate(m_table));
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setShowGrid(false);
  m_table->setFrameShape(QFrame::NoFrame);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(static_cast<int>(kRowPx * look::textScale()));
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  m_table->setTabKeyNavigation(false);
  m_table->setAccessibleName(tr("Published rows and the model's"));
}

void PublishedView::connectParts() {
  connect(m_which, &QComboBox::activated, this, &PublishedView::showDiscussion);
  connect(m_run, &QPushButton::clicked, this, [this] { isRunning() ? cancel() : run(); });
  connect(m_open, &QPushButton::clicked, this, &PublishedView::openSelected);
  connect(m_export, &QPushButton::clicked, this, &PublishedView::chooseFile);
  connect(m_table, &QTableView::activated, this, &PublishedView::openSelected);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &PublishedView::updateButtons);
  connect(m_runner, &Runner::progressed, this, &PublishedView::onProgress);
  connect(m_runner, &Runner::rowDone, this, [this](const ReproductionPtr& soFar) {
    if (discussion() == m_running) showRows(*soFar);
  });
  connect(m_runner, &Runner::finished, this, &PublishedView::onFinished);
}

void PublishedView::fillChoice() {
  for (const api::Named& named : api::discussions())
    m_which->addItem(
        named.title.empty() ? qs(named.name) : QStringLiteral("%1: %2").arg(qs(named.name), qs(named.title)),
        qs(named.name));
}

QString PublishedView::discussion() const { return m_which->currentData().toString(); }

void PublishedView::chooseDiscussion(const QString& name) {
  if (m_which->count() == 0) fillChoice();
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
  const auto known = m_known.find(discussion());
  const api::Reproduction table = api::publishedTable(discussion().toStdString());
  showRows(known == m_known.end() ? api::Reproduction{} : *known->second);
  showNotes(known == m_known.end() ? table : *known->second);
  if (!isRunning()) m_status->clear();
}

void PublishedView::showRows(const api::Reproduction& result) {
  const api::Reproduction table = api::publishedTable(discussion().toStdString());
  const int selected = m_table->currentIndex().row();
  std::vector<ShownRow> rows = rowsOf(table, &result);
  m_chart->setBars({qs(table.title), rows});
  m_model->setRows(std::move(rows), qs(table.unit));
  m_table->clearSpans();
  for (int line = 0; line < m_model->rowCount(); ++line)
    if (m_model->isHead(line)) m_table->setSpan(line, 0, 1, PublishedModel::kColumns);
  if (selected >= 0 && selected < m_model->rowCount()) m_table->selectRow(selected);
  fitColumns();
  updateButtons();
}

void PublishedView::showNotes(const api::Reproduction& result) {
  QString html;
  for (const api::Problem& problem : result.problems)
    html += QStringLiteral("<p><b>%1</b></p>").arg(qs(problem.text()).toHtmlEscaped());
  html += QStringLiteral("<p><b>%1</b><br>%2</p><ul>")
              .arg(qs(result.title).toHtmlEscaped(), qs(result.source).toHtmlEscaped());
  for (const std::string& finding : result.findings)
    html += QStringLiteral("<li><b>%1</b></li>").arg(qs(finding).toHtmlEscaped());
  for (const std::string& note : result.notes)
    html += QStringLiteral("<li>%1</li>").arg(qs(note).toHtmlEscaped());
  m_notes->setHtml(html + QStringLiteral("</ul>"));
}

void PublishedView::run() {
  if (isRunning() || discussion().isEmpty()) return;
  m_running = discussion();
  m_progress->setValue(0);
  m_progress->show();
  m_status->setText(tr("starting"));
  m_runner->start(m_running);
  updateButtons();
}

void PublishedView::cancel() {
  m_runner->cancel();
  m_status->setText(tr("stopping"));
}

void PublishedView::onProgress(const api::ReproduceProgress& progress) {
  if (m_status->text() == tr("stopping")) return;
  m_progress->setValue(static_cast<int>(progress.share * kThousand));
  m_status->setText(tr("%1, row %2 of %3, %4")
                        .arg(m_running)
                        .arg(std::min(progress.row + 1, progress.rows))
                        .arg(progress.rows)
                        .arg(remainingText(progress.remainingSeconds)));
  m_status->setToolTip(QStringLiteral("%1: %2").arg(qs(progress.caseName), qs(progress.rowName)));
}

void PublishedView::onFinished(const ReproductionPtr& result) {
  m_progress->hide();
  m_known[m_running] = result;
  if (result->wasCancelled)
    m_status->setText(tr("cancelled after %n row(s)", nullptr, static_cast<int>(result->rows.size())));
  else
    m_status->setText(result->problems.empty() ? tr("done") : qs(result->problems.front().text()));
  if (discussion() == m_running) {
    showRows(*result);
    showNotes(*result);
  }
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

QString PublishedView::exportTo(const QString& file) const {
  if (m_chart->bars().rows.empty()) return tr("there is no table yet");
  return writePublished(m_chart->bars(), m_model->unit(), file, look::colors(this).theme);
}

void PublishedView::chooseFile() {
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Export table"), discussion() + QStringLiteral(".csv"),
                                   tr("Tables and pictures (*.csv *.svg *.png)"));
  if (file.isEmpty()) return;
  const QString error = exportTo(file);
  m_status->setText(error.isEmpty() ? tr("Saved %1").arg(file) : error);
}

void PublishedView::updateButtons() {
  m_run->setText(isRunning() ? tr("Cancel") : tr("Run"));
  m_run->setEnabled(isRunning() || !discussion().isEmpty());
  m_open->setEnabled(m_model->rowAt(m_table->currentIndex().row()) != nullptr);
  m_export->setEnabled(!m_model->rows().empty());
}

void PublishedView::fitColumns() {
  const double scale = look::textScale();
  const int figure = static_cast<int>(82 * scale), label = static_cast<int>(96 * scale);
  int used = label;
  for (int c = PublishedModel::kPublished; c <= PublishedModel::kDeviation; ++c) {
    m_table->setColumnWidth(c, std::max(figure, m_table->horizontalHeader()->sectionSizeHint(c)));
    used += m_table->columnWidth(c);
  }
  m_table->setColumnWidth(PublishedModel::kLabel, label);
  m_table->setColumnWidth(PublishedModel::kName,
                          std::max(m_table->viewport()->width() - used, static_cast<int>(90 * scale)));
}

void PublishedView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitColumns();
}

}  // namespace rqscope::published
