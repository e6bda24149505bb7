// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/profile.h"
#include "base/result.h"
#include "runqueue/machine.h"

namespace rqscope {

/// A topology put together by hand, domain by domain, for records that give one function's inputs.
class HandTopology {
 public:
  explicit HandTopology(int cpuCount);

  struct GroupSpec {
    std::vector<int> cpus;
    std::uint32_t flags = 0;
    int cores = 0;  ///< 0: as many as CPUs
  };
  enum class Ring { LocalFirst, AsGiven };
  /// One domain of each of `members`, above what they have; the groups are shared, and each CPU's ring begins
  /// with its own group or as given.
  void addDomain(const std::vector<int>& members, std::uint32_t flags, int imbalancePct,
                 const std::vector<GroupSpec>& groups, Ring order = Ring::LocalFirst);
  /// Makes `cpus` one last-level cache: sd_llc is their lowest domain, llcSize their number.
  SharedId addCache(const std::vector<int>& cpus);
  SchedTopology& topology() { return *m_topology; }
  std::shared_ptr<const SchedTopology> finish() { return m_topology; }

 private:
  std::shared_ptr<SchedTopology> m_topology;
};

/// Above any average that a machine can have; averages beyond it would wrap in the kernel's arithmetic too.
inline constexpr std::uint64_t kMaxAverage = std::uint64_t{1} << 62;

/// Reads members of a record's object, remembering the first that is missing or of the wrong kind.
class RecordReader {
 public:
  explicit RecordReader(const nlohmann::json& object) : m_object(object) {}
  std::uint64_t number(const char* key);
  std::uint64_t number(const char* key, std::uint64_t absent);
  std::int64_t integer(const char* key);
  bool flag(const char* key);
  bool flag(const char* key, bool absent);
  std::vector<int> list(const char* key);
  const nlohmann::json& object(const char* key);
  const nlohmann::json& array(const char* key);
  bool has(const char* key) const { return m_object.contains(key) && !m_object[key].is_null(); }
  /// Above 0 (a weight, a divisor), at most `max`.
  std::uint64_t positive(const char* key, std::uint64_t max = UINT64_MAX);
  std::uint64_t bounded(const char* key, std::uint64_t max);
  std::string text(const char* key);
  void fail(std::string message) {
    if (m_error.empty()) m_error = std::move(message);
  }
  /// Takes over the error of a reader of a part, if it has one.
  void join(const RecordReader& part) { fail(part.m_error); }
  bool ok() const { return m_error.empty(); }
  Diagnostic error() const;

 private:
  const nlohmann::json* find(const char* key);
  const nlohmann::json& m_object;
  std::string m_error;
};

/// A machine of `cpuCount` CPUs on which rows of a record are laid.
Machine handMachine(std::shared_ptr<const SchedTopology> topology, const KernelProfile& profile);
/// Lays one CPU row on the machine; a busy CPU gets a task of its own as current.
Result<bool> layCpuRow(Machine& m, const nlohmann::json& row);

}  // namespace rqscope
