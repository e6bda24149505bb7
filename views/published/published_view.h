// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>

#include "published/runner.h"
#include "rqscope/simulation.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTableView;
class QTextBrowser;

namespace rqscope::published {

class PublishedModel;
class RatioChart;

/// Published patch discussions beside the model: choose one, run it off the window's thread, see every row
/// with its ratio, deviation and label, the notes, and the bars; open the scenario behind a row.
class PublishedView : public QWidget {
  Q_OBJECT
 public:
  explicit PublishedView(QWidget* parent = nullptr);

  void chooseDiscussion(const QString& name);
  QString discussion() const;
  void run();
  void cancel();
  bool isRunning() const { return m_runner->isRunning(); }
  PublishedModel* model() const { return m_model; }
  QTableView* table() const { return m_table; }
  QPushButton* runButton() const { return m_run; }
  QPushButton* openButton() const { return m_open; }
  QString statusText() const;
  /// Writes what is shown as .csv, .svg or .png; empty when done, else why not.
  QString exportTo(const QString& file) const;

 Q_SIGNALS:
  void openWanted(const QString& scenario, const rqscope::api::Overrides& overrides);
  void finished();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildStrip();
  void buildTable();
  void connectParts();
  void fillChoice();
  void showDiscussion();
  void showRows(const api::Reproduction& result);
  void showNotes(const api::Reproduction& result);
  void onProgress(const api::ReproduceProgress& progress);
  void onFinished(const ReproductionPtr& result);
  void openSelected();
  void chooseFile();
  void fitColumns();
  void updateButtons();

  QComboBox* m_which;
  QPushButton *m_run, *m_open, *m_export;
  QProgressBar* m_progress;
  QLabel* m_status;
  QTableView* m_table;
  PublishedModel* m_model;
  RatioChart* m_chart;
  QTextBrowser* m_notes;
  QSplitter* m_split;
  Runner* m_runner;
  QString m_running;                           ///< discussion being run
  std::map<QString, ReproductionPtr> m_known;  ///< results of this session
};

}  // namespace rqscope::published
