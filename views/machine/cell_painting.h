// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QPainterPath>

#include "look/palette.h"
#include "machine/geometry.h"
#include "machine/readings.h"

namespace rqscope::machine {

/// What paint reads beside geometry: the frame and the user's choices.
struct Scene {
  const api::Frame* frame = nullptr;
  look::Theme theme = look::Theme::Dark;
  Level level;  ///< domain level of the group types
  /// By box of the geometry: its group at the level and the domain that spans it, or -1 and null.
  const std::vector<int>* boxGroups = nullptr;
  const std::vector<const api::LayoutDomain*>* boxDomains = nullptr;
  const std::vector<QString>* boxNames = nullptr;  ///< of those domains: "MC", "NUMA 2"
  bool framesByType = true;                        ///< else cards are tinted by tint
  Signal tint = Signal::Util;                      ///< colour of cards when not by type
  Signal blocks = Signal::UtilEst;                 ///< height of blocks; colour of cells at the lower levels
  const std::vector<int>* cpuGroups = nullptr;     ///< by position: a group of that CPU alone, or -1
  std::int32_t selectedCpu = -1, selectedTask = -1;
  std::int32_t focusedPosition = -1;  ///< keyboard walk; -1: none
  bool isTanks = false;               ///< at Detail::Tanks
  double tankScale = 1024;            ///< top of the tallest tank
};

void paintBoxes(QPainter& painter, const Geometry& geometry, const Scene& scene);
/// Once more the heads that lines cross, on a ground, so that their text stays readable.
void paintHeadsOver(QPainter& painter, const Geometry& geometry, const Scene& scene,
                    const QPainterPath& lines);
void paintCells(QPainter& painter, const Geometry& geometry, const Scene& scene, const QRectF& visible);
/// One CPU at Detail::Tanks.
void paintTank(QPainter& painter, const CellItem& cell, const Scene& scene);
/// The scale beside the tanks and its dotted lines.
void paintTankAxis(QPainter& painter, const Geometry& geometry, const Scene& scene);
/// Place of a card's name and capacity.
QRectF headArea(const QRectF& card);
/// Place of the cross on a CPU that a rung refuses: on the corner of its card, clear of what the card says.
QRectF refusalMark(const QRectF& card);
/// Inside of the card where the tank stands.
QRectF tankArea(const QRectF& card);
/// Rectangle of a task's block in its tank; null when it is not there.
QRectF taskBlock(const CellItem& cell, const Scene& scene, std::int32_t slot);
/// Rectangle that a range of units fills in a CPU's tank.
QRectF tankPart(const QRectF& card, const Scene& scene, double fromUnits, double toUnits);
/// Colour of the group that a CPU is alone in at the level on show; invalid when there is none.
QColor ownGroupColor(const Scene& scene, std::int32_t position);
look::Palette const& paletteOf(const Scene& scene);

}  // namespace rqscope::machine
