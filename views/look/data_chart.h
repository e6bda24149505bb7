// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>
#include <QWidget>
#include <functional>

#include "look/palette.h"
#include "rqscope/series.h"

class QPainter;

namespace rqscope::look {

/// Paints a chart into (0, 0, size). The window hands it in: charts are drawn by a room of their own.
using ChartPainter =
    std::function<void(QPainter& painter, const api::ChartData& data, QSizeF size, Theme theme)>;

/// One chart as data, painted anew only when the data, the size or the theme change.
class DataChart : public QWidget {
  Q_OBJECT
 public:
  using QWidget::QWidget;
  void setPainter(ChartPainter painter);
  /// What is said instead of a chart when there is none: "Run the discussion or open a report of it."
  void setHint(const QString& hint);
  void setData(const api::ChartData& data);
  const api::ChartData& data() const { return m_data; }
  QSize minimumSizeHint() const override { return {180, 80}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  ChartPainter m_painter;
  api::ChartData m_data;
  QPixmap m_picture;
  QString m_hint;
  Theme m_theme = Theme::Dark;  ///< of the picture
};

}  // namespace rqscope::look
