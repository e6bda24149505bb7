// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/lisa_reader.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "topology/cpu_place.h"
#include "topology/machine_notes.h"

namespace rqscope {
namespace {

constexpr int kMaxCpus = 65536;

class LisaReader {
 public:
  LisaReader(const YAML::Node& conf, const std::string& file) : m_conf(conf), m_file(file) {}

  Result<Hardware> read() {
    const int cpus = cpuCount();
    if (cpus <= 0 || cpus > kMaxCpus)
      return Diagnostic{
          Severity::Error, {m_file, 0, 0}, "the platform file names no number of CPUs", "cpus-count"};
    const std::vector<int> domainOf = frequencyDomains(cpus);
    const std::set<int> domains(domainOf.begin(), domainOf.end());
    std::vector<CpuPlace> places;
    for (int i = 0; i < cpus; ++i) {
      CpuPlace place;
      place.cpu.id = CpuId{i};
      place.cpu.core = i;
      place.cpu.capacity = place.cpu.throughput = capacity(i);
      place.cpu.maxFrequencyKhz = maxFrequency(i);
      if (domains.size() > 1) {
        place.cpu.cluster = domainOf[static_cast<std::size_t>(i)];
        place.caches.push_back({2, "Unified", place.cpu.cluster, 0});
      }
      places.push_back(std::move(place));
    }
    Hardware hw;
    hw.name = m_conf["name"] ? m_conf["name"].as<std::string>("imported") : "imported";
    hw.source = m_file;
    hw.description = fmt::format("{}, {} CPUs", hw.name, cpus);
    const auto abi = m_conf["abi"] ? m_conf["abi"].as<std::string>("arm64") : std::string("arm64");
    hw.rules = abi.starts_with("x86") ? MaskRules::X86 : MaskRules::ArchTopology;
    hw.clusterLevel = hw.rules == MaskRules::X86;
    placeCpus(hw, std::move(places));
    MachineGaps gaps;
    gaps.knowsClusters = true;
    fillMachineGaps(hw, gaps);
    if (domains.size() > 1)
      hw.notes.push_back(
          "platform files describe no caches: the CPUs of a frequency domain share a level 2 cache");
    if (!m_conf["cpu-capacities"]) hw.notes.push_back("no cpu-capacities: every CPU counts as 1024");
    auto faults = checkHardware(hw);
    for (Diagnostic& d : faults) d.where.file = m_file;
    if (!faults.empty()) return faults;
    return hw;
  }

 private:
  /// Capacities are under "orig" or directly under "cpu-capacities".
  YAML::Node capacities() const {
    const YAML::Node node = m_conf["cpu-capacities"];
    return node && node.IsMap() && node["orig"] ? node["orig"] : node;
  }

  int cpuCount() const {
    if (m_conf["cpus-count"]) return m_conf["cpus-count"].as<int>(0);
    const YAML::Node list = capacities();
    return list && list.IsMap() ? static_cast<int>(list.size()) : 0;
  }

  std::uint32_t capacity(int cpu) const {
    const YAML::Node list = capacities();
    if (!list || !list.IsMap() || !list[cpu]) return 1024;
    return static_cast<std::uint32_t>(std::clamp(list[cpu].as<int>(1024), 1, 1024));
  }

  std::uint64_t maxFrequency(int cpu) const {
    const YAML::Node freqs = m_conf["freqs"];
    std::uint64_t best = 0;
    if (!freqs || !freqs.IsMap() || !freqs[cpu] || !freqs[cpu].IsSequence()) return best;
    for (const auto& f : freqs[cpu]) best = std::max(best, f.as<std::uint64_t>(0));
    return best;
  }

  std::vector<int> frequencyDomains(int cpus) const {
    std::vector<int> out(static_cast<std::size_t>(cpus), 0);
    const YAML::Node domains = m_conf["freq-domains"];
    if (!domains || !domains.IsSequence()) return out;
    for (std::size_t d = 0; d < domains.size(); ++d)
      for (const auto& cpu : domains[d]) {
        const int id = cpu.as<int>(-1);
        if (id >= 0 && id < cpus) out[static_cast<std::size_t>(id)] = static_cast<int>(d);
      }
    return out;
  }

  const YAML::Node& m_conf;
  const std::string& m_file;
};

}  // namespace

bool looksLikeLisaPlatform(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  return head.find("platform-info:") != std::string_view::npos ||
         (head.find("cpu-capacities:") != std::string_view::npos && head.find('{') == std::string_view::npos);
}

Result<Hardware> readLisaPlatform(std::string_view text, const std::string& file) {
  try {
    const YAML::Node top = YAML::Load(std::string(text));
    YAML::Node conf = top;
    if (top.IsMap() && top["platform-info"]) conf = top["platform-info"];
    if (conf.IsMap() && conf["conf"]) conf = conf["conf"];
    if (!conf.IsMap())
      return Diagnostic{
          Severity::Error, {file, 0, 0}, "this YAML file is no platform file", "platform-info: conf:"};
    return LisaReader(conf, file).read();
  } catch (const YAML::Exception& e) {
    return Diagnostic{Severity::Error,
                      {file, std::max(0, e.mark.line + 1), std::max(0, e.mark.column + 1)},
                      "this is not valid YAML",
                      e.msg};
  }
}

}  // namespace rqscope
