// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <string>
#include <vector>

#include "rqscope/explain_value.h"

class QCheckBox;
class QLabel;
class QSpinBox;

namespace rqscope::app {

/// Frequency, told capacity and throughput of one CPU, to be changed at the present moment of the run.
class CpuDialog : public QDialog {
  Q_OBJECT
 public:
  CpuDialog(int cpu, std::int64_t timeNs, QWidget* parent);

  /// Fills in what the CPU has now; a field that was touched is left alone.
  void setNumbers(const std::vector<api::ShownValue>& shown);
  int cpu() const { return m_cpu; }
  /// Operations of the ticked fields, as a script has them.
  std::vector<std::string> operations() const;

 private:
  struct Field {
    const char* operation;
    const char* value;  ///< name of the number it begins with
    QCheckBox* isChanged = nullptr;
    QSpinBox* number = nullptr;
    QLabel* note = nullptr;
  };
  void addField(const char* operation, const char* value, const QString& title, int most);

  int m_cpu;
  std::vector<Field> m_fields;
  bool m_isFilling = false;
};

}  // namespace rqscope::app
