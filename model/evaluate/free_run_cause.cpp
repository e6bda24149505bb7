// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/free_run_cause.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "evaluate/stats_record.h"

namespace rqscope {
namespace {

constexpr double kForeignReachMs = 40;  // a kernel thread's trace in the averages fades with 32 ms

const FreePass* passAt(const std::vector<FreePass>& passes, double ms) {
  const auto at = std::ranges::find(passes, ms, &FreePass::ms);
  return at == passes.end() ? nullptr : &*at;
}

/// The other side's pass of the same CPU and domain that is nearest in time.
const FreePass* nearest(const std::vector<FreePass>& passes, const FreePass& of, bool sameIdle) {
  const FreePass* best = nullptr;
  for (const FreePass& pass : passes) {
    if (pass.dst != of.dst || pass.domain != of.domain || (sameIdle && pass.idle != of.idle)) continue;
    if (best == nullptr || std::abs(pass.ms - of.ms) < std::abs(best->ms - of.ms)) best = &pass;
  }
  return best;
}

/// The last thread that is none of the workload's to run before `ms` (on `cpu`, when that is not below 0).
const ForeignThread* foreignBefore(const FreeTrack& real, double ms, int cpu, double reachMs) {
  const ForeignThread* found = nullptr;
  for (const ForeignThread& thread : real.foreign)
    if (thread.ms <= ms && ms - thread.ms <= reachMs && (cpu < 0 || thread.cpu == cpu)) found = &thread;
  return found;
}

std::string foreignText(const ForeignThread& thread) {
  return fmt::format("the thread {} ran on CPU {} at {:.3f} ms", thread.name, thread.cpu, thread.ms);
}

std::string typesOf(const FreePass& pass) {
  const auto name = [](const std::optional<GroupType>& type) {
    return type ? groupTypeRecordName(*type) : std::string_view("none");
  };
  return fmt::format("{} (util {}) / {} (util {})", name(pass.local), pass.localUtil, name(pass.busiest),
                     pass.busiestUtil);
}

/// Who has the CPU at `ms`, since when.
const FreeSwitch* runningAt(const FreeTrack& track, int cpu, double ms) {
  const FreeSwitch* found = nullptr;
  for (const FreeSwitch& s : track.switches) {
    if (s.ms > ms) break;
    if (s.cpu == cpu) found = &s;
  }
  return found;
}

std::string runningText(const FreeSwitch* s) {
  if (s == nullptr) return "nobody yet";
  return fmt::format("{} since {:.3f} ms", s->task.empty() ? "no task of the workload" : s->task, s->ms);
}

/// A running task cannot be moved and one that just ran is hot: which one is depends on whose turn it is.
/// Fills in what the two sides have on the source CPU at their moments, when it differs.
void explainTurns(const DifferenceContext& context, int source, double realMs, double modelMs,
                  Difference& out) {
  const FreeSwitch* real = runningAt(context.real, source, realMs);
  const FreeSwitch* model = runningAt(context.model, source, modelMs);
  if (real == nullptr || model == nullptr) return;
  const bool isSame = real->task == model->task;
  constexpr double kHotMs = 0.5;  // sysctl_sched_migration_cost
  const bool isHotOnce = (realMs - real->ms < kHotMs) != (modelMs - model->ms < kHotMs);
  if (isSame && !isHotOnce) return;
  out.kind = isSame ? "task choice: hot once" : "task choice: whose turn it is";
  out.cause = fmt::format("CPU {} runs {} in the record, {} in the model", source, runningText(real),
                          runningText(model));
}

/// Where the model's or the record's moves of a pass come from; below 0: there are none.
int sourceOf(const FreeTrack& track, const FreePass& pass) {
  for (const FreeMove& move : track.moves)
    if (move.to == pass.dst && move.by == "load_balance" && std::abs(move.ms - pass.ms) < 0.5)
      return move.from;
  return -1;
}

/// Which candidates the two sides judged differently.
std::string candidateCause(const FreePass& real, const FreePass& model) {
  for (const FreePass::Candidate& r : real.candidates) {
    const auto m = std::ranges::find(model.candidates, r.task, &FreePass::Candidate::task);
    if (m == model.candidates.end()) return fmt::format("the model did not look at {}", r.task);
    if (m->verdict != r.verdict)
      return fmt::format("{}: {} in the record ({:.3f} ms since it ran), {} in the model ({:.3f} ms)", r.task,
                         r.verdict, r.sinceMs, m->verdict, m->sinceMs);
  }
  if (real.failedBefore != model.failedBefore)
    return fmt::format("nr_balance_failed {} in the record, {} in the model", real.failedBefore,
                       model.failedBefore);
  return fmt::format("of the same candidates the record moves {}, the model {}", real.moved, model.moved);
}

std::string figuresOf(const FreePass& pass) {
  return fmt::format("local load {} util {} running {}, busiest load {} util {} running {}", pass.localLoad,
                     pass.localUtil, pass.localRunning, pass.busiestLoad, pass.busiestUtil,
                     pass.busiestRunning);
}

bool haveSameQueues(const FreePass& a, const FreePass& b) {
  return a.localRunning == b.localRunning &&
         (!a.busiest || !b.busiest || a.busiestRunning == b.busiestRunning);
}

/// Both sides have the pass, with another outcome.
Difference explainPair(const DifferenceContext& context, const FreePass& real, const FreePass& model) {
  Difference out;
  out.what = fmt::format("record: {}; model: {}", textOf(real), textOf(model));
  const ForeignThread* foreign = foreignBefore(context.real, real.ms, -1, kForeignReachMs);
  const std::string extra = foreign == nullptr ? std::string{} : "; " + foreignText(*foreign);
  const bool haveTypes = real.local == model.local && real.busiest == model.busiest;
  if (real.shouldBalance != model.shouldBalance) {
    out.kind = "should_we_balance";
    out.cause = fmt::format("should_we_balance(): which CPUs of the group are idle at that moment{}", extra);
  } else if (!haveTypes || real.decision != model.decision) {
    out.kind = haveSameQueues(real, model) ? "load and utilisation" : "queue lengths";
    out.cause =
        fmt::format("{}: record {} {} of {}, model {} {} of {}{}",
                    haveTypes ? "the decision on the same types" : "group types", real.decision,
                    real.imbalance, typesOf(real), model.decision, model.imbalance, typesOf(model), extra);
    if (real.localLoad != 0 || real.busiestLoad != 0)
      out.cause += fmt::format("; record: {}; model: {}", figuresOf(real), figuresOf(model));
  } else if (real.moved == model.moved) {
    out.kind = "order of passes";
    out.cause = "both have it, but in another order among the passes of that CPU";
  } else {
    out.kind = "task choice";
    out.cause = candidateCause(real, model);
    int source = sourceOf(context.real, real);
    if (source < 0) source = sourceOf(context.model, model);
    if (source >= 0) explainTurns(context, source, real.ms, model.ms, out);
  }
  return out;
}

/// Why the model left out a newly idle pass at that moment, or did not come to it.
Difference explainMissingNewidle(const DifferenceContext& context, const FreePass& own) {
  Difference out;
  for (const NewidleLeftOut& left : context.model.leftOut) {
    if (left.cpu != own.dst || std::abs(left.ms - own.ms) > context.window.toleranceMs) continue;
    if (!left.domain.empty() && left.domain != own.domain) continue;
    out.kind = left.isNotOverloaded ? "newidle: overloaded mark" : "newidle: cost cut-off";
    out.cause = left.isNotOverloaded
                    ? fmt::format(
                          "the model's root domain is not marked overloaded when CPU {} goes idle at "
                          "{:.3f} ms",
                          left.cpu, left.ms)
                    : fmt::format(
                          "the model's CPU {} leaves it out at {:.3f} ms: avg_idle {} ns is below the "
                          "cost of {} ns",
                          left.cpu, left.ms, left.avgIdleNs, left.costNs);
    return out;
  }
  out.kind = "newidle: goes idle";
  out.cause = fmt::format("CPU {} does not go idle in the model then", own.dst);
  return out;
}

/// Only one side has it: when does the other look at this domain?
Difference whenCause(const FreePass& own, const FreePass* other, bool isReal) {
  Difference out;
  const char* side = isReal ? "the model" : "the record";
  out.kind = own.idle == CpuIdleType::NewlyIdle ? "newidle: goes idle"
             : own.idle == CpuIdleType::Idle    ? "nohz: idle CPU's turn"
                                                : "tick and interval";
  if (other == nullptr) {
    out.cause = fmt::format("{} has no pass of CPU {} in {}", side, own.dst, own.domain);
    return out;
  }
  const double late = other->ms - own.ms;
  out.cause = fmt::format("{} looks at this domain {:.3f} ms {}", side, std::abs(late),
                          late > 0 ? "later" : "earlier");
  if (own.idle != CpuIdleType::NewlyIdle && other->intervalMsBefore != own.intervalMsBefore) {
    out.kind = "balance_interval";
    out.cause += fmt::format(": balance_interval {} ms there, {} ms here", other->intervalMsBefore,
                             own.intervalMsBefore);
  } else if (own.idle == CpuIdleType::Idle) {
    out.cause += ": an idle CPU balances when a busy one's tick kicks it (nohz) and the interval has passed";
  } else if (own.idle == CpuIdleType::NotIdle) {
    out.cause += ": the interval is counted in ticks from the last pass";
  }
  return out;
}

/// What the other side did on the CPU that took the task.
std::string moveCause(const FreeTrack& own, const FreeTrack& others, const FreeMove& move, bool isReal) {
  const char* other = isReal ? "model" : "record";
  const FreeMove* beside = nullptr;
  for (const FreeMove& m : others.moves)
    if (m.to == move.to && (beside == nullptr || std::abs(m.ms - move.ms) < std::abs(beside->ms - move.ms)))
      beside = &m;
  const FreePass* pass = nullptr;
  for (const FreePass& p : others.passes)
    if (p.dst == move.to && p.ms <= move.ms + 1 && (pass == nullptr || p.ms > pass->ms)) pass = &p;
  std::string text = beside == nullptr ? fmt::format("the {} moves no task to CPU {}", other, move.to)
                                       : fmt::format("the {}'s nearest move to CPU {} is {}", other, move.to,
                                                     textOf(*beside));
  const bool isRecorded = !own.passes.empty() && !others.passes.empty() &&
                          move.ms <= std::min(own.passes.back().ms, others.passes.back().ms) + 1;
  if (!isRecorded) return text + "; so late the record has no passes to compare";
  if (pass != nullptr) text += fmt::format("; its last pass there: {}", textOf(*pass));
  return text;
}

}  // namespace

Difference explainPass(const DifferenceContext& context, double ms, bool isReal) {
  const FreePass* own = passAt(isReal ? context.realOnly : context.modelOnly, ms);
  if (own == nullptr) return {};
  const auto& otherOnly = isReal ? context.modelOnly : context.realOnly;
  const FreePass* twin = nearest(otherOnly, *own, true);
  const auto isNear = [&](const FreePass* pass) {
    return pass != nullptr && std::abs(pass->ms - own->ms) <= context.window.toleranceMs;
  };
  if (isNear(twin)) return explainPair(context, isReal ? *own : *twin, isReal ? *twin : *own);
  Difference out;
  const std::string what = fmt::format("only the {} has {}", isReal ? "record" : "model", textOf(*own));
  const ForeignThread* thread = foreignBefore(context.real, ms, own->dst, kForeignReachMs);
  if (isReal && own->idle == CpuIdleType::NewlyIdle) {
    out = explainMissingNewidle(context, *own);
    if (out.kind == "newidle: goes idle")
      if (const auto* near = foreignBefore(context.real, ms, own->dst, context.window.toleranceMs)) {
        out.kind = "kernel thread";
        out.cause = "newly idle after another thread: " + foreignText(*near);
        thread = nullptr;
      }
  } else if (const FreePass* other = nearest(otherOnly, *own, false); isNear(other)) {
    out.kind = "busy or idle";
    out.cause = fmt::format("the other side has the CPU otherwise: {}", textOf(*other));
  } else {
    out = whenCause(*own, nearest((isReal ? context.model : context.real).passes, *own, true), isReal);
  }
  if (thread != nullptr) out.cause += "; " + foreignText(*thread);
  out.what = what;
  return out;
}

Difference explainMove(const DifferenceContext& context, double ms, bool isReal) {
  const FreeTrack& own = isReal ? context.real : context.model;
  const FreeTrack& others = isReal ? context.model : context.real;
  const auto move = std::ranges::find(own.moves, ms, &FreeMove::ms);
  Difference out;
  if (move == own.moves.end()) return out;
  out.what = fmt::format("only the {} has {}", isReal ? "record" : "model", textOf(*move));
  const FreeMove* twin = nullptr;
  for (const FreeMove& other : others.moves)
    if (other.task == move->task && std::abs(other.ms - ms) <= context.window.toleranceMs) {
      twin = &other;
      break;
    }
  out.kind = move->by == "fork"                                   ? "fork placement"
             : move->by == "load_balance"                         ? "task choice"
             : move->by.starts_with("wakeup") || move->by.empty() ? "wakeup placement"
                                                                  : move->by;
  if (out.kind == "task choice") {
    out.cause = twin == nullptr ? "the other side moves another task or none"
                                : fmt::format("the {} has {}", isReal ? "model" : "record", textOf(*twin));
    double otherMs = ms;  // of the same pass on the other side
    for (const FreePass& pass : others.passes)
      if (pass.dst == move->to && pass.moved != 0 && std::abs(pass.ms - ms) <= context.window.toleranceMs)
        otherMs = pass.ms;
    explainTurns(context, move->from, isReal ? ms : otherMs, isReal ? otherMs : ms, out);
  } else if (twin != nullptr && move->by == "fork") {
    out.cause = fmt::format(
        "the {} puts it on CPU {}: idle CPUs that look alike are told apart by when they went idle and by "
        "the "
        "load "
        "left on them, which the record does not give for the time before it",
        isReal ? "model" : "record", twin->to);
  } else if (twin != nullptr) {
    out.cause = fmt::format("the {} has {}", isReal ? "model" : "record", textOf(*twin));
  } else if (const auto* thread = foreignBefore(context.real, ms, -1, context.window.toleranceMs)) {
    out.kind = "kernel thread";
    out.cause = foreignText(*thread);
  } else {
    out.cause = moveCause(own, others, *move, isReal);
  }
  return out;
}

}  // namespace rqscope
