// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/offline_steps.h"

#include <algorithm>
#include <set>

namespace rqscope::timeline {

std::vector<OfflineStep> offlineSteps(const api::TimelineWindow& window,
                                      const std::vector<std::int32_t>& cpus) {
  std::vector<const api::TimelineLane*> lanes;
  std::set<std::int64_t> times;
  for (const api::TimelineLane& lane : window.lanes) {
    if (lane.offline.empty() || std::find(cpus.begin(), cpus.end(), lane.cpu) == cpus.end()) continue;
    lanes.push_back(&lane);
    for (const api::TimelineSpan& span : lane.offline) times.insert({span.beginNs, span.endNs});
  }
  std::vector<OfflineStep> steps;
  for (auto at = times.begin(); at != times.end() && std::next(at) != times.end(); ++at) {
    OfflineStep step{*at, *std::next(at), {}};
    for (const api::TimelineLane* lane : lanes) {
      const bool isOff = std::any_of(lane->offline.begin(), lane->offline.end(), [&](const auto& span) {
        return span.beginNs <= step.beginNs && span.endNs >= step.endNs;
      });
      if (isOff) step.cpus.push_back(lane->cpu);
    }
    std::sort(step.cpus.begin(), step.cpus.end());
    if (!step.cpus.empty()) steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace rqscope::timeline
