// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <time.h>

#include <QDockWidget>
#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cstdio>

#include "look/theme.h"
#include "machine/canvas.h"
#include "main_window.h"
#include "timeline/timeline_canvas.h"

namespace rqscope::app {
namespace {

constexpr int kPatienceMs = 60'000;
constexpr int kFrames = 25;
/// 60 pictures a second, of which the machine and the timeline are a part each.
constexpr double kMostMs = 16;
/// A detail that a person forces on more CPUs than it is meant for: 30 pictures a second.
constexpr double kMostForcedMs = 33;

double processorMs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// Median processor time to paint a widget once.
double paintMs(QWidget& widget) {
  QImage image(widget.size(), QImage::Format_ARGB32_Premultiplied);
  std::vector<double> times;
  for (int i = 0; i < kFrames; ++i) {
    const double begin = processorMs();
    QPainter painter(&image);
    widget.render(&painter, {}, {}, QWidget::DrawChildren);
    painter.end();
    times.push_back(processorMs() - begin);
  }
  std::nth_element(times.begin(), times.begin() + kFrames / 2, times.end());
  return times[kFrames / 2];
}

class FrameTime : public testing::Test {
 protected:
  FrameTime() : window(session, look::Theme::Dark, MainWindow::Settings::Ignore) {
    window.setMotion(false);
    window.resize(1920, 1080);
    window.show();
    QSignalSpy frames(&session, &session::Session::frameChanged);
    session.open(QStringLiteral("epyc-milan-load"), {});
    EXPECT_TRUE(frames.count() > 0 || frames.wait(kPatienceMs));
    session.seekTime(200'000'000);
    EXPECT_TRUE(QTest::qWaitFor([this] { return session.frame()->timeNs >= 200'000'000; }, kPatienceMs));
    QTest::qWait(1500);  // the bins of the timeline come after the frame
  }
  void say(const char* what, double ms, double mostMs = kMostMs) {
    std::printf("  %-34s %6.2f ms\n", what, ms);
    EXPECT_LT(ms, mostMs) << what;
  }
  session::Session session;
  MainWindow window;
};

TEST_F(FrameTime, MachineAndTimelinePaint256CpusWithinAFrame) {
  ASSERT_EQ(session.frame()->cpus.size(), 256U);
  auto* canvas = window.dock(QStringLiteral("machine"))->findChild<machine::Canvas*>();
  auto* timeline = window.findChild<timeline::TimelineCanvas*>();
  say("machine, level of detail by size", paintMs(*canvas));
  const char* const names[] = {"machine, group", "machine, heat", "machine, threads", "machine, chips",
                               "machine, tanks"};
  for (int i = 0; i < 5; ++i) {
    canvas->setDetail(static_cast<machine::Detail>(i));
    say(names[i], paintMs(*canvas), kMostForcedMs);
  }
  canvas->setDetail(std::nullopt);
  say("timeline", paintMs(*timeline));
  // What a new frame costs beside paint: every view takes it.
  const auto frame = session.frame();
  std::vector<double> times;
  for (int i = 0; i < kFrames; ++i) {
    const auto copy = std::make_shared<api::Frame>(*frame);
    const double begin = processorMs();
    Q_EMIT session.frameChanged(copy);
    times.push_back(processorMs() - begin);
  }
  std::nth_element(times.begin(), times.begin() + kFrames / 2, times.end());
  say("all views take a frame", times[kFrames / 2]);
}

}  // namespace
}  // namespace rqscope::app
