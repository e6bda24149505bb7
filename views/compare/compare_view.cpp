// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_view.h"

#include <QComboBox>
#include <QCompleter>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTabBar>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "compare/pair_table.h"
#include "look/fonts.h"
#include "look/ladder_text.h"
#include "look/painting.h"
#include "look/panel.h"
#include "look/words.h"
#include "rqscope/patches.h"

namespace rqscope::compare {
namespace {

using look::qs;

constexpr int kThousand = 1000;
constexpr int kRowPx = 23, kProgressPx = 120;
constexpr int kTallPx = 560;  ///< lower: one part at a time
constexpr std::size_t kCharts = 2;
enum Page { kDecisionPage, kChartsPage, kFiguresPage };

QString figureText(const std::optional<std::int64_t>& value, bool isTime) {
  if (!value) return QStringLiteral("–");
  return isTime ? qs(look::timeText(*value)) : QString::number(*value);
}

/// The overrides with a patch off or on, whatever they said of it.
api::Overrides withPatch(api::Overrides overrides, const std::string& patch, bool isOn) {
  std::erase_if(overrides.patches, [&](const auto& set) { return set.first == patch; });
  overrides.patches.emplace_back(patch, isOn);
  return overrides;
}

}  // namespace

CompareView::CompareView(QWidget* parent)
    : QWidget(parent),
      m_change(new QComboBox(this)),
      m_run(new QPushButton(tr("Compare"), this)),
      m_goA(new QPushButton(tr("Open A there"), this)),
      m_goB(new QPushButton(tr("Open B there"), this)),
      m_statusRow(new QWidget(this)),
      m_progress(new QProgressBar(this)),
      m_status(new QLabel(this)),
      m_headline(new QLabel(this)),
      m_pages(new QTabBar(this)),
      m_pairs(new PairTable(this)),
      m_chartPane(new QWidget(this)),
      m_figures(new QTableWidget(this)),
      m_split(new QSplitter(Qt::Vertical, this)),
      m_low(new QSplitter(Qt::Horizontal, this)),
      m_runner(new CompareRunner(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  buildStrip();
  buildStatus();
  buildParts();
  column->addWidget(m_split, 1);
  connect(m_run, &QPushButton::clicked, this, [this] { isRunning() ? cancel() : run(); });
  connect(m_goA, &QPushButton::clicked, this, [this] { go(QLatin1Char('A')); });
  connect(m_goB, &QPushButton::clicked, this, [this] { go(QLatin1Char('B')); });
  connect(m_pages, &QTabBar::currentChanged, this, &CompareView::arrangeParts);
  connect(m_runner, &CompareRunner::finished, this, &CompareView::onFinished);
  connect(m_runner, &CompareRunner::progressed, this,
          [this](double share) { m_progress->setValue(static_cast<int>(share * kThousand)); });
  showResult();
  arrangeParts();
}

void CompareView::buildStrip() {
  auto* strip = new look::ToolStrip(this);
  strip->addLabel(tr("Change"));
  m_change->setAccessibleName(tr("What differs between A and B"));
  m_change->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_change->setMinimumContentsLength(28);
  m_change->setEditable(true);
  m_change->setInsertPolicy(QComboBox::NoInsert);
  m_change->completer()->setFilterMode(Qt::MatchContains);
  m_change->completer()->setCompletionMode(QCompleter::PopupCompletion);
  strip->addWidget(m_change);
  strip->addWidget(m_run);
  strip->addStretch();
  m_goA->setToolTip(tr("Open this scenario as in A and go to the first different decision"));
  m_goB->setToolTip(tr("Open this scenario as in B and go to the first different decision"));
  strip->addWidget(m_goA);
  strip->addWidget(m_goB);
  layout()->addWidget(strip);
}

void CompareView::buildStatus() {
  auto* row = new QHBoxLayout(m_statusRow);
  row->setContentsMargins(9, 3, 9, 3);
  m_progress->setRange(0, kThousand);
  m_progress->setTextVisible(false);
  m_progress->setFixedWidth(static_cast<int>(kProgressPx * look::textScale()));
  m_progress->setAccessibleName(tr("Progress of the two runs"));
  m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(m_progress);
  row->addWidget(m_status, 1);
  layout()->addWidget(m_statusRow);
  m_headline->setContentsMargins(9, 4, 9, 4);
  m_headline->setWordWrap(true);
  m_headline->setTextFormat(Qt::PlainText);
  m_headline->setAccessibleName(tr("First difference"));
  m_headline->setAutoFillBackground(true);
  layout()->addWidget(m_headline);
  m_pagesStrip = new look::ToolStrip(this);
  for (const QString& name : {tr("Decision"), tr("Charts"), tr("Figures")}) m_pages->addTab(name);
  m_pages->setDrawBase(false);
  m_pages->setExpanding(false);
  m_pages->setAccessibleName(tr("Decision, charts or figures"));
  m_pagesStrip->addWidget(m_pages);
  m_pagesStrip->addStretch();
  layout()->addWidget(m_pagesStrip);
}

void CompareView::buildParts() {
  auto* charts = new QHBoxLayout(m_chartPane);
  charts->setContentsMargins(0, 0, 0, 0);
  charts->setSpacing(1);
  for (std::size_t i = 0; i < kCharts; ++i) {
    auto* chart = m_charts.emplace_back(new look::DataChart(m_chartPane));
    chart->setHint(tr("Compare two runs that part."));
    charts->addWidget(chart, 1);
  }
  m_figures->setColumnCount(4);
  m_figures->setHorizontalHeaderLabels({tr("Figure"), tr("A"), tr("B"), tr("B - A")});
  m_figures->setShowGrid(false);
  m_figures->setFrameShape(QFrame::NoFrame);
  m_figures->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_figures->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_figures->setTabKeyNavigation(false);
  m_figures->verticalHeader()->hide();
  m_figures->verticalHeader()->setDefaultSectionSize(static_cast<int>(kRowPx * look::textScale()));
  m_figures->horizontalHeader()->setHighlightSections(false);
  m_figures->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_figures->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  m_figures->setAccessibleName(tr("What the runs amount to"));
  m_low->addWidget(m_chartPane);
  m_low->addWidget(m_figures);
  m_split->addWidget(m_pairs);
  m_split->addWidget(m_low);
  for (QSplitter* splitter : {m_split, m_low}) {
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
  }
  m_low->setStretchFactor(0, 3);
  m_low->setStretchFactor(1, 2);
  m_split->setStretchFactor(0, 3);
  m_split->setStretchFactor(1, 2);
}

void CompareView::setChartPainter(look::ChartPainter painter) {
  for (look::DataChart* chart : m_charts) chart->setPainter(painter);
}

void CompareView::setScenario(const QString& fileName, const QString& text, const api::Overrides& overrides,
                              const QString& kernel) {
  const bool isSame = fileName == m_fileName && text == m_text;
  m_fileName = fileName;
  m_text = text;
  m_overrides = overrides;
  // What is compared stays while one of its runs is looked at.
  if (!isSame) {
    cancel();
    m_result.reset();
    m_kernel.clear();
  }
  if (kernel != m_kernel && !m_result) fillChoice(kernel);
  showResult();
}

/// The patches that make sense on the kernel, then its versions. Chosen is what the scenario itself sets.
void CompareView::fillChoice(const QString& kernel) {
  m_kernel = kernel;
  m_change->clear();
  int best = -1;
  for (const api::PatchChoice& patch : api::patchChoices(kernel.toStdString())) {
    if (!patch.isKnown) continue;
    m_change->addItem(tr("%1: off, on").arg(qs(patch.name)), qs(patch.name));
    m_change->setItemData(m_change->count() - 1, qs(patch.summary), Qt::ToolTipRole);
    if (best < 0 && m_text.contains(QLatin1Char('"') + qs(patch.name) + QLatin1Char('"')))
      best = m_change->count() - 1;
  }
  const auto versions = api::kernels();
  for (std::size_t a = 0; a < versions.size(); ++a)
    for (std::size_t b = a + 1; b < versions.size(); ++b)
      m_change->addItem(tr("kernel: %1, %2").arg(qs(versions[a].name), qs(versions[b].name)),
                        qs(versions[a].name) + QLatin1Char(':') + qs(versions[b].name));
  m_change->setCurrentIndex(std::max(best, 0));
}

bool CompareView::choose(const QString& change) {
  const int at = m_change->findData(change);
  if (at >= 0) m_change->setCurrentIndex(at);
  return at >= 0;
}

/// A and B of the chosen change.
std::pair<api::CompareSide, api::CompareSide> CompareView::sides() const {
  const QString change = m_change->currentData().toString();
  const QString a = change.section(QLatin1Char(':'), 0, 0), b = change.section(QLatin1Char(':'), 1);
  api::CompareSide sideA, sideB;
  if (b.isEmpty()) {
    sideA = {a.toStdString() + " off", withPatch(m_overrides, a.toStdString(), false)};
    sideB = {a.toStdString() + " on", withPatch(m_overrides, a.toStdString(), true)};
  } else {
    sideA = {a.toStdString(), m_overrides};
    sideB = {b.toStdString(), m_overrides};
    sideA.overrides.kernel = a.toStdString();
    sideB.overrides.kernel = b.toStdString();
  }
  return {sideA, sideB};
}

void CompareView::run() {
  if (isRunning() || m_change->currentIndex() < 0 || m_text.isEmpty()) return;
  // What was typed must be one of the changes.
  const int typed = m_change->findText(m_change->currentText());
  if (typed < 0) {
    m_status->setText(tr("\"%1\" is none of the changes").arg(m_change->currentText()));
    m_statusRow->show();
    return;
  }
  m_change->setCurrentIndex(typed);
  std::tie(m_sideA, m_sideB) = sides();
  m_result.reset();
  m_progress->setValue(0);
  m_runner->start(m_fileName, m_text, m_sideA, m_sideB);
  showResult();
}

void CompareView::cancel() { m_runner->cancel(); }

void CompareView::onFinished(const ComparisonPtr& result) {
  if (!result->wasCancelled) m_result = result;
  showResult();
  if (result->wasCancelled) {
    m_status->setText(tr("Cancelled"));
    m_statusRow->show();
  }
  Q_EMIT finished();
}

QString CompareView::headline() const { return m_headline->isHidden() ? QString() : m_headline->text(); }
QString CompareView::statusText() const { return m_statusRow->isHidden() ? QString() : m_status->text(); }

void CompareView::showHeadline() {
  const bool isThere = m_result && m_result->problems.empty();
  m_headline->setVisible(isThere);
  if (!isThere) return;
  if (!m_result->first) {
    m_headline->setText(tr("No decision differs: %1 in both").arg(m_result->decisionsA));
    return;
  }
  const api::ComparedDecision& first = *m_result->first;
  const api::Ladder& where = first.a ? *first.a : *first.b;
  m_headline->setText(tr("First difference at %1, after %2 equal decisions · %3 · %4")
                          .arg(qs(look::timeText(first.timeNs)))
                          .arg(m_result->equalDecisions)
                          .arg(qs(look::ladderHead(where)), differenceSentence(first)));
}

void CompareView::showFigures() {
  m_figures->setRowCount(0);
  if (!m_result) return;
  const look::Palette& p = look::colors(this);
  m_figures->setRowCount(static_cast<int>(m_result->outcomes.size()));
  for (int row = 0; row < m_figures->rowCount(); ++row) {
    const api::OutcomeRow& figure = m_result->outcomes[static_cast<std::size_t>(row)];
    const QString texts[] = {qs(figure.name), figureText(figure.a, figure.isTime),
                             figureText(figure.b, figure.isTime), qs(api::changeText(figure))};
    for (int column = 0; column < 4; ++column) {
      auto* item = new QTableWidgetItem(texts[column]);
      if (column > 0) {
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        item->setFont(look::monoFont(look::kMonoPx));
      }
      // Less time is better; more or fewer of the rest is neither.
      if (column == 3 && figure.isTime && figure.a && figure.b && *figure.a != *figure.b)
        item->setForeground(*figure.b < *figure.a ? p.yes : p.no);
      m_figures->setItem(row, column, item);
    }
  }
}

void CompareView::showResult() {
  const bool isFailed = m_result && !m_result->problems.empty();
  m_progress->setVisible(isRunning());
  m_statusRow->setVisible(isRunning() || isFailed);
  if (isRunning()) m_status->setText(tr("Running %1 and %2").arg(qs(m_sideA.label), qs(m_sideB.label)));
  if (isFailed) m_status->setText(qs(m_result->problems.front().text()));
  m_status->setToolTip(m_status->text());
  showHeadline();
  const bool hasPair = m_result && m_result->first;
  m_pairs->setHeads(m_result ? tr("A  %1").arg(qs(m_sideA.label)) : QStringLiteral("A"),
                    m_result ? tr("B  %1").arg(qs(m_sideB.label)) : QStringLiteral("B"));
  m_pairs->setLines(hasPair ? pairLines(*m_result->first) : std::vector<PairLine>{});
  m_pairs->showFirst();
  for (std::size_t i = 0; i < m_charts.size(); ++i) {
    const bool isThere = m_result && i < m_result->charts.size();
    m_charts[i]->setData(isThere ? m_result->charts[i] : api::ChartData{});
    m_charts[i]->setVisible(isThere || i == 0);
  }
  showFigures();
  QPalette ground = palette();
  ground.setColor(QPalette::Window, look::colors(this).nowGround);
  m_headline->setPalette(ground);
  updateButtons();
}

void CompareView::go(QChar side) {
  if (!m_result || !m_result->first) return;
  const bool isA = side == QLatin1Char('A');
  const auto& ladder = isA ? m_result->first->a : m_result->first->b;
  if (ladder) Q_EMIT openWanted(m_fileName, m_text, (isA ? m_sideA : m_sideB).overrides, ladder->index);
}

void CompareView::updateButtons() {
  m_run->setText(isRunning() ? tr("Cancel") : tr("Compare"));
  m_run->setEnabled(isRunning() || !m_text.isEmpty());
  m_change->setEnabled(!isRunning());
  m_goA->setEnabled(m_result && m_result->first && m_result->first->a);
  m_goB->setEnabled(m_result && m_result->first && m_result->first->b);
}

void CompareView::showPart(const QString& part) {
  const QStringList names{QStringLiteral("decision"), QStringLiteral("charts"), QStringLiteral("figures")};
  if (const auto at = names.indexOf(part); at >= 0) m_pages->setCurrentIndex(static_cast<int>(at));
}

/// All beside each other where there is room, else the one that the tabs choose.
void CompareView::arrangeParts() {
  const bool isTall = height() >= kTallPx * look::textScale();
  m_pagesStrip->setVisible(!isTall);
  const int page = m_pages->currentIndex();
  m_pairs->setVisible(isTall || page == kDecisionPage);
  m_chartPane->setVisible(isTall || page == kChartsPage);
  m_figures->setVisible(isTall || page == kFiguresPage);
  m_low->setVisible(isTall || page != kDecisionPage);
}

void CompareView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrangeParts();
}

void CompareView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showResult();
}

}  // namespace rqscope::compare
