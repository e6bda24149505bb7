// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>

#include "formats/trace_line.h"

namespace rqscope {

namespace {

/// TASK_COMM_LEN without its end: no name in an event is longer, so a name that holds "prev_pid=" or "==>"
/// cannot hide the real one far.
constexpr std::size_t kLongestName = 15;

/// Reads words one after the other; stays false once something was missing.
class Words {
 public:
  explicit Words(std::string_view text) : m_text(text) {}

  bool ok() const { return m_ok; }
  std::string_view rest() const { return m_text; }

  /// Skips `word` if it comes next.
  bool skip(std::string_view word) {
    blank();
    if (!m_text.starts_with(word)) return false;
    m_text.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) { m_ok = m_ok && skip(word); }

  std::int32_t number() {
    blank();
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value);
    m_ok = m_ok && error == std::errc{};
    m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
    return value;
  }

  std::string_view word() {
    blank();
    const std::string_view out = m_text.substr(0, m_text.find(' '));
    m_text.remove_prefix(out.size());
    m_ok = m_ok && !out.empty();
    return out;
  }

 private:
  void blank() {
    while (!m_text.empty() && (m_text.front() == ' ' || m_text.front() == '\t')) m_text.remove_prefix(1);
  }

  std::string_view m_text;
  bool m_ok = true;
};

/// Each way to cut a name off the front: the shortest first, no longer than a name can be. `follow` reads on
/// behind it and says whether all the rest fits.
template <class Follow>
bool afterName(std::string_view text, std::string_view mark, std::string_view& name, Follow follow) {
  for (std::size_t at = text.find(mark); at != std::string_view::npos && at <= kLongestName;
       at = text.find(mark, at + 1)) {
    name = text.substr(0, at);
    if (follow(text.substr(at + mark.size()))) return true;
  }
  return false;
}

bool readNext(std::string_view text, TraceFields& out) {
  return afterName(text, " next_pid=", out.names[0].comm, [&](std::string_view rest) {
    Words words(rest);
    out.event.pid = words.number();
    words.expect("next_prio=");
    out.event.prio = words.number();
    return words.ok();
  });
}

/// prev_comm=A prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=B next_pid=2 next_prio=120; with -R
/// without the arrow.
bool readSwitchKeys(std::string_view text, TraceFields& out) {
  return afterName(text, " prev_pid=", out.names[1].comm, [&](std::string_view rest) {
    Words words(rest);
    out.event.otherPid = words.number();
    words.expect("prev_prio=");
    words.number();
    words.expect("prev_state=");
    out.event.staysRunnable = isRunnableState(words.word());
    out.isRaw = !words.skip("==>");
    words.expect("next_comm=");
    return words.ok() && readNext(words.rest(), out);
  });
}

/// A:1 [120] S ==> B:2 [120]
bool readSwitchPlugin(std::string_view text, TraceFields& out) {
  return afterName(text, ":", out.names[1].comm, [&](std::string_view rest) {
    Words words(rest);
    out.event.otherPid = words.number();
    words.expect("[");
    words.number();
    words.expect("]");
    out.event.staysRunnable = isRunnableState(words.word());
    words.expect("==> ");
    const std::string_view next = words.rest();
    return words.ok() && afterName(next, ":", out.names[0].comm, [&](std::string_view after) {
             Words behind(after);
             out.event.pid = behind.number();
             behind.expect("[");
             out.event.prio = behind.number();
             behind.expect("]");
             return behind.ok();
           });
  });
}

/// comm=A pid=1 prio=120 [success=1] target_cpu=000
bool readWakeKeys(std::string_view text, TraceFields& out) {
  return afterName(text, " pid=", out.names[0].comm, [&](std::string_view rest) {
    Words words(rest);
    out.event.pid = words.number();
    words.expect("prio=");
    out.event.prio = words.number();
    if (words.skip("success=")) words.number();
    words.expect("target_cpu=");
    out.event.targetCpu = words.number();
    return words.ok();
  });
}

/// A:1 [120] [success=1] CPU:000
bool readWakePlugin(std::string_view text, TraceFields& out) {
  return afterName(text, ":", out.names[0].comm, [&](std::string_view rest) {
    Words words(rest);
    out.event.pid = words.number();
    words.expect("[");
    out.event.prio = words.number();
    words.expect("]");
    if (words.skip("success=")) words.number();
    if (words.skip("<CANT")) words.word();
    words.expect("CPU:");
    out.event.targetCpu = words.number();
    return words.ok();
  });
}

bool readMigrate(std::string_view text, TraceFields& out) {
  return afterName(text, " pid=", out.names[0].comm, [&](std::string_view rest) {
    Words words(rest);
    out.event.pid = words.number();
    words.expect("prio=");
    out.event.prio = words.number();
    words.expect("orig_cpu=");
    out.event.fromCpu = words.number();
    words.expect("dest_cpu=");
    out.event.targetCpu = words.number();
    return words.ok();
  });
}

bool readFork(std::string_view text, TraceFields& out) {
  return afterName(text, " pid=", out.names[1].comm, [&](std::string_view rest) {
    Words words(rest);
    out.event.otherPid = words.number();
    words.expect("child_comm=");
    return words.ok() &&
           afterName(words.rest(), " child_pid=", out.names[0].comm, [&](std::string_view after) {
             Words behind(after);
             out.event.pid = behind.number();
             return behind.ok();
           });
  });
}

bool readExit(std::string_view text, TraceFields& out) {
  return afterName(text, " pid=", out.names[0].comm, [&](std::string_view rest) {
    Words words(rest);
    out.event.pid = words.number();
    if (words.ok() && words.skip("prio=")) out.event.prio = words.number();
    return words.ok();
  });
}

bool readKeyed(TraceEventKind kind, std::string_view text, TraceFields& out) {
  switch (kind) {
    case TraceEventKind::Waking:
    case TraceEventKind::Wakeup:
    case TraceEventKind::WakeupNew:
      return readWakeKeys(text, out);
    case TraceEventKind::Migrate:
      return readMigrate(text, out);
    case TraceEventKind::Fork:
      return readFork(text, out);
    case TraceEventKind::Exit:
      return readExit(text, out);
    case TraceEventKind::Switch:
      break;
  }
  return false;
}

}  // namespace

std::optional<TraceEventKind> traceEventKind(std::string_view name) {
  if (name == "sched_switch") return TraceEventKind::Switch;
  if (name == "sched_wakeup") return TraceEventKind::Wakeup;
  if (name == "sched_waking") return TraceEventKind::Waking;
  if (name == "sched_wakeup_new") return TraceEventKind::WakeupNew;
  if (name == "sched_migrate_task") return TraceEventKind::Migrate;
  if (name == "sched_process_fork") return TraceEventKind::Fork;
  if (name == "sched_process_exit") return TraceEventKind::Exit;
  return std::nullopt;
}

std::optional<TraceFields> readTraceFields(TraceEventKind kind, std::string_view fields) {
  TraceFields out;
  out.event.kind = kind;
  Words words(fields);
  bool isRead = false;
  if (kind == TraceEventKind::Switch) {
    if (words.skip("prev_comm=")) isRead = readSwitchKeys(words.rest(), out);
    if (!isRead) out.isPlugin = isRead = readSwitchPlugin(fields, out);
  } else {
    if (words.skip("comm=")) isRead = readKeyed(kind, words.rest(), out);
    const bool isWake =
        kind == TraceEventKind::Wakeup || kind == TraceEventKind::Waking || kind == TraceEventKind::WakeupNew;
    if (!isRead && isWake) out.isPlugin = isRead = readWakePlugin(fields, out);
  }
  if (!isRead) return std::nullopt;
  out.names[0].pid = out.event.pid;
  out.names[1].pid = out.event.otherPid;
  return out;
}

}  // namespace rqscope
