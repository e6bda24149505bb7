// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "playback/playback.h"

#include <QAction>
#include <QComboBox>
#include <QFontMetrics>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QSlider>
#include <QToolButton>
#include <array>
#include <cmath>

#include "look/fonts.h"
#include "look/icons.h"
#include "look/painting.h"
#include "look/words.h"

namespace rqscope::playback {
namespace {

using api::Direction;
using api::StepKind;
using api::StopKind;

struct StepLook {
  StepKind kind;
  const char *icon, *caption;
  std::array<const char*, 2> forward, back;
};
constexpr std::array<StepLook, 4> kSteps = {
    {{StepKind::Event, "event", "Event", {"Right", "F10"}, {"Left", "Shift+F10"}},
     {StepKind::Tick, "tick", "Tick", {"Shift+Right", ""}, {"Shift+Left", ""}},
     {StepKind::Pass, "pass", "Pass", {"Ctrl+Right", ""}, {"Ctrl+Left", ""}},
     {StepKind::Rung, "rung", "Rung", {".", "F11"}, {",", "Shift+F11"}}}};
constexpr std::array<std::pair<const char*, StopKind>, 6> kUntil = {
    {{"next failed balance", StopKind::FailedBalance},
     {"next migration", StopKind::Migration},
     {"group type change", StopKind::GroupTypeChange},
     {"misfit", StopKind::Misfit},
     {"idle CPU while work waits", StopKind::IdleWhileWaiting},
     {"the end", StopKind::End}}};
// The slider is logarithmic: 0 is 0.1 ms, 100 is 1 s of simulated time per second.
constexpr double kSlowest = 1e5;
constexpr double kSpeedRange = 1e4;

double speedAt(int value) { return kSlowest * std::pow(kSpeedRange, value / 100.0); }

QString iconName(const QAction* action) { return action->property("iconName").toString(); }

}  // namespace

/// Pass, event, time and the bar of the history budget.
class Clock : public QWidget {
 public:
  explicit Clock(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  }
  void setFrame(std::shared_ptr<const api::Frame> frame) {
    m_frame = std::move(frame);
    update();
  }
  void setWide(bool isWide) {
    m_isWide = isWide;
    updateGeometry();
  }
  QSize sizeHint() const override {
    return {static_cast<int>((m_isWide ? 372 : 236) * look::textScale()), 30};
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    if (!m_frame) return;
    const look::Palette& p = look::colors(this);
    const double scale = look::textScale();
    QPainter painter(this);
    const double historyWidth = (m_isWide ? 132 : 78) * scale;
    const QRectF history(width() - historyWidth, 0, historyWidth, height());
    painter.setFont(look::uiFont(look::kSmallPx));
    painter.setPen(p.text2);
    const double used = static_cast<double>(m_frame->historyBytes),
                 budget = static_cast<double>(m_frame->historyBudget);
    QString text = QObject::tr("History");
    if (m_isWide && budget > 0)
      text += QObject::tr(" %1 of %2 MB")
                  .arg(used / 1e6, 0, 'f', used < 1e8 ? 1 : 0)
                  .arg(budget / 1e6, 0, 'f', 0);
    look::drawElided(painter,
                     QRectF(history.left(), height() / 2.0 - 14 * scale, history.width(), 13 * scale),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
    const QRectF bar(history.left(), height() / 2.0 + 4, history.width(), 3);
    painter.fillRect(bar, p.line);
    if (budget > 0)
      painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * std::min(used / budget, 1.0), 3), p.text3);
    painter.setFont(look::monoFont(17));
    painter.setPen(p.text);
    const QRectF clock(0, 0, history.left() - 14, height());
    const QString time = look::qs(look::timeText(m_frame->timeNs));
    painter.drawText(clock, Qt::AlignRight | Qt::AlignVCenter, time);
    if (!m_isWide) return;
    const double right = clock.right() - painter.fontMetrics().horizontalAdvance(time) - 12;
    painter.setFont(look::uiFont(look::kSmallPx));
    painter.setPen(p.text2);
    painter.drawText(QRectF(0, height() / 2.0 - 14 * scale, right, 14 * scale),
                     Qt::AlignRight | Qt::AlignVCenter,
                     m_frame->ladder ? QObject::tr("pass %1").arg(m_frame->ladder->index) : QString());
    painter.setPen(p.text3);
    painter.drawText(QRectF(0, height() / 2.0, right, 14 * scale), Qt::AlignRight | Qt::AlignVCenter,
                     QObject::tr("event %1").arg(m_frame->eventIndex));
  }

 private:
  std::shared_ptr<const api::Frame> m_frame;
  bool m_isWide = true;
};

Playback::Playback(QWidget* window)
    : QObject(window), m_bar(new QToolBar(tr("Run control"), window)), m_window(window) {
  m_bar->setObjectName(QStringLiteral("runControl"));
  m_bar->setMovable(false);
  m_bar->setIconSize({16, 16});
  m_open = add(QStringLiteral("open"), tr("Open"), tr("Open a scenario, machine or workload"),
               {QKeySequence::Open});
  m_bar->addSeparator();
  addSteps();
  m_bar->addSeparator();
  addUntil(window);
  retheme();
}

QAction* Playback::add(const QString& icon, const QString& caption, const QString& tip,
                       const QList<QKeySequence>& keys) {
  auto* action = new QAction(caption, this);
  action->setProperty("iconName", icon);
  action->setShortcuts(keys);
  action->setToolTip(
      keys.isEmpty() ? tip
                     : tip + QStringLiteral(" (%1)").arg(keys.first().toString(QKeySequence::NativeText)));
  action->setStatusTip(tip);
  m_window->addAction(action);
  m_bar->addAction(action);
  m_all.push_back(action);
  return action;
}

void Playback::addSteps() {
  const auto make = [&](const StepLook& step, Direction direction) {
    const bool isBack = direction == Direction::Back;
    QList<QKeySequence> keys;
    for (const char* key : isBack ? step.back : step.forward) {
      if (*key) keys << QKeySequence(QString::fromLatin1(key));
    }
    const QString caption = tr(step.caption);
    QAction* action =
        add(QString::fromLatin1(step.icon) + (isBack ? QStringLiteral("-back") : QString()), caption,
            isBack ? tr("One %1 back").arg(caption.toLower()) : tr("One %1 forward").arg(caption.toLower()),
            keys);
    action->setText(isBack ? tr("%1 back").arg(caption) : tr("%1 forward").arg(caption));
    action->setIconText(caption);
    connect(action, &QAction::triggered, this,
            [this, kind = step.kind, direction] { Q_EMIT stepWanted(kind, direction); });
    m_steps[static_cast<int>(step.kind)][static_cast<int>(direction)] = action;
  };
  // Mirrored about the run button: pass, tick, event, rung; rung, event, tick, pass.
  for (const int i : {2, 1, 0, 3}) make(kSteps[static_cast<std::size_t>(i)], Direction::Back);
  addRun();
  for (const int i : {3, 0, 1, 2}) make(kSteps[static_cast<std::size_t>(i)], Direction::Forward);
  for (const int i : {0, 1, 2, 3}) {
    for (const int d : {0, 1}) m_menu.push_back(m_steps[i][d]);
  }
  m_menu.push_back(nullptr);
}

void Playback::addRun() {
  m_run = add(QStringLiteral("run"), tr("Run"), tr("Run or pause"), {QKeySequence(Qt::Key_Space)});
  connect(m_run, &QAction::triggered, this,
          [this] { m_isRunning ? Q_EMIT pauseWanted() : Q_EMIT runWanted(); });
  const auto quiet = [&](const QString& text, const QKeySequence& key, auto signal) {
    auto* action = new QAction(text, this);
    action->setShortcut(key);
    m_window->addAction(action);
    connect(action, &QAction::triggered, this, signal);
    m_menu.push_back(action);
  };
  m_menu.push_back(m_run);
  quiet(tr("Run animated"), QKeySequence(Qt::Key_F5), &Playback::runWanted);
  quiet(tr("Run fast"), QKeySequence(Qt::Key_F6), &Playback::fastWanted);
  quiet(tr("Run express"), QKeySequence(Qt::Key_F7), &Playback::expressWanted);
  quiet(tr("Pause"), QKeySequence(Qt::Key_F8), &Playback::pauseWanted);
  m_menu.push_back(nullptr);
  quiet(tr("Go to the beginning"), QKeySequence(Qt::Key_Home), &Playback::firstWanted);
  quiet(tr("Run to the end"), QKeySequence(Qt::Key_End), &Playback::lastWanted);
  quiet(tr("Go to time, event or pass..."), QKeySequence(QStringLiteral("Ctrl+G")), &Playback::gotoWanted);
  m_menu.push_back(nullptr);
}

void Playback::addUntil(QWidget* window) {
  QAction* action =
      add(QStringLiteral("until"), tr("Until"), tr("Run until the condition at the right holds"),
          {QKeySequence(QStringLiteral("Ctrl+F5"))});
  connect(action, &QAction::triggered, this, &Playback::until);
  m_menu.push_back(action);
  m_until = new QComboBox(window);
  for (const auto& [text, kind] : kUntil) m_until->addItem(tr(text), static_cast<int>(kind));
  m_until->setToolTip(tr("Condition of Until; a condition may be typed, such as cpu5.nr_running == 0"));
  m_until->setAccessibleName(tr("Run until"));
  m_until->setEditable(true);
  m_until->setInsertPolicy(QComboBox::InsertAtBottom);
  m_until->setMinimumWidth(150);
  m_until->setFocusPolicy(Qt::ClickFocus);
  m_bar->addWidget(m_until);
  m_bar->addSeparator();
  m_speedLabel = new QLabel(tr("Speed"), window);
  m_speedLabel->setContentsMargins(4, 0, 8, 0);
  m_bar->addWidget(m_speedLabel);
  m_speed = new QSlider(Qt::Horizontal, window);
  m_speed->setRange(0, 100);
  m_speed->setValue(40);
  m_speed->setFixedWidth(84);
  m_speed->setToolTip(tr("Simulated time per second of Run"));
  m_speed->setAccessibleName(tr("Speed"));
  m_bar->addWidget(m_speed);
  m_speedText = new QLabel(window);
  m_speedText->setContentsMargins(8, 0, 0, 0);
  m_speedText->setMinimumWidth(64);
  m_bar->addWidget(m_speedText);
  connect(m_speed, &QSlider::valueChanged, this, [this](int value) {
    m_speedText->setText(look::qs(look::durationText(static_cast<std::int64_t>(speedAt(value)))) +
                         QStringLiteral("/s"));
    Q_EMIT speedChanged(speedAt(value));
  });
  m_speedText->setText(look::qs(look::durationText(static_cast<std::int64_t>(speedAt(40)))) +
                       QStringLiteral("/s"));
  auto* gap = new QWidget(window);
  gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  m_bar->addWidget(gap);
  m_clock = new Clock(window);
  m_bar->addWidget(m_clock);
}

void Playback::until() {
  api::StopCondition condition;
  const int index = m_until->findText(m_until->currentText());
  if (index >= 0 && index < static_cast<int>(kUntil.size())) {
    condition.kind = kUntil[static_cast<std::size_t>(index)].second;
  } else {
    condition.kind = StopKind::Condition;
    condition.expression = m_until->currentText().toStdString();
  }
  Q_EMIT untilWanted(condition);
}

QAction* Playback::stepAction(StepKind kind, Direction direction) const {
  return m_steps[static_cast<int>(kind)][static_cast<int>(direction)];
}

void Playback::setFrame(const std::shared_ptr<const api::Frame>& frame) { m_clock->setFrame(frame); }

void Playback::setRunning(bool isRunning) {
  m_isRunning = isRunning;
  m_run->setProperty("iconName", isRunning ? QStringLiteral("pause") : QStringLiteral("run"));
  m_run->setText(isRunning ? tr("Pause") : tr("Run"));
  retheme();
}

void Playback::setCaptions(bool hasCaptions) {
  m_bar->setToolButtonStyle(hasCaptions ? Qt::ToolButtonTextUnderIcon : Qt::ToolButtonIconOnly);
  QFont caption = look::uiFont(look::kSmallPx);
  for (QToolButton* button : m_bar->findChildren<QToolButton*>()) {
    button->setFont(caption);
    if (hasCaptions) button->setMinimumWidth(42);
    if (!hasCaptions) button->setMinimumWidth(30);
  }
  m_clock->setWide(hasCaptions);
  m_speedText->setFont(look::monoFont());
}

void Playback::retheme() {
  const look::Palette& p = look::colors(m_window);
  for (QAction* action : m_all) action->setIcon(look::icon(iconName(action), p.text, p.line2));
}

}  // namespace rqscope::playback
