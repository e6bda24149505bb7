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
  return fmt::format("the thread {} ran on CPU {} at {:.3f} ms; the model has only the workload", thread.name,
                     thread.cpu, thread.ms);
}

std::string typesOf(const FreePass& pass) {
  const auto name = [](const std::optional<GroupType>& type) {
    return type ? groupTypeRecordName(*type) : std::string_view("none");
  };
  return fmt::format("{} (util {}) / {} (util {})", name(pass.local), pass.localUtil, name(pass.busiest),
                     pass.busiestUtil);
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
  return fmt::format("nr_balance_failed {} in the record, {} in the model", real.failedBefore,
                     model.failedBefore);
}

/// Both sides have the pass, with another outcome.
Difference explainPair(const DifferenceContext& context, const FreePass& real, const FreePass& model) {
  Difference out;
  out.what = fmt::format("record: {}; model: {}", textOf(real), textOf(model));
  const ForeignThread* foreign = foreignBefore(context.real, real.ms, -1, kForeignReachMs);
  const std::string extra = foreign == nullptr ? std::string{} : "; " + foreignText(*foreign);
  if (real.shouldBalance != model.shouldBalance)
    out.cause = fmt::format("should_we_balance(): which CPUs of the group are idle at that moment{}", extra);
  else if (real.local != model.local || real.busiest != model.busiest)
    out.cause = fmt::format("group types: record {}, model {}{}", typesOf(real), typesOf(model), extra);
  else if (real.decision != model.decision)
    out.cause =
        fmt::format("the decision on the same types: record {} {} of {}, model {} {} of {}{}", real.decision,
                    real.imbalance, typesOf(real), model.decision, model.imbalance, typesOf(model), extra);
  else
    out.cause = candidateCause(real, model);
  return out;
}

/// Only one side has it: when does the other look at this domain?
std::string whenCause(const FreePass& own, const FreePass* other, bool isReal) {
  const char* side = isReal ? "the model" : "the record";
  if (other == nullptr) return fmt::format("{} has no pass of CPU {} in {}", side, own.dst, own.domain);
  const double late = other->ms - own.ms;
  std::string text = fmt::format("{} looks at this domain {:.3f} ms {}", side, std::abs(late),
                                 late > 0 ? "later" : "earlier");
  if (other->intervalMsBefore != own.intervalMsBefore)
    return text + fmt::format(": balance_interval {} ms there, {} ms here", other->intervalMsBefore,
                              own.intervalMsBefore);
  return text +
         (own.idle == CpuIdleType::Idle
              ? ": an idle CPU balances when a busy one's tick kicks it (nohz) and the interval has passed"
              : ": the interval is counted in ticks from the last pass");
}

}  // namespace

Difference explainPass(const DifferenceContext& context, double ms, bool isReal) {
  const FreePass* own = passAt(isReal ? context.realOnly : context.modelOnly, ms);
  if (own == nullptr) return {};
  const FreePass* twin = nearest(isReal ? context.modelOnly : context.realOnly, *own, true);
  if (twin != nullptr && std::abs(twin->ms - own->ms) <= context.window.toleranceMs)
    return explainPair(context, isReal ? *own : *twin, isReal ? *twin : *own);
  Difference out;
  out.what = fmt::format("only the {} has {}", isReal ? "record" : "model", textOf(*own));
  if (isReal && own->idle == CpuIdleType::NewlyIdle)
    if (const auto* thread = foreignBefore(context.real, ms, own->dst, context.window.toleranceMs)) {
      out.cause = "newly idle after a thread that the model lacks: " + foreignText(*thread);
      return out;
    }
  const FreeTrack& others = isReal ? context.model : context.real;
  out.cause = whenCause(*own, nearest(others.passes, *own, true), isReal);
  if (const auto* thread = foreignBefore(context.real, ms, own->dst, kForeignReachMs))
    out.cause += "; " + foreignText(*thread);
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
  if (twin != nullptr && move->by == "fork")
    out.cause = fmt::format(
        "the {} puts it on CPU {}: idle CPUs that look alike are told apart by the load that boot and the "
        "parent left "
        "on them, which the record does not give",
        isReal ? "model" : "record", twin->to);
  else if (twin != nullptr)
    out.cause = fmt::format("the {} has {}", isReal ? "model" : "record", textOf(*twin));
  else if (const auto* thread = foreignBefore(context.real, ms, -1, context.window.toleranceMs))
    out.cause = foreignText(*thread);
  else
    out.cause = "it follows from a pass or placement that differs";
  return out;
}

}  // namespace rqscope
