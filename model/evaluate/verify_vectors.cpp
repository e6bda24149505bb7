// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/verify_vectors.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "formats/line_reader.h"

namespace rqscope {
namespace {

constexpr std::string_view kNone = "(none)";

/// Integers in different JSON types (signed, unsigned) are equal when their values are.
bool sameScalar(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.is_number_integer() && b.is_number_integer() && a.is_number_unsigned() != b.is_number_unsigned()) {
    const auto& maybeNegative = a.is_number_unsigned() ? b : a;
    if (maybeNegative.get<std::int64_t>() < 0) return false;
    return a.get<std::uint64_t>() == b.get<std::uint64_t>();
  }
  return a == b;
}

class Comparison {
 public:
  explicit Comparison(int limit) : m_limit(static_cast<std::size_t>(std::max(limit, 1))) {}

  void compare(const nlohmann::json& expected, const nlohmann::json& actual, const std::string& path) {
    if (m_found.size() >= m_limit) return;
    if (expected.is_object() && actual.is_object())
      compareObjects(expected, actual, path);
    else if (expected.is_array() && actual.is_array())
      compareArrays(expected, actual, path);
    else if (!sameScalar(expected, actual))
      m_found.push_back({path, expected.dump(), actual.dump()});
  }
  std::vector<VectorFieldDifference> take() { return std::move(m_found); }

 private:
  void compareObjects(const nlohmann::json& expected, const nlohmann::json& actual, const std::string& path) {
    for (const auto& [key, value] : expected.items()) {
      const auto it = actual.find(key);
      if (it == actual.end())
        m_found.push_back({path + "." + key, value.dump(), std::string(kNone)});
      else
        compare(value, *it, path + "." + key);
    }
    for (const auto& [key, value] : actual.items())
      if (!expected.contains(key)) m_found.push_back({path + "." + key, std::string(kNone), value.dump()});
  }
  void compareArrays(const nlohmann::json& expected, const nlohmann::json& actual, const std::string& path) {
    if (expected.size() != actual.size())
      m_found.push_back({path + ".length", std::to_string(expected.size()), std::to_string(actual.size())});
    for (std::size_t i = 0; i < std::min(expected.size(), actual.size()); ++i)
      compare(expected[i], actual[i], fmt::format("{}[{}]", path, i));
  }

  std::size_t m_limit;
  std::vector<VectorFieldDifference> m_found;
};

/// "v6.12" for a folder "6.12" or "v6.12" on the path, the innermost one; empty when there is none.
std::string kernelOfFolder(const std::filesystem::path& path) {
  std::string found;
  const auto names = kernelProfileNames();
  for (const auto& part : path.parent_path()) {
    const std::string text = part.string();
    for (const auto name : names)
      if (text == name || text == name.substr(1)) found = name;
  }
  return found;
}

/// File name without ".gz" and ".jsonl".
std::string stemOf(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  return name.substr(0, name.find('.'));
}

/// State of the recording process that a case leaves to the next one and that no "in" holds: the idle task's
/// resched mark. Sequences clear every queue and task between cases, but not that mark.
class CarriedState {
 public:
  void giveTo(VectorCase& next) const {
    if (m_idleNeedResched && next.function.ends_with("_sequence")) next.in["idle_need_resched"] = true;
  }
  void takeFrom(const VectorCase& done) {
    if (!done.function.ends_with("_sequence") || !done.out.is_object()) return;
    const auto steps = done.out.find("steps");
    if (steps == done.out.end() || !steps->is_array() || steps->empty()) return;
    const nlohmann::json& last = steps->back();
    if (!last.is_object() || !last.contains("curr") || !last.contains("need_resched")) return;
    m_idleNeedResched = last["curr"] == -1 && last["need_resched"] == true;
  }

 private:
  bool m_idleNeedResched = false;
};

/// What is wrong with one case; an empty error and no fields when it is equal.
CaseDifference checkCase(const std::string& line, const KernelProfile& profile, int shownFields,
                         CarriedState& carried) {
  CaseDifference out;
  Result<VectorCase> parsed = parseVectorLine(line);
  if (!parsed) {
    out.error = parsed.error().message;
    return out;
  }
  out.function = parsed.value().function;
  if (parsed.value().out.is_null()) {
    out.error = "the line has no \"out\" to compare with";
    return out;
  }
  if (parsed.value().in.is_object()) carried.giveTo(parsed.value());
  const Result<nlohmann::json> actual = runVectorCase(parsed.value(), profile);
  carried.takeFrom(parsed.value());
  if (!actual)
    out.error = actual.error().message;
  else
    out.fields = compareJson(parsed.value().out, actual.value(), shownFields);
  return out;
}

void noteCase(VectorReport& report, CaseDifference difference, const VerifyOptions& options) {
  auto& functions = report.functions;
  if (!difference.function.empty() &&
      std::find(functions.begin(), functions.end(), difference.function) == functions.end())
    functions.push_back(difference.function);
  ++report.cases;
  if (difference.error.empty() && difference.fields.empty()) {
    ++report.equal;
    return;
  }
  ++report.different;
  if (report.firstDifferent.size() < static_cast<std::size_t>(std::max(options.shownCases, 0)))
    report.firstDifferent.push_back(std::move(difference));
}

}  // namespace

std::vector<VectorFieldDifference> compareJson(const nlohmann::json& expected, const nlohmann::json& actual,
                                               int limit) {
  Comparison comparison(limit);
  comparison.compare(expected, actual, "out");
  return comparison.take();
}

Result<KernelProfile> profileOfVectorFile(const std::string& path, std::string_view kernel) {
  const std::string name = kernel.empty() ? kernelOfFolder(path) : std::string(kernel);
  if (name.empty())
    return Diagnostic{Severity::Error,
                      {path},
                      "no kernel is known for this file",
                      "put it in a folder 6.1, 6.12 or 7.3, or name the kernel: --kernel v6.12"};
  Result<KernelProfile> profile = kernelProfile(name);
  const std::string stem = stemOf(path);
  if (profile && stem.ends_with("_util_plain"))
    profile = withPatch(std::move(profile.value()), "migrate_util_shr_bound", false);
  if (profile && stem.ends_with("_cache")) profile = withFeature(std::move(profile.value()), "SCHED_CACHE");
  return profile;
}

Result<VectorReport> verifyVectors(const std::string& path, const VerifyOptions& options) {
  const Result<KernelProfile> profile = profileOfVectorFile(path, options.kernel);
  if (!profile) return profile.diagnostics();
  Result<LineReader> reader = LineReader::open(path);
  if (!reader) return reader.diagnostics();

  VectorReport report;
  report.file = path;
  report.kernel = profile.value().name;
  CarriedState carried;
  std::string line;
  while (reader.value().next(line)) {
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    CaseDifference difference = checkCase(line, profile.value(), options.shownFields, carried);
    difference.line = reader.value().lineNumber();
    noteCase(report, std::move(difference), options);
  }
  if (reader.value().error()) return *reader.value().error();
  return report;
}

std::string textOf(const VectorReport& report) {
  std::string out = fmt::format("{} ({}): {} cases, {} equal, {} different\n", report.file, report.kernel,
                                report.cases, report.equal, report.different);
  for (const CaseDifference& difference : report.firstDifferent) {
    out += fmt::format("  line {}: {}\n", difference.line, difference.function);
    if (!difference.error.empty()) out += fmt::format("    cannot be run: {}\n", difference.error);
    for (const VectorFieldDifference& field : difference.fields)
      out += fmt::format("    {}: kernel {}, here {}\n", field.path, field.expected, field.actual);
  }
  return out;
}

}  // namespace rqscope
