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
};
double ratioBarsHeight(const RatioBars& bars);
/// Change against the base of the case, published above model, from a line of no change; one scale for all.
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
