// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/numa_levels.h"

#include <algorithm>
#include <set>

#include <boost/graph/adjacency_list.hpp>

namespace rqscope {
namespace {

/// The nodes that take part; an edge's weight is the distance from its source to its target.
using HardwareGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS,
                                            boost::property<boost::vertex_index1_t, std::size_t>,
                                            boost::property<boost::edge_weight_t, int>>;

HardwareGraph hardwareGraph(const Hardware& hw, const CpuMask& counted, bool cpuNodesOnly) {
  HardwareGraph graph;
  for (std::size_t i = 0; i < hw.nodes.size(); ++i)
    if (!cpuNodesOnly || hw.nodes[i].cpus.intersects(counted)) boost::add_vertex(i, graph);
  const auto position = boost::get(boost::vertex_index1, graph);
  for (const auto a : boost::make_iterator_range(boost::vertices(graph)))
    for (const auto b : boost::make_iterator_range(boost::vertices(graph)))
      boost::add_edge(a, b, hw.distance(position[a], position[b]), graph);
  return graph;
}

std::vector<int> distinctDistances(const HardwareGraph& graph) {
  std::set<int> found;
  for (const auto e : boost::make_iterator_range(boost::edges(graph)))
    found.insert(boost::get(boost::edge_weight, graph, e));
  return {found.begin(), found.end()};
}

/// Kernel: init_numa_topology_type(): the first pair at the greatest distance decides.
SchedTopology::NumaType numaType(const Hardware& hw, const HardwareGraph& graph, const NumaLevels& levels) {
  using Type = SchedTopology::NumaType;
  if (levels.distances.size() <= 2) return Type::Direct;
  const int far = levels.distances.back();
  const auto position = boost::get(boost::vertex_index1, graph);
  for (const auto a : boost::make_iterator_range(boost::vertices(graph)))
    for (const auto e : boost::make_iterator_range(boost::out_edges(a, graph))) {
      if (boost::get(boost::edge_weight, graph, e) < far) continue;
      const auto b = boost::target(e, graph);
      for (const auto c : boost::make_iterator_range(boost::vertices(graph)))
        if (hw.distance(position[a], position[c]) < far && hw.distance(position[b], position[c]) < far)
          return Type::GluelessMesh;
      return Type::Backplane;
    }
  return Type::Direct;
}

}  // namespace

NumaLevels numaLevels(const Hardware& hardware, const CpuMask& present, const CpuMask& counted,
                      bool cpuNodesOnly) {
  const HardwareGraph graph = hardwareGraph(hardware, counted, cpuNodesOnly);
  const auto position = boost::get(boost::vertex_index1, graph);
  NumaLevels levels;
  levels.distances = distinctDistances(graph);
  levels.masks.assign(levels.distances.size(), std::vector<CpuMask>(hardware.nodes.size()));
  for (const auto e : boost::make_iterator_range(boost::edges(graph))) {
    const std::size_t from = position[boost::source(e, graph)];
    const CpuMask cpus = hardware.nodes[position[boost::target(e, graph)]].cpus & present;
    for (std::size_t d = 0; d < levels.distances.size(); ++d)
      if (boost::get(boost::edge_weight, graph, e) <= levels.distances[d]) levels.masks[d][from] |= cpus;
  }
  levels.type = numaType(hardware, graph, levels);
  return levels;
}

}  // namespace rqscope
