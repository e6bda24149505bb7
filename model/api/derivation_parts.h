// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rqscope/derivation.h"
#include "runqueue/machine.h"

namespace rqscope::api {

/// The machine right before the decision, and what of it counts for a task that is being placed.
struct DerivationSources {
  Machine& m;
  TaskId placed;      ///< none: a balance pass
  CpuMask leftOut;    ///< CPUs that an earlier round of the pass found all pinned
  CpuId waker, prev;  ///< of a placement
};

/// A number that is explained further by its reference.
Derivation leaf(Operand what, ValueRef ref);
ValueRef ofCpu(const char* name, CpuId cpu);
ValueRef ofTask(const char* name, TaskId task);

/// Figures of one CPU's queue in the search for the source.
void deriveQueue(const DerivationSources& s, CpuId cpu, Derivation& out);
/// Figures of a task that may be moved.
void deriveTask(const DerivationSources& s, TaskId task, Derivation& out);
/// What stands on the rungs of should_we_balance() and of a placement: idle CPUs, loads, flips, energies.
void deriveOnRung(const DerivationSources& s, const Ladder& ladder, const Rung& rung, Subject subject,
                  Derivation& out);
/// Counters and intervals of the domain.
void deriveCounter(const DerivationSources& s, const Ladder& ladder, Derivation& out);

}  // namespace rqscope::api
