// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/geometry.h"

#include <gtest/gtest.h>

#include <set>

#include "machine/readings.h"
#include "views/support/sample_frames.h"

namespace rqscope::machine {
namespace {

GeometryRequest requestFor(const api::Frame& frame, QSizeF size) {
  GeometryRequest request;
  request.size = size;
  request.detail = Detail::Group;
  request.tileGroups = groupSets(*frame.layout, levelsOf(*frame.layout).back());
  return request;
}

void expectSound(const Geometry& geometry, std::size_t cpus) {
  std::set<int> positions;
  const QRectF all(QPointF(-0.5, -0.5), geometry.size + QSizeF(1, 1));
  for (std::size_t i = 0; i < geometry.cells.size(); ++i) {
    const CellItem& cell = geometry.cells[i];
    EXPECT_TRUE(all.contains(cell.rect));
    positions.insert(cell.position);
    const BoxItem& box = geometry.boxes[static_cast<std::size_t>(cell.box)];
    EXPECT_TRUE(box.rect.adjusted(-0.5, -0.5, 0.5, 0.5).contains(cell.rect));
    EXPECT_LE(box.head.bottom(), cell.rect.top() + 0.5) << "a head lies over a cell";
    for (std::size_t j = i + 1; j < geometry.cells.size(); ++j) {
      EXPECT_FALSE(cell.rect.adjusted(0.1, 0.1, -0.1, -0.1).intersects(geometry.cells[j].rect));
    }
  }
  EXPECT_EQ(positions.size(), cpus);
}

// Six CPUs in the room a 1280x720 window leaves: all stand in one row, as tanks.
TEST(Geometry, DrawsTanksInOneRowWhenJunoFits) {
  const auto frame = samples::junoDetach();
  const Geometry geometry = computeGeometry(*frame->layout, requestFor(*frame, {640, 320}));
  EXPECT_EQ(geometry.detail, Detail::Tanks);
  expectSound(geometry, 6);
  for (const CellItem& cell : geometry.cells)
    EXPECT_DOUBLE_EQ(cell.rect.top(), geometry.cells.front().rect.top());
}

TEST(Geometry, DrawsThreadsWhen256CpusFit) {
  const auto frame = samples::epyc256();
  const Geometry geometry = computeGeometry(*frame->layout, requestFor(*frame, {880, 560}));
  EXPECT_EQ(geometry.detail, Detail::Threads);
  expectSound(geometry, 256);
}

TEST(Geometry, FallsToTilesWhenCellsWouldBeInvisible) {
  const auto frame = samples::epyc256();
  const Geometry geometry = computeGeometry(*frame->layout, requestFor(*frame, {90, 60}));
  EXPECT_EQ(geometry.detail, Detail::Group);
  EXPECT_TRUE(geometry.cells.empty());
  int tiles = 0;
  for (const BoxItem& box : geometry.boxes) tiles += box.isTile ? 1 : 0;
  EXPECT_EQ(tiles, 32);
}

// 15 % of hysteresis: the level on show stays a little below the size at which it would be chosen.
TEST(Geometry, KeepsItsLevelJustBelowTheThreshold) {
  const auto frame = samples::junoDetach();
  double width = 640;
  while (computeGeometry(*frame->layout, requestFor(*frame, {width, 320})).detail == Detail::Tanks)
    width -= 1;
  GeometryRequest request = requestFor(*frame, {width, 320});
  request.detail = Detail::Tanks;
  EXPECT_EQ(computeGeometry(*frame->layout, request).detail, Detail::Tanks);
  request.size.setWidth(width * 0.8);
  EXPECT_NE(computeGeometry(*frame->layout, request).detail, Detail::Tanks);
}

TEST(Geometry, FindsNeighboursAndCells) {
  const auto frame = samples::junoDetach();
  const Geometry geometry = computeGeometry(*frame->layout, requestFor(*frame, {640, 320}));
  const int first = geometry.cellOf(1);  // CPU 1 stands first: the big cluster comes first.
  const int second = geometry.neighbour(first, 1, 0);
  EXPECT_EQ(geometry.cells[static_cast<std::size_t>(second)].position, 2);
  EXPECT_EQ(geometry.neighbour(second, -1, 0), first);
  EXPECT_EQ(geometry.neighbour(first, -1, 0), -1);
  EXPECT_EQ(geometry.cellAt(geometry.cells[static_cast<std::size_t>(second)].rect.center()), second);
  EXPECT_EQ(geometry.cellAt({-5, -5}), -1);
}

TEST(Geometry, IsEmptyWithoutRoomOrCpus) {
  EXPECT_TRUE(computeGeometry(api::MachineLayout{}, {}).boxes.empty());
  const auto frame = samples::junoDetach();
  EXPECT_TRUE(computeGeometry(*frame->layout, requestFor(*frame, {0, 0})).cells.empty());
}

}  // namespace
}  // namespace rqscope::machine
