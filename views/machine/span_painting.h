// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "machine/cell_painting.h"
#include "machine/lights.h"
#include "machine/spans.h"

namespace rqscope::machine {

/// A light with its place in a geometry: rectangles of a CPU or the outline of a group or domain.
struct LitItem {
  Light light;
  Hull hull;               ///< of a group or domain
  QRectF first;            ///< where the tag stands
  std::int32_t cell = -1;  ///< index into Geometry::cells of a CPU, or of the task's CPU
};

/// Places for lights; what is not in the machine is left out.
std::vector<LitItem> placeLights(const std::vector<Light>& lights, const api::Frame& frame,
                                 const Geometry& geometry);

/// Outlines of the spans, under the cells. `active` and `hovered`: index into items, or -1.
void paintSpans(QPainter& painter, const Scene& scene, const Spans& spans, int active, int hovered);
/// All outlines that paintSpans() draws.
QPainterPath spanLines(const Spans& spans);
/// Badges, and the CPUs that balance for each group, over the cells.
void paintSpanMarks(QPainter& painter, const Geometry& geometry, const Scene& scene, const Spans& spans,
                    int active, int hovered);
/// What the rung looks at, over everything.
void paintLights(QPainter& painter, const Geometry& geometry, const Scene& scene,
                 const std::vector<LitItem>& lights);

}  // namespace rqscope::machine
