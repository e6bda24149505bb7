// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineF>
#include <QPainterPath>

#include "machine/geometry.h"
#include "machine/levels.h"

namespace rqscope::machine {

/// Most outlines side by side; of more groups the local and the chosen one are drawn.
constexpr int kMostLanes = 8;

/// One group of the domain on show, or the span of the domain itself.
struct SpanItem {
  std::int32_t group = -1;  ///< index into MachineLayout::groups; -1: the domain's own span
  int order = 0;            ///< 1 is local, then ring order; 0 for the domain
  std::vector<std::int32_t> cpus;
  std::vector<std::int32_t> balanceMask;
  int lane = -1;       ///< -1: has no outline of its own
  bool isBox = false;  ///< its box is framed already: only numbered, outlined when it is lit
  bool isDrawn() const { return lane >= 0 || isBox; }
  // Filled by placeSpans():
  QPainterPath outline, hit;
  std::vector<QLineF> links;  ///< between parts that do not stand side by side
  QRectF badge;               ///< null: no room
};

/// Spans of the groups of one domain, where boxes do not already say them: groups that overlap, or that are
/// no box.
struct Spans {
  std::int32_t domain = -1;  ///< index into MachineLayout::domains
  std::vector<SpanItem> items;
  std::vector<std::vector<std::int32_t>> parts;  ///< greatest CPU sets that no span divides
  bool hasCellParts = false;                     ///< some of them are single CPUs
  int lanes = 0;
  bool isEmpty() const { return items.empty(); }
};

/// What to draw for a domain; empty when its groups are boxes. `active`: group to draw in any case, or -1.
Spans spansOf(const api::MachineLayout& layout, std::int32_t domain, std::int32_t active);
/// Outlines and badges in a geometry that was computed with the spans' lanes.
void placeSpans(Spans& spans, const api::MachineLayout& layout, const Geometry& geometry, double textScale);

/// Rectangles of a CPU set: boxes and tiles that lie inside as a whole, else cells.
std::vector<QRectF> rectsOf(const api::MachineLayout& layout, const Geometry& geometry,
                            const std::vector<std::int32_t>& cpus);
/// One outline around rectangles, at a distance: those side by side are joined where nothing stands between.
struct Hull {
  QPainterPath outline;
  std::vector<QLineF> links;
};
Hull hullAround(const std::vector<QRectF>& rects, const Geometry& geometry, double side, double top);

/// "CPU 8 balances for group 2 ..." and the rest that a person wants to know of a group.
QString spanSentence(const api::MachineLayout& layout, const Spans& spans, const SpanItem& item);

}  // namespace rqscope::machine
