// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "rqscope/frame.h"
#include "rqscope/series.h"

class QComboBox;
class QPushButton;
class QStackedLayout;
class QLabel;

namespace rqscope::charts {

class ChartCanvas;

/// One chart at a time, chosen by name; export of what is shown.
class ChartsView : public QWidget {
  Q_OBJECT
 public:
  explicit ChartsView(QWidget* parent = nullptr);

  void setIds(const std::vector<std::string>& ids);
  void setFrame(const std::shared_ptr<const api::Frame>& frame);
  void setChart(const std::shared_ptr<const api::ChartData>& chart);
  /// Name of the chart, with its subject when it has one: "cpu_util", "pelt_task:3".
  QString currentId() const;
  void setCurrentChart(const QString& id);
  /// What is wrong with such a name, and what there is instead; empty: nothing.
  QString chartProblem(const QString& id) const;
  /// The charts of one task or CPU follow what is selected elsewhere.
  void setSelectedCpu(int cpu);
  void setSelectedTask(int slot);
  /// Writes the chart on show; the reason when it cannot.
  QString exportTo(const QString& file) const;
  /// What is drawn; null: nothing yet.
  const std::shared_ptr<const api::ChartData>& data() const { return m_data; }

 Q_SIGNALS:
  void chartWanted(const QString& id, qint64 beginNs, qint64 endNs, int bins);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void request();
  void fillSubjects();
  void chooseSubject(const QString& chart, int number);
  void chooseFile();
  void redraw();

  QComboBox *m_which, *m_subject;
  QPushButton* m_export;
  QLabel *m_note, *m_legend;
  ChartCanvas* m_canvas;
  std::shared_ptr<const api::ChartData> m_data;
  std::shared_ptr<const api::Frame> m_frame;
  qint64 m_timeNs = 0;
  bool m_isStale = true;
};

}  // namespace rqscope::charts
