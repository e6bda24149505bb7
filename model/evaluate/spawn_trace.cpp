// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/spawn_trace.h"

#include <charconv>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "evaluate/hand_machine.h"
#include "formats/line_reader.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr CpuId kCpu{0};
constexpr std::size_t kShown = 8;
constexpr std::uint64_t kSomeLoadSum = std::uint64_t{1} << 31;  // large enough that no floor is reached

/// "key=1->2": before and after; "key=1": both the same.
struct Change {
  std::uint64_t before = 0, after = 0;
};

struct TraceLine {
  std::string event;
  std::map<std::string, Change, std::less<>> fields;

  bool has(std::string_view key) const { return fields.find(key) != fields.end(); }
  Change at(std::string_view key) const {
    const auto it = fields.find(key);
    return it == fields.end() ? Change{} : it->second;
  }
  std::uint64_t number(std::string_view key) const { return at(key).before; }
};

std::optional<std::uint64_t> numberOf(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || (end != text.data() + text.size() && *end != '(')) return std::nullopt;
  return value;
}

std::optional<Change> changeOf(std::string_view text) {
  const auto arrow = text.find("->");
  const auto before = numberOf(text.substr(0, arrow));
  if (!before) return std::nullopt;
  if (arrow == std::string_view::npos) return Change{*before, *before};
  const auto after = numberOf(text.substr(arrow + 2));
  return after ? std::optional(Change{*before, *after}) : std::nullopt;
}

/// "t cpu pid EVENT key=value ..."; fields that are not numbers are left out.
TraceLine parseLine(const std::string& text) {
  TraceLine line;
  std::istringstream words(text);
  std::string word;
  for (int skipped = 0; skipped < 3 && words >> word; ++skipped) {
  }
  words >> line.event;
  while (words >> word) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) continue;
    if (const auto change = changeOf(std::string_view(word).substr(equals + 1)))
      line.fields.emplace(word.substr(0, equals), *change);
  }
  return line;
}

class SpawnReplay {
 public:
  explicit SpawnReplay(const KernelProfile& profile)
      : m_machine(handMachine(HandTopology(1).finish(), profile)),
        m_task(m_machine.task(addTask(m_machine, NewTask{})).se),
        m_group(groupEntity(m_machine, addGroup(m_machine, "group", GroupId{0}), kCpu)) {}

  void take(const TraceLine& line, int lineNumber) {
    m_wrong.clear();
    m_isDerivable = true;
    if (line.event == "PI")
      initialise(line);
    else if (line.event == "AT")
      attach(line);
    else if (line.event == "DT")
      detach(line);
    else if (line.event == "RA")
      remove(line);
    else if (line.event == "UP")
      step(line);
    else if (line.event == "TU")
      propagate(line);
    else
      return;
    checkContinuity(line);
    ++m_report.records;
    if (m_wrong.empty()) {
      ++(m_isDerivable ? m_report.equal : m_report.notDerivable);
      return;
    }
    ++m_report.different;
    if (m_report.firstDifferent.size() < kShown)
      m_report.firstDifferent.push_back(fmt::format("line {} {}:{}", lineNumber, line.event, m_wrong));
  }
  ReplayReport report() { return std::move(m_report); }

 private:
  struct QueueKey {
    std::uint64_t cpu = 0, group = 0;
    auto operator<=>(const QueueKey&) const = default;
  };
  struct Known {
    std::uint64_t periodStart = 0;  ///< in 1024 ns, when known
    bool hasPeriod = false;
    std::uint64_t utilAvg = 0;
  };

  CfsRq& queue() { return m_machine.rootCfs(kCpu); }
  Context context() { return {m_machine, m_nobody}; }
  Known& known(const TraceLine& line) { return m_known[{line.number("cpu"), line.number("tg")}]; }

  void check(std::string_view name, std::uint64_t kernel, std::uint64_t here) {
    if (kernel != here) m_wrong += fmt::format(" {}: kernel {}, here {};", name, kernel, here);
  }

  /// The queue before the line, as far as it is printed.
  void setQueue(const TraceLine& line) {
    CfsRq& q = queue();
    q.avg = {};
    q.removed = {};
    q.load = {};
    q.curr = q.hCurr = EntityId{};
    q.hNrQueued = q.hNrRunnable = 0;
    q.avg.lastUpdateTime = line.number("lut");
    q.avg.periodContrib = static_cast<std::uint32_t>(line.number("c"));
    q.avg.utilAvg = line.number("q_util");
    q.avg.utilSum = static_cast<std::uint32_t>(line.number("q_usum"));
    q.avg.loadAvg = line.number("q_load");
    q.avg.loadSum = kSomeLoadSum;
  }

  void setEntity(const TraceLine& line) {
    SchedEntity& se = m_machine.entity(m_task);
    se.load = {kNice0Load, 0};
    se.avg = {};
    se.avg.utilAvg = line.number("se_util");
    se.avg.utilSum = static_cast<std::uint32_t>(line.number("se_usum"));
    se.avg.loadAvg = line.number("se_load");
  }

  void checkQueue(const TraceLine& line) {
    check("q_util", line.at("q_util").after, queue().avg.utilAvg);
    check("q_usum", line.at("q_usum").after, queue().avg.utilSum);
  }

  void noteTime(const TraceLine& line, std::uint64_t lut, std::uint64_t contrib) {
    known(line).periodStart = lut / 1024 - contrib;
    known(line).hasPeriod = true;
  }

  /// A new task's first utilisation.
  void initialise(const TraceLine& line) {
    setQueue(line);
    setEntity(line);
    m_machine.entity(m_task).avg.utilAvg = 0;
    Context ctx = context();
    postInitEntityUtilAvg(ctx, m_machine.entity(m_task).task);
    check("se_util", line.number("se_util"), m_machine.entity(m_task).avg.utilAvg);
  }

  void attach(const TraceLine& line) {
    setQueue(line);
    setEntity(line);
    Context ctx = context();
    attachEntityLoadAvg(ctx, CfsRqId{0}, m_task);
    checkQueue(line);
    const SchedAvg& se = m_machine.entity(m_task).avg;
    check("se_usum", line.at("se_usum").after, se.utilSum);
    check("se_lut", line.number("lut"), se.lastUpdateTime);
    check("se_c", line.number("c"), se.periodContrib);
    check("q_load", line.at("q_load").after, queue().avg.loadAvg);
    noteTime(line, line.number("lut"), line.number("c"));
  }

  void detach(const TraceLine& line) {
    setQueue(line);
    setEntity(line);
    Context ctx = context();
    detachEntityLoadAvg(ctx, CfsRqId{0}, m_task);
    checkQueue(line);
    check("q_load", line.at("q_load").after, queue().avg.loadAvg);
    noteTime(line, line.number("lut"), line.number("c"));
  }

  /// Removed load is applied before the step in time, which is another line.
  void remove(const TraceLine& line) {
    setQueue(line);
    queue().removed = {1, line.number("removed_load"), line.number("removed_util"), 0};
    Context ctx = context();
    updateCfsRqLoadAvg(ctx, queue().avg.lastUpdateTime, CfsRqId{0});
    checkQueue(line);
    check("q_load", line.at("q_load").after, queue().avg.loadAvg);
    noteTime(line, line.number("lut"), line.number("c"));
  }

  /// A step that crossed a period boundary. The time before it stands in the same period as the queue's last
  /// line, since every crossing is printed; with no such line the number of periods is not known.
  void step(const TraceLine& line) {
    const Change contrib = line.at("c");
    const std::uint64_t now = line.number("now");
    if (!known(line).hasPeriod) {
      noteTime(line, now, contrib.after);
      m_isDerivable = false;
      return;
    }
    setQueue(line);
    CfsRq& q = queue();
    q.avg.lastUpdateTime = (known(line).periodStart + contrib.before) * 1024;
    q.avg.periodContrib = static_cast<std::uint32_t>(contrib.before);
    q.load = {scaleLoad(line.number("w")), 0};
    q.hNrQueued = q.hNrRunnable = static_cast<std::uint32_t>(line.number("hnr"));
    if (line.number("curr") != 0) q.curr = q.hCurr = m_task;
    Context ctx = context();
    updateCfsRqLoadAvg(ctx, now, CfsRqId{0});
    checkQueue(line);
    check("c", contrib.after, q.avg.periodContrib);
    noteTime(line, q.avg.lastUpdateTime, contrib.after);
  }

  /// The entity of child_tg takes over its queue's utilisation, in the queue of tg.
  void propagate(const TraceLine& line) {
    setQueue(line);
    SchedEntity& se = m_machine.entity(m_group);
    CfsRq& own = m_machine.queue(se.myQ);
    se.avg = {};
    own.avg = {};
    se.avg.utilAvg = line.number("se_util");
    se.avg.utilSum = static_cast<std::uint32_t>(line.number("se_usum"));
    const auto child = m_known.find({line.number("cpu"), line.number("child_tg")});
    own.avg.utilAvg = child != m_known.end() ? child->second.utilAvg : line.at("se_util").after;
    own.propagate = true;
    Context ctx = context();
    propagateEntityLoadAvg(ctx, m_group);
    check("se_util", line.at("se_util").after, se.avg.utilAvg);
    check("se_usum", line.at("se_usum").after, se.avg.utilSum);
    checkQueue(line);
  }

  /// Averages change in printed lines only, so a line must start where the queue's last one ended.
  void checkContinuity(const TraceLine& line) {
    const QueueKey key{line.number("cpu"), line.number("tg")};
    const Change util = line.at("q_util");
    const auto [it, isFirst] = m_continuous.try_emplace(key, util.after);
    if (!isFirst) {
      check("q_util before", util.before, it->second);
      it->second = util.after;
    }
    known(line).utilAvg = util.after;
  }

  Machine m_machine;
  Observer m_nobody;
  EntityId m_task, m_group;
  std::map<QueueKey, Known> m_known;
  std::map<QueueKey, std::uint64_t> m_continuous;
  ReplayReport m_report;
  std::string m_wrong;        ///< of the line at hand
  bool m_isDerivable = true;  ///< of the line at hand
};

}  // namespace

Result<ReplayReport> verifySpawnTrace(const std::string& path, const std::string& kernel) {
  const Result<KernelProfile> profile = kernelProfile(kernel);
  if (!profile) return profile.diagnostics();
  Result<LineReader> reader = LineReader::open(path);
  if (!reader) return reader.diagnostics();
  SpawnReplay replay(profile.value());
  std::string text;
  while (reader.value().next(text)) replay.take(parseLine(text), reader.value().lineNumber());
  if (reader.value().error()) return *reader.value().error();
  ReplayReport report = replay.report();
  report.file = path;
  report.kernel = profile.value().name;
  return report;
}

}  // namespace rqscope
