// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/free_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "evaluate/free_run_cause.h"
#include "evaluate/stats_record.h"

namespace rqscope {
namespace {

constexpr std::size_t kRowsShown = 24;
constexpr double kShiftShownMs = 2;  // more than turns and latencies: half a tick

std::string typeText(const std::optional<GroupType>& type) {
  return type ? std::string(groupTypeRecordName(*type)) : std::string("none");
}

bool isSamePass(const FreePass& a, const FreePass& b) {
  return a.domain == b.domain && a.idle == b.idle && a.shouldBalance == b.shouldBalance &&
         a.local == b.local && a.busiest == b.busiest && a.decision == b.decision && a.moved == b.moved;
}

bool isSameMove(const FreeMove& a, const FreeMove& b) {
  return a.task == b.task && a.from == b.from && a.to == b.to;
}

/// Partner of each item of `a` in `b` (-1: none): a longest common subsequence of items that are the same and
/// at most `tolerance` apart.
template <class T, class Same>
std::vector<int> align(const std::vector<T>& a, const std::vector<T>& b, double tolerance, Same same) {
  const auto matches = [&](std::size_t i, std::size_t j) {
    return std::abs(a[i].ms - b[j].ms) <= tolerance && same(a[i], b[j]);
  };
  const std::size_t width = b.size() + 1;
  std::vector<int> length((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      length[i * width + j] = matches(i, j)
                                  ? 1 + length[(i + 1) * width + j + 1]
                                  : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
  std::vector<int> partner(a.size(), -1);
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (matches(i, j)) {
      partner[i++] = static_cast<int>(j++);
    } else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return partner;
}

/// Passes of one CPU in the window, in order.
std::vector<FreePass> ofCpu(const FreeTrack& track, int cpu, const FreeRunWindow& window) {
  std::vector<FreePass> out;
  for (const FreePass& pass : track.passes)
    if (pass.dst == cpu && pass.ms >= window.fromMs && pass.ms <= window.passesToMs) out.push_back(pass);
  std::ranges::stable_sort(out, {}, &FreePass::ms);
  return out;
}

/// Moves are compared to the end, or as far beyond what is counted as passes are.
std::vector<FreeMove> movesIn(const FreeTrack& track, const FreeRunWindow& window) {
  const double to = window.countToMs < window.passesToMs ? window.passesToMs : window.countToMs;
  std::vector<FreeMove> out;
  for (const FreeMove& move : track.moves)
    if (move.ms >= window.fromMs && move.ms <= to) out.push_back(move);
  std::ranges::stable_sort(out, {}, &FreeMove::ms);
  return out;
}

/// One row of the comparison before it is text.
struct Event {
  double ms = 0;
  SideBySide text;
  bool agrees = false;
  bool isPass = true;
};

class Comparison {
 public:
  Comparison(const FreeTrack& real, const FreeTrack& model, const FreeRunWindow& window)
      : m_real(real), m_model(model), m_window(window) {
    m_report.fromMs = window.fromMs;
    m_report.passesToMs = window.passesToMs;
    m_report.endReal = real.lastEndMs;
    m_report.endModel = model.lastEndMs;
  }

  FreeRunReport run() {
    std::set<int> cpus;
    for (const FreeTrack* track : {&m_real, &m_model})
      for (const FreePass& pass : track->passes) cpus.insert(pass.dst);
    for (const int cpu : cpus) comparePasses(cpu);
    compareMoves();
    std::ranges::stable_sort(m_events, {}, &Event::ms);
    findFirst();
    return std::move(m_report);
  }

 private:
  /// Those that the window counts.
  template <class T>
  int counted(const std::vector<T>& events) const {
    return static_cast<int>(
        std::ranges::count_if(events, [&](const T& e) { return e.ms < m_window.countToMs; }));
  }

  void comparePasses(int cpu) {
    const auto real = ofCpu(m_real, cpu, m_window), model = ofCpu(m_model, cpu, m_window);
    m_report.passesReal += counted(real);
    m_report.passesModel += counted(model);
    const auto partner = align(real, model, m_window.toleranceMs, isSamePass);
    std::vector<bool> isUsed(model.size(), false);
    for (std::size_t i = 0; i < real.size(); ++i) {
      const bool agrees = partner[i] >= 0;
      const auto j = static_cast<std::size_t>(std::max(partner[i], 0));
      if (agrees) isUsed[j] = true;
      if (real[i].ms >= m_window.countToMs) continue;
      m_report.passesAgree += agrees ? 1 : 0;
      if (agrees && std::abs(real[i].ms - model[j].ms) > kShiftShownMs)
        m_shifted.emplace_back(real[i], model[j]);
      m_events.push_back({real[i].ms, {textOf(real[i]), agrees ? textOf(model[j]) : ""}, agrees, true});
      if (!agrees) m_realOnly.push_back(real[i]);
    }
    for (std::size_t j = 0; j < model.size(); ++j) {
      if (isUsed[j] || model[j].ms >= m_window.countToMs) continue;
      m_modelOnly.push_back(model[j]);
      m_events.push_back({model[j].ms, {"", textOf(model[j])}, false, true});
    }
  }

  void compareMoves() {
    const auto real = movesIn(m_real, m_window), model = movesIn(m_model, m_window);
    m_report.movesReal = counted(real);
    m_report.movesModel = counted(model);
    const auto partner = align(real, model, m_window.toleranceMs, isSameMove);
    std::vector<bool> isUsed(model.size(), false);
    for (std::size_t i = 0; i < real.size(); ++i) {
      const bool agrees = partner[i] >= 0;
      const auto j = static_cast<std::size_t>(std::max(partner[i], 0));
      if (agrees) isUsed[j] = true;
      if (real[i].ms >= m_window.countToMs) continue;
      m_report.movesAgree += agrees ? 1 : 0;
      m_events.push_back({real[i].ms, {textOf(real[i]), agrees ? textOf(model[j]) : ""}, agrees, false});
    }
    for (std::size_t j = 0; j < model.size(); ++j)
      if (!isUsed[j] && model[j].ms < m_window.countToMs)
        m_events.push_back({model[j].ms, {"", textOf(model[j])}, false, false});
  }

  void findFirst() {
    const auto first = std::ranges::find(m_events, false, &Event::agrees);
    const auto until = first == m_events.end() ? first : first + 1;
    const auto count = static_cast<std::size_t>(until - m_events.begin());
    for (auto it = m_events.begin() + static_cast<std::ptrdiff_t>(count - std::min(count, kRowsShown));
         it != until; ++it)
      m_report.rows.push_back(it->text);
    m_report.passesBeforeDifference =
        static_cast<int>(std::count_if(m_events.begin(), first, [](const Event& e) { return e.isPass; }));
    if (first == m_events.end()) return;
    m_report.firstDifferenceMs = first->ms;
    const DifferenceContext context{m_real, m_model, m_realOnly, m_modelOnly, m_window};
    const Difference found = first->isPass ? explainPass(context, first->ms, first->text.model.empty())
                                           : explainMove(context, first->ms, first->text.model.empty());
    m_report.firstDifference = found.what;
    m_report.causeKind = found.kind;
    m_report.cause = found.cause + shiftBefore(first->ms);
  }

  /// Passes that agree may come a tick apart: jiffies or a kick stood otherwise when the tick looked.
  std::string shiftBefore(double ms) const {
    const std::pair<FreePass, FreePass>* found = nullptr;
    for (const auto& pair : m_shifted)
      if (pair.second.ms <= ms && (found == nullptr || pair.second.ms > found->second.ms)) found = &pair;
    if (found == nullptr) return {};
    return fmt::format(
        "; before it CPU {} came to {} at {:.3f} ms in the model and at {:.3f} ms in the record: its tick "
        "found "
        "jiffies or the interval otherwise",
        found->first.dst, found->first.domain, found->second.ms, found->first.ms);
  }

  const FreeTrack& m_real;
  const FreeTrack& m_model;
  FreeRunWindow m_window;
  FreeRunReport m_report;
  std::vector<Event> m_events;
  std::vector<FreePass> m_realOnly, m_modelOnly;
  std::vector<std::pair<FreePass, FreePass>> m_shifted;  ///< agreeing passes far apart in time
};

}  // namespace

bool FreeRunReport::isInside() const {
  return std::ranges::all_of(checks, [](const SpanCheck& c) { return c.isInside; });
}

std::string textOf(const FreePass& pass) {
  const char* idle = pass.idle == CpuIdleType::NotIdle ? "busy"
                     : pass.idle == CpuIdleType::Idle  ? "idle"
                                                       : "newidle";
  std::string text = fmt::format("{:.3f} CPU {} {} {}", pass.ms, pass.dst, pass.domain, idle);
  if (!pass.shouldBalance) return text + ": not its turn";
  text += fmt::format(": {} / {}", typeText(pass.local), typeText(pass.busiest));
  if (pass.decision == "balanced") return text + ", balanced";
  return text + fmt::format(", {} {}, failed {}, moved {}", pass.decision, pass.imbalance, pass.failedBefore,
                            pass.moved);
}

std::string textOf(const FreeMove& move) {
  return fmt::format("{:.3f} {} from CPU {} to {} by {}", move.ms, move.task, move.from, move.to,
                     move.by.empty() ? "wakeup" : move.by);
}

FreeRunReport compareFreeRun(const FreeTrack& real, const FreeTrack& model, const FreeRunWindow& window) {
  return Comparison(real, model, window).run();
}

}  // namespace rqscope
