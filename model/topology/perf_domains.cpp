// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/perf_domains.h"

#include <algorithm>

namespace rqscope {
namespace {

constexpr std::size_t kMaxComplexity = 2048;           // EM_MAX_COMPLEXITY, v6.1
constexpr std::uint64_t kFrequencyPerCapacity = 1000;  // when only capacities are given

const EnergyDomain* modelOf(const Hardware& hardware, CpuId cpu) {
  for (const EnergyDomain& domain : hardware.energy)
    if (domain.cpus.test(cpu)) return &domain;
  return nullptr;
}

/// Cost of a unit of utilisation at an operating point. Kernel: em_compute_costs(); v6.1 in
/// em_create_perf_table().
std::uint64_t costOf(const PerfDomain::State& s, std::uint64_t highest, KernelVersion version) {
  constexpr std::uint64_t kResolution = 10;
  if (version == KernelVersion::V6_1) return highest * s.power / s.frequency;
  return s.power * kResolution / s.performance;
}

PerfDomain perfDomainOf(const EnergyDomain& model, KernelVersion version) {
  PerfDomain out;
  out.cpus = model.cpus;
  for (const EnergyState& state : model.states) {
    PerfDomain::State s;
    s.performance = state.performance;
    s.frequency = state.frequencyKhz != 0 ? state.frequencyKhz : state.performance * kFrequencyPerCapacity;
    s.power = state.power;
    out.states.push_back(s);
  }
  std::uint64_t above = ~std::uint64_t{0};
  for (auto s = out.states.rbegin(); s != out.states.rend(); ++s) {
    s->cost = costOf(*s, out.states.back().frequency, version);
    s->isInefficient = s->cost >= above;
    if (!s->isInefficient) above = s->cost;
  }
  return out;
}

}  // namespace

std::vector<PerfDomain> buildPerfDomains(const Hardware& hardware, const KernelProfile& profile,
                                         const CpuMask& span, bool hasAsymCapacity, bool smtActive) {
  std::vector<PerfDomain> out;
  if (!profile.tunables.energyAware || !hasAsymCapacity || smtActive) return out;
  CpuMask covered;
  std::size_t states = 0;
  for (CpuId cpu = span.first(); cpu.isValid(); cpu = span.next(cpu)) {
    if (covered.test(cpu)) continue;
    const EnergyDomain* model = modelOf(hardware, cpu);
    if (model == nullptr) return {};
    covered |= model->cpus;
    states += model->states.size();
    out.insert(out.begin(), perfDomainOf(*model, profile.version));
  }
  const auto cpus = static_cast<std::size_t>(span.weight());
  if (profile.version == KernelVersion::V6_1 && out.size() * (states + cpus) > kMaxComplexity) return {};
  return out;
}

}  // namespace rqscope
