// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>

#include "machine/cell_painting.h"

namespace rqscope::machine {

/// A block on its way, for the animation of a migration: 0 at the source, 1 there.
struct Travel {
  std::int32_t slot = -1, from = -1, to = -1;
  double progress = 1;
};

/// Curve of an arrow from one point to another, bowed upwards.
QPainterPath arrowPath(QPointF from, QPointF to);
/// How strongly the arrow of a recent migration is drawn: it fades over eight ticks, or eight later
/// migrations, whichever comes first. 0: not at all.
double migrationOpacity(const api::Frame& frame, std::size_t index);
/// Old migrations, fading by steps; at most 24, merged per pair of boxes when there are more.
void paintMigrations(QPainter& painter, const Geometry& geometry, const Scene& scene);
/// Ghost of the candidate in its would-be tank, the comparison beside it, and the path there.
void paintProposal(QPainter& painter, const Geometry& geometry, const Scene& scene, const Proposal& proposal);
void paintTravel(QPainter& painter, const Geometry& geometry, const Scene& scene, const Travel& travel);

}  // namespace rqscope::machine
