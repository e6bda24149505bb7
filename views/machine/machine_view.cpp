// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/machine_view.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFrame>
#include <QLabel>
#include <QLinearGradient>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <array>
#include <cmath>

#include "look/fonts.h"
#include "look/painting.h"
#include "look/panel.h"
#include "machine/canvas.h"
#include "machine/lens.h"
#include "machine/picture_export.h"
#include "machine/readings.h"

namespace rqscope::machine {
namespace {

constexpr int kByGroupType = -1;
constexpr int kWidePx = 730;    ///< narrower strips drop the level of detail
constexpr int kBlocksPx = 560;  ///< ... and narrower ones what the blocks say

/// What the blocks are as tall as, in the kernel's words.
struct BlockSignal {
  const char* name;
  Signal signal;
  const char* meaning;
};
constexpr std::array kBlockSignals = {
    BlockSignal{"task_util_est", Signal::UtilEst,
                QT_TRANSLATE_NOOP("rqscope::machine::MachineView",
                                  "max(util_avg, util_est): what balance and placement count a task with")},
    BlockSignal{"util_avg", Signal::Util,
                QT_TRANSLATE_NOOP("rqscope::machine::MachineView", "How much of a CPU it used of late")},
    BlockSignal{
        "load_avg", Signal::Load,
        QT_TRANSLATE_NOOP("rqscope::machine::MachineView", "Weight times how much of late it wanted to run")},
    BlockSignal{
        "runnable_avg", Signal::Runnable,
        QT_TRANSLATE_NOOP("rqscope::machine::MachineView", "How much of late it ran or waited to run")}};
constexpr std::array kTintSignals = {
    std::pair{"util", Signal::Util},         std::pair{"load", Signal::Load},
    std::pair{"runnable", Signal::Runnable}, std::pair{"nr_running", Signal::NrRunning},
    std::pair{"capacity", Signal::Capacity}, std::pair{"lag", Signal::Lag}};

}  // namespace

/// Pills of the group types this version and machine can have, and what the colour of cells says.
class Legend : public QWidget {
 public:
  explicit Legend(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("legend"));
    setAccessibleName(tr("Legend"));
    setMinimumWidth(100);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  }
  void setLayout(std::shared_ptr<const api::MachineLayout> layout) {
    m_layout = std::move(layout);
    updateGeometry();
    update();
  }
  void setDetail(Detail detail) {
    m_detail = detail;
    describe();
  }
  void setSpans(bool areShown) {
    if (m_hasSpans != areShown) update();
    m_hasSpans = areShown;
  }
  /// The signal that cells are coloured by, and the one of cards when they are not by type.
  void setSignals(const QString& ofCells, Signal cells, const QString& ofCards, std::optional<Signal> cards) {
    m_cells = {ofCells, fullScaleText(cells)};
    m_cards = cards ? Scale{ofCards, fullScaleText(*cards)} : Scale{};
    describe();
  }
  QSize sizeHint() const override {
    return {200, static_cast<int>((isTwoRows() ? 2 * kRowPx + 3 : kOneRowPx) * look::textScale())};
  }
  QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent*) override {
    if (sizeHint().height() != height()) updateGeometry();
  }
  void paintEvent(QPaintEvent*) override {
    const look::Palette& p = look::colors(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), p.dock);
    painter.fillRect(0, 0, width(), 1, p.line);
    if (!m_layout) return;
    const double needed = pillsWidth();
    const look::PillForm form = needed + 16 > width() ? look::PillForm::Letter : look::PillForm::Full;
    const bool isTwo = isTwoRows();
    const double row = isTwo ? height() / 2.0 : height();
    const Scale scale = shownScale();
    double x = 10;
    const double room = isTwo ? width() - 10 : width() - needed - 30;
    if (!scale.name.isEmpty() && scaleWidth(scale) < room) x = paintScale(painter, scale, row / 2);
    painter.setFont(look::uiFont(look::kNotePx));
    const QString note = noteText();
    const bool hasNote = x + painter.fontMetrics().horizontalAdvance(note) < room;
    if (hasNote) {
      painter.setPen(p.text2);
      painter.drawText(QRectF(x, 0, width(), row), Qt::AlignLeft | Qt::AlignVCenter, note);
    }
    const bool isAlone = isTwo || (x == 10 && !hasNote);
    double at = isAlone ? 9 : width() - needed - 4;
    for (const std::string& type : m_layout->groupTypes) {
      look::drawPill(painter, {at, height() - row / 2 - look::kPillHeight / 2.0}, type, form, p.theme);
      at += look::pillWidth(type, form) + 6;
    }
  }

 private:
  static constexpr int kOneRowPx = 31, kRowPx = 22, kBarPx = 70;
  static constexpr std::size_t kFewCpus = 16;  ///< machines that have cells only when they are squeezed

  struct Scale {
    QString name, most;
  };

  /// Of cells at the lower levels of detail; above, of cards, when they are coloured by a signal.
  Scale shownScale() const {
    if (m_detail == Detail::Group) return {};
    return m_detail <= Detail::Threads ? m_cells : m_cards;
  }
  void describe() {
    const Scale scale = shownScale();
    setAccessibleDescription(scale.name.isEmpty()
                                 ? QString()
                                 : tr("colour of cells: %1 from 0 to %2").arg(scale.name, scale.most));
    update();
  }
  double pillsWidth() const {
    double needed = 0;
    if (m_layout)
      for (const std::string& type : m_layout->groupTypes)
        needed += look::pillWidth(type, look::PillForm::Full) + 6;
    return needed;
  }
  double scaleWidth(const Scale& scale) const {
    return QFontMetricsF(look::uiFont(look::kNotePx)).horizontalAdvance(scale.name + scale.most) + kBarPx +
           50;
  }
  /// By machine and width alone: a legend that grew with the detail would change the detail.
  bool isTwoRows() const {
    return m_layout && m_layout->cpus.size() > kFewCpus && pillsWidth() + scaleWidth(m_cells) + 20 > width();
  }
  QString noteText() const {
    if (m_hasSpans) return tr("Outlines: groups in ring order; a flag: the CPU that balances.");
    return m_detail == Detail::Tanks
               ? tr("Height = the number in a block, outline = capacity, tinted = queued.")
               : tr("number in a cell: nr_running, when 2 or more");
  }
  /// "util 0 [colours] 1024"; where it ends.
  double paintScale(QPainter& painter, const Scale& scale, double middle) const {
    const look::Palette& p = look::colors(this);
    painter.setFont(look::uiFont(look::kNotePx));
    painter.setPen(p.text2);
    double x = 10;
    const auto text = [&](const QString& words) {
      const double advance = painter.fontMetrics().horizontalAdvance(words);
      painter.drawText(QRectF(x, middle - 20, advance + 4, 40), Qt::AlignLeft | Qt::AlignVCenter, words);
      x += advance + 5;
    };
    text(scale.name + QStringLiteral("  0"));
    QLinearGradient colours(x, 0, x + kBarPx, 0);
    constexpr int kStops = 12;
    for (int i = 0; i <= kStops; ++i)
      colours.setColorAt(static_cast<double>(i) / kStops,
                         look::heat(static_cast<double>(i) / kStops, p.theme));
    painter.setBrush(colours);
    painter.setPen(QPen(p.line2, 1));
    painter.drawRect(QRectF(x + 0.5, std::floor(middle) - 4.5, kBarPx, 9));
    x += kBarPx + 6;
    painter.setPen(p.text2);
    text(scale.most);
    return x + 14;
  }

  std::shared_ptr<const api::MachineLayout> m_layout;
  Scale m_cells, m_cards;
  Detail m_detail = Detail::Tanks;
  bool m_hasSpans = false;
};

MachineView::MachineView(QWidget* parent)
    : QWidget(parent),
      m_canvas(new Canvas(this)),
      m_legend(new Legend(this)),
      m_color(new QComboBox(this)),
      m_level(new QComboBox(this)),
      m_blocks(new QComboBox(this)),
      m_detail(new QComboBox(this)),
      m_zoom(look::monoLabel(QStringLiteral("100 %"), this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  buildStrip();
  column->addWidget(m_canvas, 1);
  column->addWidget(m_legend);
  buildLens();
  connect(m_canvas, &Canvas::cpuActivated, this, &MachineView::cpuActivated);
  connect(m_canvas, &Canvas::taskActivated, this, &MachineView::taskActivated);
  connect(m_canvas, &Canvas::spansChanged, this,
          [this] { m_legend->setSpans(!m_canvas->spans().isEmpty()); });
  connect(m_canvas, &Canvas::groupActivated, this, &MachineView::groupActivated);
  connect(m_canvas, &Canvas::zoomChanged, this,
          [this](double zoom) { m_zoom->setText(QStringLiteral("%1 %").arg(qRound(zoom * 100))); });
  connect(m_canvas, &Canvas::detailChanged, this, [this](Detail detail) { m_legend->setDetail(detail); });
}

void MachineView::buildStrip() {
  auto* strip = m_strip = new look::ToolStrip(this);
  m_color->addItem(tr("Group type"), kByGroupType);
  for (const auto& [name, signal] : kTintSignals)
    m_color->addItem(QString::fromLatin1(name), static_cast<int>(signal));
  for (const auto& [name, signal, meaning] : kBlockSignals) {
    m_blocks->addItem(QString::fromLatin1(name), static_cast<int>(signal));
    m_blocks->setItemData(m_blocks->count() - 1, tr(meaning), Qt::ToolTipRole);
  }
  m_detail->addItem(tr("Auto"), -1);
  const char* const details[] = {"Group", "Heat", "Threads", "Chips", "Tanks"};
  for (int i = 0; i < 5; ++i) m_detail->addItem(tr(details[i]), i);
  m_color->setToolTip(tr("What the colour of frames and cards says"));
  m_level->setToolTip(tr("Domain level whose groups are framed"));
  const auto sayBlocks = [this] {
    m_blocks->setToolTip(tr("Number in the blocks, their height, and the colour of the cells: %1")
                             .arg(m_blocks->currentData(Qt::ToolTipRole).toString()));
  };
  sayBlocks();
  m_detail->setToolTip(tr("Level of detail; Auto chooses by the size of a CPU"));
  for (QComboBox* box : {m_color, m_level, m_blocks, m_detail})
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* fit = new QPushButton(tr("Fit"), this);
  fit->setToolTip(tr("Show the whole machine (F)"));
  strip->addLabel(tr("Colour"));
  strip->addWidget(m_color);
  m_levelLabel = strip->addLabel(tr("at"));
  strip->addWidget(m_level);
  m_ofBlocks = {strip->addLabel(tr("Blocks")), m_blocks};
  strip->addWidget(m_blocks);
  strip->addStretch();
  m_rare = {strip->addLabel(tr("Detail")), m_detail};
  strip->addWidget(m_detail);
  strip->addWidget(fit);
  strip->addWidget(m_zoom);
  layout()->addWidget(strip);
  connect(m_color, &QComboBox::currentIndexChanged, this, [this] {
    const int value = m_color->currentData().toInt();
    m_canvas->setTint(value == kByGroupType ? std::nullopt
                                            : std::optional<Signal>(static_cast<Signal>(value)));
    showScales();
  });
  connect(m_level, &QComboBox::currentTextChanged, this,
          [this](const QString& name) { m_canvas->setLevel(name.toStdString()); });
  connect(m_blocks, &QComboBox::currentIndexChanged, this, [this, sayBlocks] {
    m_canvas->setBlocks(static_cast<Signal>(m_blocks->currentData().toInt()));
    sayBlocks();
    showScales();
  });
  showScales();
  connect(m_detail, &QComboBox::currentIndexChanged, this, [this] {
    const int value = m_detail->currentData().toInt();
    m_canvas->setDetail(value < 0 ? std::nullopt : std::optional<Detail>(static_cast<Detail>(value)));
  });
  connect(fit, &QPushButton::clicked, m_canvas, &Canvas::fit);
}

void MachineView::showScales() {
  const int tint = m_color->currentData().toInt();
  const auto signal = static_cast<Signal>(m_blocks->currentData().toInt());
  // Cells are CPUs: the greater of the two is a task's name for it.
  const QString ofCells = signal == Signal::UtilEst ? QStringLiteral("util_est") : m_blocks->currentText();
  m_legend->setSignals(ofCells, signal, m_color->currentText(),
                       tint == kByGroupType ? std::nullopt : std::optional(static_cast<Signal>(tint)));
}

void MachineView::fillLevels(const api::MachineLayout& layout) {
  const QSignalBlocker blocker(m_level);
  m_level->clear();
  for (const Level& level : levelsOf(layout)) m_level->addItem(look::qs(level.label));
  m_level->setCurrentText(look::qs(m_canvas->level()));
  // One CPU has no level to choose.
  m_level->setVisible(m_level->count() > 0);
  m_levelLabel->setVisible(m_level->count() > 0);
}

void MachineView::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  m_canvas->setFrame(frame);
  if (m_lensFrame->isVisible()) m_lens->setFrame(frame);
  if (frame && frame->layout != m_layout) {
    m_layout = frame->layout;
    m_legend->setLayout(m_layout);
    if (m_layout) fillLevels(*m_layout);
    const int lag = m_color->findData(static_cast<int>(Signal::Lag));
    const bool hasLag = !m_layout || m_layout->queue != "cfs";
    if (!hasLag && lag >= 0) m_color->removeItem(lag);
    if (hasLag && lag < 0) m_color->addItem(QStringLiteral("lag"), static_cast<int>(Signal::Lag));
  }
}

void MachineView::setSelectedCpu(int cpu) { m_canvas->setSelectedCpu(cpu); }
void MachineView::setSelectedTask(int slot) { m_canvas->setSelectedTask(slot); }
void MachineView::setMotion(bool isAnimated) { m_canvas->setMotion(isAnimated); }

void MachineView::setLitRung(int rung) { m_canvas->setLitRung(rung); }

QStringList MachineView::levels() const {
  QStringList out;
  for (int i = 0; i < m_level->count(); ++i) out << m_level->itemText(i);
  return out;
}

void MachineView::setPlain(bool isPlain) {
  m_strip->setVisible(!isPlain);
  m_legend->setVisible(!isPlain);
}

bool MachineView::showLevel(const QString& label) {
  const int at = m_level->findText(label);
  if (at >= 0) m_level->setCurrentIndex(at);
  return at >= 0;
}

void MachineView::showDomain(int domain, int group) {
  m_canvas->showDomain(domain, group);
  const QSignalBlocker blocker(m_level);
  m_level->setCurrentText(look::qs(m_canvas->level()));
}

void MachineView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  for (QWidget* rare : m_rare) rare->setVisible(width() >= kWidePx * look::textScale());
  for (QWidget* part : m_ofBlocks) part->setVisible(width() >= kBlocksPx * look::textScale());
}

void MachineView::exportPicture() {
  const QString name = m_layout ? look::qs(m_layout->name) : QStringLiteral("machine");
  const QString file = QFileDialog::getSaveFileName(
      this, tr("Picture of the machine"), name + QStringLiteral(".svg"), tr("Pictures (*.svg *.png *.pdf)"));
  if (file.isEmpty()) return;
  const QString wrong = writePicture(*m_canvas, file);
  if (!wrong.isEmpty()) QMessageBox::warning(this, tr("Picture of the machine"), wrong);
}

}  // namespace rqscope::machine
