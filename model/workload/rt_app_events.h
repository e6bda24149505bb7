// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/rt_app.h"

namespace rqscope {

/// Kinds of keys that rt-app knows as events; several of them are more than one of our events or none.
enum class RtAppWord : std::uint8_t {
  Run,
  Runtime,
  Sleep,
  Timer,
  Lock,
  Unlock,
  Wait,
  Signal,
  Broad,
  Sync,
  Barrier,
  Suspend,
  Resume,
  Mem,
  MemRun,
  IoRun,
  Yield,
  Fork,
  SemPost,
  SemWait,
  Exec,  ///< ours: exec balancing
  Exit   ///< ours: the thread ends here
};

/// The event a key stands for: rt-app compares the beginning only ("run1", "sleep_b").
struct RtAppKey {
  RtAppWord word = RtAppWord::Run;
  std::string_view name;    ///< "run"
  std::string_view suffix;  ///< what follows it in the key
};
std::optional<RtAppKey> findRtAppEvent(std::string_view key);
std::vector<std::string_view> rtAppEventNames();

/// What the events of one file share: the names seen so far, and the calls of fork still to be resolved.
struct RtAppNames {
  struct PendingFork {
    std::size_t thread = 0, phase = 0, event = 0;
    std::string target;
    int line = 0, column = 0;
  };
  std::map<std::string, std::int32_t, std::less<>> mutexes, conditions, suspendPoints, barriers, semaphores,
      timers;
  std::vector<PendingFork> forks;
  std::uint64_t memBufferBytes = 4U << 20;  ///< rt-app's default
};

/// Turns one member that is an event into a ProgramEvent of phase `phase` of thread `thread`.
class RtAppEventReader {
 public:
  RtAppEventReader(Workload& workload, RtAppNames& names, RtAppDialect dialect, JsonLint& lint)
      : m_workload(workload), m_names(names), m_dialect(dialect), m_lint(lint) {}

  /// Nothing when the event was refused; the error is in the lint. `thread` has its name and instances.
  std::optional<ProgramEvent> read(const RtAppKey& key, const JsonMember& member, std::size_t thread,
                                   std::size_t phase, std::size_t index);

 private:
  using Names = std::map<std::string, std::int32_t, std::less<>>;

  bool readAmount(const JsonMember& member, ProgramEvent& event);
  bool readName(const JsonMember& member, std::string& name);
  bool readTimer(const JsonMember& member, std::size_t thread, ProgramEvent& event);
  bool readMoment(const JsonMember& member, ProgramEvent& event);
  bool readCondition(const JsonMember& member, ProgramEvent& event);
  bool readSuspend(const JsonMember& member, std::size_t thread, ProgramEvent& event);
  bool readBarrier(const JsonMember& member, std::size_t thread, ProgramEvent& event);
  bool readBytes(const RtAppKey& key, const JsonMember& member, ProgramEvent& event);
  bool readMemRun(const JsonMember& member, ProgramEvent& event);
  std::int32_t intern(Names& names, std::vector<std::string>& list, const std::string& name);
  std::int32_t semaphore(const std::string& name);

  Workload& m_workload;
  RtAppNames& m_names;
  RtAppDialect m_dialect;
  JsonLint& m_lint;
};

}  // namespace rqscope
