// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/preview_builder.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

namespace rqscope::topology_editor {

void PreviewBuilder::build(const api::EditMachine& machine, const std::string& kernel,
                           const std::optional<api::EditMachine>& before) {
  m_machine = machine;
  m_kernel = kernel;
  m_before = before;
  if (m_isBuilding) {
    m_isStale = true;
  } else {
    start();
  }
}

void PreviewBuilder::start() {
  m_isBuilding = true;
  m_isStale = false;
  QPointer<PreviewBuilder> self(this);
  QThreadPool::globalInstance()->start([self, machine = m_machine, kernel = m_kernel, old = m_before] {
    auto preview = api::previewMachine(machine, kernel);
    std::shared_ptr<const api::MachineLayout> before;
    if (old) before = *old == machine ? preview.layout : api::previewMachine(*old, kernel).layout;
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, preview = std::move(preview), before = std::move(before)] {
          if (!self) return;
          self->m_isBuilding = false;
          if (self->m_isStale) return self->start();
          Q_EMIT self->built(preview, before);
        },
        Qt::QueuedConnection);
  });
}

}  // namespace rqscope::topology_editor
