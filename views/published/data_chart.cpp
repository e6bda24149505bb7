// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "published/data_chart.h"

#include <QPainter>

#include "look/panel.h"

namespace rqscope::published {

void DataChart::setPainter(ChartPainter painter) {
  m_painter = std::move(painter);
  m_picture = {};
  update();
}

void DataChart::setData(const api::ChartData& data) {
  m_data = data;
  m_picture = {};
  setAccessibleName(QString::fromStdString(data.title));
  update();
}

void DataChart::paintEvent(QPaintEvent*) {
  if (!m_painter || m_data.series.empty())
    return look::paintEmpty(this, tr("No chart"), tr("Run the discussion or open a report of it."));
  const look::Theme theme = look::colors(this).theme;
  const QSize pixels = size() * devicePixelRatioF();
  if (m_picture.size() != pixels || m_theme != theme) {
    m_picture = QPixmap(pixels);
    m_picture.setDevicePixelRatio(devicePixelRatioF());
    m_picture.fill(look::colors(this).canvas);
    m_theme = theme;
    QPainter painter(&m_picture);
    m_painter(painter, m_data, QSizeF(size()), theme);
  }
  QPainter(this).drawPixmap(0, 0, m_picture);
}

}  // namespace rqscope::published
