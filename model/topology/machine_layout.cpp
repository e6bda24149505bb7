// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/machine_layout.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/profile.h"
#include "topology/cpu_place.h"

namespace rqscope {
namespace {

constexpr int kMaxCpus = 65536;  // CPU numbers end at 65535

struct PartWord {
  std::string_view word;
  int MachineLayout::*count;
};

constexpr std::array<PartWord, 17> kPartWords = {{{"package", &MachineLayout::packages},
                                                  {"packages", &MachineLayout::packages},
                                                  {"socket", &MachineLayout::packages},
                                                  {"sockets", &MachineLayout::packages},
                                                  {"node", &MachineLayout::nodes},
                                                  {"nodes", &MachineLayout::nodes},
                                                  {"die", &MachineLayout::dies},
                                                  {"dies", &MachineLayout::dies},
                                                  {"llc", &MachineLayout::llcs},
                                                  {"llcs", &MachineLayout::llcs},
                                                  {"cluster", &MachineLayout::clusters},
                                                  {"clusters", &MachineLayout::clusters},
                                                  {"core", &MachineLayout::cores},
                                                  {"cores", &MachineLayout::cores},
                                                  {"cpus", &MachineLayout::cores},
                                                  {"thread", &MachineLayout::threads},
                                                  {"threads", &MachineLayout::threads}}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

const PartWord* findPart(std::string_view word) {
  const std::string name = lower(word);
  const auto it =
      std::find_if(kPartWords.begin(), kPartWords.end(), [&](const auto& p) { return p.word == name; });
  return it == kPartWords.end() ? nullptr : &*it;
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// One "2 packages" or "distances 10/12": its words and where it starts in the text.
struct Piece {
  std::string_view text;
  int column = 1;
};

/// Splits at `separator` where it stands alone between blanks or digits ("2 packages x 4 cores").
std::vector<Piece> splitParts(std::string_view text, int column) {
  std::vector<Piece> out;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool atEnd = i == text.size();
    const bool isCross = !atEnd && (text[i] == 'x' || text[i] == '*') && i > 0 && i + 1 < text.size() &&
                         std::isspace(static_cast<unsigned char>(text[i - 1])) != 0 &&
                         std::isspace(static_cast<unsigned char>(text[i + 1])) != 0;
    if (!atEnd && !isCross) continue;
    out.push_back({trimmed(text.substr(start, i - start)), column + static_cast<int>(start)});
    start = i + 1;
  }
  return out;
}

class LayoutParser {
 public:
  LayoutParser(std::string_view text, const std::string& file) : m_text(text), m_file(file) {}

  Result<MachineLayout> layout() {
    std::size_t start = 0;
    bool isFirst = true;
    for (const std::string_view clause : clauses()) {
      start = static_cast<std::size_t>(clause.data() - m_text.data());
      const int column = static_cast<int>(start) + 1;
      if (isFirst)
        parts(clause, column);
      else
        option(trimmed(clause), column);
      isFirst = false;
      if (m_error) return *m_error;
    }
    if (m_layout.cpuCount() > kMaxCpus || m_layout.cpuCount() <= 0)
      return error(1, fmt::format("that are {} CPUs", cpuCountText()), "1 to 65536 CPUs");
    if (auto bad = checkDistanceCount()) return *bad;
    return m_layout;
  }

  CpuMask isolated, offline;

 private:
  /// Clauses end at a comma that is followed by a word, so that "isolated 2,5" stays whole, or at a new line.
  std::vector<std::string_view> clauses() const {
    std::vector<std::string_view> out;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= m_text.size(); ++i) {
      bool ends = i == m_text.size();
      if (!ends && (m_text[i] == ',' || m_text[i] == '\n')) {
        const std::string_view after = trimmed(m_text.substr(i + 1));
        ends = after.empty() || std::isalpha(static_cast<unsigned char>(after.front())) != 0;
      }
      if (!ends) continue;
      const std::string_view clause = m_text.substr(start, i - start);
      if (!trimmed(clause).empty()) out.push_back(clause);
      start = i + 1;
    }
    return out;
  }

  void parts(std::string_view clause, int column) {
    for (const Piece& piece : splitParts(clause, column)) {
      const auto blank = piece.text.find_first_of(" \t");
      const auto count = number(piece.text.substr(0, blank));
      const std::string_view word =
          blank == std::string_view::npos ? std::string_view{} : trimmed(piece.text.substr(blank));
      const PartWord* part = findPart(word);
      if (!count || part == nullptr) {
        fail(piece.column, fmt::format("\"{}\" is not a count and a part", piece.text),
             "parts are packages, nodes, dies, LLC, clusters, cores, threads: \"2 packages x 4 cores\"");
        return;
      }
      if (*count < 1 || *count > kMaxCpus) {
        fail(piece.column, fmt::format("{} {}", *count, word), "counts run from 1 to 65536");
        return;
      }
      m_layout.*part->count = *count;
    }
  }

  void option(std::string_view clause, int column) {
    const auto blank = clause.find_first_of(" \t:=");
    const std::string key = lower(clause.substr(0, blank));
    const std::string_view value =
        blank == std::string_view::npos ? std::string_view{} : trimmed(clause.substr(blank + 1));
    if (key == "distances" || key == "distance")
      distances(value, column);
    else if (key == "numbering")
      numbering(value, column);
    else if (key == "isolated")
      mask(value, column, isolated);
    else if (key == "offline")
      mask(value, column, offline);
    else
      unknownOption(key, column);
  }

  void unknownOption(const std::string& key, int column) {
    const auto near = nearestName(key, {"distances", "numbering", "isolated", "offline"});
    fail(column, fmt::format("there is no option \"{}\"", key),
         near.empty() ? "the options are distances, numbering, isolated and offline"
                      : fmt::format("did you mean {}?", near));
  }

  void distances(std::string_view value, int column) {
    std::vector<std::vector<int>> rows(1);
    std::size_t start = 0;
    for (std::size_t i = 0; i <= value.size(); ++i) {
      const bool isSeparator = i == value.size() || value[i] == '/' || value[i] == ' ' || value[i] == ';';
      if (!isSeparator) continue;
      const std::string_view word = trimmed(value.substr(start, i - start));
      start = i + 1;
      if (!word.empty()) {
        const auto d = number(word);
        if (!d || *d < 10 || *d > 255) {
          fail(column, fmt::format("distance \"{}\"", word), "distances run from 10 (local) to 255");
          return;
        }
        rows.back().push_back(*d);
      }
      if (i < value.size() && value[i] == ';') rows.emplace_back();
    }
    if (rows.size() == 1)
      m_layout.distances = rows.front();
    else
      m_layout.matrix = std::move(rows);
  }

  void numbering(std::string_view value, int column) {
    const std::string name = lower(value);
    if (name == "threads-last")
      m_layout.numbering = CpuNumbering::ThreadsLast;
    else if (name == "threads-adjacent")
      m_layout.numbering = CpuNumbering::ThreadsAdjacent;
    else
      fail(column, fmt::format("numbering \"{}\"", value), "threads-last or threads-adjacent");
  }

  void mask(std::string_view value, int column, CpuMask& out) {
    auto parsed = CpuMask::parseList(value);
    if (!parsed.ok())
      fail(column, parsed.error().message, parsed.error().hint);
    else
      out = std::move(parsed).value();
  }

  std::optional<Diagnostic> checkDistanceCount() const {
    const int nodes = m_layout.packages * m_layout.nodes;
    const auto bad = [&](std::size_t have, std::string hint) {
      return error(1,
                   fmt::format("{} distances for {} packages with {} nodes each", have, m_layout.packages,
                               m_layout.nodes),
                   std::move(hint));
    };
    if (m_layout.distances.size() > 3)
      return bad(m_layout.distances.size(), "local/inside the package/outside");
    for (const auto& row : m_layout.matrix)
      if (static_cast<int>(row.size()) != nodes || static_cast<int>(m_layout.matrix.size()) != nodes)
        return bad(row.size(), fmt::format("{} rows of {} numbers", nodes, nodes));
    return std::nullopt;
  }

  std::string cpuCountText() const {
    double product = 1;
    for (const int n : {m_layout.packages, m_layout.nodes, m_layout.llcs, std::max(1, m_layout.clusters),
                        m_layout.cores, m_layout.threads})
      product *= n;
    return fmt::format("{:.0f}", product);
  }

  Diagnostic error(int column, std::string message, std::string hint) const {
    return {Severity::Error, {m_file, 1, column}, std::move(message), std::move(hint)};
  }
  void fail(int column, std::string message, std::string hint) {
    if (!m_error) m_error = error(column, std::move(message), std::move(hint));
  }

  std::string_view m_text;
  const std::string& m_file;
  MachineLayout m_layout;
  std::optional<Diagnostic> m_error;
};

/// Distance tiers as numbers: inside a package, and between packages.
int tierDistance(const MachineLayout& layout, int a, int b) {
  const std::vector<int>& d = layout.distances;
  if (a == b) return d.empty() ? 10 : d.front();
  const bool isSamePackage = a / layout.nodes == b / layout.nodes;
  if (d.size() < 2) return isSamePackage && layout.packages > 1 ? 12 : 20;
  return isSamePackage || d.size() == 2 ? d[1] : d[2];
}

void addNodes(Hardware& hw, const MachineLayout& layout) {
  const int count = layout.packages * layout.nodes;
  for (int a = 0; a < count; ++a) {
    HardwareNode node;
    node.id = NodeId{a};
    for (int b = 0; b < count; ++b)
      node.distance.push_back(layout.matrix.empty()
                                  ? tierDistance(layout, a, b)
                                  : layout.matrix[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]);
    hw.nodes.push_back(std::move(node));
  }
}

std::string describe(const MachineLayout& layout) {
  const auto part = [](int n, std::string_view one) {
    return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
  };
  std::string text = part(layout.packages, "package");
  if (layout.nodes > 1) text += " x " + part(layout.nodes, "node");
  if (layout.llcs > 1) text += fmt::format(" x {} LLC", layout.llcs);
  if (layout.clusters > 0) text += " x " + part(layout.clusters, "cluster");
  text += " x " + part(layout.cores, "core");
  if (layout.threads > 1) text += " x " + part(layout.threads, "thread");
  return text;
}

}  // namespace

int MachineLayout::cpuCount() const {
  std::int64_t count = 1;
  for (const int n : {packages, nodes, llcs, std::max(1, clusters), cores, threads}) {
    count *= n;
    if (count > kMaxCpus) return kMaxCpus + 1;
  }
  return static_cast<int>(count);
}

Hardware hardwareFromLayout(const MachineLayout& layout) {
  Hardware hw;
  hw.name = hw.description = describe(layout);
  addNodes(hw, layout);
  const int clusters = std::max(1, layout.clusters);
  const int coresPerLlc = clusters * layout.cores;
  const int coresPerNode = layout.llcs * coresPerLlc;
  const int coresPerPackage = layout.nodes * coresPerNode;
  const int coreCount = layout.packages * coresPerPackage;
  std::vector<CpuPlace> places;
  for (int core = 0; core < coreCount; ++core)
    for (int thread = 0; thread < layout.threads; ++thread) {
      CpuPlace place;
      HardwareCpu& cpu = place.cpu;
      cpu.id = CpuId{layout.numbering == CpuNumbering::ThreadsLast ? thread * coreCount + core
                                                                   : core * layout.threads + thread};
      cpu.package = core / coresPerPackage;
      cpu.core = core % coresPerPackage;
      cpu.die = cpu.core * layout.dies / coresPerPackage;
      cpu.node = NodeId{core / coresPerNode};
      const int l2 = layout.clusters > 0 ? core / layout.cores : core;
      cpu.cluster = l2;
      place.caches = {{1, "Data", core, layout.l1Bytes},
                      {1, "Instruction", core, layout.l1Bytes},
                      {2, "Unified", l2, layout.l2Bytes}};
      if (layout.hasL3) place.caches.push_back({3, "Unified", core / coresPerLlc, layout.l3Bytes});
      places.push_back(std::move(place));
    }
  placeCpus(hw, std::move(places));
  return hw;
}

Result<MachineLayout> parseLayout(std::string_view text, const std::string& file) {
  return LayoutParser(text, file).layout();
}

Result<Hardware> parseCompactMachine(std::string_view text, const std::string& file) {
  LayoutParser parser(text, file);
  auto layout = parser.layout();
  if (!layout.ok()) return layout.diagnostics();
  Hardware hw = hardwareFromLayout(layout.value());
  hw.source = "compact notation";
  hw.isolated = parser.isolated;
  for (HardwareCpu& cpu : hw.cpus) cpu.online = !parser.offline.test(cpu.id);
  if (layout.value().distances.empty() && layout.value().matrix.empty() && hw.nodes.size() > 1)
    hw.notes.push_back("no distances given: 10 local, 12 inside a package of several, 20 otherwise");
  if (auto faults = checkHardware(hw); !faults.empty()) return faults;
  return hw;
}

bool looksLikeCompactMachine(std::string_view text) {
  const std::string_view head = trimmed(text.substr(0, 80));
  const auto blank = head.find_first_of(" \t");
  if (blank == std::string_view::npos || !number(head.substr(0, blank))) return false;
  std::string_view rest = trimmed(head.substr(blank));
  return findPart(rest.substr(0, rest.find_first_of(" \t,\n"))) != nullptr;
}

}  // namespace rqscope
