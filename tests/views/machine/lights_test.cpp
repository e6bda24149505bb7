// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/lights.h"

#include <gtest/gtest.h>

#include <optional>

#include "look/palette.h"
#include "machine/canvas.h"
#include "views/support/sample_frames.h"

namespace rqscope::machine {
namespace {

using api::SubjectKind;

constexpr int kStatistics = 3, kBusiest = 4, kQueue = 7, kCandidate = 8;
constexpr int kBigGroup = 6, kLittleGroup = 7;

/// Role of a thing, or nothing when it is not lit.
std::optional<Role> roleOf(const std::vector<Light>& lights, SubjectKind kind, int id) {
  for (const Light& light : lights)
    if (light.subject.kind == kind && light.subject.id == id) return light.role;
  return std::nullopt;
}

TEST(Lights, OfTheStatisticsAreTheGroupsWithTheLocalOne) {
  const auto lights = lightsOf(*samples::junoDetach(), kStatistics);
  EXPECT_EQ(roleOf(lights, SubjectKind::Group, kLittleGroup), Role::Local);
  EXPECT_EQ(roleOf(lights, SubjectKind::Group, kBigGroup), Role::Considered);
  EXPECT_EQ(roleOf(lights, SubjectKind::Cpu, 5), Role::Destination);
}

TEST(Lights, OfTheBusiestGroupAreBothGroups) {
  const auto lights = lightsOf(*samples::junoDetach(), kBusiest);
  EXPECT_EQ(roleOf(lights, SubjectKind::Group, kLittleGroup), Role::Local);
  EXPECT_EQ(roleOf(lights, SubjectKind::Group, kBigGroup), Role::Busiest);
}

TEST(Lights, OfTheQueueAreTheSourceAndWhatWasRefused) {
  const auto lights = lightsOf(*samples::junoDetach(), kQueue);
  EXPECT_EQ(roleOf(lights, SubjectKind::Cpu, 1), Role::Refused);
  EXPECT_EQ(roleOf(lights, SubjectKind::Cpu, 2), Role::Source);
  EXPECT_EQ(roleOf(lights, SubjectKind::Group, kBigGroup), Role::Busiest);
}

TEST(Lights, OfACandidateAreTheTaskAndBothCpus) {
  const auto lights = lightsOf(*samples::junoDetach(), kCandidate);
  EXPECT_EQ(roleOf(lights, SubjectKind::Task, 2), Role::Candidate);
  EXPECT_EQ(roleOf(lights, SubjectKind::Cpu, 2), Role::Source);
  EXPECT_EQ(roleOf(lights, SubjectKind::Cpu, 5), Role::Destination);
  EXPECT_FALSE(roleOf(lights, SubjectKind::Cpu, 0));
}

TEST(Lights, SayEachThingOnceAndNothingWithoutARung) {
  const auto frame = samples::junoDetach();
  EXPECT_TRUE(lightsOf(*frame, -1).empty());
  EXPECT_TRUE(lightsOf(*frame, 99).empty());
  EXPECT_TRUE(lightsOf(*samples::empty(), 0).empty());
  for (int rung = 0; rung < static_cast<int>(frame->ladder->rungs.size()); ++rung) {
    const auto lights = lightsOf(*frame, rung);
    EXPECT_FALSE(lights.empty()) << rung;
    for (std::size_t i = 0; i < lights.size(); ++i)
      for (std::size_t j = i + 1; j < lights.size(); ++j)
        EXPECT_FALSE(lights[i].subject.kind == lights[j].subject.kind &&
                     lights[i].subject.id == lights[j].subject.id);
  }
}

TEST(Lights, SayWhatIsLitInWords) {
  const auto frame = samples::junoDetach();
  EXPECT_EQ(lightSentence(*frame, lightsOf(*frame, kCandidate)),
            QStringLiteral("the rung looks at dst CPU 5, src CPU 2, task C"));
}

/// Colour at the middle of the lit edge of a CPU's cell.
QColor edgeOf(Canvas& canvas, int cpu) {
  const Geometry& geometry = canvas.geometryShown();
  const QRectF rect = geometry.cells[static_cast<std::size_t>(geometry.cellOf(cpu))].rect;
  const QPointF left = QPointF(rect.left() - 2, rect.center().y()) - canvas.toScene(QPointF(0, 0));
  return canvas.grab().toImage().pixelColor(left.toPoint());
}

bool isNow(const QColor& color) {
  const QColor now = look::palette(look::Theme::Light).now;
  const QColor dark = look::palette(look::Theme::Dark).now;
  const auto near = [&](const QColor& other) {
    return std::abs(color.red() - other.red()) + std::abs(color.green() - other.green()) +
               std::abs(color.blue() - other.blue()) <
           120;
  };
  return near(now) || near(dark);
}

TEST(LitCanvas, LightsTheCpusOfTheRungAndPutsThemOut) {
  Canvas canvas;
  canvas.resize(660, 340);
  canvas.setMotion(false);
  canvas.setFrame(samples::junoDetach());
  EXPECT_TRUE(isNow(edgeOf(canvas, 2))) << "the source";
  EXPECT_TRUE(isNow(edgeOf(canvas, 5))) << "the destination";
  EXPECT_FALSE(isNow(edgeOf(canvas, 0)));
  canvas.setLitRung(-1);
  EXPECT_FALSE(isNow(edgeOf(canvas, 2)));
  canvas.setLitRung(kStatistics);
  EXPECT_FALSE(isNow(edgeOf(canvas, 2))) << "no longer the source";
  EXPECT_TRUE(isNow(edgeOf(canvas, 5)));
}

TEST(LitCanvas, LightsItsOwnRungOnANewFrame) {
  Canvas canvas;
  canvas.resize(660, 340);
  canvas.setFrame(samples::junoDetach());
  canvas.setLitRung(kStatistics);
  canvas.setFrame(samples::junoSkip());
  bool hasTask = false;
  for (const LitItem& item : canvas.lights()) hasTask |= item.light.subject.kind == SubjectKind::Task;
  EXPECT_TRUE(hasTask) << "rung 8 of the new frame weighs a task";
}

}  // namespace
}  // namespace rqscope::machine
