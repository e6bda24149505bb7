// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rqscope::api {

/// What a number counts in. The views have the words and the formatting.
enum class Unit : std::uint8_t {
  None,
  Capacity,
  Load,
  Tasks,
  Cpus,
  Nanoseconds,
  Milliseconds,
  Jiffies,
  Percent,
  VirtualNs,
  Bool,
  Cpu,
  Weight
};

enum class SubjectKind : std::uint8_t { None, Cpu, Task, Group, Domain };
/// What a rung, row or number is about, for highlighting. For Group: index into MachineLayout::groups.
struct Subject {
  SubjectKind kind = SubjectKind::None;
  std::int32_t id = -1;
  bool operator==(const Subject&) const = default;
};

/// One number of a decision: the kernel's own name for it, its value and unit.
struct Operand {
  std::string name;  ///< kernel identifier: "nr_balance_failed", "imbalance"
  std::int64_t value = 0;
  Unit unit = Unit::None;
  std::string text;  ///< instead of a number: "{1,2}", "migrate_util"; empty otherwise
  Subject about{};   ///< whose number it is, where that is not the rung's or row's subject
  bool operator==(const Operand&) const = default;
};

/// left op right, and whether it holds.
struct Comparison {
  Operand left;
  std::string op;  ///< "<", "<=", ">", ">=", "=="
  Operand right;
  bool holds = false;
  bool operator==(const Comparison&) const = default;
};

enum class Tone : std::uint8_t { Neutral, Yes, No };

/// A group, queue, CPU or task that a rung considered, chosen or not, with the reason.
struct RungRow {
  Subject subject;
  std::string label;      ///< "{0,3,4,5}", "CPU 2", "C"
  std::string groupType;  ///< kernel name without "group_": "has_spare"; empty unless a group
  bool isLocal = false;
  std::vector<Operand> cells;
  std::vector<Comparison> tests;  ///< the test that gave the verdict
  std::string verdict;  ///< stable key: "util_too_big", "detached", "not_idle" ...; words are in views/look
  Tone tone = Tone::Neutral;
  bool operator==(const RungRow&) const = default;
};

/// One step of a decision. Kind, verdict keys and names are stable (JSON); sentences are made by the views.
struct Rung {
  std::string kind;      ///< "entry", "domain_due", "should_we_balance", "group_statistics", "busiest_group",
                         ///< "worth_balancing", "imbalance", "source_queue", "candidate", "active_balance",
                         ///< "result", "wake_wide", "wake_affine", "idle_sibling", "dst_group", "dst_cpu",
                         ///< "placed", "group_move" (fork: what the last exits did to their group's sums)
  std::string function;  ///< kernel function name for the chosen version
  std::string outcome;   ///< stable key, or a plain value such as "migrate_util 383"
  Tone tone = Tone::Neutral;
  Subject subject;
  std::vector<Operand> operands;
  std::vector<Comparison> tests;
  std::vector<RungRow> rows;
  std::string fidelity = "exact";  ///< "exact", "behaves", "modelled"
  /// All that the step reads, beside `subject` and the rows' subjects: CPUs, tasks, groups in the kernel's
  /// order. Each once.
  std::vector<Subject> looksAt;
  bool operator==(const Rung&) const = default;
};

/// One balance pass or placement, in full, as the window, `explain` and the tests read it.
struct Ladder {
  enum class Kind : std::uint8_t { Balance, ActiveBalance, Placement, Pick } kind = Kind::Balance;
  std::uint64_t index = 0;       ///< number of the pass or placement in the run, from 0
  std::uint64_t eventIndex = 0;  ///< event in which it happened
  std::int64_t timeNs = 0;
  std::string entry;      ///< "tick", "nohz", "newidle", "active", "fork", "exec", "wakeup"
  std::int32_t cpu = -1;  ///< destination CPU, or the chosen CPU
  std::int32_t runOn = -1;
  std::int32_t domain = -1;  ///< index into MachineLayout::domains
  std::string domainName;
  std::string idle;        ///< "not_idle", "idle", "newly_idle"
  std::int32_t task = -1;  ///< placement: the task
  std::uint32_t moved = 0;
  bool failed = false;  ///< raised nr_balance_failed
  std::vector<Rung> rungs;
};

}  // namespace rqscope::api
