// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "balance/survey.h"

#include "balance/balance_env.h"

namespace rqscope {

GroupStats surveyGroup(const Machine& m, DomainId domain, SchedGroupId group) {
  const SchedTopology& topology = *m.topology;
  const SchedDomain& sd = topology.domain(domain);
  Observer nobody;
  // A pass may write to its machine; isSurvey keeps the statistics, which alone are asked for, from it.
  Context ctx{const_cast<Machine&>(m), nobody};
  BalanceEnv env(ctx, domain, sd.cpu, isIdleCpu(m, sd.cpu) ? CpuIdleType::Idle : CpuIdleType::NotIdle);
  env.isSurvey = true;
  env.dstCoreIdle = !topology.smtActive || isCoreIdle(m, sd.cpu);
  DomainStats sds;
  sds.local = 0;
  const SchedGroup& wanted = topology.group(group);
  const bool isLocal = wanted.span.test(sd.cpu);
  // Asymmetric packing of v6.1 compares a group with the local one, and so does balancing before v5.5.
  if (isLocal || (sd.flags & kSdAsymPacking) != 0 || !m.behaviours().balanceRework)
    updateGroupStats(env, sds, env.group(0), true, sds.localStats);
  if (isLocal) return sds.localStats;
  GroupStats stats;
  updateGroupStats(env, sds, wanted, false, stats);
  return stats;
}

}  // namespace rqscope
