// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/trace_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "formats/line_reader.h"
#include "formats/trace_line.h"
#include "topology/file_tree.h"

namespace rqscope {

namespace {

constexpr std::string_view kTraceCmdMagic("\x17\x08\x44tracing", 10);

/// A number behind `mark`, if the line holds the mark.
std::optional<std::uint64_t> numberBehind(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = line.substr(at + mark.size());
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

/// Reads a text trace line by line.
class TextTrace {
 public:
  explicit TextTrace(const std::string& path) : m_builder(path, TraceDialect::TraceCmdReport) {}

  void line(std::string_view text, int number);
  Result<Trace> finish();

 private:
  bool header(std::string_view text);
  void event(const TraceLine& line, int number);

  TraceBuilder m_builder;
  bool m_hasTracefsHeader = false, m_hasGroup = false, m_isPerf = false, m_isRaw = false;
};

/// Lines that describe the trace. Returns whether the line was one.
bool TextTrace::header(std::string_view text) {
  Trace& trace = m_builder.trace();
  if (text.starts_with('#')) {
    m_hasTracefsHeader = true;
    const auto kept = numberBehind(text, "entries-in-buffer/entries-written: ");
    if (kept) {
      const auto written = numberBehind(text, fmt::format("{}/", *kept));
      trace.isWhole = written && *written == *kept;
      if (written && *written > *kept) {
        trace.isOverwritten = true;
        trace.lostEvents += *written - *kept;
      }
    }
    if (const auto cpus = numberBehind(text, "#P:"); cpus && *cpus <= 65536)
      trace.cpus = std::max(trace.cpus, static_cast<std::int32_t>(*cpus));
    return true;
  }
  if (text.starts_with("cpus=")) {
    if (const auto cpus = numberBehind(text, "cpus="); cpus && *cpus <= 65536)
      trace.cpus = std::max(trace.cpus, static_cast<std::int32_t>(*cpus));
    return true;
  }
  if (text.find("EVENTS DROPPED]") != std::string_view::npos) {
    m_builder.lost(1);
    return true;
  }
  if (const auto lost = numberBehind(text, "[LOST ");
      lost && text.find("EVENTS]") != std::string_view::npos) {
    m_builder.lost(*lost);
    return true;
  }
  return text.starts_with("version = ") || text.ends_with(" is empty") || text.starts_with("CPU:");
}

void TextTrace::event(const TraceLine& line, int number) {
  m_hasGroup = m_hasGroup || line.hasGroup;
  m_isPerf = m_isPerf || line.isPerf;
  m_builder.seen(line.cpu, line.ns);
  m_builder.name(line.pid, line.comm);
  const auto kind = traceEventKind(line.event);
  if (!kind) {
    m_builder.other(line.event);
    return;
  }
  auto fields = readTraceFields(*kind, line.fields);
  if (!fields) {
    m_builder.notUnderstood(number, fmt::format("{} without the fields that it should have", line.event),
                            *kind == TraceEventKind::Switch
                                ? "prev_comm= prev_pid= prev_prio= prev_state= next_comm= "
                                  "next_pid= next_prio=, or name:pid [prio] S ==> name:pid [prio]"
                                : "comm= pid= prio= and the CPU");
    return;
  }
  m_isRaw = m_isRaw || fields->isRaw;
  for (const TraceName& name : fields->names) m_builder.name(name.pid, name.comm);
  fields->event.ns = line.ns;
  fields->event.cpu = line.cpu;
  fields->event.line = number;
  m_builder.add(fields->event);
}

/// A frame of a call chain below an event: "ffffffff81 symbol" of perf script, "=> symbol" of ftrace.
bool isStackFrame(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos || first == 0) return false;
  const std::string_view body = text.substr(first);
  if (body.starts_with("=> ")) return true;
  const std::size_t digits = body.find_first_not_of("0123456789abcdef");
  return digits != std::string_view::npos && digits >= 6 && body[digits] == ' ';
}

void TextTrace::line(std::string_view text, int number) {
  if (text.find_first_not_of(" \t") == std::string_view::npos || header(text)) return;
  const auto parts = splitTraceLine(text);
  if (parts)
    event(*parts, number);
  else if (isStackFrame(text))
    m_builder.other("frames of call chains");
  else
    m_builder.notUnderstood(number, "this line is no event of a trace",
                            "name-pid [cpu] seconds.fraction: event: fields, or perf script's form");
}

Result<Trace> TextTrace::finish() {
  Trace& trace = m_builder.trace();
  if (m_isPerf)
    trace.dialect = TraceDialect::PerfScript;
  else if (m_hasGroup)
    trace.dialect = TraceDialect::Systrace;
  else if (m_hasTracefsHeader)
    trace.dialect = TraceDialect::Tracefs;
  else
    trace.dialect = m_isRaw ? TraceDialect::TraceCmdRaw : TraceDialect::TraceCmdReport;
  return m_builder.finish();
}

/// The part of a page of systrace that is a trace: the lines of a script from "# tracer:" on. Every line of
/// other files.
class SystracePage {
 public:
  void first(std::string_view line) { m_part = looksLikeHtml(line) ? Part::Before : Part::NoPage; }

  bool holds(std::string& line) {
    if (m_part == Part::NoPage) return true;
    if (m_part == Part::Before && line.starts_with("# tracer:")) m_part = Part::Inside;
    if (m_part == Part::Inside && line.find("</script>") != std::string::npos) m_part = Part::After;
    // Old pages hold the text as a string of JavaScript.
    if (line.ends_with("\\n\\")) line.resize(line.size() - 3);
    return m_part == Part::Inside;
  }

  bool hasTrace() const { return m_part != Part::Before; }

 private:
  enum class Part : std::uint8_t { NoPage, Before, Inside, After };
  Part m_part = Part::NoPage;
};

}  // namespace

Diagnostic readingStopped(const std::string& path) {
  return {Severity::Error, {path}, "reading was cancelled", "open it again to read it to its end"};
}

Result<Trace> readTrace(const std::string& path, const std::stop_token& stop) {
  auto reader = LineReader::open(path);
  if (!reader) return reader.diagnostics();
  TextTrace text(path);
  SystracePage page;
  std::string line;
  while (reader.value().next(line)) {
    if (stop.stop_requested()) return readingStopped(path);
    if (reader.value().lineNumber() == 1) {
      page.first(line);
      if (line.starts_with(kTraceCmdMagic)) return readTraceDat(path, stop);
      if (line.starts_with("PERFILE2"))
        return Diagnostic{
            Severity::Error, {path}, "this is perf's binary file", "perf script -i FILE prints it as text"};
    }
    if (line.find('\0') != std::string::npos)
      return Diagnostic{
          Severity::Error, {path, reader.value().lineNumber(), 0}, "binary data inside a text trace", ""};
    if (page.holds(line)) text.line(line, reader.value().lineNumber());
  }
  if (reader.value().error()) return *reader.value().error();
  if (!page.hasTrace())
    return Diagnostic{Severity::Error,
                      {path},
                      "this HTML page holds no ftrace data",
                      "a page of systrace has a script with lines from \"# tracer:\" on"};
  return text.finish();
}

}  // namespace rqscope
