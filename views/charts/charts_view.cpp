// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/charts_view.h"

#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
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
constexpr double kAxisLeftPx = 48, kAxisTopPx = 8, kAxisRightPx = 24, kAxisBottomPx = 24;
constexpr std::size_t kLegendMost = 16;

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
  }

  bool m_hasChart = false;
};

namespace {

/// Colours and names in one line, for charts too low to have a legend of their own.
QString legendText(const api::ChartData& data, look::Theme theme) {
  QString text;
  int place = 0;
  if (data.series.size() < 2 || data.series.size() > kLegendMost) return text;
  for (const api::Series& series : data.series) {
    QString name = look::qs(series.name);
    const auto of = name.indexOf(QStringLiteral(" of "));
    if (of >= 0) name.remove(0, of + 4);
    text += QStringLiteral("<span style='color:%1'>\u25A0</span>&nbsp;%2 &nbsp;")
                .arg(seriesColor(series.name, place++, theme).name(), name.toHtmlEscaped());
  }
  return text;
}

}  // namespace

ChartsView::ChartsView(QWidget* parent)
    : QWidget(parent),
      m_which(new QComboBox(this)),
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
  strip->addWidget(m_note);
  m_legend->setTextFormat(Qt::RichText);
  strip->addWidget(m_legend);
  strip->addStretch();
  m_export->setToolTip(tr("Save as PNG, SVG, PDF or CSV"));
  strip->addWidget(m_export);
  column->addWidget(strip);
  column->addWidget(m_canvas, 1);
  connect(m_which, &QComboBox::currentIndexChanged, this, &ChartsView::request);
  connect(m_export, &QPushButton::clicked, this, &ChartsView::chooseFile);
}

void ChartsView::setIds(const std::vector<std::string>& ids) {
  const QString before = currentId();
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

QString ChartsView::currentId() const { return m_which->currentData().toString(); }

void ChartsView::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  if (!frame) return;
  m_isStale = m_isStale || frame->timeNs != m_timeNs;
  m_timeNs = frame->timeNs;
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
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Export chart"), currentId() + QStringLiteral(".png"),
                                   tr("Pictures and tables (*.png *.svg *.pdf *.csv)"));
  if (file.isEmpty()) return;
  const QString error = exportTo(file);
  m_note->setText(error.isEmpty() ? tr("Saved %1").arg(file) : error);
}

}  // namespace rqscope::charts
