// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <tuple>

#include "api/problems.h"
#include "base/name_list.h"
#include "rqscope/lesson.h"
#include "workload/json_reader.h"

namespace rqscope::api {
namespace {

namespace fs = std::filesystem;
using Kind = JsonValue::Kind;
using What = LessonAsk::What;

constexpr std::string_view kVersionKey = "rqscope-lesson";
constexpr std::int64_t kVersion = 1;
constexpr double kNsPerMs = 1e6;
constexpr double kMostMs = 1e9;
constexpr std::int64_t kMostCpu = 65535, kMostOrder = 10000, kMostRungs = 4096, kMostMinutes = 1000;
constexpr std::int64_t kMostNumber = std::int64_t{1} << 60;

constexpr auto kAsks = std::to_array<std::pair<std::string_view, What>>({{"rung", What::Rung},
                                                                         {"result", What::Result},
                                                                         {"value", What::Value},
                                                                         {"next", What::Next},
                                                                         {"running", What::Running},
                                                                         {"group_type", What::GroupType},
                                                                         {"count", What::Count},
                                                                         {"share", What::Share},
                                                                         {"end", What::End},
                                                                         {"domain", What::Domain}});

fs::path lessonFolder() { return fs::path(resourceDirectory()) / "lessons"; }

LessonPosition positionOf(const JsonValue& value) { return {value.line, value.column}; }

/// Reads a lesson's parts; what is wrong goes to the lint with its place.
class LessonReader {
 public:
  LessonReader(JsonLint& lint, fs::path folder) : m_lint(lint), m_folder(std::move(folder)) {}

  void read(const JsonValue& root, Lesson& lesson);

 private:
  struct Settings {
    std::string scenario;
    LessonPosition where;  ///< of the scenario
    Overrides overrides;
  };

  std::int64_t ms(ObjectReader& reader, std::string_view key, std::int64_t absent);
  std::int32_t cpu(ObjectReader& reader);
  std::string text(ObjectReader& reader, std::string_view key) { return reader.text(key).value_or(""); }
  std::string needed(ObjectReader& reader, std::string_view key, std::string_view hint);
  const std::vector<JsonValue>& list(ObjectReader& reader, std::string_view key);
  std::vector<std::string> texts(ObjectReader& reader, std::string_view key);
  void readSettings(ObjectReader& reader, Settings& settings);
  std::string scenarioPath(const std::string& name) const;
  LessonStep step(const JsonValue& value, const Settings& lesson);
  LessonButton button(const JsonValue& value);
  LessonQuestion question(const JsonValue& value);
  LessonOption option(const JsonValue& value);
  void readExpected(ObjectReader& reader, const JsonValue& value, std::string_view key, LessonOption& out);
  LessonClaim claim(const JsonValue& value);
  DecisionFilter decision(const JsonValue& value);
  LessonAsk ask(const JsonValue& value);
  bool readWhat(ObjectReader& reader, const JsonValue& value, LessonAsk& ask);
  void readAsk(ObjectReader& reader, const JsonValue& value, LessonAsk& ask);
  bool isObject(const JsonValue& value, std::string_view what);

  JsonLint& m_lint;
  fs::path m_folder;
};

std::int64_t LessonReader::ms(ObjectReader& reader, std::string_view key, std::int64_t absent) {
  const JsonMember* m = reader.member(key);
  if (m == nullptr) return absent;
  const bool isNumber = m->value.is(Kind::Integer) || m->value.is(Kind::Real);
  if (isNumber && m->value.real >= 0 && m->value.real <= kMostMs)
    return static_cast<std::int64_t>(m->value.real * kNsPerMs + 0.5);
  m_lint.error(m->value, fmt::format("\"{}\" is no time in ms", key), "write a number such as 127.5");
  return absent;
}

std::int32_t LessonReader::cpu(ObjectReader& reader) {
  return static_cast<std::int32_t>(reader.integer("cpu", 0, kMostCpu).value_or(-1));
}

std::string LessonReader::needed(ObjectReader& reader, std::string_view key, std::string_view hint) {
  reader.required(key, hint);
  return text(reader, key);
}

const std::vector<JsonValue>& LessonReader::list(ObjectReader& reader, std::string_view key) {
  static const std::vector<JsonValue> none;
  const JsonMember* m = reader.member(key, Kind::Array);
  return m == nullptr ? none : m->value.items;
}

std::vector<std::string> LessonReader::texts(ObjectReader& reader, std::string_view key) {
  std::vector<std::string> out;
  for (const JsonValue& item : list(reader, key)) {
    if (item.is(Kind::String))
      out.push_back(item.string);
    else
      m_lint.error(item, fmt::format("\"{}\" is a list of texts", key), "write it in quotes");
  }
  return out;
}

bool LessonReader::isObject(const JsonValue& value, std::string_view what) {
  if (value.is(Kind::Object)) return true;
  m_lint.error(value, fmt::format("{} is {}", what, kindWords(value.kind)), "write an object, { ... }");
  return false;
}

/// A scenario beside the lesson goes before a built-in one.
std::string LessonReader::scenarioPath(const std::string& name) const {
  std::error_code ignored;
  const fs::path beside = m_folder / name;
  return !name.empty() && fs::is_regular_file(beside, ignored) ? beside.string() : name;
}

/// What a lesson and its steps both may set; the step's go over the lesson's.
void LessonReader::readSettings(ObjectReader& reader, Settings& settings) {
  if (const JsonMember* m = reader.member("scenario", Kind::String)) {
    settings.scenario = scenarioPath(m->value.string);
    settings.where = positionOf(m->value);
  }
  if (const auto kernel = reader.text("kernel")) settings.overrides.kernel = *kernel;
  if (const auto features = texts(reader, "features"); !features.empty())
    settings.overrides.features = features;
  const JsonMember* patches = reader.member("patches", Kind::Object);
  if (patches == nullptr) return;
  for (const JsonMember& patch : patches->value.members) {
    if (!patch.hasValue || !patch.value.is(Kind::Bool)) {
      m_lint.error(patch, fmt::format("patch \"{}\" is neither on nor off", patch.key),
                   "write true or false");
      continue;
    }
    std::erase_if(settings.overrides.patches, [&](const auto& set) { return set.first == patch.key; });
    settings.overrides.patches.emplace_back(patch.key, patch.value.boolean);
  }
}

DecisionFilter LessonReader::decision(const JsonValue& value) {
  DecisionFilter filter;
  if (!isObject(value, "\"decision\"")) return filter;
  ObjectReader reader(value, "the decision", m_lint);
  filter.fromNs = ms(reader, "from_ms", -1);
  filter.cpu = cpu(reader);
  filter.domain = text(reader, "domain");
  filter.kind = text(reader, "kind");
  filter.entry = text(reader, "entry");
  filter.result = text(reader, "result");
  reader.finish(ObjectReader::Unknown::Error);
  return filter;
}

LessonButton LessonReader::button(const JsonValue& value) {
  LessonButton out;
  out.where = positionOf(value);
  if (!isObject(value, "a button")) return out;
  ObjectReader reader(value, "the button", m_lint);
  out.label = needed(reader, "label", "write \"label\" : \"Go to 100 ms\"");
  out.place.timeNs = ms(reader, "at_ms", -1);
  out.place.cpu = cpu(reader);
  out.place.dock = text(reader, "dock");
  out.place.level = text(reader, "level");
  if (const JsonMember* m = reader.member("decision")) out.place.decision = decision(m->value);
  reader.finish(ObjectReader::Unknown::Error);
  return out;
}

/// The keys that a kind of question takes beside "what".
void LessonReader::readAsk(ObjectReader& reader, const JsonValue& value, LessonAsk& ask) {
  const bool isDecision = ask.what == What::Rung || ask.what == What::Result;
  const bool isWindow = ask.what == What::Count || ask.what == What::Share;
  const bool isOnCpu = ask.what == What::Next || ask.what == What::Running || ask.what == What::GroupType ||
                       ask.what == What::Domain;
  if (isDecision || ask.what == What::Count) {
    if (const JsonMember* m = reader.member("decision")) ask.decision = decision(m->value);
    if (isDecision && ask.decision.isEmpty())
      m_lint.error(value, "the question does not say which decision",
                   "write \"decision\" : { \"from_ms\" : 128, \"cpu\" : 5, \"domain\" : \"PKG\" }");
  }
  if (ask.what == What::Rung) {
    ask.rung = needed(reader, "rung", "write \"rung\" : \"candidate\"");
    ask.nth = static_cast<std::int32_t>(reader.integer("nth", 1, kMostRungs).value_or(1));
    ask.row = text(reader, "row");
    ask.operand = text(reader, "operand");
    return;
  }
  if (ask.what == What::Result) return;
  if (isOnCpu && !reader.required("cpu", "write \"cpu\" : 0")) return;
  if (isOnCpu) ask.cpu = cpu(reader);
  if (ask.what == What::Value) ask.subject = needed(reader, "value", "write \"value\" : \"task A util_avg\"");
  if (ask.what == What::GroupType) ask.subject = needed(reader, "group", "write \"group\" : \"{0-3}\"");
  if (ask.what == What::Count) ask.subject = needed(reader, "count", "write \"count\" : \"migrations\"");
  if (ask.what == What::Share) ask.subject = needed(reader, "of", "write \"of\" : \"task A\"");
  if (ask.what == What::Domain) ask.subject = needed(reader, "fact", "write \"fact\" : \"groups\"");
  if (ask.what == What::Count || ask.what == What::End) ask.task = text(reader, "task");
  if (ask.what == What::End) return;
  if (ask.what == What::GroupType || ask.what == What::Domain) ask.domain = text(reader, "domain");
  if (ask.what == What::Domain) return;
  if (isWindow) ask.fromNs = ms(reader, "from_ms", 0);
  const char* const end = isWindow ? "to_ms" : "at_ms";
  reader.required(end, fmt::format("write \"{}\" : 100", end));
  ask.atNs = ms(reader, end, 0);
  if (isWindow && ask.atNs <= ask.fromNs)
    m_lint.error(value, "\"to_ms\" is not after \"from_ms\"", "exchange them");
}

LessonAsk LessonReader::ask(const JsonValue& value) {
  LessonAsk out;
  out.where = positionOf(value);
  if (!isObject(value, "\"asks\"")) return out;
  ObjectReader reader(value, "\"asks\"", m_lint);
  if (readWhat(reader, value, out)) reader.finish(ObjectReader::Unknown::Error);
  return out;
}

/// What is asked with its keys; false when it is nothing that can be.
bool LessonReader::readWhat(ObjectReader& reader, const JsonValue& value, LessonAsk& ask) {
  const std::string what = needed(reader, "what", "write \"what\" : \"rung\"");
  const auto known = std::ranges::find(kAsks, what, [](const auto& pair) { return pair.first; });
  if (known == kAsks.end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, kind] : kAsks) names.push_back(name);
    if (const JsonMember* m = value.find("what"))
      m_lint.error(m->value, fmt::format("a question cannot ask for \"{}\"", what),
                   quotedNameHint(what, names, "it asks for one of"));
    return false;
  }
  ask.what = known->second;
  readAsk(reader, value, ask);
  return true;
}

LessonClaim LessonReader::claim(const JsonValue& value) {
  LessonClaim out;
  out.ask.where = out.is.where = positionOf(value);
  if (!isObject(value, "a claim")) return out;
  ObjectReader reader(value, "the claim", m_lint);
  if (!readWhat(reader, value, out.ask)) return out;
  readExpected(reader, value, "is", out.is);
  reader.finish(ObjectReader::Unknown::Error);
  return out;
}

LessonOption LessonReader::option(const JsonValue& value) {
  LessonOption out;
  out.where = positionOf(value);
  if (!isObject(value, "an option")) return out;
  ObjectReader reader(value, "the option", m_lint);
  out.text = needed(reader, "text", "write \"text\" : \"It moves\"");
  readExpected(reader, value, "outcome", out);
  reader.finish(ObjectReader::Unknown::Error);
  return out;
}

/// An outcome under a key, or a range.
void LessonReader::readExpected(ObjectReader& reader, const JsonValue& value, std::string_view key,
                                LessonOption& out) {
  out.from = reader.integer("from", -kMostNumber, kMostNumber);
  out.to = reader.integer("to", -kMostNumber, kMostNumber);
  const JsonMember* outcome = reader.member(key);
  if (outcome != nullptr && outcome->value.is(Kind::Integer))
    out.outcome = std::to_string(outcome->value.integer);
  else if (outcome != nullptr && outcome->value.is(Kind::String))
    out.outcome = outcome->value.string;
  else if (outcome != nullptr)
    m_lint.error(outcome->value, fmt::format("\"{}\" is neither text nor a whole number", key),
                 fmt::format("write \"{}\" : \"detached\"", key));
  if (outcome == nullptr && !out.from && !out.to)
    m_lint.error(value, "it does not say what is to come out",
                 fmt::format("write \"{}\" : \"detached\", or \"from\" and \"to\" for a number", key));
  if (!out.outcome.empty() && (out.from || out.to))
    m_lint.error(value, "there are both an outcome and a range", "keep one of them");
}

LessonQuestion LessonReader::question(const JsonValue& value) {
  LessonQuestion out;
  out.where = positionOf(value);
  if (!isObject(value, "\"question\"")) return out;
  ObjectReader reader(value, "the question", m_lint);
  out.text = needed(reader, "text", "write \"text\" : \"What happens to A?\"");
  out.hint = text(reader, "hint");
  out.then = text(reader, "then");
  if (const JsonMember* m = reader.member("asks")) {
    out.ask = ask(m->value);
  } else {  // the short form of the kind that is asked most
    out.ask.where = out.where;
    readAsk(reader, value, out.ask);
  }
  for (const JsonValue& item : list(reader, "options")) out.options.push_back(option(item));
  const auto count = static_cast<std::int64_t>(out.options.size());
  if (const auto expected = reader.integer("expects", 1, std::max<std::int64_t>(count, 1)))
    out.expected = static_cast<std::int32_t>(*expected - 1);
  if (out.options.size() < 2)
    m_lint.error(value, "the question has fewer than two options", "write a list of answers, \"options\"");
  reader.finish(ObjectReader::Unknown::Error);
  return out;
}

LessonStep LessonReader::step(const JsonValue& value, const Settings& lesson) {
  LessonStep out;
  out.where = positionOf(value);
  if (!isObject(value, "a step")) return out;
  ObjectReader reader(value, "the step", m_lint);
  out.title = needed(reader, "title", "write \"title\" : \"What happens\"");
  out.paragraphs = texts(reader, "text");
  Settings settings = lesson;
  readSettings(reader, settings);
  out.scenario = settings.scenario;
  out.scenarioWhere = settings.where;
  out.overrides = settings.overrides;
  if (out.scenario.empty())
    m_lint.error(value, "neither the step nor the lesson names a scenario",
                 "write \"scenario\" : \"juno\" at the top");
  for (const JsonValue& item : list(reader, "buttons")) out.buttons.push_back(button(item));
  if (const JsonMember* m = reader.member("question")) out.question = question(m->value);
  for (const JsonValue& item : list(reader, "claims")) out.claims.push_back(claim(item));
  reader.finish(ObjectReader::Unknown::Error);
  return out;
}

void LessonReader::read(const JsonValue& root, Lesson& lesson) {
  ObjectReader reader(root, "the lesson", m_lint);
  const auto version = reader.integer(kVersionKey, 1, INT32_MAX);
  if (version && *version > kVersion)
    m_lint.error(root.find(kVersionKey)->value,
                 fmt::format("this rqscope reads lessons of version {}, not {}", kVersion, *version),
                 "get a newer rqscope");
  lesson.title = needed(reader, "title", "write \"title\" : \"My lesson\"");
  lesson.description = text(reader, "description");
  lesson.order = static_cast<std::int32_t>(reader.integer("order", 0, kMostOrder).value_or(kMostOrder));
  lesson.minutes = static_cast<std::int32_t>(reader.integer("minutes", 0, kMostMinutes).value_or(0));
  lesson.kernels = texts(reader, "kernels");
  Settings settings;
  readSettings(reader, settings);
  for (const JsonValue& item : list(reader, "steps")) lesson.steps.push_back(step(item, settings));
  if (lesson.steps.empty())
    m_lint.error(root, "the lesson has no steps",
                 "write \"steps\" : [ { \"title\" : ..., \"text\" : [ ... ] } ]");
  reader.finish(ObjectReader::Unknown::Error);
}

}  // namespace

std::size_t Lesson::questionCount() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(steps, [](const LessonStep& step) { return step.question.has_value(); }));
}

std::vector<Lesson> lessons() {
  std::vector<Lesson> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(lessonFolder(), error)) {
    if (entry.path().extension() != ".json") continue;
    Lesson lesson = readLesson(entry.path().stem().string());
    if (!lesson.steps.empty()) out.push_back(std::move(lesson));
  }
  std::ranges::sort(out, {}, [](const Lesson& lesson) { return std::tie(lesson.order, lesson.name); });
  return out;
}

std::vector<Named> lessonNames() {
  std::vector<Named> out;
  for (const Lesson& lesson : lessons()) out.push_back({lesson.name, lesson.title, lesson.description});
  return out;
}

bool isLessonFile(const std::string& path) {
  // A lesson begins with its key, behind comments perhaps; a recorded trace need not be read whole for that.
  constexpr std::size_t kHeadBytes = 8192;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head.find(fmt::format("\"{}\"", kVersionKey)) != std::string::npos;
}

Lesson readLesson(const std::string& nameOrPath) {
  Lesson out;
  std::error_code ignored;
  const fs::path builtin = lessonFolder() / (nameOrPath + ".json");
  out.name = nameOrPath;
  out.file = fs::is_regular_file(builtin, ignored) ? builtin.string() : nameOrPath;
  const auto text = readTextFile(out.file);
  const auto document = text ? parseJson(out.file, text.value()) : Result<JsonDocument>(text.diagnostics());
  if (!document) {
    out.problems = problemsOf(document.diagnostics());
    return out;
  }
  const JsonValue& root = document.value().root;
  JsonLint lint(out.file);
  if (!root.is(Kind::Object) || root.find(kVersionKey) == nullptr) {
    lint.error(root, "this is no lesson",
               fmt::format("an object with \"{}\" : 1 and \"steps\"", kVersionKey));
  } else {
    LessonReader(lint, fs::path(out.file).parent_path()).read(root, out);
  }
  if (lint.failed()) out.steps.clear();
  out.problems = problemsOf(lint.take());
  return out;
}

Overrides overridesOf(const Lesson& lesson, const LessonStep& step, const std::string& kernel) {
  Overrides out = step.overrides;
  if (!out.kernel.empty()) return out;
  if (!kernel.empty())
    out.kernel = kernel;
  else if (!lesson.kernels.empty())
    out.kernel = lesson.kernels.front();
  return out;
}

}  // namespace rqscope::api
