// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "topology/topology_record.h"

namespace rqscope {
namespace {

using nlohmann::json;

constexpr const char* kCpuFields[] = {"online",      "llc_id",           "llc_size",
                                      "sd_llc",      "sd_numa",          "sd_asym_packing",
                                      "sd_share_id", "root_domain_span", "root_domain_online"};
constexpr const char* kGroupFields[] = {"span",  "balance_mask", "weight",
                                        "cores", "flags_hex",    "asym_prefer_cpu",
                                        "sgc",   "sgc_id",       "capacity_nominal"};
constexpr const char* kDomainFields[] = {
    "name",        "level",         "span",        "span_weight",     "flags",           "flags_hex",
    "groups",      "imbalance_pct", "busy_factor", "min_interval_ms", "max_interval_ms", "cache_nice_tries",
    "imb_numa_nr", "shared",        "groups_flags"};
constexpr const char* kNumaFields[] = {"topology_type", "level_distances", "max_distance"};

/// Key of a list entry: one or two numbers.
using EntryKey = std::pair<std::int64_t, std::int64_t>;

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

class RecordComparison {
 public:
  void fields(const std::string& where, std::span<const char* const> names, const json& expected,
              const json& actual) {
    for (const char* name : names) {
      const auto want = expected.find(name);
      if (want == expected.end()) continue;
      ++compared;
      const auto have = actual.find(name);
      if (have == actual.end())
        add(where + "." + name, dumped(*want), "missing");
      else if (*want != *have)
        add(where + "." + name, dumped(*want), dumped(*have));
    }
  }

  /// Compares two lists entry by entry; `keys` name an entry, `label` says it in words.
  void list(const char* name, std::span<const char* const> keys, std::span<const char* const> names,
            const json& expected, const json& actual) {
    if (!expected.contains(name)) return;  // captured on a machine where the kernel does not show it
    const auto wanted = byKey(expected, name, keys);
    const auto found = byKey(actual, name, keys);
    if (expected.contains(name) && expected[name].size() != wanted.size())
      add(fmt::format("{}: number of different entries", name), fmt::format("{}", expected[name].size()),
          fmt::format("{}", wanted.size()));
    for (const auto& [key, entry] : wanted) {
      const auto it = found.find(key);
      if (it == found.end())
        add(label(name, keys, key), "present", "missing");
      else
        fields(label(name, keys, key), names, *entry, *it->second);
    }
    for (const auto& [key, entry] : found)
      if (!wanted.contains(key)) add(label(name, keys, key), "missing", "present");
  }

  std::vector<FieldDifference> differences;
  int compared = 0;

 private:
  static std::map<EntryKey, const json*> byKey(const json& record, const char* name,
                                               std::span<const char* const> keys) {
    std::map<EntryKey, const json*> out;
    const auto list = record.find(name);
    if (list == record.end() || !list->is_array()) return out;
    for (const json& entry : *list) {
      EntryKey key{number(entry, keys[0]), keys.size() > 1 ? number(entry, keys[1]) : 0};
      out.emplace(key, &entry);
    }
    return out;
  }

  static std::int64_t number(const json& entry, const char* key) {
    const auto it = entry.find(key);
    return it != entry.end() && it->is_number_integer() ? it->get<std::int64_t>() : -1;
  }

  static std::string label(const char* name, std::span<const char* const> keys, const EntryKey& key) {
    return keys.size() > 1 ? fmt::format("{}[{} {}, {} {}]", name, keys[0], key.first, keys[1], key.second)
                           : fmt::format("{}[{}]", name, key.first);
  }

  void add(std::string field, std::string expected, std::string actual) {
    differences.push_back({std::move(field), std::move(expected), std::move(actual)});
  }
};

}  // namespace

std::vector<FieldDifference> compareTopologyRecords(const json& expected, const json& actual,
                                                    int* comparedFields) {
  static constexpr const char* kById[] = {"id"};
  static constexpr const char* kByCpuAndIndex[] = {"cpu", "index"};
  RecordComparison comparison;
  comparison.list("cpus", kById, kCpuFields, expected, actual);
  comparison.fields("numa", kNumaFields, expected.value("numa", json::object()),
                    actual.value("numa", json::object()));
  comparison.list("groups", kById, kGroupFields, expected, actual);
  comparison.list("domains", kByCpuAndIndex, kDomainFields, expected, actual);
  if (comparedFields != nullptr) *comparedFields = comparison.compared;
  return std::move(comparison.differences);
}

}  // namespace rqscope
