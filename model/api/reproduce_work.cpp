// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/reproduce_work.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "api/problems.h"
#include "api/reproduce_charts.h"
#include "api/reproduced_row_json.h"
#include "api/simulation_impl.h"
#include "api/work_run.h"
#include "workload/json_document.h"

namespace rqscope::api {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 2;
constexpr double kNsPerMs = 1e6, kNsPerUs = 1e3;
constexpr auto kTellEvery = std::chrono::milliseconds(250);
constexpr std::size_t kMostSeeds = 8;

/// One run, with a few seeds: the plan and how to measure it. Rows that differ only in what they read of it
/// share it.
struct Job {
  std::string key;
  std::shared_ptr<const SimPlan> plan;
  WorkSpec spec;
  std::size_t seeds = 1;
  std::array<std::atomic<double>, kMostSeeds> progress{};  ///< by seed
  WorkFigures figures;                                     ///< mean of the seeds
  double spreadPercent = 0;                                ///< of the figure between seeds: most less least
  bool isDone = false;                                     ///< guarded by the pool's mutex
};

ReproducedRow rowOf(const Json& json) {
  ReproducedRow row = commonRowOf(json);
  row.publishedSpreadPercent = numberOf(json, "deviation_percent");
  row.publishedBaseSpreadPercent = numberOf(json, "base_deviation_percent");
  return row;
}

WorkSpec specOf(const Json& table, const Json& row) {
  WorkSpec spec;
  spec.counted = row.value("counted", "");
  spec.perThread = row.value("per", "all") == "thread";
  spec.factor = row.value("factor", 1.0);
  spec.warmUpNs =
      static_cast<std::int64_t>(row.value("warm_up_ms", table.value("warm_up_ms", 40.0)) * kNsPerMs);
  spec.measuredNs =
      static_cast<std::int64_t>(row.value("measured_ms", table.value("measured_ms", 40.0)) * kNsPerMs);
  return spec;
}

std::shared_ptr<const SimPlan> planOfRow(const ReproducedRow& row, std::vector<Problem>& problems) {
  const std::string file =
      (std::filesystem::path(resourceDirectory()) / "scenarios" / "published" / (row.scenario + ".json"))
          .string();
  auto text = readTextFile(file);
  if (!text.ok()) {
    Problem problem;
    problem.file = file;
    problem.message = text.error().message;
    problems.push_back(std::move(problem));
    return nullptr;
  }
  Overrides overrides;
  overrides.patches = row.patches;
  auto scenario = readScenario(file, text.value(), resourceDirectory(), overridesOf(overrides));
  if (!scenario.ok()) {
    const auto found = problemsOf(scenario.diagnostics());
    problems.insert(problems.end(), found.begin(), found.end());
    return nullptr;
  }
  auto plan = planOf(scenario.value(), problems);
  if (plan == nullptr) return nullptr;
  auto endless = std::make_shared<SimPlan>(*plan);
  endless->untilNs = 0;  // the measure says when it ends
  return endless;
}

/// Mean distance of two series from each other, in percent of the second.
double meanDistance(const std::vector<double>& values, const std::vector<double>& from) {
  double sum = 0;
  const std::size_t samples = std::min(values.size(), from.size());
  for (std::size_t i = 0; i < samples; ++i)
    if (from[i] > 0) sum += 100 * std::abs(values[i] / from[i] - 1) / static_cast<double>(samples);
  return sum;
}

void fillIn(ReproducedRow& row, double percentile, const Job& job, const WorkFigures& base) {
  const WorkFigures& f = job.figures;
  row.model = percentile > 0 ? latencyPercentile(f.latencies, percentile) / kNsPerUs : f.work;
  row.otherScale = percentile > 0 ? 0 : f.halfWork;
  const double wakeups = std::max<double>(1, static_cast<double>(f.wakeups));
  const double percent = f.cpuNs > 0 ? 100 / f.cpuNs : 0;
  row.figures = {{"wakeups", static_cast<double>(f.wakeups)},
                 {"migrations_per_wakeup", static_cast<double>(f.migrations) / wakeups},
                 {"reads_per_wakeup", static_cast<double>(f.reads) / wakeups},
                 {"writes_per_wakeup", static_cast<double>(f.writes) / wakeups},
                 {"line_us_per_wakeup", static_cast<double>(f.lineNs) / kNsPerUs / wakeups},
                 {"line_cpu_percent", static_cast<double>(f.lineNs) * percent},
                 {"line_wait_percent", static_cast<double>(f.waitedNs) * percent},
                 {"load_error_percent", f.loadError},
                 {"weight_error_percent", f.weightError},
                 {"load_from_base_percent", meanDistance(f.tgLoad, base.tgLoad)},
                 {"weight_from_base_percent", meanDistance(f.weights, base.weights)},
                 {std::string(kSeedSpreadKey), job.spreadPercent}};
}

/// Mean of what was counted with several seeds; series are those of the first, latencies those of all.
WorkFigures meanOf(const std::vector<WorkFigures>& runs) {
  WorkFigures mean = runs.front();
  const auto average = [&](auto WorkFigures::*field) {
    double sum = 0;
    for (const WorkFigures& run : runs) sum += static_cast<double>(run.*field);
    sum /= static_cast<double>(runs.size());
    mean.*field = static_cast<std::remove_reference_t<decltype(mean.*field)>>(sum);
  };
  for (auto field : {&WorkFigures::work, &WorkFigures::halfWork, &WorkFigures::cpuNs, &WorkFigures::loadError,
                     &WorkFigures::weightError})
    average(field);
  for (auto field : {&WorkFigures::wakeups, &WorkFigures::migrations, &WorkFigures::switches,
                     &WorkFigures::reads, &WorkFigures::writes, &WorkFigures::lineNs, &WorkFigures::waitedNs})
    average(field);
  for (std::size_t k = 1; k < runs.size(); ++k)
    for (std::size_t i = 0; i < std::min(mean.latencies.size(), runs[k].latencies.size()); ++i)
      mean.latencies[i] += runs[k].latencies[i];
  return mean;
}

/// The job with all its seeds.
void runJob(Job& job, const std::atomic<bool>* cancel) {
  std::vector<WorkFigures> runs;
  for (std::size_t k = 0; k < job.seeds; ++k) {
    auto plan = std::make_shared<SimPlan>(*job.plan);
    plan->seed += k;
    runs.push_back(runWork(std::move(plan), job.spec, cancel, job.progress[k]));
  }
  job.plan = nullptr;
  const auto [least, most] = std::minmax_element(
      runs.begin(), runs.end(), [](const WorkFigures& a, const WorkFigures& b) { return a.work < b.work; });
  job.figures = meanOf(runs);
  if (job.figures.work > 0) job.spreadPercent = 100 * (most->work - least->work) / job.figures.work;
}

/// Runs jobs on a few threads; the caller's thread only tells how far they are.
class Pool {
 public:
  Pool(std::vector<std::unique_ptr<Job>>& jobs, const std::vector<Job*>& jobOfRow,
       const ReproduceControl& control)
      : m_jobs(jobs), m_jobOfRow(jobOfRow), m_control(control) {}

  /// `onPrefix` hears how many rows from the first on are done, whenever that changes. False when cancelled.
  bool run(const std::vector<ReproducedRow>& rows, const std::function<void(std::size_t)>& onPrefix);

 private:
  void work();
  double share() const;
  std::size_t donePrefix() const;

  std::vector<std::unique_ptr<Job>>& m_jobs;
  const std::vector<Job*>& m_jobOfRow;
  const ReproduceControl& m_control;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::size_t m_next = 0, m_done = 0;
};

void Pool::work() {
  for (;;) {
    Job* job = nullptr;
    {
      const std::lock_guard lock(m_mutex);
      if (m_next == m_jobs.size()) return;
      job = m_jobs[m_next++].get();
    }
    runJob(*job, m_control.cancel);
    const std::lock_guard lock(m_mutex);
    job->isDone = true;
    ++m_done;
    m_changed.notify_all();
  }
}

double Pool::share() const {
  double sum = 0;
  for (const auto& job : m_jobs)
    for (std::size_t k = 0; k < job->seeds; ++k)
      sum += job->progress[k].load(std::memory_order_relaxed) / static_cast<double>(job->seeds);
  return sum / static_cast<double>(m_jobs.size());
}

std::size_t Pool::donePrefix() const {
  std::size_t count = 0;
  while (count < m_jobOfRow.size() && m_jobOfRow[count]->isDone) ++count;
  return count;
}

bool Pool::run(const std::vector<ReproducedRow>& rows, const std::function<void(std::size_t)>& onPrefix) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back([this] { work(); });
  const auto begin = Clock::now();
  std::size_t told = 0;
  std::unique_lock lock(m_mutex);
  while (m_done < m_jobs.size()) {
    m_changed.wait_for(lock, kTellEvery);
    const std::size_t prefix = donePrefix();
    lock.unlock();
    if (prefix != told) onPrefix(prefix);
    told = prefix;
    if (m_control.onProgress) {
      ReproduceProgress progress;
      progress.row = std::min(prefix, rows.size() - 1);
      progress.rows = rows.size();
      progress.share = share();
      const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
      progress.remainingSeconds = progress.share > 0.01 ? spent * (1 - progress.share) / progress.share : -1;
      progress.caseName = rows[progress.row].caseName;
      progress.rowName = rows[progress.row].name;
      m_control.onProgress(progress);
    }
    lock.lock();
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  return m_control.cancel == nullptr || !m_control.cancel->load();
}

bool isFirstOfCase(const std::vector<ReproducedRow>& rows, std::size_t i) {
  return i == 0 || rows[i - 1].caseName != rows[i].caseName;
}

/// The run of a row, an earlier one when it is the same.
Job* jobOf(const Json& table, const Json& json, const ReproducedRow& row,
           std::vector<std::unique_ptr<Job>>& jobs, std::vector<Problem>& problems) {
  auto job = std::make_unique<Job>();
  job->spec = specOf(table, json);
  job->seeds =
      std::clamp<std::size_t>(json.value("seeds", table.value("seeds", std::size_t{1})), 1, kMostSeeds);
  job->key = json.value("scenario", "") + json.value("patches", Json::object()).dump() + job->spec.counted;
  for (const auto& known : jobs)
    if (known->key == job->key) return known.get();
  job->plan = planOfRow(row, problems);
  if (job->plan == nullptr) return nullptr;
  jobs.push_back(std::move(job));
  return jobs.back().get();
}

void addCharts(Reproduction& out, const std::vector<Job*>& jobOfRow) {
  addAccessCharts(out);
  std::vector<RunSeries> runs;
  for (std::size_t i = 0; i < out.rows.size(); ++i)
    runs.push_back({jobOfRow[i]->spec.warmUpNs, &jobOfRow[i]->figures});
  addGroupCharts(out, runs);
}

}  // namespace

void reproduceWork(const Json& table, Reproduction& out, const ReproduceControl& control) {
  std::vector<ReproducedRow> rows;
  std::vector<double> percentiles;
  std::vector<std::unique_ptr<Job>> jobs;
  std::vector<Job*> jobOfRow;
  for (const Json& json : table["rows"]) {
    rows.push_back(rowOf(json));
    percentiles.push_back(json.value("percentile", 0.0));
    jobOfRow.push_back(jobOf(table, json, rows.back(), jobs, out.problems));
    if (jobOfRow.back() == nullptr) return;
  }
  out.comparesRatios = true;
  if (rows.empty()) return;
  Pool pool(jobs, jobOfRow, control);
  const auto take = [&](std::size_t prefix) {
    while (out.rows.size() < prefix) {
      const std::size_t i = out.rows.size();
      std::size_t base = i;
      while (!isFirstOfCase(rows, base)) --base;
      out.rows.push_back(rows[i]);
      fillIn(out.rows.back(), percentiles[i], *jobOfRow[i], jobOfRow[base]->figures);
      judgeRatios(out);
      if (control.onRow) control.onRow(out);
    }
  };
  out.wasCancelled = !pool.run(rows, take);
  if (out.wasCancelled) return;
  take(rows.size());
  addCharts(out, jobOfRow);
}

}  // namespace rqscope::api
