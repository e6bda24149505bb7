// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_view.h"

#include <QComboBox>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "compare/difference_bar.h"
#include "compare/outcome_table.h"
#include "compare/start_page.h"
#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"
#include "look/words.h"

namespace rqscope::compare {

namespace {

using look::qs;

constexpr int kProgressPx = 120;
constexpr const char* kSideNames[] = {"A", "B"};

QString colored(const QString& text, const QColor& color) {
  return QStringLiteral("<b style='color:%1'>%2</b>").arg(color.name(), text);
}

}  // namespace

CompareView::CompareView(QWidget* parent)
    : QWidget(parent),
      m_choice(new QComboBox(this)),
      m_chartChoice(new QComboBox(this)),
      m_run(new QPushButton(tr("Compare"), this)),
      m_progress(new QProgressBar(this)),
      m_status(new QLabel(this)),
      m_bar(new DifferenceBar(this)),
      m_start(new StartPage(tr("Both runs go to their end. Then the two machines and ladders stand side by "
                               "side at the first decision in which the runs differ, with charts laid over "
                               "each other and a table of outcomes below."),
                            tr("Or say above what differs between A and B."), this)),
      m_body(new QSplitter(Qt::Vertical, this)),
      m_sides(new QSplitter(Qt::Horizontal, this)),
      m_below(new QSplitter(Qt::Horizontal, this)),
      m_chart(new look::DataChart(this)),
      m_outcomes(new OutcomeTable(this)),
      m_runner(new Runner(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  buildStrip();
  column->addWidget(m_bar);
  column->addWidget(m_start, 1);
  buildBody();
  column->addWidget(m_body, 1);
  m_bar->hide();
  setFocusPolicy(Qt::StrongFocus);
  connect(m_run, &QPushButton::clicked, this, [this] { isRunning() ? cancel() : run(); });
  connect(m_choice, &QComboBox::activated, this, &CompareView::takeChoice);
  connect(m_chartChoice, &QComboBox::activated, this, &CompareView::showChart);
  connect(m_bar, &DifferenceBar::previousWanted, this, [this] {
    if (m_moment && m_moment->difference > 0) showDifference(m_moment->difference - 1);
  });
  connect(m_bar, &DifferenceBar::nextWanted, this, [this] {
    if (m_moment) showDifference(m_moment->difference + 1);
  });
  connect(m_runner, &Runner::progressed, this,
          [this](qint64 timeNs) { setStatus(tr("%1 of both runs").arg(qs(look::timeText(timeNs)))); });
  connect(m_runner, &Runner::finished, this, &CompareView::onFinished);
  connect(m_runner, &Runner::momentReady, this, &CompareView::onMoment);
  connect(m_start, &StartPage::taken, this, [this](int place) {
    const int index = m_offers[static_cast<std::size_t>(place)];
    m_choice->setCurrentIndex(index);
    takeChoice(index);
    run();
  });
}

void CompareView::buildStrip() {
  auto* strip = new look::ToolStrip(this);
  strip->addLabel(tr("Differs"));
  m_choice->setAccessibleName(tr("What differs between A and B"));
  m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_choice->setMinimumContentsLength(20);
  strip->addWidget(m_choice);
  for (std::size_t side = 0; side < m_settings.size(); ++side) {
    strip->addLabel(QString::fromLatin1(kSideNames[side]));
    auto* edit = m_settings[side] = new QLineEdit(this);
    edit->setAccessibleName(tr("Settings of %1").arg(QString::fromLatin1(kSideNames[side])));
    edit->setToolTip(
        tr("PATCH=on, kernel=v6.1, machine=..., feature=NO_X, until=5s, seed=2; commas between"));
    edit->setFont(look::monoFont());
    edit->setMinimumWidth(90);
    edit->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    strip->addWidget(edit);
    connect(edit, &QLineEdit::returnPressed, this, &CompareView::run);
  }
  strip->addWidget(m_run);
  layout()->addWidget(strip);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(9, 0, 9, 0);
  m_progress->setRange(0, 0);
  m_progress->setTextVisible(false);
  m_progress->setFixedWidth(static_cast<int>(kProgressPx * look::textScale()));
  m_progress->setAccessibleName(tr("Both runs"));
  m_progress->hide();
  m_status->hide();
  m_status->setWordWrap(true);
  row->addWidget(m_progress);
  row->addWidget(m_status, 1);
  static_cast<QVBoxLayout*>(layout())->addLayout(row);
}

void CompareView::buildBody() {
  for (std::size_t side = 0; side < m_frames.size(); ++side) {
    m_frames[side] = new QWidget(m_sides);
    auto* column = new QVBoxLayout(m_frames[side]);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_heads[side] = new QLabel(m_frames[side]);
    m_heads[side]->setTextFormat(Qt::RichText);
    m_open[side] =
        new QPushButton(tr("Open %1 there").arg(QString::fromLatin1(kSideNames[side])), m_frames[side]);
    m_open[side]->setToolTip(tr("This run in the other views, at this decision"));
    connect(m_open[side], &QPushButton::clicked, this, [this, side] { open(side); });
    auto* head = new QHBoxLayout;
    head->setContentsMargins(9, 3, 9, 3);
    head->addWidget(m_heads[side], 1);
    head->addWidget(m_open[side]);
    column->addLayout(head);
    m_sides->addWidget(m_frames[side]);
  }
  auto* charts = new QWidget(m_below);
  auto* column = new QVBoxLayout(charts);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* strip = new look::ToolStrip(charts);
  m_chartChoice->setAccessibleName(tr("What the chart shows"));
  m_chartChoice->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  strip->addWidget(m_chartChoice);
  column->addWidget(strip);
  column->addWidget(m_chart, 1);
  m_chart->setHint(tr("Compare two runs."));
  m_below->addWidget(charts);
  m_below->addWidget(m_outcomes);
  m_body->addWidget(m_sides);
  m_body->addWidget(m_below);
  m_body->setSizes({740, 260});
  m_chart->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  for (QSplitter* splitter : {m_body, m_sides, m_below}) {
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
  }
  m_body->hide();
}

void CompareView::setSides(std::array<Side, 2> sides) {
  m_shownSides = std::move(sides);
  for (std::size_t side = 0; side < m_frames.size(); ++side)
    static_cast<QVBoxLayout*>(m_frames[side]->layout())->addWidget(m_shownSides[side].widget, 1);
}

void CompareView::setChartPainter(look::ChartPainter painter) { m_chart->setPainter(std::move(painter)); }

/// Patches off and on, other kernels; first what the scenario itself is about.
void CompareView::fillChoice(const std::string& kernel) {
  m_choice->clear();
  m_choices.clear();
  const auto add = [&](const QString& title, const QString& name, const QString& a, const QString& b) {
    m_choice->addItem(title, name);
    m_choices.push_back({a, b});
  };
  for (const api::Named& other : api::kernels())
    if (other.name != kernel)
      add(tr("kernel %1 and %2").arg(qs(kernel), qs(other.name)), qs(kernel + ":" + other.name),
          QStringLiteral("kernel=") + qs(kernel), QStringLiteral("kernel=") + qs(other.name));
  const int kernelCount = m_choice->count();
  int first = 0;
  for (const api::Named& patch : api::patchesOf(kernel)) {
    const QString name = qs(patch.name);
    if (first == 0 && m_input.text.contains(name)) first = m_choice->count();
    add(name, name, name + QStringLiteral("=off"), name + QStringLiteral("=on"));
    m_choice->setItemData(m_choice->count() - 1, qs(patch.description), Qt::ToolTipRole);
  }
  m_choice->setCurrentIndex(first);
  takeChoice(first);
  offerChoices(first, kernelCount);
}

/// What the scenario is about, then the other kernels, which come first in the list.
void CompareView::offerChoices(int first, int kernelCount) {
  m_offers = {first};
  for (int kernel = 0; kernel < kernelCount; ++kernel)
    if (kernel != first) m_offers.push_back(kernel);
  QStringList names;
  for (const int offer : m_offers) {
    const QString name = m_choice->itemText(offer);
    names.append(offer < kernelCount ? name : tr("%1 off and on").arg(name));
  }
  m_start->setOffers(tr("Compare two runs of %1").arg(QFileInfo(m_input.name).fileName()), names);
}

void CompareView::takeChoice(int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= m_choices.size()) return;
  setSettings(m_choices[static_cast<std::size_t>(index)][0], m_choices[static_cast<std::size_t>(index)][1]);
}

bool CompareView::choose(const QString& change) {
  const int index = m_choice->findData(change);
  if (index < 0) return false;
  m_choice->setCurrentIndex(index);
  takeChoice(index);
  return true;
}

void CompareView::setSettings(const QString& a, const QString& b) {
  m_settings[0]->setText(a);
  m_settings[1]->setText(b);
}

void CompareView::setScenario(const QString& fileName, const QString& text, const api::Overrides& overrides,
                              const std::string& kernel) {
  const bool isSame = m_input.name == fileName && m_input.text == text;
  m_input.name = fileName;
  m_input.text = text;
  m_given = overrides;
  if (!isSame) fillChoice(kernel);
}

void CompareView::run() {
  Input input = m_input;
  for (std::size_t side = 0; side < m_settings.size(); ++side) {
    m_ranWith[side] = m_settings[side]->text().trimmed();
    input.overrides[side] = m_given;
    const QString wrong =
        m_reader && !m_ranWith[side].isEmpty() ? m_reader(m_ranWith[side], input.overrides[side]) : QString();
    if (wrong.isEmpty()) continue;
    setStatus(QStringLiteral("%1: %2").arg(QString::fromLatin1(kSideNames[side]), wrong));
    m_settings[side]->setFocus();
    return Q_EMIT finished();
  }
  begin(input);
}

void CompareView::compareRuns(const Run& a, const Run& b) {
  m_ranWith = {a.title, b.title};
  begin({a.name, a.text, {a.overrides, b.overrides}, b.name, b.text});
}

void CompareView::begin(const Input& input) {
  m_ran = input;
  m_progress->show();
  m_run->setText(tr("Cancel"));
  setStatus(tr("Running A and B"));
  m_runner->start(input);
}

void CompareView::cancel() { m_runner->cancel(); }

void CompareView::showProblems(const Result& result) {
  for (std::size_t side = 0; side < result.problems.size(); ++side)
    if (!result.problems[side].empty())
      return setStatus(QStringLiteral("%1: %2").arg(QString::fromLatin1(kSideNames[side]),
                                                    qs(result.problems[side].front().text())));
  setStatus(result.isCancelled ? tr("Cancelled") : QString());
}

void CompareView::onFinished(const ResultPtr& result) {
  m_progress->hide();
  m_run->setText(tr("Compare"));
  showProblems(*result);
  if (result->isGood) {
    m_result = result;
    m_moment.reset();
    m_start->hide();
    m_bar->show();
    m_body->show();
    m_outcomes->setOutcomes(result->outcomes);
    fillCharts();
    if (result->differences.empty())
      m_bar->setText(
          tr("No decision differs: %1 decisions are the same in both runs.").arg(result->sameDecisions), 0,
          0);
    else
      showDifference(0);
  }
  Q_EMIT finished();
}

void CompareView::open(std::size_t side) {
  if (!m_moment) return;
  const api::Difference& difference = m_result->differences[m_moment->difference];
  const auto& decision = side == 0 ? difference.a : difference.b;
  const bool isOther = side == 1 && !m_ran.textOfB.isEmpty();
  if (decision)
    Q_EMIT openWanted(isOther ? m_ran.nameOfB : m_ran.name, isOther ? m_ran.textOfB : m_ran.text,
                      m_ran.overrides[side], *decision);
}

void CompareView::showDifference(std::size_t index) {
  if (m_result && index < m_result->differences.size()) m_runner->show(index);
}

/// "196.000 ms  CPU 5 at PKG, newidle: A failed, B moved".
QString CompareView::differenceText(const api::Difference& d) const {
  const look::Palette& p = look::colors(this);
  const auto what = [&](const std::optional<std::uint64_t>& index, const std::string& result) {
    return (index ? qs(look::word(result)) : tr("has no such decision")).toHtmlEscaped();
  };
  const QString domain = d.domainName.empty() ? QString() : tr(" at %1").arg(qs(d.domainName));
  return tr("<b>%1</b> &nbsp; CPU %2%3, %4: &nbsp; %5 %6, %7 %8")
      .arg(qs(look::timeText(d.timeNs)))
      .arg(d.cpu)
      .arg(domain.toHtmlEscaped(), qs(look::word(d.kind)).toHtmlEscaped(), colored(tr("A"), p.runA),
           what(d.a, d.resultA), colored(tr("B"), p.runB), what(d.b, d.resultB));
}

void CompareView::onMoment(const MomentPtr& moment) {
  m_moment = moment;
  const api::Difference& difference = m_result->differences[moment->difference];
  m_bar->setText(differenceText(difference), moment->difference + 1, m_result->differences.size());
  const look::Palette& p = look::colors(this);
  for (std::size_t side = 0; side < m_shownSides.size(); ++side) {
    const QColor& color = side == 0 ? p.runA : p.runB;
    m_heads[side]->setText(colored(QString::fromLatin1(kSideNames[side]), color) +
                           QStringLiteral(" &nbsp; ") + m_ranWith[side].toHtmlEscaped());
    m_open[side]->setEnabled((side == 0 ? difference.a : difference.b).has_value());
    if (m_shownSides[side].show)
      m_shownSides[side].show(moment->at.frames[side], moment->at.ladders[side], moment->at.rung,
                              difference.cpu);
  }
  fillCharts();
  Q_EMIT shown();
}

void CompareView::fillCharts() {
  const int before = m_chartChoice->currentIndex();
  m_chartChoice->clear();
  m_chartChoice->addItem(qs(m_result->finished.title));
  if (m_moment)
    for (const api::ChartData& chart : m_moment->charts) {
      const std::string& name = chart.series.front().name;
      m_chartChoice->addItem(qs(chart.title) + QStringLiteral(": ") + qs(name.substr(name.find(' ') + 1)));
    }
  if (before > 0 && before < m_chartChoice->count()) m_chartChoice->setCurrentIndex(before);
  showChart();
}

void CompareView::showChart() {
  const int index = m_chartChoice->currentIndex();
  if (index > 0 && m_moment)
    m_chart->setData(m_moment->charts[static_cast<std::size_t>(index - 1)]);
  else if (m_result)
    m_chart->setData(m_result->finished);
}

void CompareView::setStatus(const QString& text) {
  m_status->setText(text);
  m_status->setVisible(!text.isEmpty());
}

QString CompareView::statusText() const { return m_status->text(); }

void CompareView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_X)
    Q_EMIT m_bar->nextWanted();
  else if (event->key() == Qt::Key_P)
    Q_EMIT m_bar->previousWanted();
  else
    QWidget::keyPressEvent(event);
}

void CompareView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  constexpr int kWidePx = 900;
  m_choice->setMinimumContentsLength(width() < kWidePx ? 12 : 24);
}

}  // namespace rqscope::compare
