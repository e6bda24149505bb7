// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <vector>

#include "look/palette.h"
#include "published/published_model.h"

class QPainter;

namespace rqscope::published {

/// What the bars show, and how much room they take at a width.
struct RatioBars {
  QString title;
  std::vector<ShownRow> rows;  ///< the first of each case, to which the others are compared, has no bar
  std::string figure = {};     ///< key of what else was counted: its values, of every row; empty: the changes
};
double ratioBarsHeight(const RatioBars& bars);
/// Change against the base of the case, published above model, from a line of no change; or the values of a
/// figure from 0. One scale for all.
void paintRatioBars(QPainter& painter, const RatioBars& bars, double width, look::Theme theme);

/// The bars in the panel, scrolled when there are many.
class RatioChart : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit RatioChart(QWidget* parent = nullptr);
  void setBars(RatioBars bars);
  const RatioBars& bars() const { return m_bars; }
  QSize minimumSizeHint() const override { return {180, 80}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitScroll();
  RatioBars m_bars;
};

}  // namespace rqscope::published
