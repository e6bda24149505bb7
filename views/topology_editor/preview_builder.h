// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

#include "rqscope/machine_edit.h"
#include "topology_editor/background.h"

namespace rqscope::topology_editor {

/// Builds domains on another thread. What is asked for while one is built stops and replaces it.
class PreviewBuilder : public QObject {
  Q_OBJECT
 public:
  explicit PreviewBuilder(QObject* parent = nullptr);

  /// With `before`: the domains of that machine too, for comparison.
  void build(const api::EditMachine& machine, const std::string& kernel,
             const std::optional<api::EditMachine>& before);
  bool isBuilding() const { return m_work.isBusy(); }
  QString what() const { return m_work.what(); }
  void cancel() { m_work.cancel(); }

 Q_SIGNALS:
  /// `before` is null when it was not asked for.
  void built(const rqscope::api::MachinePreview& preview,
             const std::shared_ptr<const rqscope::api::MachineLayout>& before);
  void busyChanged();

 private:
  Background m_work;
};

}  // namespace rqscope::topology_editor
