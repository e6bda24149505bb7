// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <trace-cmd.h>
#include <unistd.h>

#include <memory>
#include <unordered_map>

#include "formats/trace_guarded.h"
#include "formats/trace_line.h"
#include "formats/trace_text.h"

namespace rqscope {

namespace {

constexpr std::size_t kBlock = 1 << 16;

struct CloseArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};
struct CloseInput {
  void operator()(tracecmd_input* input) const { tracecmd_close(input); }
};
using Input = std::unique_ptr<tracecmd_input, CloseInput>;

Diagnostic unreadable(const std::string& path, const std::string& why) {
  return {Severity::Error,
          {path},
          why,
          "trace-cmd report FILE prints a trace.dat as text, which is read as well"};
}

/// The file without its compression, in memory: libtracecmd must be able to seek.
Result<int> uncompressed(const std::string& path) {
  std::unique_ptr<archive, CloseArchive> a(archive_read_new());
  archive_read_support_filter_all(a.get());
  archive_read_support_format_raw(a.get());
  archive_entry* entry = nullptr;
  if (archive_read_open_filename(a.get(), path.c_str(), kBlock) != ARCHIVE_OK ||
      archive_read_next_header(a.get(), &entry) != ARCHIVE_OK)
    return unreadable(path, "cannot be read");
  const int fd = memfd_create("trace.dat", MFD_CLOEXEC);
  if (fd < 0) return unreadable(path, "no memory for the file");
  if (archive_read_data_into_fd(a.get(), fd) != ARCHIVE_OK) {
    close(fd);
    return unreadable(path, "is damaged");
  }
  lseek(fd, 0, SEEK_SET);
  return fd;
}

/// The fields of one event's records, by the format description in the file.
struct Format {
  std::optional<TraceEventKind> kind;
  std::string name;
  tep_format_field* pid = nullptr;
  tep_format_field* otherPid = nullptr;
  tep_format_field* comm = nullptr;
  tep_format_field* otherComm = nullptr;
  tep_format_field* prio = nullptr;
  tep_format_field* state = nullptr;
  tep_format_field* target = nullptr;
  tep_format_field* from = nullptr;
  std::string missing;  ///< names of fields that the description lacks
};

class DatReader {
 public:
  DatReader(const std::string& path, tracecmd_input* input)
      : m_builder(path, TraceDialect::TraceDat), m_tep(tracecmd_get_tep(input)) {}

  void record(tep_record* record);
  TraceBuilder& builder() { return m_builder; }

 private:
  const Format& formatOf(tep_event* event);
  tep_format_field* field(tep_event* event, const char* name, Format& format);
  void fill(Format& format, tep_event* event);
  void scheduler(const Format& format, tep_record* record);

  TraceBuilder m_builder;
  tep_handle* m_tep;
  std::unordered_map<int, Format> m_formats;
  int m_number = 0;
};

tep_format_field* DatReader::field(tep_event* event, const char* name, Format& format) {
  tep_format_field* found = tep_find_field(event, name);
  if (found == nullptr) format.missing += format.missing.empty() ? name : fmt::format(", {}", name);
  return found;
}

void DatReader::fill(Format& format, tep_event* event) {
  switch (*format.kind) {
    case TraceEventKind::Switch:
      format.otherPid = field(event, "prev_pid", format);
      format.otherComm = field(event, "prev_comm", format);
      format.state = field(event, "prev_state", format);
      format.pid = field(event, "next_pid", format);
      format.comm = field(event, "next_comm", format);
      format.prio = field(event, "next_prio", format);
      return;
    case TraceEventKind::Fork:
      format.otherPid = field(event, "parent_pid", format);
      format.pid = field(event, "child_pid", format);
      return;  // the names are of changing kinds, and decoration
    case TraceEventKind::Exit:
      format.pid = field(event, "pid", format);
      return;
    case TraceEventKind::Migrate:
      format.from = field(event, "orig_cpu", format);
      format.target = field(event, "dest_cpu", format);
      break;
    case TraceEventKind::Waking:
    case TraceEventKind::Wakeup:
    case TraceEventKind::WakeupNew:
      format.target = field(event, "target_cpu", format);
      break;
  }
  format.pid = field(event, "pid", format);
  format.comm = field(event, "comm", format);
  format.prio = field(event, "prio", format);
}

const Format& DatReader::formatOf(tep_event* event) {
  const auto [entry, isNew] = m_formats.try_emplace(event->id);
  Format& format = entry->second;
  if (!isNew) return format;
  format.name = event->name == nullptr ? "" : event->name;
  format.kind = traceEventKind(format.name);
  if (format.kind) fill(format, event);
  return format;
}

/// A number of a record, if it lies within.
std::optional<std::int64_t> numberOf(const tep_format_field* field, const tep_record* record) {
  if (field == nullptr || field->offset < 0 || field->size <= 0 || field->offset + field->size > record->size)
    return std::nullopt;
  unsigned long long value = 0;
  if (tep_read_number_field(const_cast<tep_format_field*>(field), record->data, &value) != 0)
    return std::nullopt;
  if (field->size == 4) return static_cast<std::int32_t>(value);
  return static_cast<std::int64_t>(value);
}

std::string_view textOf(const tep_format_field* field, const tep_record* record) {
  if (field == nullptr || (field->flags & TEP_FIELD_IS_DYNAMIC) != 0 || field->offset < 0 ||
      field->offset + field->size > record->size)
    return {};
  const std::string_view all(static_cast<const char*>(record->data) + field->offset,
                             static_cast<std::size_t>(field->size));
  return all.substr(0, all.find('\0'));
}

void DatReader::scheduler(const Format& format, tep_record* record) {
  TraceEvent event;
  event.kind = *format.kind;
  event.ns = record->ts;
  event.cpu = record->cpu;
  event.line = m_number;
  const auto pid = numberOf(format.pid, record);
  const auto other = numberOf(format.otherPid, record);
  const auto state = numberOf(format.state, record);
  const auto target = numberOf(format.target, record);
  const auto from = numberOf(format.from, record);
  if (!pid || (format.otherPid != nullptr && !other) || (format.state != nullptr && !state) ||
      (format.target != nullptr && !target) || !format.missing.empty()) {
    m_builder.notUnderstood(m_number,
                            format.missing.empty()
                                ? fmt::format("a {} shorter than its description", format.name)
                                : fmt::format("{} is described without {}", format.name, format.missing),
                            "");
    return;
  }
  event.pid = static_cast<std::int32_t>(*pid);
  if (other) event.otherPid = static_cast<std::int32_t>(*other);
  if (target) event.targetCpu = static_cast<std::int32_t>(*target);
  if (from) event.fromCpu = static_cast<std::int32_t>(*from);
  if (const auto prio = numberOf(format.prio, record)) event.prio = static_cast<std::int32_t>(*prio);
  if (state) event.staysRunnable = (static_cast<std::uint64_t>(*state) & 0xffU) == 0;
  m_builder.name(event.pid, textOf(format.comm, record));
  m_builder.name(event.otherPid, textOf(format.otherComm, record));
  m_builder.add(event);
}

void DatReader::record(tep_record* record) {
  ++m_number;
  if (record->missed_events > 0) m_builder.lost(static_cast<std::uint64_t>(record->missed_events));
  if (record->missed_events < 0) m_builder.lost(1);
  m_builder.seen(record->cpu, record->ts);
  tep_event* event = tep_find_event_by_record(m_tep, record);
  if (event == nullptr) {
    m_builder.notUnderstood(m_number, "a record of an event that the file does not describe", "");
    return;
  }
  const Format& format = formatOf(event);
  if (format.kind)
    scheduler(format, record);
  else
    m_builder.other(format.name);
}

int takeRecord(tracecmd_input* /*input*/, tep_record* record, int /*cpu*/, void* reader) {
  static_cast<DatReader*>(reader)->record(record);
  return 0;
}

Result<Trace> readUnguarded(const std::string& path) {
  tep_set_loglevel(TEP_LOG_NONE);
  tracecmd_set_loglevel(TEP_LOG_NONE);
  const auto fd = uncompressed(path);
  if (!fd) return fd.diagnostics();
  const Input input(tracecmd_open_fd(fd.value(), TRACECMD_FL_LOAD_NO_PLUGINS));
  if (!input) {
    close(fd.value());
    return unreadable(path, "is no trace.dat that libtracecmd can read");
  }
  DatReader reader(path, input.get());
  reader.builder().trace().cpus = tep_get_cpus(tracecmd_get_tep(input.get()));
  if (tracecmd_iterate_events(input.get(), nullptr, 0, takeRecord, &reader) != 0)
    return unreadable(path, "is damaged: its records cannot be read to the end");
  return reader.builder().finish();
}

}  // namespace

Result<Trace> readTraceDat(const std::string& path, const std::stop_token& stop) {
  return readGuarded(
      path, [&path] { return readUnguarded(path); }, stop);
}

}  // namespace rqscope
