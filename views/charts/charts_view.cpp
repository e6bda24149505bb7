// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/charts_view.h"

#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QGraphicsLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "charts/chart_builder.h"
#include "charts/chart_export.h"
#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"

namespace rqscope::charts {
namespace {

constexpr int kLeastBins = 60;
constexpr int kCompactPx = 220;
constexpr int kPxPerBin = 3;
constexpr double kAxisLeftPx = 48, kAxisTopPx = 11, kAxisRightPx = 28, kAxisBottomPx = 24;
constexpr std::size_t kLegendMost = 16;
constexpr int kSubjectsMost = 400;  ///< more than anyone looks through

}  // namespace

/// The chart, or a sentence when there is none.
class ChartCanvas : public QChartView {
 public:
  explicit ChartCanvas(QWidget* parent) : QChartView(parent) {
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setMinimumHeight(60);
    setAccessibleName(QObject::tr("Chart"));
  }
  void show(const api::ChartData* shown, look::Theme theme) {
    QChart* old = chart();
    m_hasChart = shown && !shown->series.empty();
    m_isNeverIdle = shown && shown->id == "idle_causes";
    auto fresh = m_hasChart ? buildChart(*shown, theme, isCompact() ? ChartForm::Compact : ChartForm::Full)
                            : std::make_unique<QChart>();
    if (!m_hasChart) fresh->setBackgroundBrush(look::palette(theme).canvas);
    setChart(fresh.release());
    delete old;
    placePlot();
    // The sentence is painted without the graphics view, which then waits for a repaint that it asked for.
    viewport()->update();
  }
  bool isCompact() const { return height() < kCompactPx; }

 protected:
  void paintEvent(QPaintEvent* event) override {
    if (m_hasChart) return QChartView::paintEvent(event);
    if (m_isNeverIdle)
      return look::paintEmpty(viewport(), QObject::tr("Nothing was lost"),
                              QObject::tr("No CPU has idled while an allowed task waited elsewhere."));
    look::paintEmpty(viewport(), QObject::tr("Nothing to chart yet"),
                     QObject::tr("Run for a while; charts cover what has been run."));
  }

  void resizeEvent(QResizeEvent* event) override {
    QChartView::resizeEvent(event);
    placePlot();
  }

 private:
  /// In little room the chart's own layout leaves the axes no place for their numbers.
  void placePlot() {
    if (!m_hasChart) return;
    const double scale = look::textScale();
    const QRectF plot =
        QRectF(0, 0, width(), height())
            .adjusted(kAxisLeftPx * scale, kAxisTopPx, -kAxisRightPx * scale, -kAxisBottomPx * scale);
    chart()->setPlotArea(isCompact() && plot.isValid() ? plot : QRectF());
    // Qt moves the lines at once, the axes only with the next layout: until then they would not belong
    // together.
    chart()->layout()->invalidate();
    chart()->layout()->activate();
  }

  bool m_hasChart = false, m_isNeverIdle = false;
};

namespace {

/// Colours and names in one line, for charts too low to have a legend of their own.
QString legendText(const api::ChartData& data, look::Theme theme) {
  QString text;
  int place = 0;
  if (data.series.size() < 2 || data.series.size() > kLegendMost) return text;
  for (const api::Series& series : data.series) {
    if (series.isIdeal) continue;  // dashed, in the colour of the series before it
    QString name = look::qs(series.name);
    const auto of = name.indexOf(QStringLiteral(" of "));
    if (of >= 0) name.remove(0, of + 4);
    if (data.id == "idle_causes") name.replace(QLatin1Char('_'), QLatin1Char(' '));
    text += QStringLiteral("<span style='color:%1'>\u25A0</span>&nbsp;%2 &nbsp;")
                .arg(seriesColor(series.name, place++, theme).name(), name.toHtmlEscaped());
  }
  const bool hasIdeal = std::any_of(data.series.begin(), data.series.end(),
                                    [](const api::Series& series) { return series.isIdeal; });
  if (hasIdeal) text += QObject::tr("solid: the kernel's integers, dashed: ideal");
  return text;
}

}  // namespace

ChartsView::ChartsView(QWidget* parent)
    : QWidget(parent),
      m_which(new QComboBox(this)),
      m_subject(new QComboBox(this)),
      m_export(new QPushButton(tr("Export"), this)),
      m_note(new QLabel(this)),
      m_legend(new QLabel(this)),
      m_canvas(new ChartCanvas(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* strip = new look::ToolStrip(this);
  strip->addLabel(tr("Chart"));
  m_which->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  strip->addWidget(m_which);
  m_subject->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_subject->setAccessibleName(tr("Subject of the chart"));
  m_subject->hide();
  strip->addWidget(m_subject);
  strip->addWidget(m_note);
  m_legend->setTextFormat(Qt::RichText);
  strip->addWidget(m_legend);
  strip->addStretch();
  m_export->setToolTip(tr("Save as PNG, SVG, PDF or CSV"));
  strip->addWidget(m_export);
  column->addWidget(strip);
  column->addWidget(m_canvas, 1);
  connect(m_which, &QComboBox::currentIndexChanged, this, [this] {
    fillSubjects();
    request();
  });
  connect(m_subject, &QComboBox::activated, this, &ChartsView::request);
  connect(m_export, &QPushButton::clicked, this, &ChartsView::chooseFile);
}

void ChartsView::setIds(const std::vector<std::string>& ids) {
  const QString before = m_which->currentData().toString();
  const QSignalBlocker blocker(m_which);
  m_which->clear();
  for (const std::string& id : ids) {
    QString text = look::qs(id);
    m_which->addItem(text.replace(QLatin1Char('_'), QLatin1Char(' ')), look::qs(id));
  }
  m_which->setCurrentIndex(std::max(m_which->findData(before), 0));
  m_data.reset();
  redraw();
  m_isStale = true;
}

QString ChartsView::currentId() const {
  const QString id = m_which->currentData().toString();
  const QString subject = m_subject->currentData().toString();
  return m_subject->isHidden() || subject.isEmpty() ? id : id + QLatin1Char(':') + subject;
}

void ChartsView::setCurrentChart(const QString& id) {
  const int index = m_which->findData(id.section(QLatin1Char(':'), 0, 0));
  if (index < 0) return;
  m_which->setCurrentIndex(index);
  fillSubjects();
  const int subject = m_subject->findData(id.section(QLatin1Char(':'), 1));
  if (subject >= 0) m_subject->setCurrentIndex(subject);
  request();
}

QString ChartsView::chartProblem(const QString& id) const {
  const auto given = [](const QComboBox& box) {
    QStringList known;
    for (int i = 0; i < box.count(); ++i) known << box.itemData(i).toString();
    return known;
  };
  const QString chart = id.section(QLatin1Char(':'), 0, 0), subject = id.section(QLatin1Char(':'), 1);
  if (m_which->findData(chart) < 0)
    return tr("there is no chart %1; the charts are %2")
        .arg(chart, given(*m_which).join(QStringLiteral(", ")));
  const bool isCurrent = m_which->currentData().toString() == chart;
  if (subject.isEmpty() || !isCurrent || m_subject->findData(subject) >= 0) return {};
  if (m_subject->count() == 0) return tr("the chart %1 is of everything, not of one thing").arg(chart);
  return tr("%1 has no %2; it has %3")
      .arg(chart, subject, given(*m_subject).mid(0, 10).join(QStringLiteral(", ")));
}

/// What the chart can be of, by the frame: tasks, CPUs, groups as a whole and on each CPU.
void ChartsView::fillSubjects() {
  const QString id = m_which->currentData().toString();
  QStringList names, keys;
  const auto add = [&](const QString& name, const QString& key) {
    if (keys.size() < kSubjectsMost) names << name, keys << key;
  };
  if (m_frame && id == QStringLiteral("pelt_task")) {
    for (const api::TaskFrame& task : m_frame->tasks)
      if (task.state != "dead") add(tr("task %1").arg(look::qs(task.name)), QString::number(task.id));
  } else if (m_frame && id == QStringLiteral("pelt_cpu")) {
    for (const api::CpuFrame& cpu : m_frame->cpus) add(tr("CPU %1").arg(cpu.id), QString::number(cpu.id));
  } else if (m_frame && id == QStringLiteral("pelt_group")) {
    for (const api::TaskGroupFrame& group : m_frame->taskGroups) {
      if (group.parent < 0) continue;
      add(tr("%1, all CPUs").arg(look::qs(group.name)), QString::number(group.id));
      for (const api::CpuFrame& cpu : m_frame->cpus)
        add(tr("%1 on CPU %2").arg(look::qs(group.name)).arg(cpu.id),
            QStringLiteral("%1:%2").arg(group.id).arg(cpu.id));
    }
  }
  m_subject->setVisible(!keys.isEmpty());
  QStringList old;
  for (int i = 0; i < m_subject->count(); ++i) old << m_subject->itemData(i).toString();
  if (old == keys) return;
  const QString before = m_subject->currentData().toString();
  m_subject->clear();
  for (qsizetype i = 0; i < keys.size(); ++i) m_subject->addItem(names[i], keys[i]);
  m_subject->setCurrentIndex(std::max(m_subject->findData(before), 0));
}

void ChartsView::chooseSubject(const QString& chart, int number) {
  if (m_which->currentData().toString() != chart) return;
  const int index = m_subject->findData(QString::number(number));
  if (index < 0 || index == m_subject->currentIndex()) return;
  m_subject->setCurrentIndex(index);
  request();
}

void ChartsView::setSelectedCpu(int cpu) { chooseSubject(QStringLiteral("pelt_cpu"), cpu); }
void ChartsView::setSelectedTask(int slot) { chooseSubject(QStringLiteral("pelt_task"), slot); }

void ChartsView::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  if (!frame) return;
  m_isStale = m_isStale || frame->timeNs != m_timeNs;
  m_timeNs = frame->timeNs;
  m_frame = frame;
  fillSubjects();
  // A hidden dock asks when it is shown.
  if (isVisible()) request();
}

void ChartsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_isStale) request();
}

void ChartsView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_note->setVisible(width() > 420);
  if (m_data && (event->size().height() < event->oldSize().height()) !=
                    (event->size().height() > event->oldSize().height()))
    redraw();
}

void ChartsView::request() {
  if (currentId().isEmpty() || m_timeNs <= 0) return;
  m_isStale = false;
  Q_EMIT chartWanted(currentId(), 0, m_timeNs, std::max(width() / kPxPerBin, kLeastBins));
}

void ChartsView::setChart(const std::shared_ptr<const api::ChartData>& chart) {
  if (!chart || look::qs(chart->id) != currentId()) return;
  m_data = chart;
  redraw();
}

void ChartsView::redraw() {
  const look::Theme theme = look::colors(this).theme;
  m_canvas->show(m_data.get(), theme);
  m_legend->setText(m_data && m_canvas->isCompact() ? legendText(*m_data, theme) : QString());
  QStringList words;
  if (m_data)
    for (const api::Series& series : m_data->series) words << seriesWords(*m_data, series);
  m_legend->setToolTip(words.join(QLatin1Char('\n')));
}

void ChartsView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  // Once all widgets have their new colours.
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
    QTimer::singleShot(0, this, &ChartsView::redraw);
}

QString ChartsView::exportTo(const QString& file) const {
  if (!m_data) return tr("there is no chart yet");
  return writeChart(*m_data, file, look::colors(this).theme, m_canvas->size().expandedTo(QSize(640, 320)));
}

void ChartsView::chooseFile() {
  const QString file = QFileDialog::getSaveFileName(
      this, tr("Export chart"),
      currentId().replace(QLatin1Char(':'), QLatin1Char('-')) + QStringLiteral(".png"),
      tr("Pictures and tables (*.png *.svg *.pdf *.csv)"));
  if (file.isEmpty()) return;
  const QString error = exportTo(file);
  m_note->setText(error.isEmpty() ? tr("Saved %1").arg(file) : error);
}

}  // namespace rqscope::charts
