// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <array>

#include "rqscope/machine_edit.h"

class QLabel;
class QSpinBox;

namespace rqscope::topology_editor {

/// Packages, nodes, caches, clusters, cores and threads, with what is wrong with them below.
class CountsForm : public QWidget {
  Q_OBJECT
 public:
  explicit CountsForm(QWidget* parent);

  void setMachine(const api::EditMachine& machine);
  void setFaults(const std::vector<api::EditFault>& faults);
  QString note() const;

 Q_SIGNALS:
  void countsWanted(const rqscope::api::MachineCounts& counts);

 private:
  api::MachineCounts counts() const;

  std::array<QSpinBox*, 6> m_boxes{};
  QLabel* m_note;
  bool m_isRegular = true;
};

}  // namespace rqscope::topology_editor
