// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/data_chart.h"

#include <QPainter>

#include "look/panel.h"

namespace rqscope::look {

void DataChart::setPainter(ChartPainter painter) {
  m_painter = std::move(painter);
  m_picture = {};
  update();
}

void DataChart::setHint(const QString& hint) {
  m_hint = hint;
  update();
}

void DataChart::setData(const api::ChartData& data) {
  m_data = data;
  m_picture = {};
  setAccessibleName(QString::fromStdString(data.title));
  update();
}

void DataChart::paintEvent(QPaintEvent*) {
  if (!m_painter || m_data.series.empty()) return paintEmpty(this, tr("No chart"), m_hint);
  const Theme theme = colors(this).theme;
  const QSize pixels = size() * devicePixelRatioF();
  if (m_picture.size() != pixels || m_theme != theme) {
    m_picture = QPixmap(pixels);
    m_picture.setDevicePixelRatio(devicePixelRatioF());
    m_picture.fill(colors(this).canvas);
    m_theme = theme;
    QPainter painter(&m_picture);
    m_painter(painter, m_data, QSizeF(size()), theme);
  }
  QPainter(this).drawPixmap(0, 0, m_picture);
}

}  // namespace rqscope::look
