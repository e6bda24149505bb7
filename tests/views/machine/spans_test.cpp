// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/spans.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QHelpEvent>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <algorithm>

#include "machine/canvas.h"
#include "machine/picture_export.h"
#include "rqscope/topology.h"

namespace rqscope::machine {
namespace {

std::shared_ptr<const api::MachineLayout> layoutOf(const char* machine) {
  const api::MachineTopology built = api::machineTopology(machine, "v6.12");
  EXPECT_TRUE(built.layout) << machine;
  return built.layout;
}

/// A machine with nothing on it: what the canvas needs to draw the layout.
std::shared_ptr<const api::Frame> idleFrame(const std::shared_ptr<const api::MachineLayout>& layout) {
  auto frame = std::make_shared<api::Frame>();
  frame->layout = layout;
  for (const api::LayoutCpu& cpu : layout->cpus) {
    api::CpuFrame now;
    now.id = cpu.id;
    frame->cpus.push_back(now);
  }
  frame->groups.resize(layout->groups.size());
  for (api::GroupFrame& group : frame->groups) group.type = "has_spare";
  frame->domains.resize(layout->domains.size());
  return frame;
}

Geometry geometryFor(const api::MachineLayout& layout, const Spans& spans, QSizeF size) {
  GeometryRequest request;
  request.size = size;
  request.detail = Detail::Group;
  request.lanes = spans.lanes;
  request.laneBoxes = spans.parts;
  request.hasLaneCells = spans.hasCellParts;
  return computeGeometry(layout, request);
}

Spans highestSpans(const api::MachineLayout& layout, std::int32_t cpu, std::int32_t active = -1) {
  return spansOf(layout, domainAt(layout, levelsOf(layout).back(), cpu), active);
}

TEST(Levels, TellTwoNumaLevelsApartByNumber) {
  const auto layout = layoutOf("hypertransport-8node");
  std::vector<std::string> labels;
  for (const Level& level : levelsOf(*layout)) labels.push_back(level.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"CLS", "MC", "NUMA 1", "NUMA 2"}));
  const std::vector<Level> levels = levelsOf(*layout);
  EXPECT_NE(domainAt(*layout, levels[2], 0), domainAt(*layout, levels[3], 0));
}

TEST(Spans, AreNotDrawnWhereBoxesSayTheGroups) {
  for (const char* machine : {"juno-r2", "epyc-milan-2s-nps2", "i7-13700k"}) {
    const auto layout = layoutOf(machine);
    for (std::size_t i = 0; i < layout->domains.size(); ++i)
      EXPECT_TRUE(spansOf(*layout, static_cast<std::int32_t>(i), -1).isEmpty()) << machine << " domain " << i;
  }
}

TEST(Spans, NumberTheGroupsInRingOrderWithTheirBalanceMasks) {
  const auto layout = layoutOf("ring-4node");
  const Spans spans = highestSpans(*layout, 0);
  ASSERT_FALSE(spans.isEmpty());
  const api::LayoutDomain& domain = layout->domains[static_cast<std::size_t>(spans.domain)];
  ASSERT_EQ(spans.items.size(), domain.groups.size());
  for (std::size_t i = 0; i < spans.items.size(); ++i) {
    EXPECT_EQ(spans.items[i].order, static_cast<int>(i) + 1);
    EXPECT_EQ(spans.items[i].group, domain.groups[i]);
    EXPECT_FALSE(spans.items[i].balanceMask.empty());
  }
  EXPECT_EQ(spans.parts.size(), 4U) << "the nodes are what no span divides";
}

/// Every outline encloses the CPUs of its group and no others, at every size.
void expectOutlinesHoldTheirCpus(const char* machine, QSizeF size) {
  const auto layout = layoutOf(machine);
  for (const Level& level : levelsOf(*layout)) {
    for (const std::int32_t cpu : {layout->cpus.front().id, layout->cpus.back().id}) {
      Spans spans = spansOf(*layout, domainAt(*layout, level, cpu), -1);
      const Geometry geometry = geometryFor(*layout, spans, size);
      placeSpans(spans, *layout, geometry, 1);
      for (const SpanItem& item : spans.items) {
        if (!item.isDrawn()) continue;
        for (const CellItem& cell : geometry.cells) {
          const std::int32_t id = layout->cpus[static_cast<std::size_t>(cell.position)].id;
          EXPECT_EQ(item.outline.contains(cell.rect.center()),
                    std::binary_search(item.cpus.begin(), item.cpus.end(), id))
              << machine << ' ' << size.width() << " px, " << level.label << ", group " << item.order
              << ", CPU " << id;
        }
      }
    }
  }
}

TEST(Spans, EncloseTheirCpusAndNoOthersAtEverySize) {
  for (const char* machine : {"ring-4node", "hypertransport-8node"})
    for (const QSizeF size : {QSizeF(300, 200), QSizeF(640, 330), QSizeF(1000, 620), QSizeF(2400, 1500)})
      expectOutlinesHoldTheirCpus(machine, size);
}

// Between four nodes that all belong to a group no hole is left; around one that does not there is.
TEST(Spans, HaveHolesOnlyAroundOtherCpus) {
  const auto layout = layoutOf("hypertransport-8node");
  for (const QSizeF size : {QSizeF(640, 330), QSizeF(700, 700), QSizeF(1000, 620)}) {
    for (const std::int32_t cpu : {0, 8, 16, 63}) {
      Spans spans = highestSpans(*layout, cpu);
      const Geometry geometry = geometryFor(*layout, spans, size);
      placeSpans(spans, *layout, geometry, 1);
      for (const SpanItem& item : spans.items) {
        const QList<QPolygonF> parts = item.outline.toSubpathPolygons();
        for (const QPolygonF& inner : parts) {
          const bool isHole = std::any_of(parts.begin(), parts.end(), [&](const QPolygonF& outer) {
            return &outer != &inner && outer.boundingRect().contains(inner.boundingRect()) &&
                   outer.containsPoint(inner.boundingRect().center(), Qt::OddEvenFill);
          });
          if (!isHole) continue;
          const bool hasCell = std::any_of(
              geometry.cells.begin(), geometry.cells.end(),
              [&](const CellItem& c) { return inner.containsPoint(c.rect.center(), Qt::OddEvenFill); });
          EXPECT_TRUE(hasCell) << "group " << item.order << " of CPU " << cpu << " at " << size.width();
        }
      }
    }
  }
}

TEST(Spans, KeepClearOfEachOtherAndOfTheBoxes) {
  const auto layout = layoutOf("hypertransport-8node");
  Spans spans = highestSpans(*layout, 0);
  const Geometry geometry = geometryFor(*layout, spans, {1000, 620});
  placeSpans(spans, *layout, geometry, 1);
  for (std::size_t i = 0; i < spans.items.size(); ++i) {
    EXPECT_FALSE(spans.items[i].badge.isNull()) << i;
    for (const BoxItem& box : geometry.boxes) {
      const bool isOver = box.rect.adjusted(1, 1, -1, -1).intersects(spans.items[i].badge);
      EXPECT_FALSE(box.kind == QStringLiteral("node") && isOver);
    }
    for (std::size_t j = i + 1; j < spans.items.size(); ++j) {
      EXPECT_NE(spans.items[i].lane, spans.items[j].lane);
      EXPECT_FALSE(spans.items[i].badge.intersects(spans.items[j].badge));
    }
  }
}

// Nodes that are groups have their frames: only the domain, which is no box, is outlined, and all fit.
TEST(Spans, NumberTheBoxesThatAreGroupsAndOutlineTheDomain) {
  const auto layout = layoutOf("hypertransport-8node");
  Spans spans = spansOf(*layout, domainAt(*layout, levelsOf(*layout)[2], 1), -1);
  EXPECT_EQ(spans.lanes, 1);
  const Geometry geometry = geometryFor(*layout, spans, {1160, 460});
  placeSpans(spans, *layout, geometry, 1);
  for (const SpanItem& item : spans.items) {
    EXPECT_EQ(item.isBox, item.order > 0);
    EXPECT_EQ(item.badge.isNull(), item.order == 0);
    EXPECT_FALSE(item.outline.isEmpty());
    for (const BoxItem& box : geometry.boxes) {
      const bool isOver = box.rect.adjusted(1, 1, -1, -1).intersects(item.badge);
      EXPECT_FALSE(box.kind == QStringLiteral("node") && isOver) << item.order;
    }
  }
}

// More groups than lanes: the local one and the chosen one are drawn.
TEST(Spans, DrawTheLocalAndTheChosenGroupWhereThereAreTooMany) {
  api::MachineLayout layout;
  layout.root.kind = "machine";
  api::LayoutDomain domain;
  domain.name = "NUMA";
  for (std::int32_t cpu = 0; cpu < 24; ++cpu) {
    api::LayoutCpu one;
    one.id = cpu;
    one.domains = {0};
    layout.cpus.push_back(one);
    layout.root.cpus.push_back(cpu);
    domain.span.push_back(cpu);
  }
  for (std::int32_t first = 0; first < 24; first += 2) {
    layout.root.children.push_back({"node", "Node", {first, first + 1}, {}});
    std::vector<std::int32_t> cpus = {first, first + 1, (first + 2) % 24, (first + 3) % 24};
    std::sort(cpus.begin(), cpus.end());
    domain.groups.push_back(static_cast<std::int32_t>(layout.groups.size()));
    layout.groups.push_back({cpus, cpus, {}, ""});
  }
  layout.domains.push_back(domain);
  const Spans spans = spansOf(layout, 0, 7);
  EXPECT_EQ(spans.lanes, 2);
  for (const SpanItem& item : spans.items) EXPECT_EQ(item.lane >= 0, item.group == 0 || item.group == 7);
}

class SpanCanvas : public testing::Test {
 protected:
  SpanCanvas() : frame(idleFrame(layoutOf("ring-4node"))) {
    canvas.resize(900, 560);
    canvas.setMotion(false);
    canvas.setFrame(frame);
    canvas.setLevel("NUMA 2");
    canvas.show();
    canvas.setFocus();
  }
  const SpanItem& item(std::size_t i) const { return canvas.spans().items[i]; }
  QPoint onBadge(std::size_t i) const {
    return (item(i).badge.center() - canvas.toScene(QPointF(0, 0))).toPoint();
  }
  std::shared_ptr<const api::Frame> frame;
  Canvas canvas;
};

TEST_F(SpanCanvas, ChoosesAGroupByClickOnItsBadge) {
  QSignalSpy chosen(&canvas, &Canvas::groupActivated);
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, onBadge(1));
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen.last().at(0).toInt(), canvas.spans().domain);
  EXPECT_EQ(chosen.last().at(1).toInt(), item(1).group);
  EXPECT_EQ(canvas.activeGroup(), item(1).group);
}

TEST_F(SpanCanvas, ChoosesAGroupByClickOnItsOutline) {
  QSignalSpy chosen(&canvas, &Canvas::groupActivated);
  const QRectF around = item(0).outline.boundingRect();
  QPointF edge = around.bottomLeft();
  // The lower half of the left edge has no badge; the outline may be notched, so look for it.
  for (double y = around.bottom() - 8; y > around.top(); y -= 4) {
    edge = {around.left(), y};
    if (item(0).hit.contains(edge)) break;
  }
  QTest::mouseClick(&canvas, Qt::LeftButton, {}, (edge - canvas.toScene(QPointF(0, 0))).toPoint());
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen.last().at(1).toInt(), item(0).group);
}

TEST_F(SpanCanvas, WalksTheGroupsByKeys) {
  QSignalSpy chosen(&canvas, &Canvas::groupActivated);
  QTest::keyClick(&canvas, Qt::Key_G);
  EXPECT_EQ(canvas.activeGroup(), item(0).group);
  QTest::keyClick(&canvas, Qt::Key_G);
  EXPECT_EQ(canvas.activeGroup(), item(1).group);
  QTest::keyClick(&canvas, Qt::Key_G, Qt::ShiftModifier);
  EXPECT_EQ(canvas.activeGroup(), item(0).group);
  EXPECT_EQ(chosen.count(), 3);
  EXPECT_TRUE(canvas.accessibleDescription().contains(QStringLiteral("Group 1 of")));
}

TEST_F(SpanCanvas, NamesAGroupUnderTheMouse) {
  const QPoint at = onBadge(1);
  QHelpEvent help(QEvent::ToolTip, at, canvas.mapToGlobal(at));
  QApplication::sendEvent(&canvas, &help);
  const QString text = QToolTip::text();
  EXPECT_TRUE(text.contains(QStringLiteral("Group 2 of"))) << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("balance mask"))) << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("shares"))) << text.toStdString();
}

TEST_F(SpanCanvas, FillsTheGroupUnderTheMouse) {
  QTest::qWait(50);  // the focus comes when the window is active
  QTest::mouseMove(&canvas, QPoint(1, 1));
  const QImage before = canvas.grab().toImage();
  QTest::mouseMove(&canvas, onBadge(1));
  const QImage during = canvas.grab().toImage();
  EXPECT_NE(before, during);
  QTest::mouseMove(&canvas, QPoint(1, 1));
  EXPECT_EQ(before, canvas.grab().toImage());
}

TEST_F(SpanCanvas, FollowsTheSelectedCpu) {
  const int before = canvas.spans().domain;
  canvas.setSelectedCpu(frame->layout->cpus.back().id);
  EXPECT_NE(canvas.spans().domain, before);
  EXPECT_FALSE(canvas.spans().isEmpty());
}

TEST_F(SpanCanvas, ExportsTheBadgesAsTextInASvg) {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("spans.svg"));
  ASSERT_EQ(writePicture(canvas, file), QString());
  QFile svg(file);
  ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(svg.readAll());
  for (const SpanItem& span : canvas.spans().items) {
    const bool isWritten = text.contains(QStringLiteral(">%1 S</text>").arg(span.order));
    EXPECT_TRUE(isWritten || span.order == 0) << span.order;
  }
}

// In little room a box keeps what tells it from its neighbours, not the name that all of them share.
TEST(BigMachine, NamesEachPackageByItsOwnName) {
  Canvas canvas;
  canvas.resize(640, 340);
  canvas.setMotion(false);
  canvas.setFrame(idleFrame(layoutOf("server-1024cpu")));
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("big.svg"));
  ASSERT_EQ(writePicture(canvas, file), QString());
  QFile svg(file);
  ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(svg.readAll());
  EXPECT_LE(text.count(QStringLiteral(">NUMA")), 1) << "of the whole machine";
  for (int package = 0; package < 8; ++package)
    EXPECT_TRUE(text.contains(QRegularExpression(QStringLiteral(">(Package |Node )?%1</text>").arg(package))))
        << package;
}

}  // namespace
}  // namespace rqscope::machine
