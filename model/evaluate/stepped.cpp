// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/stepped.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "evaluate/stepped_driver.h"
#include "evaluate/stepped_state.h"
#include "formats/line_reader.h"

namespace rqscope {
namespace {

using nlohmann::json;

/// Fields that say where a line stands, not what the kernel did; order is compared by the sequence itself.
bool isPositionField(const std::string& key) { return key == "n" || key == "t"; }

/// Events of fork and exec placement. Their meaning is documented, their fields' names are not.
bool isSlowPath(const std::string& kind) { return kind == "wsg" || kind == "wfg" || kind == "wfc"; }

/// What a line is about: lines of both sides with the same key belong together.
std::string keyOf(const json& line) {
  std::string key = line.value("ev", "?");
  if (line.contains("ph")) key = line["ph"].get<std::string>() + " " + key;
  if (isSlowPath(line.value("ev", ""))) return key + " " + line.value("span", "");
  for (const char* field : {"cpu", "sd", "span", "id", "g", "task", "op", "prev", "from"})
    if (const auto at = line.find(field); at != line.end()) {
      key += ' ';
      if (!at->is_array()) key += at->is_string() ? at->get<std::string>() : at->dump();
    }
  return key;
}

std::string labelOf(const json& line) {
  std::string key = keyOf(line);
  if (line.contains("ph")) key.erase(0, line["ph"].get<std::string>().size() + 1);
  return key;
}

/// Collects counts and the first differences.
class Comparison {
 public:
  Comparison(SteppedReport& report, std::size_t shown) : m_report(report), m_shown(shown) {}

  /// Compares one line of the record with the model's; null = the model has none.
  void compare(std::int64_t tick, const json& kernel, const json* model) {
    SteppedCount& count = m_report.byKind[kernel.value("ev", "?")];
    ++count.lines;
    ++m_report.lines;
    if (model == nullptr) {
      add(tick, kernel, "(line)", "present", "missing");
      return;
    }
    bool isEqual = true;
    for (const auto& [key, value] : kernel.items()) {
      if (isPositionField(key)) continue;
      const auto at = model->find(key);
      if (at != model->end() && *at == value) continue;
      if (at == model->end() && isSlowPath(kernel.value("ev", ""))) {
        notCompared(kernel.value("ev", "") + "." + key);
        continue;
      }
      isEqual = false;
      add(tick, kernel, key, value.dump(), at == model->end() ? "(no such field)" : at->dump());
    }
    if (!isEqual) return;
    ++count.equal;
    ++m_report.equal;
  }

  void extra(std::int64_t tick, const json& model) {
    ++m_report.extraLines;
    add(tick, model, "(line)", "missing", "present");
  }

  /// Events of a tick, in order: a longest common sequence by key decides which belong together.
  void compareEvents(std::int64_t tick, const std::vector<json>& kernel, const std::vector<json>& model) {
    const std::vector<int> partner = align(kernel, model);
    std::vector<bool> used(model.size(), false);
    std::size_t next = 0;
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      if (partner[i] < 0) {
        compare(tick, kernel[i], nullptr);
        continue;
      }
      const auto j = static_cast<std::size_t>(partner[i]);
      for (; next < j; ++next) extra(tick, model[next]);
      next = j + 1;
      compare(tick, kernel[i], &model[j]);
    }
    for (; next < model.size(); ++next) extra(tick, model[next]);
  }

 private:
  void notCompared(const std::string& field) {
    auto& list = m_report.fieldsNotCompared;
    if (std::ranges::find(list, field) == list.end()) list.push_back(field);
  }

  static std::vector<int> align(const std::vector<json>& kernel, const std::vector<json>& model) {
    std::vector<std::string> a, b;
    for (const json& line : kernel) a.push_back(keyOf(line));
    for (const json& line : model) b.push_back(keyOf(line));
    std::vector<int> partner(a.size(), -1);
    if (a == b) {
      for (std::size_t i = 0; i < a.size(); ++i) partner[i] = static_cast<int>(i);
      return partner;
    }
    const std::size_t width = b.size() + 1;
    std::vector<int> best((a.size() + 1) * width, 0);  // longest common sequence of the tails
    for (std::size_t i = a.size(); i-- > 0;)
      for (std::size_t j = b.size(); j-- > 0;)
        best[i * width + j] = a[i] == b[j] ? best[(i + 1) * width + j + 1] + 1
                                           : std::max(best[(i + 1) * width + j], best[i * width + j + 1]);
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i] == b[j]) {
        partner[i++] = static_cast<int>(j++);
      } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) {
        ++i;
      } else {
        ++j;
      }
    }
    return partner;
  }

  void add(std::int64_t tick, const json& line, std::string field, std::string kernel, std::string model) {
    if (m_report.firstDifferentTick == -2) m_report.firstDifferentTick = tick;
    if (m_report.first.size() >= m_shown) return;
    m_report.first.push_back(
        {tick, line.value("ph", ""), labelOf(line), std::move(field), std::move(kernel), std::move(model)});
  }

  SteppedReport& m_report;
  std::size_t m_shown;
};

/// The lines of one tick of the record.
struct RecordTick {
  std::int64_t tick = -1;
  std::vector<json> events, states;
};

/// Reads the record tick by tick; lines without a tick come first.
class RecordReaderByTick {
 public:
  explicit RecordReaderByTick(LineReader reader) : m_reader(std::move(reader)) {}

  std::optional<json> nextLine() {
    if (m_ahead) return std::exchange(m_ahead, std::nullopt);
    std::string text;
    while (m_reader.next(text)) {
      json line = json::parse(text, nullptr, false);
      if (line.is_object()) return line;
      m_isDamaged = true;
      return std::nullopt;
    }
    if (m_reader.error()) m_isDamaged = true;
    return std::nullopt;
  }
  void putBack(json line) { m_ahead = std::move(line); }

  /// Lines before the first tick's.
  std::vector<json> readHead() {
    std::vector<json> lines;
    while (std::optional<json> line = nextLine()) {
      if (line->contains("t") && line->value("ev", "") != "newtask") {
        putBack(std::move(*line));
        break;
      }
      lines.push_back(std::move(*line));
    }
    return lines;
  }

  std::optional<RecordTick> readTick() {
    RecordTick out;
    bool hasAny = false;
    while (std::optional<json> line = nextLine()) {
      if (!line->contains("t") || !(*line)["t"].is_number_integer()) continue;  // "end"
      const auto tick = (*line)["t"].get<std::int64_t>();
      if (hasAny && tick != out.tick) {
        putBack(std::move(*line));
        break;
      }
      out.tick = tick;
      hasAny = true;
      (line->contains("ph") ? out.events : out.states).push_back(std::move(*line));
    }
    if (!hasAny) return std::nullopt;
    return out;
  }

  bool isDamaged() const { return m_isDamaged; }
  int lineNumber() const { return m_reader.lineNumber(); }

 private:
  LineReader m_reader;
  std::optional<json> m_ahead;
  bool m_isDamaged = false;
};

/// The model's line that answers a state line of the record; null when it has no such thing.
json stateLineFor(const SteppedDriver& driver, const SteppedEvents& events, const json& kernel) {
  const Machine& m = driver.machine();
  const std::string kind = kernel.value("ev", "");
  const auto number = [&](const char* key) { return kernel.value(key, -1); };
  const auto inRange = [](int value, std::size_t size) {
    return value >= 0 && static_cast<std::size_t>(value) < size;
  };
  if (kind == "rd") return rootDomainLine(m, CpuId{1});
  if (kind == "cpu" && inRange(number("cpu"), m.rqs.size())) return cpuLine(m, events, CpuId{number("cpu")});
  if (kind == "task" && inRange(number("id"), driver.tasks().size())) {
    const TaskId task = driver.tasks()[static_cast<std::size_t>(number("id"))];
    return taskLine(m, events, task, driver.groupIndexOf(task));
  }
  if ((kind == "grp" || kind == "grpcpu") && inRange(number("g"), driver.groups().size())) {
    const GroupId group = driver.groups()[static_cast<std::size_t>(number("g"))];
    json line = kind == "grp" ? groupLine(m, group) : json{};
    if (kind == "grpcpu" && inRange(number("cpu"), m.rqs.size()))
      line = groupCpuLine(m, group, CpuId{number("cpu")});
    if (!line.is_null()) line["g"] = number("g");
    return line;
  }
  if (kind == "newtask" && inRange(number("id"), driver.tasks().size())) {
    const TaskId parent = m.task(driver.tasks()[static_cast<std::size_t>(number("id"))]).parent;
    return {{"ev", "newtask"}, {"id", number("id")}, {"parent", events.idOf(parent)}};
  }
  return nullptr;
}

/// Forked tasks are told of with or without a phase.
bool isNewTask(const json& line) { return line.value("ev", "") == "newtask"; }

void compareHead(Comparison& comparison, const SteppedDriver& driver, const std::vector<json>& head) {
  const Machine& m = driver.machine();
  for (const json& line : head) {
    const std::string kind = line.value("ev", "");
    const int cpu = line.value("cpu", -1);
    if ((kind != "sd" && kind != "cpucap") || cpu < 0 || cpu >= m.topology->cpuLimit) continue;
    if (kind == "cpucap") {
      const json own = capacityLine(m, CpuId{cpu});
      comparison.compare(-1, line, &own);
      continue;
    }
    json own;
    for (DomainId d = m.topology->cpus[static_cast<std::size_t>(cpu)].lowest; d.isValid();
         d = m.topology->domain(d).parent)
      if (m.topology->domain(d).name == line.value("name", "")) own = domainLine(m, d);
    comparison.compare(-1, line, own.is_null() ? nullptr : &own);
  }
}

void compareStates(Comparison& comparison, SteppedDriver& driver, const RecordTick& record) {
  for (const json& kernel : record.states) {
    const json own = stateLineFor(driver, driver.events(), kernel);
    comparison.compare(record.tick, kernel, own.is_null() ? nullptr : &own);
  }
}

/// Runs without a root domain of its own for CPU 0 have its flag as an input.
bool isOverloadedAnInput(const std::vector<json>& head) {
  for (const json& line : head)
    if (line.value("ev", "") == "meta") return line.value("cpu0_rd", 0) != 1;
  return true;
}

void takeOverloaded(Machine& m, const RecordTick& record) {
  for (const json& line : record.states)
    if (line.value("ev", "") == "rd")
      m.rootDomains[m.topology->cpus[1].rootDomain.index()].overloaded = line.value("overloaded", 0) != 0;
}

}  // namespace

Result<SteppedReport> verifySteppedRun(const std::string& directory, std::size_t shown) {
  const std::filesystem::path folder(directory);
  Result<SteppedScenario> scenario = readSteppedScenario((folder / "scenario.json").string());
  if (!scenario) return scenario.diagnostics();
  const std::filesystem::path packed = folder / "output.jsonl.gz", plain = folder / "output.jsonl";
  const std::filesystem::path output = std::filesystem::exists(packed) ? packed : plain;
  Result<LineReader> reader = LineReader::open(output.string());
  if (!reader) return reader.diagnostics();
  auto topology = buildSchedTopology(hardwareOf(scenario.value()), scenario.value().profile);
  if (!topology) return topology.diagnostics();

  RecordReaderByTick record(std::move(reader).value());
  const std::vector<json> head = record.readHead();
  std::uint64_t start = 100'000'000'000;
  for (const json& line : head)
    if (line.value("ev", "") == "meta") start = line.value("init_ns", start);
  const auto profile = std::make_shared<const KernelProfile>(scenario.value().profile);
  SteppedDriver driver(scenario.value(), makeMachine(topology.value(), profile, start, 1));
  SteppedReport report;
  report.name = scenario.value().name;
  report.kernel = profile->name;
  Comparison comparison(report, shown);
  compareHead(comparison, driver, head);
  const bool overloadedIsInput = isOverloadedAnInput(head);
  while (std::optional<RecordTick> tick = record.readTick()) {
    if (tick->tick >= 0) driver.runTick(tick->tick);
    std::vector<json> events = driver.events().takeLines();
    if (std::ranges::any_of(tick->states, isNewTask)) std::erase_if(events, isNewTask);
    comparison.compareEvents(tick->tick, tick->events, events);
    if (overloadedIsInput) takeOverloaded(driver.machine(), *tick);
    compareStates(comparison, driver, *tick);
  }
  if (record.isDamaged())
    return Diagnostic{
        Severity::Error, {output.string(), record.lineNumber(), 0}, "the line cannot be read", ""};
  return report;
}

std::string textOf(const SteppedReport& report) {
  std::string out =
      fmt::format("{} ({}): {} lines, {} equal, {} different, {} extra\n", report.name, report.kernel,
                  report.lines, report.equal, report.lines - report.equal, report.extraLines);
  for (const auto& [kind, count] : report.byKind)
    out += fmt::format("  {:<10} {:>7} lines {:>7} equal\n", kind, count.lines, count.equal);
  for (const std::string& field : report.fieldsNotCompared) out += fmt::format("  not compared: {}\n", field);
  for (const SteppedDifference& d : report.first)
    out += fmt::format("  tick {} {} {}: {}: kernel {}, model {}\n", d.tick, d.phase, d.line, d.field,
                       d.kernel, d.model);
  return out;
}

}  // namespace rqscope
