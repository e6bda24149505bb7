// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>

#include "look/data_chart.h"
#include "published/runner.h"
#include "rqscope/simulation.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTabBar;
class QTableView;
class QTextBrowser;

namespace rqscope::look {
class ToolStrip;
}

namespace rqscope::published {

class PublishedModel;
class RatioChart;

/// Published patch discussions beside the model: choose one, run it off the window's thread or open a report
/// of it, see every row with its ratio, deviation, label and what else was counted, the bars, charts and
/// notes; open the scenario behind a row. Wide: chart and notes beside the table; small: one of the three at
/// a time.
class PublishedView : public QWidget {
  Q_OBJECT
 public:
  explicit PublishedView(QWidget* parent = nullptr);

  void chooseDiscussion(const QString& name);
  QString discussion() const;
  void run();
  void cancel();
  bool isRunning() const { return m_runner->isRunning(); }
  /// Shows the reports of a file, as `rqscope reproduce NAME --json` wrote it; empty when done, else why not.
  QString openReport(const QString& file);
  /// The last result of each discussion is kept here and shown the next time; empty: nothing is kept.
  void setKeepFolder(const QString& folder) { m_keepFolder = folder; }
  void setChartPainter(look::ChartPainter painter);
  /// Brings a part into sight: "table", "notes", "changes", "figure:KEY" or "chart:N".
  void showPart(const QString& part);
  /// Whether there is a result of the discussion, of a run, a report or kept.
  bool hasResult() const { return m_known.contains(discussion()); }
  PublishedModel* model() const { return m_model; }
  QTableView* table() const { return m_table; }
  QPushButton* runButton() const { return m_run; }
  QPushButton* openButton() const { return m_open; }
  QPushButton* reportButton() const { return m_report; }
  QComboBox* discussionBox() const { return m_which; }
  QComboBox* chartBox() const { return m_what; }
  QTabBar* pages() const { return m_pages; }
  RatioChart* bars() const { return m_chart; }
  look::DataChart* dataChart() const { return m_data; }
  QTextBrowser* notes() const { return m_notes; }
  QProgressBar* progressBar() const { return m_progress; }
  QString statusText() const;
  /// Writes what is shown as .csv, .svg, .png or .pdf, or the report as .json; empty when done, else why not.
  QString exportTo(const QString& file) const;

 Q_SIGNALS:
  void openWanted(const QString& scenario, const rqscope::api::Overrides& overrides);
  void finished();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// A result, and where it is from when not from a run of this session.
  struct Known {
    ReproductionPtr result;
    QString origin;
  };

  void buildStrip();
  void buildStatus();
  void buildTable();
  void buildPages();
  void buildSide();
  void connectParts();
  void fillChoice();
  void addChoice(const QString& name, const QString& title);
  void showDiscussion();
  void showRows(const api::Reproduction& result);
  void showNotes(const api::Reproduction& result);
  void fillCharts(const api::Reproduction& result);
  void showChart();
  void setStatus(const QString& text);
  void onProgress(const api::ReproduceProgress& progress);
  void onFinished(const ReproductionPtr& result);
  void openSelected();
  void arrangeParts();
  void fitColumns();
  void updateButtons();

  // Reports: published_reports.cpp.
  void buildReportMenu();
  void chooseReport();
  void chooseExport(const QString& ending, const QString& filter);
  void readKept();
  void keep(const api::Reproduction& result);

  QComboBox *m_which, *m_what;
  QPushButton *m_run, *m_open, *m_report;
  QWidget* m_statusRow;
  QProgressBar* m_progress;
  QLabel* m_status;
  QTableView* m_table;
  PublishedModel* m_model;
  QTabBar* m_pages;
  QWidget* m_chartPane;
  RatioChart* m_chart;
  look::DataChart* m_data;
  QTextBrowser* m_notes;
  QSplitter *m_split, *m_side;
  look::ToolStrip* m_pagesStrip = nullptr;
  Runner* m_runner;
  int m_arrangement = -1;  ///< one part at a time, beside or below each other
  QString m_running;       ///< discussion being run
  QString m_keepFolder;
  std::map<QString, Known> m_known;
};

}  // namespace rqscope::published
