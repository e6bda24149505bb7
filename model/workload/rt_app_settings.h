// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workload/rt_app.h"

namespace rqscope {

/// Reads what a thread or phase of an rt-app file sets: affinity, policy, priority, slice, group.
class RtAppSettingsReader {
 public:
  RtAppSettingsReader(Workload& workload, RtAppDialect dialect, JsonLint& lint)
      : m_workload(workload), m_dialect(dialect), m_lint(lint) {}

  /// `inherited`: the default policy for a thread, the thread's policy for a phase.
  ProgramSettings read(const JsonValue& object, bool isThread, ProgramPolicy inherited);
  /// The one member with that key that counts in this dialect, or nullptr. Without a value: an error.
  const JsonMember* property(const JsonValue& object, std::string_view key);
  /// Nothing, and an error with a did-you-mean, when there is no such policy.
  std::optional<ProgramPolicy> policyByName(const JsonMember& member);

 private:
  void readPolicy(const JsonValue& object, bool isThread, ProgramPolicy inherited, ProgramSettings& settings);
  void readPriority(const JsonMember& member, ProgramPolicy policy, ProgramSettings& settings);
  void readDeadline(const JsonValue& object, ProgramPolicy policy, ProgramSettings& settings);
  void readClamps(const JsonValue& object, ProgramSettings& settings);
  std::optional<std::int32_t> readGroup(const JsonMember& member);

  Workload& m_workload;
  RtAppDialect m_dialect;
  JsonLint& m_lint;
};

}  // namespace rqscope
