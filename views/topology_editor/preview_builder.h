// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

#include "rqscope/machine_edit.h"

namespace rqscope::topology_editor {

/// Builds domains on another thread, one at a time. What is asked for while one is built replaces what waits.
class PreviewBuilder : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  /// With `before`: the domains of that machine too, for comparison.
  void build(const api::EditMachine& machine, const std::string& kernel,
             const std::optional<api::EditMachine>& before);
  bool isBuilding() const { return m_isBuilding; }

 Q_SIGNALS:
  /// `before` is null when it was not asked for.
  void built(const rqscope::api::MachinePreview& preview,
             const std::shared_ptr<const rqscope::api::MachineLayout>& before);

 private:
  void start();

  api::EditMachine m_machine;
  std::optional<api::EditMachine> m_before;
  std::string m_kernel;
  bool m_isBuilding = false, m_isStale = false;
};

}  // namespace rqscope::topology_editor
