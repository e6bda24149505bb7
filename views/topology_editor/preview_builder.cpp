// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/preview_builder.h"

namespace rqscope::topology_editor {

PreviewBuilder::PreviewBuilder(QObject* parent) : QObject(parent) {
  connect(&m_work, &Background::busyChanged, this, &PreviewBuilder::busyChanged);
}

void PreviewBuilder::build(const api::EditMachine& machine, const std::string& kernel,
                           const std::optional<api::EditMachine>& before) {
  const QString what = tr("Building the domains of %1 CPUs").arg(machine.cpus.size());
  m_work.run(what, [this, machine, kernel, old = before](const std::stop_token& stop) {
    auto preview = api::previewMachine(machine, kernel, stop);
    std::shared_ptr<const api::MachineLayout> layout;
    if (old) layout = *old == machine ? preview.layout : api::previewMachine(*old, kernel, stop).layout;
    return std::function<void()>(
        [this, preview = std::move(preview), layout = std::move(layout)] { Q_EMIT built(preview, layout); });
  });
}

}  // namespace rqscope::topology_editor
