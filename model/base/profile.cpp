// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/profile.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/name_list.h"

namespace rqscope {
namespace {

/// One sched feature: its name, its switch and the versions that have it (bit per KernelVersion).
struct FeatureRow {
  std::string_view name;
  bool SchedFeatures::*field;
  unsigned versions;
};

constexpr FeatureRow kFeatures[] = {
    {"GENTLE_FAIR_SLEEPERS", &SchedFeatures::gentleFairSleepers, 1},
    {"START_DEBIT", &SchedFeatures::startDebit, 1},
    {"PLACE_LAG", &SchedFeatures::placeLag, 6},
    {"PLACE_DEADLINE_INITIAL", &SchedFeatures::placeDeadlineInitial, 6},
    {"PLACE_REL_DEADLINE", &SchedFeatures::placeRelDeadline, 6},
    {"RUN_TO_PARITY", &SchedFeatures::runToParity, 6},
    {"PREEMPT_SHORT", &SchedFeatures::preemptShort, 6},
    {"NEXT_BUDDY", &SchedFeatures::nextBuddy, 7},
    {"PICK_BUDDY", &SchedFeatures::pickBuddy, 6},
    {"LAST_BUDDY", &SchedFeatures::lastBuddy, 1},
    {"CACHE_HOT_BUDDY", &SchedFeatures::cacheHotBuddy, 7},
    {"DELAY_DEQUEUE", &SchedFeatures::delayDequeue, 6},
    {"DELAY_ZERO", &SchedFeatures::delayZero, 6},
    {"WAKEUP_PREEMPTION", &SchedFeatures::wakeupPreemption, 7},
    {"NONTASK_CAPACITY", &SchedFeatures::nontaskCapacity, 7},
    {"TTWU_QUEUE", &SchedFeatures::ttwuQueue, 7},
    {"SIS_UTIL", &SchedFeatures::sisUtil, 7},
    {"ATTACH_AGE_LOAD", &SchedFeatures::attachAgeLoad, 7},
    {"WA_IDLE", &SchedFeatures::waIdle, 7},
    {"WA_WEIGHT", &SchedFeatures::waWeight, 7},
    {"WA_BIAS", &SchedFeatures::waBias, 7},
    {"UTIL_EST", &SchedFeatures::utilEst, 7},
    {"LB_MIN", &SchedFeatures::lbMin, 7},
    {"ALT_PERIOD", &SchedFeatures::altPeriod, 1},
    {"BASE_SLICE", &SchedFeatures::baseSlice, 1},
    {"NI_RANDOM", &SchedFeatures::niRandom, 7},
    {"NI_RATE", &SchedFeatures::niRate, 4},
    {"SCHED_CACHE", &SchedFeatures::schedCache, 4},
};

unsigned versionBit(KernelVersion v) { return 1U << static_cast<unsigned>(v); }

KernelProfile profileV61() {
  KernelProfile p;
  p.version = KernelVersion::V6_1;
  p.name = "v6.1";
  p.queue = QueueKind::Cfs;
  SchedFeatures& f = p.features;
  f.gentleFairSleepers = f.startDebit = f.lastBuddy = f.altPeriod = f.baseSlice = true;
  Behaviours& b = p.behaviours;
  b.tgLoadAvgRatelimitNs = 0;
  b.decayedChecksContrib = false;
  b.utilEstSingle = b.utilEstSkipsStarved = false;
  b.postInitScaledWeight = true;
  b.thermalInUsed = true;
  b.cpuUtilBoost = false;
  b.sharesReweightAlways = true;
  b.offlineClearsTgLoad = false;
  b.clusterScan = b.syncIgnoresDelayed = false;
  b.shouldBalancePrefersIdleCore = b.siblingImbalance = b.smtBalance = false;
  b.asymPackingIdleCore = b.fullyBusyTieNonSmt = false;
  b.misfitFailureCounts = b.misfitTieReplaces = true;
  b.newidleStopsByContinue = false;
  b.nohzMisfitByRdMax = true;
  b.hasCluster = false;
  b.pkgNamedDie = true;
  b.degenerateUpdatesGroupFlags = false;
  b.itmtOnPackage = false;
  b.hybridLacksCluster = true;
  b.rebuildSeesDyingCpu = false;
  return p;
}

KernelProfile profileV612() {
  KernelProfile p;
  SchedFeatures& f = p.features;
  f.placeLag = f.placeDeadlineInitial = f.placeRelDeadline = f.runToParity = true;
  f.preemptShort = f.pickBuddy = f.delayDequeue = f.delayZero = true;
  return p;
}

KernelProfile profileV73() {
  KernelProfile p = profileV612();
  p.version = KernelVersion::V7_3;
  p.name = "v7.3";
  p.queue = QueueKind::FlatEevdf;
  p.features.niRate = true;
  p.tunables.preemption = true;
  Behaviours& b = p.behaviours;
  b.utilEstCapacityCheck = false;
  b.floorInFieldType = true;
  b.tgRunnableAvg = true;
  b.cgroupMode = CgroupMode::Concur;
  b.throttleFreezesWhenEmpty = true;
  b.schedIdleForIdleWakee = false;
  b.asymIdleCapacitySmt = b.idleScanOwnedByDomain = true;
  b.serializeInsidePass = b.countsRunnableOnly = b.misfitNeedsBiggerDst = true;
  b.refuseDelayedUnlessLoad = b.refuseIneligible = true;
  b.activeNeedsCurrOnRq = b.intervalResetAlways = b.ilbPrefersIdleCore = b.throttledOnDstOnly = true;
  b.clearChildPreferSibling = false;
  b.intervalsFromPartition = true;
  b.hasOverlapFlag = false;
  b.sharedTopmostOnly = true;
  return p;
}

}  // namespace

Result<KernelProfile> kernelProfile(std::string_view name) {
  if (name == "v6.1" || name == "6.1") return profileV61();
  if (name == "v6.12" || name == "6.12") return profileV612();
  if (name == "v7.3" || name == "7.3") return profileV73();
  return Diagnostic{Severity::Error,
                    {},
                    fmt::format("there is no kernel profile \"{}\"", name),
                    "the profiles are v6.1, v6.12 and v7.3"};
}

std::vector<std::string_view> kernelProfileNames() { return {"v6.1", "v6.12", "v7.3"}; }

Result<KernelProfile> withFeature(KernelProfile profile, std::string_view name) {
  const bool on = !name.starts_with("NO_");
  const std::string_view bare = on ? name : name.substr(3);
  std::vector<std::string_view> known;
  for (const auto& row : kFeatures) {
    if ((row.versions & versionBit(profile.version)) == 0) {
      if (row.name == bare)
        return Diagnostic{
            Severity::Error, {}, fmt::format("{} has no sched feature {}", profile.name, bare), ""};
      continue;
    }
    known.push_back(row.name);
    if (row.name != bare) continue;
    profile.features.*row.field = on;
    return profile;
  }
  return Diagnostic{Severity::Error,
                    {},
                    fmt::format("there is no sched feature \"{}\"", bare),
                    nameHint(bare, known, "the features are")};
}

std::vector<std::pair<std::string_view, bool>> featureStates(const KernelProfile& profile) {
  std::vector<std::pair<std::string_view, bool>> out;
  for (const auto& row : kFeatures)
    if ((row.versions & versionBit(profile.version)) != 0)
      out.emplace_back(row.name, profile.features.*row.field);
  return out;
}

std::string_view nearestName(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t bestDistance = word.size() / 2 + 1;
  for (const auto candidate : known) {
    const std::size_t distance = editDistance(word, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace rqscope
