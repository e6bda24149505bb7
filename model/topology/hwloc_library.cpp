// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <hwloc.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "topology/hwloc_facts.h"

extern char** environ;

namespace rqscope {
namespace {

/// libhwloc takes orders from the environment: other sources than the text, plugins (one of them another XML
/// parser), messages on stderr. Only the text may count, so these orders are taken back. Before main(), while
/// no other thread can be reading the environment.
bool isolateLibrary() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "HWLOC_", 6) == 0) names.emplace_back(*entry, std::strcspn(*entry, "="));
  for (const std::string& name : names) unsetenv(name.c_str());
  setenv("HWLOC_PLUGINS_PATH", "", 1);
  setenv("HWLOC_LIBXML", "0", 1);
  setenv("HWLOC_HIDE_ERRORS", "2", 1);
  return true;
}
const bool kIsIsolated = isolateLibrary();

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

/// The text as libhwloc understands it; null when it does not.
Topology loadTopology(std::string_view text) {
  hwloc_topology_t raw = nullptr;
  if (!kIsIsolated || hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  const std::string copy(text);  // the length counts a final zero
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0) return nullptr;
  if (hwloc_topology_set_xmlbuffer(raw, copy.c_str(), static_cast<int>(copy.size() + 1)) != 0) return nullptr;
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

/// A set without end stands for "all CPUs there may ever be" and says nothing.
CpuMask maskOf(hwloc_const_bitmap_t set) {
  CpuMask mask;
  if (set == nullptr || hwloc_bitmap_weight(set) < 0) return mask;
  for (int i = hwloc_bitmap_first(set); i >= 0 && i <= kMaxHwlocIndex; i = hwloc_bitmap_next(set, i))
    mask.set(CpuId{i});
  return mask;
}

/// What the objects around the current one say about the CPUs inside.
struct Surroundings {
  int package = 0, die = 0, core = -1;
  std::vector<PlaceCache> caches;
};

class LibraryWalk {
 public:
  explicit LibraryWalk(HwlocFacts& facts) : m_facts(facts) {}

  /// The object and all below it, in order. False when an index cannot be used.
  bool visit(hwloc_obj_t object, Surroundings around) {
    for (unsigned i = 0; i < object->infos_count; ++i)
      m_facts.infos.emplace(object->infos[i].name, object->infos[i].value);
    if (!enter(object, around)) return false;
    for (hwloc_obj_t child = object->memory_first_child; child != nullptr; child = child->next_sibling)
      if (!visit(child, around)) return false;
    for (hwloc_obj_t child = object->first_child; child != nullptr; child = child->next_sibling)
      if (!visit(child, around)) return false;
    return true;
  }

 private:
  static int indexOf(hwloc_obj_t object) {
    const unsigned index = object->os_index == HWLOC_UNKNOWN_INDEX ? object->logical_index : object->os_index;
    return index <= static_cast<unsigned>(kMaxHwlocIndex) ? static_cast<int>(index) : -1;
  }

  bool enter(hwloc_obj_t object, Surroundings& around) {
    switch (object->type) {
      case HWLOC_OBJ_PACKAGE:
        return (around.package = indexOf(object)) >= 0;
      case HWLOC_OBJ_DIE:
        return (around.die = indexOf(object)) >= 0;
      case HWLOC_OBJ_CORE:
        around.core = m_cores++;
        return true;
      case HWLOC_OBJ_NUMANODE:
        m_facts.nodes.push_back({indexOf(object), maskOf(object->cpuset)});
        return m_facts.nodes.back().id >= 0;
      case HWLOC_OBJ_PU:
        return addUnit(object, around);
      default:
        if (hwloc_obj_type_is_cache(object->type) != 0) addCache(object->attr->cache, around);
        return true;
    }
  }

  void addCache(const hwloc_obj_attr_u::hwloc_cache_attr_s& cache, Surroundings& around) {
    PlaceCache out;
    out.level = static_cast<int>(cache.depth);
    out.sizeBytes = cache.size;
    out.type = cache.type == HWLOC_OBJ_CACHE_UNIFIED ? "Unified"
               : cache.type == HWLOC_OBJ_CACHE_DATA  ? "Data"
                                                     : "Instruction";
    out.key = m_caches++;
    around.caches.push_back(std::move(out));
  }

  bool addUnit(hwloc_obj_t object, const Surroundings& around) {
    if (object->os_index > static_cast<unsigned>(kMaxHwlocIndex)) return false;
    CpuPlace place;
    place.cpu.id = CpuId{static_cast<int>(object->os_index)};
    place.cpu.package = around.package;
    place.cpu.die = around.die;
    place.cpu.core = around.core >= 0 ? around.core : m_cores++;
    place.caches = around.caches;
    m_facts.places.push_back(std::move(place));
    return true;
  }

  HwlocFacts& m_facts;
  int m_cores = 0, m_caches = 0;
};

/// Latencies between NUMA nodes, the first matrix of them.
void readDistances(hwloc_topology_t topology, HwlocFacts& facts) {
  unsigned count = 1;
  hwloc_distances_s* found = nullptr;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &found,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      count == 0)
    return;
  HwlocFacts::Distances& out = facts.distances.emplace();
  for (unsigned i = 0; i < found->nbobjs; ++i)
    out.indexes.push_back(found->objs[i] == nullptr ? -1 : static_cast<int>(found->objs[i]->os_index));
  for (std::size_t i = 0; i < std::size_t{found->nbobjs} * found->nbobjs; ++i)
    out.values.push_back(static_cast<double>(found->values[i]));
  hwloc_distances_release(topology, found);
}

void readKinds(hwloc_topology_t topology, HwlocFacts& facts) {
  const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> cpus(hwloc_bitmap_alloc(),
                                                                       hwloc_bitmap_free);
  const int count = hwloc_cpukinds_get_nr(topology, 0);
  for (int kind = 0; kind < count; ++kind) {
    int efficiency = 0;
    unsigned infoCount = 0;
    hwloc_info_s* infos = nullptr;
    if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), cpus.get(), &efficiency, &infoCount,
                                &infos, 0) != 0)
      continue;
    for (unsigned i = 0; i < infoCount; ++i)
      if (std::strcmp(infos[i].name, "CoreType") == 0)
        facts.kinds.emplace_back(maskOf(cpus.get()), infos[i].value);
  }
}

}  // namespace

std::optional<HwlocFacts> readByLibhwloc(std::string_view text, const HwlocProbe& probe) {
  if (!probe.isSound) return std::nullopt;
  const Topology topology = loadTopology(text);
  if (topology == nullptr) return std::nullopt;
  HwlocFacts facts;
  const hwloc_obj_t root = hwloc_get_root_obj(topology.get());
  if (!LibraryWalk(facts).visit(root, {})) return std::nullopt;
  if (facts.places.empty()) return std::nullopt;
  if (!probe.hasNodes) facts.nodes.clear();
  facts.complete = maskOf(root->complete_cpuset);
  if (!probe.online.isEmpty()) facts.online = probe.online;
  readDistances(topology.get(), facts);
  readKinds(topology.get(), facts);
  return facts;
}

}  // namespace rqscope
