// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/profile.h"

namespace rqscope {

namespace {

constexpr std::size_t kMaxDiagnostics = 50;
constexpr std::string_view kDurationHint =
    "write a number with its unit, such as \"100ms\", \"2.5s\" or \"16us\"";

struct TimeUnit {
  std::string_view name;
  std::int64_t ns;
};
constexpr std::array<TimeUnit, 4> kTimeUnits{TimeUnit{"s", 1'000'000'000}, TimeUnit{"ms", 1'000'000},
                                             TimeUnit{"us", 1'000}, TimeUnit{"ns", 1}};

std::string foundWords(const JsonValue& value) {
  if (value.is(JsonValue::Kind::String)) return fmt::format("the text \"{}\"", value.string);
  if (value.is(JsonValue::Kind::Integer)) return fmt::format("{}", value.integer);
  if (value.is(JsonValue::Kind::Real)) return fmt::format("{}", value.real);
  if (value.is(JsonValue::Kind::Bool)) return value.boolean ? "true" : "false";
  return std::string{kindWords(value.kind)};
}

}  // namespace

void JsonLint::add(Severity severity, int line, int column, std::string message, std::string hint) {
  if (severity == Severity::Error) ++m_errors;
  if (m_diagnostics.size() >= kMaxDiagnostics && severity != Severity::Error) return;
  if (severity == Severity::Error && m_errors > kMaxDiagnostics) {
    ++m_left;
    return;
  }
  m_diagnostics.push_back({severity, {m_file, line, column}, std::move(message), std::move(hint)});
}

void JsonLint::addAll(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    if (d.severity == Severity::Error) ++m_errors;
    m_diagnostics.push_back(d);
  }
}

std::vector<Diagnostic> JsonLint::take() {
  if (failed())
    std::erase_if(m_diagnostics, [](const Diagnostic& d) { return d.severity != Severity::Error; });
  std::stable_sort(m_diagnostics.begin(), m_diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair{a.where.line, a.where.column} < std::pair{b.where.line, b.where.column};
  });
  if (m_left != 0)
    m_diagnostics.push_back(
        {Severity::Error, {m_file, 0, 0}, fmt::format("{} more errors are not shown", m_left), ""});
  return std::move(m_diagnostics);
}

std::optional<std::int64_t> readInteger(const JsonValue& value, std::string_view what, std::int64_t min,
                                        std::int64_t max, JsonLint& lint) {
  std::optional<std::int64_t> number;
  if (value.is(JsonValue::Kind::Integer)) number = value.integer;
  constexpr double kExact = 9e15;
  if (value.is(JsonValue::Kind::Real) && value.real > -kExact && value.real < kExact &&
      value.real == static_cast<double>(static_cast<std::int64_t>(value.real)))
    number = static_cast<std::int64_t>(value.real);
  if (!number) {
    lint.error(value, fmt::format("{} is {}, not a whole number", what, foundWords(value)),
               value.is(JsonValue::Kind::String) ? "write the number without quotes"
                                                 : "write a whole number such as 100");
    return std::nullopt;
  }
  if (*number < min || *number > max) {
    lint.error(value, fmt::format("{} is {}, which is out of range", what, *number),
               fmt::format("it lies between {} and {}", min, max));
    return std::nullopt;
  }
  return number;
}

std::optional<std::int64_t> parseDuration(std::string_view text) {
  const std::size_t unitAt = text.find_first_not_of("0123456789.");
  if (unitAt == std::string_view::npos || unitAt == 0) return std::nullopt;
  const std::string_view digits = text.substr(0, unitAt);
  std::string_view unit = text.substr(unitAt);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto* known =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(), [&](const TimeUnit& u) { return u.name == unit; });
  if (known == kTimeUnits.end()) return std::nullopt;
  const std::size_t dot = std::min(digits.find('.'), digits.size());
  const std::string_view whole = digits.substr(0, dot);
  const std::string_view fraction = dot < digits.size() ? digits.substr(dot + 1) : std::string_view{};
  if (fraction.find('.') != std::string_view::npos || whole.empty()) return std::nullopt;
  if (dot < digits.size() && fraction.empty()) return std::nullopt;
  std::int64_t ns = 0;
  const auto r = std::from_chars(whole.data(), whole.data() + whole.size(), ns);
  if (r.ec != std::errc{} || ns > std::numeric_limits<std::int64_t>::max() / 4 / known->ns)
    return std::nullopt;
  ns *= known->ns;
  std::int64_t scale = known->ns;
  for (const char c : fraction) {
    scale /= 10;
    if (scale == 0 && c != '0') return std::nullopt;  // Finer than a nanosecond.
    ns += (c - '0') * scale;
  }
  return ns;
}

std::optional<std::int64_t> readDuration(const JsonValue& value, std::string_view what, JsonLint& lint) {
  if (value.is(JsonValue::Kind::String))
    if (const auto ns = parseDuration(value.string)) return ns;
  lint.error(value, fmt::format("{} is {}, not a time with its unit", what, foundWords(value)),
             std::string{kDurationHint});
  return std::nullopt;
}

std::string durationText(std::int64_t ns) {
  for (const TimeUnit& unit : kTimeUnits)
    if (ns % unit.ns == 0 && (ns != 0 || unit.name == "ms"))
      return fmt::format("{}{}", ns / unit.ns, unit.name);
  return fmt::format("{}ns", ns);
}

std::optional<CpuMask> readCpus(const JsonValue& value, std::string_view what, JsonLint& lint) {
  constexpr std::int64_t kMaxCpu = 65535;
  CpuMask mask;
  if (value.is(JsonValue::Kind::String)) {
    auto parsed = CpuMask::parseList(value.string);
    if (!parsed) {
      lint.error(value,
                 fmt::format("{} \"{}\" is no list of CPUs: {}", what, value.string, parsed.error().message),
                 "write \"0-3,6\" or [0, 1, 2]");
      return std::nullopt;
    }
    mask = parsed.value();
  } else if (value.is(JsonValue::Kind::Array)) {
    for (const JsonValue& item : value.items) {
      const auto cpu = readInteger(item, fmt::format("a CPU of {}", what), 0, kMaxCpu, lint);
      if (!cpu) return std::nullopt;
      mask.set(CpuId{static_cast<std::int32_t>(*cpu)});
    }
  } else {
    lint.error(value, fmt::format("{} is {}, not a list of CPUs", what, foundWords(value)),
               value.is(JsonValue::Kind::Integer) ? fmt::format("write [{}]", value.integer)
                                                  : "write [0, 1, 2] or \"0-2\"");
    return std::nullopt;
  }
  if (!mask.isEmpty()) return mask;
  lint.error(value, fmt::format("{} is an empty list", what), "name at least one CPU or leave it out");
  return std::nullopt;
}

ObjectReader::ObjectReader(const JsonValue& object, std::string what, JsonLint& lint)
    : m_object(object), m_what(std::move(what)), m_lint(lint) {
  std::vector<const JsonMember*> sorted;
  for (const JsonMember& m : object.members) sorted.push_back(&m);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const JsonMember* a, const JsonMember* b) { return a->key < b->key; });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i]->key == sorted[i - 1]->key)
      lint.error(*sorted[i], fmt::format("\"{}\" stands twice in {}", sorted[i]->key, m_what),
                 fmt::format("the first is at line {}: keep one of them", sorted[i - 1]->line));
}

const JsonMember* ObjectReader::member(std::string_view key) {
  if (std::find(m_known.begin(), m_known.end(), key) == m_known.end()) m_known.push_back(key);
  const JsonMember* m = m_object.find(key);
  if (m == nullptr || m->hasValue) return m;
  m_lint.error(*m, fmt::format("\"{}\" of {} has no value", key, m_what),
               fmt::format("write \"{}\" : and its value", key));
  return nullptr;
}

const JsonMember* ObjectReader::member(std::string_view key, JsonValue::Kind kind) {
  const JsonMember* m = member(key);
  if (m == nullptr || m->value.is(kind)) return m;
  m_lint.error(m->value, fmt::format("\"{}\" of {} is {}", key, m_what, foundWords(m->value)),
               fmt::format("it is {}", kindWords(kind)));
  return nullptr;
}

const JsonMember* ObjectReader::required(std::string_view key, std::string_view hint) {
  const JsonMember* m = member(key);
  if (m == nullptr && m_object.find(key) == nullptr)
    m_lint.error(m_object, fmt::format("{} has no \"{}\"", m_what, key), std::string{hint});
  return m;
}

std::optional<std::int64_t> ObjectReader::integer(std::string_view key, std::int64_t min, std::int64_t max) {
  const JsonMember* m = member(key);
  if (m == nullptr) return std::nullopt;
  return readInteger(m->value, fmt::format("\"{}\"", key), min, max, m_lint);
}

std::optional<bool> ObjectReader::boolean(std::string_view key) {
  const JsonMember* m = member(key, JsonValue::Kind::Bool);
  if (m == nullptr) return std::nullopt;
  return m->value.boolean;
}

std::optional<std::string> ObjectReader::text(std::string_view key) {
  const JsonMember* m = member(key, JsonValue::Kind::String);
  if (m == nullptr) return std::nullopt;
  return m->value.string;
}

std::optional<std::int64_t> ObjectReader::duration(std::string_view key) {
  const JsonMember* m = member(key);
  if (m == nullptr) return std::nullopt;
  return readDuration(m->value, fmt::format("\"{}\"", key), m_lint);
}

std::optional<CpuMask> ObjectReader::cpus(std::string_view key) {
  const JsonMember* m = member(key);
  if (m == nullptr) return std::nullopt;
  return readCpus(m->value, fmt::format("\"{}\"", key), m_lint);
}

void ObjectReader::finish(Unknown unknown) {
  for (const JsonMember& m : m_object.members) {
    if (std::find(m_known.begin(), m_known.end(), m.key) != m_known.end()) continue;
    const std::string_view near = nearestName(m.key, m_known);
    m_lint.add(unknown == Unknown::Error ? Severity::Error : Severity::Warning, m.line, m.column,
               fmt::format("{} has no key \"{}\"", m_what, m.key),
               near.empty() ? fmt::format("the keys are {}", fmt::join(m_known, ", "))
                            : fmt::format("did you mean \"{}\"?", near));
  }
}

}  // namespace rqscope
