// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>
#include <algorithm>

#include "api/reproduce_scaled_report.h"
#include "charts/chart_export.h"

// What `rqscope reproduce wakequeue --out` writes, from rows that were not run.

namespace rqscope::charts {
namespace {

using testing::HasSubstr;

/// The published rows as if each run had given a second for every row before it.
api::Reproduction reported() {
  api::Reproduction r = api::publishedTable("wakequeue");
  std::vector<api::ScaledRow> runs;
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const double seconds = 1 + static_cast<double>(i);
    runs.push_back({{seconds - 0.5, seconds + 0.5}, {seconds}, {}});
    runs.back().figures = {{{"wakeups_per_s", 1000 * seconds}, {"lock_waited_percent_of_busy", seconds}},
                           {{"wakeups_per_s", 1000 * seconds}, {"lock_waited_percent_of_busy", seconds + 2}}};
    api::fillScaledRow(r.rows[i], runs.back());
  }
  api::reportScaled("enabled", runs, r);
  return r;
}

QByteArray contentsOf(const QTemporaryDir& folder, const char* name) {
  QFile file(folder.filePath(QString::fromLatin1(name)));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
  return file.readAll();
}

TEST(DiscussionCharts, AreWrittenForTheSharedWakequeue) {
  const api::Reproduction r = reported();
  ASSERT_TRUE(r.problems.empty());
  QTemporaryDir folder;
  const ChartFiles files = writeCharts(r.charts, folder.path().toStdString());
  EXPECT_EQ(files.error, "");
  EXPECT_EQ(files.written.size(), 3 * r.charts.size());
  for (const char* id :
       {"wakequeue_gain", "wakequeue_model", "wakequeue_published", "wakequeue_lock_waited_percent_of_busy",
        "wakequeue_lock_busy_percent", "wakequeue_wakeups_per_s", "wakequeue_pulls_per_s",
        "wakequeue_queue_length", "wakequeue_pipe_lock_waited_percent_of_busy"})
    for (const char* ending : {".png", ".svg", ".csv"})
      EXPECT_GT(contentsOf(folder, (std::string(id) + ending).c_str()).size(), 40) << id << ending;
}

TEST(DiscussionCharts, HaveABarForEachRowWithAPublishedFigure) {
  const api::Reproduction r = reported();
  QTemporaryDir folder;
  ASSERT_EQ(writeCharts(r.charts, folder.path().toStdString()).error, "");
  // The three rows of 1 group come first: 1, 2 and 3 s, and the means over two seeds of their figures.
  const std::string model = contentsOf(folder, "wakequeue_model.csv").toStdString();
  EXPECT_THAT(model, HasSubstr("tip,\"built in, disabled\",enabled\n"));
  EXPECT_THAT(model, HasSubstr("1 group,1,2,3\n"));
  EXPECT_THAT(model, HasSubstr("16 groups,13,14,15\n"));
  EXPECT_THAT(contentsOf(folder, "wakequeue_lock_waited_percent_of_busy.csv").toStdString(),
              HasSubstr("1 group,2,3,4\n"));
  const std::string gain = contentsOf(folder, "wakequeue_gain.csv").toStdString();
  EXPECT_THAT(gain, HasSubstr("published,model\n"));
  EXPECT_THAT(gain, HasSubstr("1 group,9.42"));
  EXPECT_THAT(gain, HasSubstr(",-200\n")) << "3 s instead of 1 s";
}

TEST(DiscussionCharts, FindingsNameTheSignsAndTheScale) {
  const api::Reproduction r = reported();
  ASSERT_GE(r.findings.size(), 4U);
  std::string all;
  for (const std::string& finding : r.findings) all += finding + "\n";
  EXPECT_THAT(all, HasSubstr("with the other sign: 1 group (+9.4 % published, -200.0 % model"));
  EXPECT_THAT(all, HasSubstr("half the loops give the same times within 0.0 %"));
  EXPECT_THAT(all, HasSubstr("beyond the seeds' spread: no row"));
  const auto eight = std::find_if(r.rows.begin(), r.rows.end(), [](const api::ReproducedRow& row) {
    return row.caseName == "8 groups" && row.name == "enabled";
  });
  ASSERT_NE(eight, r.rows.end());
  EXPECT_EQ(eight->verdict, "same sign") << "10 and 12 s, each +- 0.5 s: beyond the seeds' spread";
}

}  // namespace
}  // namespace rqscope::charts
