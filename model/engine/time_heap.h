// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"

namespace rqscope {

/// Earliest-first queue of at most one time per dense index (a CPU, a task slot); ties by `tie`, smaller
/// first. set() and clear() are O(log n) and do not allocate once reserve() covers the indexes. A value.
/// Invariant: m_heap is a 4-ary heap by (time, tie); m_place[i] is the position of index i in it, or kAbsent.
class TimeHeap {
 public:
  struct Entry {
    std::uint64_t timeNs = 0;
    std::uint64_t tie = 0;
    std::uint32_t index = 0;
  };

  void reserve(std::size_t indexes) {
    if (indexes > m_place.size()) m_place.resize(indexes, kAbsent);
    m_heap.reserve(m_place.size());
  }
  bool isEmpty() const { return m_heap.empty(); }
  const Entry& top() const { return m_heap.front(); }
  bool contains(std::size_t index) const { return index < m_place.size() && m_place[index] != kAbsent; }
  std::uint64_t timeOf(std::size_t index) const { return m_heap[m_place[index]].timeNs; }

  /// Inserts the index or moves it to another time.
  void set(std::size_t index, std::uint64_t timeNs, std::uint64_t tie);
  void clear(std::size_t index);
  std::size_t bytes() const {
    return m_heap.capacity() * sizeof(Entry) + m_place.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;
  static constexpr std::size_t kArity = 4;
  /// Time and tie as one number: comparing needs no branch, and which of two comes first cannot be predicted.
  __extension__ using Key = unsigned __int128;
  static Key keyOf(const Entry& e) { return static_cast<Key>(e.timeNs) << 64 | e.tie; }
  static bool isBefore(const Entry& a, const Entry& b) { return keyOf(a) < keyOf(b); }
  std::size_t earliest(std::size_t first, std::size_t end) const;
  void put(std::size_t place, const Entry& entry) {
    m_heap[place] = entry;
    m_place[entry.index] = static_cast<std::uint32_t>(place);
  }
  void siftUp(std::size_t place, Entry entry);
  void siftDown(std::size_t place, Entry entry);

  std::vector<Entry> m_heap;
  std::vector<std::uint32_t> m_place;
};

}  // namespace rqscope
