// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QUndoStack>
#include <QWidget>
#include <functional>

#include "rqscope/machine_edit.h"
#include "topology_editor/background.h"
#include "topology_editor/preview_builder.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTableView;
class QTimer;
class QToolButton;
class QVBoxLayout;

namespace rqscope::topology_editor {

class CountsForm;
class CpuModel;
class DistanceTable;
class DomainList;
struct ExportRow;

/// Changes a machine and shows at once which domains a kernel builds for it. Every edit can be undone; bad
/// values stay where they were typed, marked, while the domains are those of the last good machine.
class MachineEditor : public QWidget {
  Q_OBJECT
 public:
  explicit MachineEditor(QWidget* parent = nullptr);
  ~MachineEditor() override;

  /// What is running now: its machine is shown unless there are edits that were not used.
  void setScenario(const QString& fileName, const QString& text, const api::Overrides& overrides,
                   const std::string& kernel);
  /// A built-in machine or a file, read on another thread.
  void load(const QString& machine);
  void setMachine(const api::EditMachine& machine);
  const api::EditMachine& machine() const { return m_machine; }
  int selectedCpu() const;
  QSize sizeHint() const override { return {640, 360}; }
  void selectCpu(int cpu);
  QUndoStack* undoStack() { return &m_undo; }
  DomainList* domains() const { return m_domains; }
  const std::vector<api::EditFault>& faults() const { return m_faults; }
  QString message() const;
  /// Writes the machine of the running scenario, asking for a name.
  void exportRunning(std::size_t row);
  /// Something is being read, built or written on another thread.
  bool isBusy() const { return m_work.isBusy() || m_write.isBusy() || m_builder.isBuilding(); }
  /// Gives up what is being read, built or written; the machine stays as it is.
  void cancel();

 Q_SIGNALS:
  void applyWanted(const QString& fileName, const QString& text, const rqscope::api::Overrides& overrides);
  /// The domains shown are those of the machine shown.
  void previewShown();
  void busyChanged(bool isBusy);

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  friend class EditCommand;

  QWidget* buildStrip();
  QWidget* buildForm();
  QWidget* buildCpus();
  QWidget* buildDomains();
  QWidget* buildFoot();
  void addList(QVBoxLayout* column, const QString& title, const char* field, QLineEdit*& edit, QLabel*& note);
  void connectEdits();

  void edit(const QString& what, const std::function<void(api::EditMachine&)>& change);
  void editCounts(const api::MachineCounts& counts);
  void editCpu(int row, int column, const QVariant& value);
  void editList(QLineEdit* edit, QLabel* note, bool api::EditCpu::*field, bool valueInList);
  void editDistance(int row, int column, int distance);
  void loadScenarioMachine();
  void adopt(const api::EditMachine& machine);
  void build();
  void onBuilt(const api::MachinePreview& preview, const std::shared_ptr<const api::MachineLayout>& before);
  void retheme();
  void showDomains();
  void fitPanes();
  void showFaults();
  void showNote(QLabel* note, const QString& text);
  void say(const QString& text, bool isBad = false);
  void use();
  void save();
  void openFile();
  void fillLists();
  void exportMachine(const api::EditMachine& machine, const ExportRow& row);
  void onOpened(const api::EditOpened& opened, const QString& machine);
  void onBusy();
  void showProgress();
  static void replace(std::shared_ptr<const api::MachineLayout>& old,
                      const std::shared_ptr<const api::MachineLayout>& now);

  QUndoStack m_undo;
  api::EditMachine m_machine, m_opened;  ///< as it is now and as it was opened
  std::vector<api::EditFault> m_faults;
  PreviewBuilder m_builder;
  Background m_work;   ///< opening and counting: what makes a machine to show
  Background m_write;  ///< into a file or the scenario
  std::shared_ptr<const api::MachineLayout> m_layout, m_before;
  bool m_isBeforeWanted = true;
  bool m_isThemePending = false;
  bool m_isScenarioNew = false;  ///< its machine is read when the editor is seen
  QString m_fileName, m_scenarioText, m_usedText;
  api::Overrides m_overrides;

  QComboBox *m_machines, *m_kernel;
  CountsForm* m_counts;
  QLineEdit *m_offline = nullptr, *m_isolated = nullptr;
  QLabel *m_offlineNote = nullptr, *m_isolatedNote = nullptr, *m_distanceNote, *m_distanceTitle;
  DistanceTable* m_distances;
  CpuModel* m_cpus;
  QTableView* m_cpuTable;
  DomainList* m_domains;
  QSplitter* m_panes = nullptr;
  bool m_arePanesMoved = false;  ///< by hand
  QLabel *m_domainTitle, *m_status;
  QPushButton *m_save, *m_use, *m_cancel;
  QProgressBar* m_progress;
  QTimer* m_progressDelay;
};

}  // namespace rqscope::topology_editor
