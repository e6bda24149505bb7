// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology_editor/machine_export.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QSaveFile>

#include "look/painting.h"

namespace rqscope::topology_editor {

using look::qs;

const std::vector<ExportRow>& exportRows() {
  static const std::vector<ExportRow> rows = {
      {api::MachineFormat::MachineFile, QT_TRANSLATE_NOOP("topology_editor", "Machine file"), "json", ""},
      {api::MachineFormat::Record, QT_TRANSLATE_NOOP("topology_editor", "Record of the domains (JSON)"),
       "json", "-domains"},
      {api::MachineFormat::HwlocXml, QT_TRANSLATE_NOOP("topology_editor", "hwloc XML"), "xml", ""},
      {api::MachineFormat::SchedVerbose, QT_TRANSLATE_NOOP("topology_editor", "sched_verbose text"), "txt",
       "-domains"}};
  return rows;
}

QString writeMachine(const QString& path, const api::EditMachine& machine, const std::string& kernel,
                     api::MachineFormat format, const std::stop_token& stop) {
  const api::MachineText written = api::machineText(machine, kernel, format, stop);
  if (written.text.empty() && !written.problems.empty()) return qs(written.problems.front().text());
  QSaveFile file(path);
  const bool isWritten = file.open(QIODevice::WriteOnly) &&
                         file.write(QByteArray::fromStdString(written.text)) >= 0 && file.commit();
  return isWritten ? QString()
                   : QCoreApplication::translate("topology_editor", "Cannot write %1: %2")
                         .arg(path, file.errorString());
}

QString askForPath(QWidget* parent, const QString& machine, const ExportRow& row) {
  const QString suffix = QString::fromLatin1(row.suffix);
  const QString title = QCoreApplication::translate("topology_editor", row.title);
  const QString name = machine + QString::fromLatin1(row.ending) + QLatin1Char('.') + suffix;
  return QFileDialog::getSaveFileName(parent, title, name, QStringLiteral("%1 (*.%2)").arg(title, suffix));
}

}  // namespace rqscope::topology_editor
