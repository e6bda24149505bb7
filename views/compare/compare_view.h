// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "compare/compare_runner.h"
#include "look/data_chart.h"
#include "rqscope/simulation.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTabBar;
class QTableWidget;

namespace rqscope::look {
class ToolStrip;
}

namespace rqscope::compare {

class PairTable;

/// The scenario twice, with one change off and on: the first decision in which the runs differ, rung beside
/// rung, their figures and curves laid over each other. Small: one of the three at a time.
class CompareView : public QWidget {
  Q_OBJECT
 public:
  explicit CompareView(QWidget* parent = nullptr);

  /// What is compared: the scenario as it is open. A result of another one goes away.
  void setScenario(const QString& fileName, const QString& text, const api::Overrides& overrides,
                   const QString& kernel);
  /// Chooses the change by its name, "migrate_util_shr_bound" or "v6.1:v6.12"; false when there is none.
  bool choose(const QString& change);
  void run();
  void cancel();
  bool isRunning() const { return m_runner->isRunning(); }
  void setChartPainter(look::ChartPainter painter);
  /// "decision", "charts" or "figures".
  void showPart(const QString& part);

  ComparisonPtr result() const { return m_result; }
  QComboBox* changeBox() const { return m_change; }
  QPushButton* runButton() const { return m_run; }
  QPushButton* goButton(QChar side) const { return side == QLatin1Char('A') ? m_goA : m_goB; }
  PairTable* pairs() const { return m_pairs; }
  QTableWidget* figures() const { return m_figures; }
  QTabBar* pages() const { return m_pages; }
  QString headline() const;
  QString statusText() const;

 Q_SIGNALS:
  /// One of the runs is to be opened at a decision.
  void openWanted(const QString& fileName, const QString& text, const rqscope::api::Overrides& overrides,
                  quint64 decision);
  void finished();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void buildStrip();
  void buildStatus();
  void buildParts();
  void fillChoice(const QString& kernel);
  std::pair<api::CompareSide, api::CompareSide> sides() const;
  void onFinished(const ComparisonPtr& result);
  void showResult();
  void showFigures();
  void showHeadline();
  void go(QChar side);
  void arrangeParts();
  void updateButtons();

  QString m_fileName, m_text, m_kernel;
  api::Overrides m_overrides;
  ComparisonPtr m_result;
  api::CompareSide m_sideA, m_sideB;  ///< of the result, or of the run that is on its way
  QComboBox* m_change;
  QPushButton *m_run, *m_goA, *m_goB;
  QWidget* m_statusRow;
  QProgressBar* m_progress;
  QLabel *m_status, *m_headline;
  QTabBar* m_pages;
  look::ToolStrip* m_pagesStrip;
  PairTable* m_pairs;
  QWidget* m_chartPane;
  std::vector<look::DataChart*> m_charts;
  QTableWidget* m_figures;
  QSplitter *m_split, *m_low;
  CompareRunner* m_runner;
};

}  // namespace rqscope::compare
