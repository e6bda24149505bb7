// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <array>
#include <functional>

#include "compare/runner.h"
#include "look/data_chart.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSplitter;

namespace rqscope::compare {

class DifferenceBar;
class OutcomeTable;
class StartPage;

/// What shows one of the machines. The window hands it in: machine and ladder are drawn by rooms of their
/// own.
struct Side {
  QWidget* widget = nullptr;
  /// The ladder may be null; `rung` is lit, -1: none; `cpu` is marked.
  std::function<void(const std::shared_ptr<const api::Frame>& frame,
                     const std::shared_ptr<const api::Ladder>& ladder, int rung, int cpu)>
      show;
};

/// Two runs of the scenario that is open, side by side: settings of A and B, the decisions in which they
/// differ, both machines and ladders at one of these, charts laid over each other, a table of outcomes.
class CompareView : public QWidget {
  Q_OBJECT
 public:
  /// Reads "patch=on,kernel=v6.1" into overrides; what is wrong with it, or nothing.
  using SettingsReader = std::function<QString(const QString& text, api::Overrides& overrides)>;

  explicit CompareView(QWidget* parent = nullptr);

  void setReader(SettingsReader reader) { m_reader = std::move(reader); }
  void setSides(std::array<Side, 2> sides);
  void setChartPainter(look::ChartPainter painter);
  /// The scenario of the window, with the settings that hold for both runs.
  void setScenario(const QString& fileName, const QString& text, const api::Overrides& overrides,
                   const std::string& kernel);
  void setSettings(const QString& a, const QString& b);
  /// Chooses what differs: a patch, or two kernels as "v6.1:v6.12"; false when there is none of that name.
  bool choose(const QString& change);
  /// Runs both; a run in progress is dropped.
  void run();
  /// A run with a text of its own, and what to call it.
  struct Run {
    QString title, name, text;
    api::Overrides overrides;
  };
  /// The same for two given runs, whatever the settings say.
  void compareRuns(const Run& a, const Run& b);
  void cancel();
  bool isRunning() const { return m_runner->isRunning(); }
  /// Shows difference `index`, from 0.
  void showDifference(std::size_t index);
  const ResultPtr& result() const { return m_result; }
  const MomentPtr& moment() const { return m_moment; }

  QComboBox* changeBox() const { return m_choice; }
  QComboBox* chartChoice() const { return m_chartChoice; }
  QLineEdit* settingsEdit(std::size_t side) const { return m_settings[side]; }
  QPushButton* runButton() const { return m_run; }
  /// Opens the run of a side in the other views, at the difference shown.
  QPushButton* openButton(std::size_t side) const { return m_open[side]; }
  DifferenceBar* bar() const { return m_bar; }
  /// Shown until there is something to compare.
  StartPage* startPage() const { return m_start; }
  OutcomeTable* outcomes() const { return m_outcomes; }
  look::DataChart* chart() const { return m_chart; }
  QString statusText() const;

 Q_SIGNALS:
  /// One of the runs is to be opened at a decision.
  void openWanted(const QString& fileName, const QString& text, const rqscope::api::Overrides& overrides,
                  quint64 decision);
  /// Both runs are over, were cancelled or could not begin.
  void finished();
  /// A difference is on both sides.
  void shown();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildStrip();
  void buildBody();
  void begin(const Input& input);
  void fillChoice(const std::string& kernel);
  void takeChoice(int index);
  void offerChoices(int first, int kernelCount);
  void open(std::size_t side);
  void onFinished(const ResultPtr& result);
  void onMoment(const MomentPtr& moment);
  void showProblems(const Result& result);
  void fillCharts();
  void showChart();
  void setStatus(const QString& text);
  QString differenceText(const api::Difference& difference) const;

  QComboBox *m_choice, *m_chartChoice;
  std::array<QLineEdit*, 2> m_settings{};
  QPushButton* m_run;
  QProgressBar* m_progress;
  QLabel* m_status;
  DifferenceBar* m_bar;
  StartPage* m_start;
  QSplitter *m_body, *m_sides, *m_below;
  std::array<QLabel*, 2> m_heads{};
  std::array<QPushButton*, 2> m_open{};
  std::array<QWidget*, 2> m_frames{};
  look::DataChart* m_chart;
  OutcomeTable* m_outcomes;
  Runner* m_runner;
  SettingsReader m_reader;
  std::array<Side, 2> m_shownSides;
  Input m_input;
  api::Overrides m_given;
  Input m_ran;  ///< of the result, or of the run on its way
  std::array<QString, 2> m_ranWith;
  std::vector<std::array<QString, 2>> m_choices;
  std::vector<int> m_offers;  ///< of m_choices, as the start page has them
  ResultPtr m_result;
  MomentPtr m_moment;
};

}  // namespace rqscope::compare
