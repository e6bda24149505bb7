// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/reproduce_scaled.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "api/plain_run.h"
#include "api/reproduce_scaled_report.h"
#include "api/reproduced_row_json.h"

namespace rqscope::api {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 2;
constexpr std::string_view kSeed = "/seed";
constexpr auto kTellEvery = std::chrono::milliseconds(250);

/// One run: a row with one seed.
struct Job {
  std::size_t row = 0;
  double work = 1, untilShare = 1;
  ScenarioNumbers numbers;
  std::atomic<double> share{0};
  PlainTimes times;
  std::vector<std::pair<std::string, double>> figures;
  std::vector<Problem> problems;
  bool isDone = false;  ///< guarded by the pool's mutex
};

std::unique_ptr<Job> jobOf(const Json& table, const Json& json, std::size_t row, std::int64_t seed) {
  auto job = std::make_unique<Job>();
  job->row = row;
  const std::string scaled = table.value("scaled", "");
  const Json numbers = json.value("numbers", Json::object());
  for (const auto& [pointer, value] : numbers.items()) {
    auto number = value.get<std::int64_t>();
    if (pointer == kSeed) number += seed;
    if (pointer == scaled) {
      const auto all = table.value("scaled_to", std::int64_t{1});
      job->untilShare = static_cast<double>(number) / static_cast<double>(all);
      number = all;
    }
    job->numbers.emplace_back(pointer, number);
  }
  job->work = json.value("work", 1.0);
  return job;
}

/// Runs the jobs on two threads, the longest first; the caller's thread tells how far they are.
class ScaledRuns {
 public:
  ScaledRuns(std::vector<ReproducedRow>& rows, std::vector<std::unique_ptr<Job>>& jobs,
             const ReproduceControl& control)
      : m_rows(rows), m_jobs(jobs), m_control(control) {
    for (const auto& job : jobs) m_order.push_back(job.get());
    std::stable_sort(m_order.begin(), m_order.end(),
                     [](const Job* a, const Job* b) { return a->work > b->work; });
  }
  void run();

 private:
  bool isCancelled() const {
    return m_control.cancel != nullptr && m_control.cancel->load(std::memory_order_relaxed);
  }
  void work();
  void runJob(Job& job) const;
  void tell(Clock::time_point begin) const;

  std::vector<ReproducedRow>& m_rows;
  std::vector<std::unique_ptr<Job>>& m_jobs;
  const ReproduceControl& m_control;
  std::vector<Job*> m_order;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::size_t m_next = 0, m_done = 0;
};

void ScaledRuns::runJob(Job& job) const {
  Overrides overrides;
  overrides.patches = m_rows[job.row].patches;
  PlainRun run = openPlain(m_rows[job.row].scenario, overrides, job.numbers);
  job.problems = std::move(run.problems);
  if (run.simulator == nullptr) return;
  job.times = runPlain(*run.simulator, job.untilShare, [&](double share) {
    job.share.store(share, std::memory_order_relaxed);
    return !isCancelled();
  });
  if (job.times.seconds < 0) return;
  job.share.store(1, std::memory_order_relaxed);
  job.figures = explainingFigures(run.simulator->state());
}

void ScaledRuns::work() {
  for (;;) {
    Job* job = nullptr;
    {
      const std::lock_guard lock(m_mutex);
      if (m_next == m_order.size() || isCancelled()) return;
      job = m_order[m_next++];
    }
    runJob(*job);
    const std::lock_guard lock(m_mutex);
    job->isDone = true;
    ++m_done;
    m_changed.notify_all();
  }
}

void ScaledRuns::tell(Clock::time_point begin) const {
  if (!m_control.onProgress) return;
  double done = 0, all = 0;
  for (const auto& job : m_jobs) {
    all += job->work;
    done += job->work * job->share.load(std::memory_order_relaxed);
  }
  ReproduceProgress progress;
  progress.rows = m_rows.size();
  progress.row = std::min(m_done * m_rows.size() / m_jobs.size(), m_rows.size() - 1);
  progress.share = all > 0 ? done / all : 0;
  const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
  progress.remainingSeconds = progress.share > 0.01 ? spent * (1 - progress.share) / progress.share : -1;
  if (m_next > 0) {
    progress.caseName = m_rows[m_order[m_next - 1]->row].caseName;
    progress.rowName = m_rows[m_order[m_next - 1]->row].name;
  }
  m_control.onProgress(progress);
}

void ScaledRuns::run() {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back([this] { work(); });
  const auto begin = Clock::now();
  {
    std::unique_lock lock(m_mutex);
    while (m_done < m_jobs.size() && !isCancelled()) {
      m_changed.wait_for(lock, kTellEvery);
      tell(begin);
    }
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

void reproduceScaled(const Json& table, Reproduction& out, const ReproduceControl& control) {
  std::vector<ReproducedRow> rows;
  std::vector<std::unique_ptr<Job>> jobs;
  const auto seeds = std::max<std::int64_t>(table.value("seeds", std::int64_t{1}), 1);
  for (const Json& json : table["rows"]) {
    rows.push_back(commonRowOf(json));
    const std::int64_t ofRow = std::max<std::int64_t>(json.value("seeds", seeds), 1);
    for (std::int64_t seed = 0; seed < ofRow; ++seed)
      jobs.push_back(jobOf(table, json, rows.size() - 1, seed));
  }
  if (rows.empty()) return;
  ScaledRuns(rows, jobs, control).run();
  std::vector<ScaledRow> figures(rows.size());
  for (const auto& job : jobs) {
    out.problems.insert(out.problems.end(), job->problems.begin(), job->problems.end());
    if (!job->isDone || job->times.seconds <= 0) out.wasCancelled = out.problems.empty();
    ScaledRow& row = figures[job->row];
    row.full.push_back(job->times.seconds);
    row.half.push_back(job->times.earlierSeconds);
    row.figures.push_back(std::move(job->figures));
  }
  if (!out.problems.empty() || out.wasCancelled) return;
  for (std::size_t i = 0; i < rows.size(); ++i) fillScaledRow(rows[i], figures[i]);
  out.rows = std::move(rows);
  reportScaled(table.value("measured_row", ""), figures, out);
  if (control.onRow) control.onRow(out);
}

}  // namespace rqscope::api
