// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <charconv>

#include "topology/hwloc_facts.h"
#include "topology/kernel_text.h"
#include "topology/xml_scanner.h"

namespace rqscope {
namespace {

constexpr std::array<std::string_view, 4> kDevices = {"Misc", "Bridge", "PCIDev", "OSDev"};
constexpr std::array<std::string_view, 19> kParts = {"Machine", "System",   "Package",  "Socket",  "Die",
                                                     "Core",    "PU",       "NUMANode", "Node",    "Group",
                                                     "Cache",   "L1Cache",  "L2Cache",  "L3Cache", "L4Cache",
                                                     "L5Cache", "L1iCache", "L2iCache", "L3iCache"};

template <std::size_t kCount>
bool isOneOf(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool isNode(std::string_view type) { return type == "NUMANode" || type == "Node"; }

/// Looks at the elements one by one.
class Probe {
 public:
  HwlocProbe result;

  void open(const XmlToken& token) {
    const std::string* const type = token.find("type");
    if (const std::string* const version = token.find("version");
        token.name == "topology" && version != nullptr)
      m_isVersionTwo = version->starts_with("2");
    if (token.name == "object")
      object(token, type == nullptr ? "" : *type);
    else if (!m_open.empty() && token.name == "topology")
      result.isSound = false;
  }
  void close(const XmlToken& token) {
    if (token.name == "object" && !m_open.empty()) m_open.pop_back();
  }

 private:
  struct Open {
    bool isDevice = false;
    CpuMask cpus, taken;  ///< taken: by children so far
  };

  void object(const XmlToken& token, const std::string& type) {
    Open own;
    own.isDevice = isOneOf(kDevices, type);
    if (isNode(type)) result.hasNodes = true;
    if (type == "Machine" || type == "System") {
      if (const auto online = mask(token, "online_cpuset")) result.online = *online;
    }
    if (!own.isDevice) result.isSound = result.isSound && isOneOf(kParts, type) && isPlaced(token, type, own);
    m_open.push_back(std::move(own));
  }

  /// Has CPUs, inside those of the object around it and apart from its siblings'.
  bool isPlaced(const XmlToken& token, const std::string& type, Open& own) {
    const auto cpus = mask(token, "cpuset");
    const auto complete = mask(token, "complete_cpuset");
    if (!cpus || !complete || !cpus->isSubsetOf(*complete)) return false;
    for (const char* const key :
         {"allowed_cpuset", "online_cpuset", "nodeset", "complete_nodeset", "allowed_nodeset"})
      if (token.find(key) != nullptr && !mask(token, key)) return false;
    own.cpus = *cpus;
    if (m_open.empty()) {
      const bool isFirst = !m_hasRoot;
      m_hasRoot = true;
      m_hasNodeSets = token.find("nodeset") != nullptr;
      if (m_hasNodeSets != (token.find("complete_nodeset") != nullptr)) return false;
      if (m_isVersionTwo && !m_hasNodeSets) return false;
      return isFirst && (type == "Machine" || type == "System") && !cpus->isEmpty();
    }
    Open& around = m_open.back();
    if (m_hasNodeSets && (token.find("nodeset") == nullptr || token.find("complete_nodeset") == nullptr))
      return false;
    if (around.isDevice || type == "Machine" || type == "System" || !cpus->isSubsetOf(around.cpus))
      return false;
    if (type == "PU" && !isNumbered(token, cpus)) return false;
    if (isNode(type)) return isNumbered(token, mask(token, "nodeset"));
    if (cpus->isEmpty() || cpus->intersects(around.taken)) return false;
    around.taken |= *cpus;
    return true;
  }

  /// Has an os_index, which is all that is in the set.
  static bool isNumbered(const XmlToken& token, const std::optional<CpuMask>& set) {
    const std::string* const index = token.find("os_index");
    int value = -1;
    if (index == nullptr || !set) return false;
    const auto [end, code] = std::from_chars(index->data(), index->data() + index->size(), value);
    return code == std::errc{} && end == index->data() + index->size() && value >= 0 &&
           value <= kMaxHwlocIndex && *set == CpuMask::of(CpuId{value});
  }

  /// None when absent or no mask. "All there may ever be" is told from a mask by its dots and is empty here.
  static std::optional<CpuMask> mask(const XmlToken& token, const char* key) {
    const std::string* const text = token.find(key);
    if (text == nullptr) return std::nullopt;
    auto parsed = parseCpuMaskHex(*text);
    if (!parsed.ok()) return std::nullopt;
    return std::move(parsed).value();
  }

  std::vector<Open> m_open;
  bool m_isVersionTwo = false;
  bool m_hasNodeSets = false;  ///< of the first part; then all must have them
  bool m_hasRoot = false;
};

}  // namespace

Result<HwlocProbe> probeHwloc(std::string_view text, const std::string& file) {
  XmlScanner xml(text, file);
  Probe probe;
  for (;;) {
    auto token = xml.next();
    if (!token.ok()) return token.diagnostics();
    if (token.value().kind == XmlToken::Kind::End) return std::move(probe.result);
    if (token.value().kind == XmlToken::Kind::Open) probe.open(token.value());
    if (token.value().kind == XmlToken::Kind::Close) probe.close(token.value());
  }
}

}  // namespace rqscope
