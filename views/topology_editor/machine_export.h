// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "rqscope/machine_edit.h"

class QMenu;
class QWidget;

namespace rqscope::topology_editor {

/// One way to write a machine: for menus and file dialogs.
struct ExportRow {
  api::MachineFormat format;
  const char* title;
  const char* suffix;  ///< "json"
  const char* ending;  ///< of the suggested name, before the suffix
};
const std::vector<ExportRow>& exportRows();

/// Asks for a name; empty when the person gave up.
QString askForPath(QWidget* parent, const QString& machine, const ExportRow& row);
/// Writes without asking, on any thread; empty, or what went wrong.
QString writeMachine(const QString& path, const api::EditMachine& machine, const std::string& kernel,
                     api::MachineFormat format, const std::stop_token& stop = {});

}  // namespace rqscope::topology_editor
