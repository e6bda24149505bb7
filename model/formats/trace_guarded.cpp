// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/trace_guarded.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <type_traits>

#include "formats/trace_text.h"

namespace rqscope {

namespace {

constexpr rlim_t kMostCpuSeconds = 60;

/// Values one after the other, as the same program reads them back.
class Packer {
 public:
  template <class T>
  void plain(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* bytes = reinterpret_cast<const char*>(&value);
    m_bytes.append(bytes, sizeof value);
  }
  void text(const std::string& value) {
    plain(value.size());
    m_bytes += value;
  }
  void diagnostics(const std::vector<Diagnostic>& all) {
    plain(all.size());
    for (const Diagnostic& d : all) {
      plain(d.severity);
      text(d.where.file);
      plain(d.where.line);
      plain(d.where.column);
      text(d.message);
      text(d.hint);
    }
  }
  const std::string& bytes() const { return m_bytes; }

 private:
  std::string m_bytes;
};

/// The other way; not ok() once the bytes ended early.
class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : m_bytes(bytes) {}

  template <class T>
  T plain() {
    T value{};
    if (m_bytes.size() - m_at < sizeof value) {
      m_ok = false;
      return value;
    }
    std::memcpy(&value, m_bytes.data() + m_at, sizeof value);
    m_at += sizeof value;
    return value;
  }
  std::string text() {
    const auto size = plain<std::size_t>();
    if (!m_ok || size > m_bytes.size() - m_at) {
      m_ok = false;
      return {};
    }
    m_at += size;
    return m_bytes.substr(m_at - size, size);
  }
  std::vector<Diagnostic> diagnostics() {
    std::vector<Diagnostic> out;
    for (auto left = plain<std::size_t>(); left > 0 && m_ok; --left) {
      Diagnostic d;
      d.severity = plain<Severity>();
      d.where.file = text();
      d.where.line = plain<int>();
      d.where.column = plain<int>();
      d.message = text();
      d.hint = text();
      out.push_back(std::move(d));
    }
    return out;
  }
  bool ok() const { return m_ok; }

 private:
  const std::string& m_bytes;
  std::size_t m_at = 0;
  bool m_ok = true;
};

std::string packed(const Result<Trace>& result) {
  Packer out;
  out.plain(result.ok());
  out.diagnostics(result.diagnostics());
  if (!result.ok()) return out.bytes();
  const Trace& trace = result.value();
  out.text(trace.file);
  out.plain(trace.dialect);
  out.plain(trace.cpus);
  out.plain(trace.events.size());
  for (const TraceEvent& event : trace.events) out.plain(event);
  out.plain(trace.names.size());
  for (const auto& [pid, name] : trace.names) {
    out.plain(pid);
    out.text(name);
  }
  out.plain(trace.firstNs.size());
  for (const auto& [cpu, ns] : trace.firstNs) {
    out.plain(cpu);
    out.plain(ns);
  }
  out.plain(trace.otherEvents.size());
  for (const auto& [name, count] : trace.otherEvents) {
    out.text(name);
    out.plain(count);
  }
  out.plain(trace.lostEvents);
  out.plain(trace.isOverwritten);
  out.plain(trace.outOfOrder);
  out.plain(trace.notUnderstood);
  out.diagnostics(trace.remarks);
  return out.bytes();
}

/// Nothing when the bytes are not whole.
std::optional<Result<Trace>> unpacked(const std::string& bytes) {
  Unpacker in(bytes);
  const bool isGood = in.plain<bool>();
  auto diagnostics = in.diagnostics();
  if (!isGood) {
    if (!in.ok() || diagnostics.empty()) return std::nullopt;
    return Result<Trace>(std::move(diagnostics));
  }
  Trace trace;
  trace.file = in.text();
  trace.dialect = in.plain<TraceDialect>();
  trace.cpus = in.plain<std::int32_t>();
  for (auto left = in.plain<std::size_t>(); left > 0 && in.ok(); --left)
    trace.events.push_back(in.plain<TraceEvent>());
  for (auto left = in.plain<std::size_t>(); left > 0 && in.ok(); --left) {
    const auto pid = in.plain<std::int32_t>();
    trace.names[pid] = in.text();
  }
  for (auto left = in.plain<std::size_t>(); left > 0 && in.ok(); --left) {
    const auto cpu = in.plain<std::int32_t>();
    trace.firstNs[cpu] = in.plain<std::uint64_t>();
  }
  for (auto left = in.plain<std::size_t>(); left > 0 && in.ok(); --left) {
    const std::string name = in.text();
    trace.otherEvents[name] = in.plain<std::uint64_t>();
  }
  trace.lostEvents = in.plain<std::uint64_t>();
  trace.isOverwritten = in.plain<bool>();
  trace.outOfOrder = in.plain<std::uint64_t>();
  trace.notUnderstood = in.plain<std::uint64_t>();
  trace.remarks = in.diagnostics();
  if (!in.ok()) return std::nullopt;
  return Result<Trace>(std::move(trace));
}

/// The child: reads, writes, ends without running anybody's exit handlers.
[[noreturn]] void child(int out, const std::function<Result<Trace>()>& read) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(signal, SIG_DFL);
  const rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  const rlimit time{kMostCpuSeconds, kMostCpuSeconds};
  setrlimit(RLIMIT_CPU, &time);
  const std::string bytes = packed(read());
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = write(out, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) _exit(1);
    done += static_cast<std::size_t>(wrote);
  }
  _exit(0);
}

std::string readAll(int in) {
  std::string bytes;
  char block[1 << 16];
  while (true) {
    const ssize_t got = ::read(in, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(block, static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<Trace> readGuarded(const std::string& path, const std::function<Result<Trace>()>& read,
                          const std::stop_token& stop) {
  const char* const hint = "trace-cmd report FILE prints a trace.dat as text, which is read as well";
  int ends[2];
  if (pipe(ends) != 0) return Diagnostic{Severity::Error, {path}, "no pipe for reading the trace", ""};
  const pid_t pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    return Diagnostic{Severity::Error, {path}, "no process for reading the trace", ""};
  }
  if (pid == 0) child(ends[1], read);
  close(ends[1]);
  std::string bytes;
  {
    // Until the child is waited for, its number is no other's.
    const std::stop_callback onStop(stop, [pid] { kill(pid, SIGKILL); });
    bytes = readAll(ends[0]);
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (stop.stop_requested()) return readingStopped(path);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    return Diagnostic{
        Severity::Error, {path}, fmt::format("is damaged: reading it took over {} s", kMostCpuSeconds), hint};
  auto result = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? unpacked(bytes) : std::nullopt;
  if (!result)
    return Diagnostic{Severity::Error, {path}, "is damaged: libtracecmd breaks down over it", hint};
  return std::move(*result);
}

}  // namespace rqscope
