// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>

#include "machine/canvas.h"

namespace rqscope::machine {

/// One group of the machine two levels of detail closer, as far as there is room.
class Lens : public Canvas {
  Q_OBJECT
 public:
  explicit Lens(QWidget* parent = nullptr);

  /// Shows the group under the mouse in that canvas, else the one around its selected CPU, with its choices.
  void follow(Canvas* machine);
  void setFrame(const std::shared_ptr<const api::Frame>& frame);

  QSize sizeHint() const override { return {262, 160}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void look(const std::vector<std::int32_t>& cpus);
  void adopt();
  void fitDetail();

  QPointer<Canvas> m_machine;
  std::optional<Detail> m_fittedFor;  ///< level of detail of the machine
};

}  // namespace rqscope::machine
