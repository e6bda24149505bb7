// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/reproduce_scaled.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "api/plain_run.h"

namespace rqscope::api {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 2;
constexpr auto kTellEvery = std::chrono::milliseconds(250);

/// One run: a row at one length.
struct Job {
  std::size_t row = 0;
  bool isHalf = false;
  double work = 1, factor = 1;
  ScenarioNumbers numbers;
  std::atomic<double> share{0};
  double seconds = 0;
  std::vector<std::pair<std::string, double>> figures;
  std::vector<Problem> problems;
  bool isDone = false;  ///< guarded by the pool's mutex
};

ReproducedRow rowOf(const Json& json) {
  ReproducedRow row;
  row.caseName = json.value("case", "");
  row.name = json.value("name", "");
  row.scenario = json.value("scenario", "");
  row.label = json.value("label", "");
  row.published = json.value("published", 0.0);
  if (const auto patches = json.find("patches"); patches != json.end() && patches->is_object())
    for (const auto& [patch, on] : patches->items())
      if (on.is_boolean()) row.patches.emplace_back(patch, on.get<bool>());
  return row;
}

std::unique_ptr<Job> jobOf(const Json& table, const Json& json, std::size_t row, bool isHalf) {
  auto job = std::make_unique<Job>();
  job->row = row;
  job->isHalf = isHalf;
  const std::string scaled = table.value("scaled", "");
  const Json numbers = json.value("numbers", Json::object());
  for (const auto& [pointer, value] : numbers.items()) {
    auto number = value.get<std::int64_t>();
    if (pointer == scaled) {
      if (isHalf) number = std::max<std::int64_t>(number / 2, 1);
      job->factor = table.value("scaled_to", 1.0) / static_cast<double>(number);
    }
    job->numbers.emplace_back(pointer, number);
  }
  job->work = json.value("work", 1.0) * (isHalf ? 1 : 2);
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
  const double seconds = runPlain(*run.simulator, [&](double share) {
    job.share.store(share, std::memory_order_relaxed);
    return !isCancelled();
  });
  if (seconds < 0) return;
  job.share.store(1, std::memory_order_relaxed);
  job.seconds = seconds * job.factor;
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
  progress.row = std::min(m_done / 2, m_rows.size() - 1);
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

void compareWithFirst(std::vector<ReproducedRow>& rows) {
  for (ReproducedRow& row : rows) {
    const auto base = std::find_if(rows.begin(), rows.end(),
                                   [&](const ReproducedRow& r) { return r.caseName == row.caseName; });
    if (base->published > 0) row.publishedRatio = row.published / base->published;
    if (base->model > 0) row.modelRatio = row.model / base->model;
    if (row.published > 0) row.deviationPercent = 100 * (row.model / row.published - 1);
  }
}

double figureOf(const ReproducedRow& row, std::string_view key) {
  for (const auto& [name, value] : row.figures)
    if (name == key) return value;
  return 0;
}

/// "the model gains as published at: ...; not at: ...".
std::string signFinding(const std::vector<ReproducedRow>& rows, std::string_view measured) {
  std::vector<std::string> same, other;
  for (const ReproducedRow& row : rows) {
    if (row.name != measured || row.published <= 0) continue;
    const bool gains = row.publishedRatio < 1;
    const std::string text = fmt::format("{} ({:+.1f} % published, {:+.1f} % model)", row.caseName,
                                         100 * (1 - row.publishedRatio), 100 * (1 - row.modelRatio));
    (gains == (row.modelRatio < 1) ? same : other).push_back(text);
  }
  std::string out = fmt::format("gain of \"{}\" with the published sign: {}", measured,
                                same.empty() ? "nowhere" : fmt::format("{}", fmt::join(same, "; ")));
  if (!other.empty()) out += fmt::format("; with the other sign: {}", fmt::join(other, "; "));
  return out;
}

std::string lockFinding(const std::vector<ReproducedRow>& rows, std::string_view measured) {
  std::vector<std::string> parts;
  for (const ReproducedRow& row : rows)
    if (row.name == measured)
      parts.push_back(fmt::format("{} {:.1f} %", row.caseName, figureOf(row, "lock_waited_percent_of_busy")));
  return fmt::format("share of the busy CPU time that waits for the shared queue's lock with \"{}\": {}",
                     measured, fmt::join(parts, ", "));
}

std::string scaleFinding(const std::vector<ReproducedRow>& rows) {
  double worst = 0;
  std::string where = "no row";
  for (const ReproducedRow& row : rows) {
    if (row.model <= 0 || row.otherScale <= 0) continue;
    const double off = 100 * std::abs(row.otherScale / row.model - 1);
    if (off <= worst) continue;
    worst = off;
    where = row.caseName + ", " + row.name;
  }
  return fmt::format("half the loops give the same times within {:.1f} % (most: {})", worst, where);
}

}  // namespace

void reproduceScaled(const Json& table, Reproduction& out, const ReproduceControl& control) {
  std::vector<ReproducedRow> rows;
  std::vector<std::unique_ptr<Job>> jobs;
  for (const Json& json : table["rows"]) {
    rows.push_back(rowOf(json));
    for (const bool isHalf : {false, true}) jobs.push_back(jobOf(table, json, rows.size() - 1, isHalf));
  }
  if (rows.empty()) return;
  ScaledRuns(rows, jobs, control).run();
  for (const auto& job : jobs) {
    out.problems.insert(out.problems.end(), job->problems.begin(), job->problems.end());
    if (!job->isDone || job->seconds <= 0) out.wasCancelled = out.problems.empty();
    ReproducedRow& row = rows[job->row];
    (job->isHalf ? row.otherScale : row.model) = job->seconds;
    if (!job->isHalf) row.figures = job->figures;
  }
  if (!out.problems.empty() || out.wasCancelled) return;
  compareWithFirst(rows);
  out.rows = std::move(rows);
  if (const std::string measured = table.value("measured_row", ""); !measured.empty()) {
    out.findings.push_back(signFinding(out.rows, measured));
    out.findings.push_back(lockFinding(out.rows, measured));
  }
  out.findings.push_back(scaleFinding(out.rows));
  if (control.onRow) control.onRow(out);
}

}  // namespace rqscope::api
