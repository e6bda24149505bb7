// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "balance/balance_env.h"
#include "runqueue/load_tracking.h"

namespace rqscope {
namespace {

constexpr std::uint64_t kFullPct = 50;       ///< llc_overaggr_pct: an LLC used more than this is full
constexpr std::uint64_t kImbalancePct = 20;  ///< llc_imb_pct

/// Utilisation and capacity of a CPU's LLC as balance last recorded them; null without an LLC domain.
const DomainShared* llcRecord(const Machine& m, CpuId cpu) {
  const SharedId id = m.topology->cpus[cpu.index()].llcShared;
  return id.isValid() ? &m.shared[id.index()] : nullptr;
}

/// Kernel: fits_llc_capacity(): without SMT the limit is half as high again.
bool fitsLlc(const Machine& m, std::uint64_t util, std::uint64_t capacity) {
  const std::uint64_t pct = m.topology->smtActive ? kFullPct : kFullPct * 3 / 2;
  return util * 100 < capacity * pct;
}

bool isMuchGreater(std::uint64_t a, std::uint64_t b) { return a * 100 > b * (100 + kImbalancePct); }

/// More running threads than fit into an LLC. Kernel: exceed_llc_nr().
bool exceedsLlc(const Machine& m, const CacheProcess& process, CpuId cpu) {
  const std::uint64_t threads =
      m.topology->smtActive ? static_cast<std::uint64_t>(m.topology->smtMask[cpu.index()].weight()) : 1;
  return !fitsCapacity(process.nrRunningAvg * threads,
                       static_cast<std::uint64_t>(m.topology->cpus[cpu.index()].llcSize));
}

/// Failures so many that locality no longer counts.
bool isPatienceOver(const BalanceEnv& env) {
  return env.state.nrBalanceFailed > static_cast<std::uint32_t>(env.sd.cacheNiceTries);
}

}  // namespace

LlcVerdict canMigrateLlc(const Machine& m, CpuId src, CpuId dst, std::uint64_t taskUtil, bool toPreferred) {
  const DomainShared* const from = llcRecord(m, src);
  const DomainShared* const to = llcRecord(m, dst);
  if (from == nullptr || to == nullptr) return LlcVerdict::Unrestricted;
  const std::uint64_t srcUtil = from->utilAvg < taskUtil ? 0 : from->utilAvg - taskUtil;
  const std::uint64_t dstUtil = to->utilAvg + taskUtil;
  const bool srcFits = fitsLlc(m, srcUtil, from->capacity);
  const bool dstFits = fitsLlc(m, dstUtil, to->capacity);
  if (!srcFits && !dstFits) return LlcVerdict::Unrestricted;
  const bool forbid =
      toPreferred ? !dstFits && isMuchGreater(dstUtil, srcUtil) : srcFits || !isMuchGreater(srcUtil, dstUtil);
  return forbid ? LlcVerdict::Forbid : LlcVerdict::Llc;
}

LlcVerdict canMigrateLlcTask(Machine& m, CpuId src, CpuId dst, TaskId task) {
  const std::int32_t index = m.task(task).process;
  if (index < 0) return LlcVerdict::Unrestricted;
  CacheProcess& process = m.processes[static_cast<std::size_t>(index)];
  if (!process.llcCpu.isValid() || sharesCache(m, src, dst)) return LlcVerdict::Unrestricted;
  if (m.task(task).threads <= 1 || exceedsLlc(m, process, dst)) {
    process.llcCpu = CpuId{};
    return LlcVerdict::Unrestricted;
  }
  const bool toPreferred = sharesCache(m, dst, process.llcCpu);
  if (!toPreferred && !sharesCache(m, src, process.llcCpu)) return LlcVerdict::Unrestricted;
  return canMigrateLlc(m, src, dst, taskUtil(m, task), toPreferred);
}

bool isRefusedForLlc(BalanceEnv& env, TaskId task) {
  Machine& m = env.m;
  if (!m.features().schedCache || isPatienceOver(env)) return false;
  if (env.migration == MigrationType::LlcTask &&
      m.task(task).preferredLlc != m.topology->cpus[env.dst.index()].llcId.value)
    return true;
  return canMigrateLlcTask(m, env.src, env.dst, task) == LlcVerdict::Forbid;
}

bool activeBalanceBreaksLlc(const BalanceEnv& env) {
  const Machine& m = env.m;
  if (!m.features().schedCache || sharesCache(m, env.src, env.dst)) return false;
  const Rq& rq = m.rq(env.src);
  if (rq.nrPrefLlcRunning == 0 || rq.nrPrefLlcRunning != m.rootCfs(env.src).hNrRunnable) return false;
  if (rq.nrRunning <= 1) return true;
  const std::uint64_t util = rq.curr.isValid() ? taskUtil(m, rq.curr) : 0;
  return canMigrateLlc(m, env.src, env.dst, util, false) == LlcVerdict::Forbid;
}

std::uint32_t countPreferringLlc(const Machine& m, CpuId cpu, CpuId dst) {
  const CpuId llc = m.topology->cpus[dst.index()].llcId;
  if (m.topology->cpus[cpu.index()].llcId == llc || !llc.isValid()) return 0;
  const auto& counts = m.rq(cpu).prefLlcCounts;
  return llc.index() < counts.size() ? counts[llc.index()] : 0;
}

bool wantsLlcBalance(const BalanceEnv& env, const GroupStats& stats, const SchedGroup& group) {
  if (!env.m.features().schedCache || (env.sd.flags & kSdShareLlc) != 0 || isPatienceOver(env)) return false;
  if (stats.groupAsymPacking) return false;
  if (stats.groupMisfitTaskLoad != 0 && (env.sd.flags & kSdAsymCpucapacity) != 0) return false;
  return stats.nrPrefDstLlc != 0 &&
         canMigrateLlc(env.m, group.cpus.front(), env.dst, 0, true) == LlcVerdict::Llc;
}

void recordLlcStats(BalanceEnv& env, const GroupStats& stats, const SchedGroup& group) {
  Machine& m = env.m;
  if (!m.features().schedCache || env.idle == CpuIdleType::NewlyIdle || !env.sd.child.isValid()) return;
  if (env.sd.child != m.topology->cpus[env.dst.index()].sdLlc) return;
  const SharedId id = m.topology->cpus[group.cpus.front().index()].llcShared;
  if (!id.isValid()) return;
  m.shared[id.index()].utilAvg = stats.groupUtil;
  m.shared[id.index()].capacity = stats.groupCapacity;
}

}  // namespace rqscope
