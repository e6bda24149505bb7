// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/lens.h"

#include <algorithm>

#include "look/fonts.h"

namespace rqscope::machine {
namespace {

constexpr int kLevelsCloser = 2;

}  // namespace

Lens::Lens(QWidget* parent) : Canvas(parent) {
  setAccessibleName(tr("Lens"));
  hideSpans();
  setMotion(false);
}

void Lens::follow(Canvas* machine) {
  m_machine = machine;
  connect(machine, &Canvas::viewChanged, this, &Lens::adopt);
  connect(machine, &Canvas::groupHovered, this, &Lens::look);
  adopt();
}

void Lens::setFrame(const std::shared_ptr<const api::Frame>& frame) {
  Canvas::setFrame(frame);
  adopt();
}

void Lens::look(const std::vector<std::int32_t>& cpus) {
  if (cpus == only() && m_machine && m_fittedFor == m_machine->geometryShown().detail) return;
  setOnly(cpus);
  fitDetail();
}

void Lens::adopt() {
  if (!m_machine || !isVisible() || !frame() || frame() != m_machine->frame()) return;
  const bool isOtherCpu = selectedCpu() != m_machine->selectedCpu();
  adoptChoices(*m_machine);
  // What the mouse chose, unless another CPU was, or it is no group of the level any more.
  const bool isGone = only().empty() || m_machine->groupAround(only().front()) != only();
  look(isOtherCpu || isGone ? m_machine->groupAround(selectedCpu()) : only());
}

void Lens::fitDetail() {
  if (!m_machine) return;
  m_fittedFor = m_machine->geometryShown().detail;
  const int wanted = static_cast<int>(*m_fittedFor) + kLevelsCloser;
  const auto detail = static_cast<Detail>(std::min(wanted, static_cast<int>(Detail::Tanks)));
  setDetail(detail);
  if (geometryShown().cellPx < minimumCellPx(detail) * look::textScale()) setDetail(std::nullopt);
}

void Lens::showEvent(QShowEvent* event) {
  Canvas::showEvent(event);
  adopt();
}

void Lens::resizeEvent(QResizeEvent* event) {
  Canvas::resizeEvent(event);
  fitDetail();
}

}  // namespace rqscope::machine
