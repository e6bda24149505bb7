// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>

#include "compare/trace_runner.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTableWidget;
class QTabWidget;

namespace rqscope::compare {

class DifferenceBar;
class StartPage;

/// A recorded trace beside the model's run of its work: where they part, both sides and the model's decision
/// there, and what came of both.
class TraceView : public QWidget {
  Q_OBJECT
 public:
  using LadderShower = std::function<void(const std::shared_ptr<const api::Ladder>& ladder)>;

  explicit TraceView(QWidget* parent = nullptr);

  /// What draws a ladder: a room of its own, which the window hands in.
  void setLadder(QWidget* widget, LadderShower show);
  /// What the window has opened. A file that is no trace empties the view.
  void setInput(const QString& file, const api::Overrides& overrides);
  void cancel() { m_runner->cancel(); }
  bool isRunning() const { return m_runner->isRunning(); }
  TraceRunner* runner() const { return m_runner; }
  const TraceResultPtr& result() const { return m_result; }
  /// The parting shown, as index in the report; -1: none.
  int parting() const { return m_parting; }
  /// To the next fresh parting (1) or the one before (-1).
  void step(int way);
  void showParting(std::size_t index);
  /// The fresh parting with this number, from 1.
  void showNumber(int number);
  bool hasNumber(int number) const {
    return number > 0 && static_cast<std::size_t>(number) <= m_fresh.size();
  }

  /// Cancels a comparison that runs, else compares again.
  QPushButton* againButton() const { return m_again; }
  DifferenceBar* bar() const { return m_bar; }
  QTableWidget* outcomes() const { return m_outcomes; }
  QTableWidget* tasks() const { return m_tasks; }
  QTableWidget* sides() const { return m_sides; }
  StartPage* startPage() const { return m_start; }
  QTabWidget* tabs() const { return m_below; }
  QString statusText() const;

 Q_SIGNALS:
  void openWanted();
  /// A parting is wanted: the window goes there.
  void partingChosen(std::size_t index);
  void finished();
  /// Report of the trace that is open; null: there is none.
  void reportChanged(const std::shared_ptr<const rqscope::api::TraceReport>& report);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void build();
  void onFinished(const TraceResultPtr& result);
  void showReport(const api::TraceReport& report);
  void onMoment(const TraceMomentPtr& moment);
  void showBar();
  void setStatus(const QString& text);
  const api::TraceReport* report() const { return m_result ? m_result->report.get() : nullptr; }

  TraceRunner* m_runner;
  QLabel *m_status, *m_head;
  QProgressBar* m_progress;
  QPushButton* m_again;
  DifferenceBar* m_bar;
  StartPage* m_start;
  QSplitter *m_body, *m_above;
  QTabWidget* m_below;
  QTableWidget *m_sides, *m_outcomes, *m_tasks;
  LadderShower m_showLadder;
  QString m_file;
  api::Overrides m_overrides;
  TraceResultPtr m_result;
  std::vector<std::size_t> m_fresh;  ///< indexes in the report of what step() goes through
  int m_parting = -1;
};

}  // namespace rqscope::compare
