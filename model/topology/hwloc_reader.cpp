// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "topology/hwloc_facts.h"
#include "topology/hwloc_xml.h"
#include "topology/kernel_text.h"
#include "topology/xml_scanner.h"

namespace rqscope {
namespace {

/// What the objects around the current one say about the CPUs inside.
struct Context {
  int package = 0, die = 0, core = -1;
  std::vector<PlaceCache> caches;
};

/// Our own reader, for what libhwloc refuses: hwloc XML of version 3, which the library reads from 3.0 on
/// only (Debian 12 has 2.9), and XML that is not written as hwloc writes it, which its small parser does not
/// take.
class HwlocReader {
 public:
  HwlocReader(std::string_view text, const std::string& file) : m_xml(text, file), m_file(file) {}

  Result<HwlocFacts> read() {
    for (;;) {
      auto token = m_xml.next();
      if (!token.ok()) return token.diagnostics();
      if (token.value().kind == XmlToken::Kind::End) break;
      handle(token.value());
      if (m_error) return *m_error;
    }
    if (!m_isTopology) return m_xml.error("there is no <topology> in this file", "hwloc XML");
    if (m_facts.places.empty()) return m_xml.error("this hwloc file names no processing unit (PU)");
    if (m_facts.distances && m_facts.distances->indexes.empty())  // hwloc 1: in the order of the nodes
      for (const HwlocFacts::Node& node : m_facts.nodes) m_facts.distances->indexes.push_back(node.id);
    return std::move(m_facts);
  }

 private:
  void handle(const XmlToken& token) {
    switch (token.kind) {
      case XmlToken::Kind::Open:
        open(token);
        break;
      case XmlToken::Kind::Close:
        close(token);
        break;
      case XmlToken::Kind::Text:
        m_text += token.name;
        break;
      case XmlToken::Kind::End:
        break;
    }
  }

  void open(const XmlToken& token) {
    m_text.clear();
    if (m_elements.empty() && token.name != "topology" && token.name != "root")
      fail(token, fmt::format("the first element is <{}>", token.name), "hwloc XML starts with <topology>");
    m_elements.push_back(token.name);
    m_isTopology = true;
    if (token.name == "object")
      openObject(token);
    else if (token.name == "info")
      info(token);
    else if (token.name == "cpukind")
      m_kindCpus = mask(token, "cpuset");
    else if (token.name == "distances2")
      openDistances2(token);
    else if (token.name == "distances")
      openDistances1(token);
    else if (token.name == "latency" && m_matrix)
      m_matrix->values.push_back(real(token, "value"));
  }

  void close(const XmlToken& token) {
    m_elements.pop_back();
    if (token.name == "object" && !m_contexts.empty()) {
      m_contexts.pop_back();
    } else if (token.name == "indexes" && m_matrix) {
      for (const double v : numbers(m_text)) m_matrix->indexes.push_back(static_cast<int>(v));
    } else if (token.name == "u64values" && m_matrix) {
      for (const double v : numbers(m_text)) m_matrix->values.push_back(v);
    } else if ((token.name == "distances2" || token.name == "distances") && m_matrix) {
      if (!m_facts.distances) m_facts.distances = std::move(m_matrix);
      m_matrix.reset();
    }
    m_text.clear();
  }

  void openObject(const XmlToken& token) {
    Context context = m_contexts.empty() ? Context{} : m_contexts.back();
    const std::string* type = token.find("type");
    const std::string kind = type == nullptr ? "" : *type;
    if (kind == "Machine" || kind == "System")
      machine(token);
    else if (kind == "Package" || kind == "Socket")
      context.package = index(token, m_packages++);
    else if (kind == "Die")
      context.die = index(token, m_dies++);
    else if (kind == "NUMANode" || kind == "Node")
      numaNode(token);
    else if (kind == "Core")
      context.core = m_cores++;
    else if (kind == "Cache" || (kind.size() >= 7 && kind[0] == 'L' && kind.ends_with("Cache")))
      cache(token, context);
    else if (kind == "PU")
      unit(token, context);
    m_contexts.push_back(std::move(context));
  }

  void machine(const XmlToken& token) {
    m_facts.complete = mask(token, "complete_cpuset");
    if (const CpuMask online = mask(token, "online_cpuset"); !online.isEmpty()) m_facts.online = online;
  }

  void numaNode(const XmlToken& token) {
    HwlocFacts::Node node;
    node.id = index(token, static_cast<int>(m_facts.nodes.size()));
    node.cpus = mask(token, "cpuset");
    m_facts.nodes.push_back(std::move(node));
  }

  void cache(const XmlToken& token, Context& context) {
    PlaceCache out;
    out.level = static_cast<int>(real(token, "depth"));
    out.sizeBytes = static_cast<std::uint64_t>(std::max(0.0, real(token, "cache_size")));
    const std::string* type = token.find("cache_type");
    out.type = type == nullptr || *type == "0" ? "Unified" : *type == "1" ? "Data" : "Instruction";
    out.key = m_caches++;
    if (out.level > 0) context.caches.push_back(std::move(out));
  }

  void unit(const XmlToken& token, const Context& context) {
    CpuPlace place;
    place.cpu.id = CpuId{index(token, -1)};
    if (!place.cpu.id.isValid() || place.cpu.id.value > kMaxHwlocIndex) {
      fail(token, "a PU without a usable os_index", "0 to 65535");
      return;
    }
    place.cpu.package = context.package;
    place.cpu.die = context.die;
    place.cpu.core = context.core >= 0 ? context.core : m_cores++;
    place.caches = context.caches;
    m_facts.places.push_back(std::move(place));
  }

  void info(const XmlToken& token) {
    const std::string* name = token.find("name");
    const std::string* value = token.find("value");
    if (name == nullptr || value == nullptr) return;
    if (m_elements.size() > 1 && m_elements[m_elements.size() - 2] == "cpukind" && *name == "CoreType")
      m_facts.kinds.emplace_back(m_kindCpus, *value);
    m_facts.infos.emplace(*name, *value);
  }

  void openDistances2(const XmlToken& token) {
    const std::string* type = token.find("type");
    const std::string* name = token.find("name");
    const bool isLatency = name == nullptr || *name == "NUMALatency" || token.find("kind") == nullptr;
    if (type != nullptr && *type == "NUMANode" && isLatency) m_matrix.emplace();
  }

  void openDistances1(const XmlToken& token) {
    m_matrix.emplace();
    m_matrix->base = token.find("latency_base") != nullptr ? real(token, "latency_base") : 1;
  }

  int index(const XmlToken& token, int ifAbsent) {
    const std::string* value = token.find("os_index");
    if (value == nullptr) return ifAbsent;
    int out = 0;
    const auto [end, ec] = std::from_chars(value->data(), value->data() + value->size(), out);
    if (ec == std::errc{} && end == value->data() + value->size() && out >= -1) return out;
    fail(token, fmt::format("os_index \"{}\" is not a number from 0 on", value->substr(0, 40)), "");
    return ifAbsent;
  }

  CpuMask mask(const XmlToken& token, const char* key) {
    const std::string* value = token.find(key);
    if (value == nullptr) return {};
    if (value->find("...") != std::string::npos) return {};  // hwloc's "all CPUs there may ever be"
    auto parsed = parseCpuMaskHex(*value);
    if (parsed.ok()) return std::move(parsed).value();
    fail(token, parsed.error().message, parsed.error().hint);
    return {};
  }

  double real(const XmlToken& token, const char* key) {
    const std::string* value = token.find(key);
    if (value == nullptr) return 0;
    double out = 0;
    const auto [end, ec] = std::from_chars(value->data(), value->data() + value->size(), out);
    if (ec != std::errc{} || out > 1e15 || out < -1e15)
      fail(token, fmt::format("{} is not a number", key), "");
    return out;
  }

  static std::vector<double> numbers(const std::string& text) {
    std::vector<double> out;
    std::istringstream in(text);
    for (double v = 0; in >> v;) out.push_back(v);
    return out;
  }

  void fail(const XmlToken& token, std::string message, std::string hint) {
    if (!m_error)
      m_error = Diagnostic{
          Severity::Error, {m_file, token.line, token.column}, std::move(message), std::move(hint)};
  }

  XmlScanner m_xml;
  const std::string& m_file;
  std::optional<Diagnostic> m_error;
  bool m_isTopology = false;
  std::vector<std::string> m_elements;
  std::vector<Context> m_contexts;
  std::string m_text;
  HwlocFacts m_facts;
  std::optional<HwlocFacts::Distances> m_matrix;
  CpuMask m_kindCpus;
  int m_packages = 0, m_dies = 0, m_cores = 0, m_caches = 0;
};

}  // namespace

Result<Hardware> readHwlocXml(std::string_view text, const std::string& file) {
  auto probe = probeHwloc(text, file);
  if (!probe.ok()) return probe.diagnostics();
  if (auto facts = readByLibhwloc(text, probe.value())) return hardwareFromHwloc(std::move(*facts), file);
  auto facts = HwlocReader(text, file).read();
  if (!facts.ok()) return facts.diagnostics();
  return hardwareFromHwloc(std::move(facts).value(), file);
}

}  // namespace rqscope
