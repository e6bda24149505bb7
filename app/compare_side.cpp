// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare_side.h"

#include <QSplitter>

#include "decision/ladder_widget.h"
#include "machine/machine_view.h"

namespace rqscope::app {

compare::Side makeCompareSide(QWidget* parent) {
  auto* both = new QSplitter(Qt::Vertical, parent);
  auto* machine = new machine::MachineView(both);
  machine->setPlain(true);
  machine->setMotion(false);
  auto* ladder = new decision::LadderWidget(both);
  ladder->setEmptyText(QObject::tr("No such decision in this run"),
                       QObject::tr("The machine is shown at the same moment."));
  both->addWidget(machine);
  both->addWidget(ladder);
  both->setHandleWidth(1);
  both->setChildrenCollapsible(false);
  both->setSizes({640, 360});
  return {both, [machine, ladder](const std::shared_ptr<const api::Frame>& frame,
                                  const std::shared_ptr<const api::Ladder>& shown, int rung, int cpu) {
            machine->setFrame(frame);
            machine->setSelectedCpu(cpu);
            if (shown) machine->showLevel(QString::fromStdString(shown->domainName));
            ladder->setLadder(shown, rung);
            if (rung >= 0) machine->setLitRung(rung);
          }};
}

}  // namespace rqscope::app
