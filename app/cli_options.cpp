// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "rqscope/names.h"

namespace rqscope::app {

namespace {

constexpr const char* kVersion = "rqscope 0.1.0";

constexpr double kLongestNs = 9e17;

/// A number and its unit in ns; -1 when it is not a time.
double nsOf(const std::string& text) {
  struct Unit {
    std::string_view name;
    double ns;
  };
  constexpr std::array<Unit, 4> kUnits{Unit{"ms", 1e6}, Unit{"us", 1e3}, Unit{"ns", 1.0}, Unit{"s", 1e9}};
  double value = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  if (r.ec != std::errc{} || value < 0) return -1;
  const std::string_view unit(r.ptr, static_cast<std::size_t>(text.data() + text.size() - r.ptr));
  for (const Unit& u : kUnits)
    if (u.name == unit) return value * u.ns;
  return -1;
}

bool isTooLong(const std::string& text) { return nsOf(text) >= kLongestNs; }

/// The texts that still have to be understood after CLI11 has split the line.
struct RawOptions {
  std::vector<std::string> patches;
  std::string until, at, seed, rung, window, segments;
};

void addOverrides(CLI::App& app, CliOptions& o, RawOptions& raw) {
  app.add_option("--kernel", o.overrides.kernel, "Kernel profile: v6.1, v6.12, v7.3");
  app.add_option("--machine", o.overrides.machine, "Built-in machine, machine file or compact notation");
  app.add_option("--patch", raw.patches, "NAME=on or NAME=off; may be repeated")->allow_extra_args(false);
  app.add_option("--feature", o.overrides.features, "Sched feature: RUN_TO_PARITY, NO_RUN_TO_PARITY")
      ->allow_extra_args(false);
  app.add_option("--until", raw.until, "End of the run: 2.5s, 100ms");
  app.add_option("--seed", raw.seed, "Seed of the random generator, a whole number from 0");
}

void addOutput(CLI::App& app, CliOptions& o) {
  app.add_flag("--json", o.json, "Print JSON with stable keys");
  app.add_flag("--quiet", o.quiet, "No progress on standard error");
}

void addRun(CLI::App& top, CliOptions& o, RawOptions& raw) {
  CLI::App* app = top.add_subcommand("run", "Run scenarios; print what came of them");
  app->add_option("SCENARIO", o.paths, "Built-in name, scenario file or rt-app file")->required();
  addOverrides(*app, o, raw);
  app->add_option("--out", o.outDirectory, "Write the charts of the run into this folder");
  app->add_option("--trace", o.traceFile, "Write what the run does as the text of a trace into this file");
  addOutput(*app, o);
  app->callback([&o] { o.command = Command::Run; });
}

/// A check whose message names no largest double.
CLI::Validator fromZero() {
  return {[](std::string& text) {
            const bool isNumber = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
            return isNumber ? std::string() : fmt::format("{} is not a whole number from 0", text);
          },
          "from 0"};
}

/// Options that say which decision is meant.
void addDecisionFilter(CLI::App& app, CliOptions& o) {
  app.add_option("--cpu", o.cpu, "Only decisions of this CPU")->check(fromZero());
  app.add_option("--domain", o.domain, "Only passes in domains of this name: MC, PKG");
  app.add_option("--kind", o.decisionKind, "balance, active_balance or placement")
      ->check(CLI::IsMember({"balance", "active_balance", "placement"}));
  app.add_option("--entry", o.entry, "How it came about: tick, nohz, newidle, active, fork, exec, wakeup")
      ->check(CLI::IsMember({"tick", "nohz", "newidle", "active", "fork", "exec", "wakeup"}));
  app.add_option("--result", o.result, "balanced, failed, moved, active_started, placed")
      ->check(CLI::IsMember({"balanced", "failed", "moved", "active_started", "placed"}));
}

void addExplain(CLI::App& top, CliOptions& o, RawOptions& raw) {
  CLI::App* app = top.add_subcommand("explain", "Print one decision as a ladder of comparisons");
  app->add_option("SCENARIO", o.paths, "Built-in name or file")->required()->expected(1);
  addOverrides(*app, o, raw);
  auto* at = app->add_option("--at", raw.at, "The first decision at or after this time");
  app->add_option("--pass", o.pass, "The decision with this number")->check(fromZero())->excludes(at);
  addDecisionFilter(*app, o);
  app->add_option("--value", o.value,
                  "Explain a number at --at, or as the decision read it, instead: \"cpu 3 avg_vruntime\", "
                  "\"task A lag\"");
  app->add_flag("--list", o.list, "List the decisions instead, up to --until");
  app->add_option("--set", o.changes,
                  "What if: RUNG.OPERAND=VALUE or RUNG[ROW].OPERAND=VALUE; may be repeated")
      ->allow_extra_args(false);
  app->add_option("--why-not", o.whyNot, "Why did this task not go to this CPU: TASK CPU")->expected(2);
  app->add_option("--from", o.derive, "What a number was computed from: RUNG.OPERAND or RUNG[ROW].OPERAND");
  addOutput(*app, o);
  app->callback([&o] { o.command = Command::Explain; });
}

void addCompare(CLI::App& top, CliOptions& o, RawOptions& raw) {
  CLI::App* app = top.add_subcommand(
      "compare", "Two runs of a scenario, or a recorded trace and the model: where they part");
  app->add_option("SCENARIO", o.paths, "Built-in name or file, with --a and --b; or a trace")
      ->required()
      ->expected(1);
  const char* about = "Settings of the run: PATCH=on|off, kernel=, machine=, feature=, seed=; comma between";
  app->add_option("--a", o.a, about);
  app->add_option("--b", o.b, about);
  app->add_option("--window", raw.window, "Of a trace: events farther apart are not the same: 4ms");
  app->add_option("--segments", raw.segments,
                  "Of a trace: the model begins anew from the trace's state so often: 40ms; 0ms: never");
  app->add_option("--shown", o.shown, "Of a trace: partings that are printed")->check(CLI::Range(0, 100000));
  addOverrides(*app, o, raw);
  addOutput(*app, o);
  app->callback([&o] { o.command = Command::Compare; });
}

void addReproduce(CLI::App& top, CliOptions& o) {
  CLI::App* app =
      top.add_subcommand("reproduce", "Run a published discussion; its figures beside the model's");
  app->add_option("NAME", o.paths, "spawn, juno, tg-load-avg, wakequeue")->required();
  app->add_option("--out", o.outDirectory,
                  "Write table, bars, report and charts of the discussion into this folder");
  addOutput(*app, o);
  app->callback([&o] { o.command = Command::Reproduce; });
}

void addResults(CLI::App& top, CliOptions& o) {
  CLI::App* app =
      top.add_subcommand("results", "Published tables of results: changes computed from their means");
  app->add_option("TABLE", o.paths, "CSV or Markdown with columns before, after and others: see the help")
      ->required();
  app->add_option("--better", o.better, "Where no column says it: less or more")
      ->check(CLI::IsMember({"less", "more"}));
  addOutput(*app, o);
  app->callback([&o] { o.command = Command::Results; });
}

void addOthers(CLI::App& top, CliOptions& o) {
  CLI::App* topology = top.add_subcommand("topology", "The domains that the kernel builds for a machine");
  topology->add_option("MACHINE", o.paths, "Built-in name, file or compact notation")->required();
  topology->add_option("--kernel", o.kernel, "Kernel profile")->default_str("v6.12");
  topology->add_option("--cpu", o.cpu, "Only this CPU")->check(fromZero());
  addOutput(*topology, o);
  topology->callback([&o] { o.command = Command::Topology; });

  CLI::App* eval =
      top.add_subcommand("eval", "JSON lines in, JSON lines out: kernel functions on given numbers");
  eval->add_option("--kernel", o.kernel, "Kernel profile")->default_str("v6.12");
  eval->add_flag("--list", o.list, "List the functions");
  eval->add_flag("--json", o.json, "Output is JSON in any case");
  eval->callback([&o] { o.command = Command::Eval; });

  CLI::App* verify =
      top.add_subcommand("verify", "Run the model on records of real kernels; 0 only if all are equal");
  verify->add_option("PATH", o.paths, "Record or folder of records")->required();
  verify->add_option("--kernel", o.kernel, "Profile for vectors; default: by the folder's name");
  verify->add_option("--shown", o.shown, "Differences described per record")->check(CLI::Range(0, 1000));
  addOutput(*verify, o);
  verify->callback([&o] { o.command = Command::Verify; });

  CLI::App* check = top.add_subcommand("check", "Lint scenarios, lessons, rt-app files, machines and traces");
  check->add_option("FILE", o.paths, "Files")->required();
  addOutput(*check, o);
  check->callback([&o] { o.command = Command::Check; });

  CLI::App* list =
      top.add_subcommand("list", "Built-in scenarios, lessons, machines, kernels, patches, features");
  list->add_option("WHAT", o.paths, "scenarios, lessons, machines, kernels, patches, features")
      ->check(CLI::IsMember({"scenarios", "lessons", "machines", "kernels", "patches", "features"}));
  list->add_option("--kernel", o.kernel, "Kernel profile for patches and features")->default_str("v6.12");
  addOutput(*list, o);
  list->callback([&o] { o.command = Command::List; });
}

void addWindow(CLI::App& top, CliOptions& o, RawOptions& raw, std::string& file) {
  top.add_option("FILE", file, "Scenario, lesson, rt-app or machine file, or trace, for the window");
  addOverrides(top, o, raw);
  top.add_option("--out", o.outDirectory, "Without a display: folder of the charts (rqscope-out)");
  top.add_option("--theme", o.theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
  top.add_option("--size", o.size, "Size of the window: 1280x720");
  top.add_option("--text-scale", o.textScale, "Size of the text, 1 = normal")->check(CLI::Range(0.5, 4.0));
  top.add_option("--screenshot", o.screenshot, "Show, save this PNG and quit");
  top.add_option("--at", raw.at, "Where the window opens: 196ms");
  top.add_option("--pass", o.pass, "Decision at which the window opens")->check(fromZero());
  addDecisionFilter(top, o);
  top.add_option("--rung", raw.rung,
                 "Rung of that decision, from 0; or \"refused\": the first that refuses something");
  top.add_option("--select", o.select, "What is selected: cpu5");
  top.add_option("--level", o.level, "Domain level whose groups are framed: MC, \"NUMA 2\"");
  top.add_option("--dock", o.dock,
                 "Dock to raise: charts, scenario, ...; also what in it: charts:pelt_task, published:spawn");
  top.add_option("--published-report", o.publishedReport,
                 "Report to show in the Published dock, as reproduce NAME --json prints it");
}

/// "nope: there is no machine of this name (did you mean ...?)"
std::string nameText(const api::Problem& problem) {
  const char* quote = problem.file.find(' ') == std::string::npos ? "" : "\"";
  return fmt::format("{}{}{}: {} ({})", quote, problem.file, quote, problem.message, problem.hint);
}

/// A feature that no kernel profile has; with a NO_ before it or not.
std::string featureProblem(const std::string& feature) {
  std::vector<std::string> names;
  for (const api::Named& kernel : api::kernels())
    for (const auto& [name, isOn] : api::featuresOf(kernel.name))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  const bool isOff = feature.starts_with("NO_");
  const std::string plain = isOff ? feature.substr(3) : feature;
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has(plain) || has(feature)) return "";
  const std::string near = api::nearestOf(plain, names);
  return near.empty() ? fmt::format("{}: there is no such feature; {}", feature,
                                    api::nameHintOf(plain, names, "the features are"))
                      : fmt::format("{}: there is no such feature; did you mean {}{}?", feature,
                                    isOff ? "NO_" : "", near);
}

/// What the window is asked to show and cannot.
std::string windowProblem(const CliOptions& o) {
  if (o.command != Command::Window) return "";
  if (!o.select.empty()) {
    const std::string_view number =
        std::string_view{o.select}.substr(std::min<std::size_t>(3, o.select.size()));
    const bool isNumber = !number.empty() &&
                          number.find_first_not_of("0123456789") == std::string_view::npos &&
                          number.size() < 6;
    if (!o.select.starts_with("cpu") || !isNumber)
      return fmt::format("--select {}: write the CPU as cpu5", o.select);
  }
  if (!o.paths.empty())
    if (const auto wrong = api::unknownInput(o.paths.front()); !wrong.empty()) {
      const std::vector<std::string> commands{"run",      "explain", "compare", "reproduce", "results",
                                              "topology", "eval",    "verify",  "check",     "list"};
      const std::string near = api::nearestOf(o.paths.front(), commands);
      return fmt::format("{}: there is no such command, file or scenario ({})", o.paths.front(),
                         near.empty() ? wrong.front().hint : fmt::format("did you mean {}?", near));
    }
  return "";
}

/// A kernel that there is no profile for, with or without its "v".
std::string kernelProblem(const std::string& kernel) {
  std::vector<std::string> names;
  for (const api::Named& named : api::kernels()) names.push_back(named.name);
  const bool isKnown = std::any_of(names.begin(), names.end(),
                                   [&](const std::string& n) { return n == kernel || n == "v" + kernel; });
  return isKnown ? std::string{} : fmt::format("{}: the profiles are {}", kernel, fmt::join(names, ", "));
}

/// A text that is no time, or one of which no run is that long.
std::string timeProblem(const std::string& text, std::string_view example) {
  if (isTooLong(text))
    return fmt::format("{}: no run is that long; the longest is {:.0f} s, about 28 years", text,
                       kLongestNs / 1e9);
  return fmt::format("{}: write a time with its unit, such as {}", text, example);
}

/// "7" or "refused"; false when it is neither.
bool readRung(const std::string& text, CliOptions& o) {
  o.isRungRefusing = text == "refused";
  if (text.empty() || o.isRungRefusing) return true;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), o.rung);
  return r.ec == std::errc{} && r.ptr == text.data() + text.size() && o.rung >= 0;
}

/// What compare does with a trace.
std::string finishCompare(CliOptions& o, const RawOptions& raw) {
  if (!raw.window.empty() && (o.windowNs = parseTime(raw.window)) <= 0)
    return "--window " + timeProblem(raw.window, "4ms");
  if (raw.segments.empty()) return "";
  o.segmentNs = parseTime(raw.segments);
  constexpr std::int64_t kShortestNs = 1'000'000;
  if (o.segmentNs < 0) return "--segments " + timeProblem(raw.segments, "40ms, or 0ms for none");
  if (o.segmentNs != 0 && o.segmentNs < kShortestNs)
    return fmt::format("--segments {}: the shortest is 1ms, 0ms makes none", raw.segments);
  return "";
}

/// Fills what CLI11 leaves as text; empty or what is wrong.
std::string finish(CliOptions& o, const RawOptions& raw) {
  for (const std::string& patch : raw.patches) {
    if (patch.find('=') == std::string::npos)
      return fmt::format("--patch {}: write --patch {}=on or {}=off", patch, patch, patch);
    if (const std::string wrong = addSetting(patch, o.overrides); !wrong.empty()) return "--patch " + wrong;
  }
  if (!raw.until.empty() && (o.overrides.untilNs = parseTime(raw.until)) <= 0)
    return "--until " + timeProblem(raw.until, "2.5s or 100ms");
  if (const std::string wrong = finishCompare(o, raw); !wrong.empty()) return wrong;
  if (!raw.at.empty() && (o.atNs = parseTime(raw.at)) < 0) return "--at " + timeProblem(raw.at, "196ms");
  if (!o.value.empty() && o.pass < 0 && filterOf(o).isEmpty())
    return "--value: say when: --at TIME, --pass N, or which decision, such as --entry newidle";
  if (!readRung(raw.rung, o)) return fmt::format("--rung {}: write its number from 0, or refused", raw.rung);
  if (!raw.seed.empty()) {
    if (const std::string wrong = addSetting("seed=" + raw.seed, o.overrides); !wrong.empty())
      return fmt::format("--seed {}: the seed is a whole number from 0", raw.seed);
  }
  if (!o.overrides.kernel.empty() && o.kernel.empty()) o.kernel = o.overrides.kernel;
  const bool needsKernel =
      o.command == Command::Topology || o.command == Command::Eval || o.command == Command::List;
  if (o.kernel.empty() && needsKernel) o.kernel = "v6.12";
  for (const std::string& kernel : {o.kernel, o.overrides.kernel})
    if (!kernel.empty())
      if (const std::string wrong = kernelProblem(kernel); !wrong.empty()) return "--kernel " + wrong;
  for (const std::string& feature : o.overrides.features)
    if (const std::string wrong = featureProblem(feature); !wrong.empty()) return "--feature " + wrong;
  if (!o.overrides.machine.empty())
    if (const auto wrong = api::unknownMachine(o.overrides.machine); !wrong.empty())
      return "--machine " + nameText(wrong.front());
  return windowProblem(o);
}

std::string patchProblem(const std::string& name) {
  std::vector<std::string> names;
  for (const api::Named& patch : api::patchesOf("v6.12")) {
    if (patch.name == name) return "";
    names.push_back(patch.name);
  }
  return fmt::format("{}: there is no such patch; {}", name, api::nameHintOf(name, names, "there are"));
}

std::string addPatch(const std::string& name, const std::string& value, api::Overrides& overrides) {
  if (value != "on" && value != "off") return fmt::format("{}={}: write on or off", name, value);
  if (std::string wrong = patchProblem(name); !wrong.empty()) return wrong;
  std::erase_if(overrides.patches, [&](const auto& p) { return p.first == name; });
  overrides.patches.emplace_back(name, value == "on");
  return "";
}

}  // namespace

std::int64_t parseTime(const std::string& text) {
  const double ns = nsOf(text);
  return ns < 0 || ns >= kLongestNs ? -1 : std::llround(ns);
}

api::DecisionFilter filterOf(const CliOptions& o) {
  return {o.atNs, o.cpu, o.domain, o.decisionKind, o.entry, o.result};
}

std::string addSetting(const std::string& setting, api::Overrides& overrides) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) return fmt::format("{}: write NAME=VALUE", setting);
  const std::string name = setting.substr(0, equals);
  const std::string value = setting.substr(equals + 1);
  if (value.empty()) return fmt::format("{}: there is no value after \"=\"", setting);
  if (name == "kernel") {
    if (const std::string wrong = kernelProblem(value); !wrong.empty()) return "kernel=" + wrong;
    overrides.kernel = value;
  } else if (name == "machine") {
    if (const auto wrong = api::unknownMachine(value); !wrong.empty())
      return "machine=" + nameText(wrong.front());
    overrides.machine = value;
  } else if (name == "feature") {
    if (const std::string wrong = featureProblem(value); !wrong.empty()) return "feature=" + wrong;
    overrides.features.push_back(value);
  } else if (name == "until") {
    overrides.untilNs = parseTime(value);
    if (overrides.untilNs <= 0) return "until=" + timeProblem(value, "2.5s");
  } else if (name == "seed") {
    const auto r = std::from_chars(value.data(), value.data() + value.size(), overrides.seed);
    if (r.ec != std::errc{} || r.ptr != value.data() + value.size() || overrides.seed < 0)
      return fmt::format("{}: the seed is a whole number from 0", setting);
  } else {
    return addPatch(name, value, overrides);
  }
  return "";
}

std::vector<std::string> settingsOf(const std::string& settings) {
  std::vector<std::string> parts;
  std::istringstream in(settings);
  std::string part;
  while (std::getline(in, part, ',')) {
    const bool isMore = !parts.empty() && part.find('=') == std::string::npos && part.starts_with(' ');
    if (isMore)
      parts.back() += "," + part;
    else
      parts.push_back(part);
  }
  return parts;
}

std::string readSettings(const std::string& settings, api::Overrides& overrides) {
  for (const std::string& part : settingsOf(settings))
    if (std::string wrong = addSetting(part, overrides); !wrong.empty()) return wrong;
  return "";
}

namespace {

/// What is wrong with the arguments, in a line. Of an option that the command does not have it is said so,
/// also where it only shows by the argument after it.
std::string problemOf(const CLI::App& top, const CLI::ParseError& error, int argc, char** argv) {
  const auto commands = top.get_subcommands([](const CLI::App*) { return true; });
  const CLI::App* command = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const std::string name = text.substr(0, text.find('='));
    const auto named = std::ranges::find(commands, text, [](const CLI::App* app) { return app->get_name(); });
    if (command == nullptr && named != commands.end()) command = *named;
    if (command == nullptr || !name.starts_with("--") || command->get_option_no_throw(name) != nullptr)
      continue;
    return top.get_option_no_throw(name) != nullptr
               ? fmt::format("{0} {1}: {1} is an option of the window: rqscope SCENARIO {1} ...",
                             command->get_name(), name)
               : fmt::format("{0}: there is no option {1}; rqscope {0} --help lists them",
                             command->get_name(), name);
  }
  return fmt::format("{}; run with --help for more", error.what());
}

}  // namespace

ParsedCommandLine parseCommandLine(int argc, char** argv) {
  ParsedCommandLine parsed;
  CliOptions& o = parsed.options;
  RawOptions raw;
  std::string file;
  CLI::App top{"Explorer of the Linux fair scheduler's load balancer"};
  top.set_version_flag("--version", kVersion);
  top.footer(
      "Without a command the window opens; without a display the default scenario is run.\n"
      "Exit status: 0 done, 1 the run or the input is bad, 2 bad usage.");
  top.require_subcommand(0, 1);
  addWindow(top, o, raw, file);
  addRun(top, o, raw);
  addExplain(top, o, raw);
  addCompare(top, o, raw);
  addReproduce(top, o);
  addResults(top, o);
  addOthers(top, o);
  try {
    top.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // CLI11 reports by exceptions; none goes further.
    const bool isGood = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (isGood)
      top.exit(error);
    else
      fmt::print(stderr, "rqscope: {}\n", problemOf(top, error, argc, argv));
    parsed.exitStatus = isGood ? kDone : kBadUsage;
    return parsed;
  }
  if (o.command == Command::Window && !file.empty()) o.paths.push_back(file);
  if (const std::string wrong = finish(o, raw); !wrong.empty()) {
    fmt::print(stderr, "rqscope: {}\n", wrong);
    parsed.exitStatus = kBadUsage;
  }
  return parsed;
}

}  // namespace rqscope::app
