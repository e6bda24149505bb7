// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"

namespace rqscope {

/// Earliest-first queue of at most one time per dense index (a CPU, a task slot); ties by `tie`, smaller
/// first. A value. Most times lie some slots (a quarter of a millisecond each) ahead: they wait in unordered
/// lists by slot, and only the times of the slot that is due are kept in order, so that a short heap is
/// enough. set() and clear() do not allocate once reserve() covers the indexes and one time has waited.
/// Invariants: m_front, if it is there, comes before all others. m_heap is a 4-ary heap by (time, tie) with
/// all other times up to slot m_nearSlot; it is empty only when nothing waits. Of the later ones those at
/// most kSlots ahead stand in the list of their slot, the rest in the list kFar. m_place[i] says where index
/// i is.
class TimeHeap {
 public:
  struct Entry {
    std::uint64_t timeNs = 0;
    std::uint64_t tie = 0;
    std::uint32_t index = 0;
  };

  void reserve(std::size_t indexes);
  bool isEmpty() const { return !hasFront() && m_heap.empty(); }
  const Entry& top() const { return hasFront() ? m_front : m_heap.front(); }
  /// Of top(), UINT64_MAX when there is none.
  std::uint64_t earliestNs() const { return m_earliestNs; }
  bool contains(std::size_t index) const { return index < m_place.size() && m_place[index] != kAbsent; }
  std::uint64_t timeOf(std::size_t index) const;

  /// Inserts the index or moves it to another time.
  void set(std::size_t index, std::uint64_t timeNs, std::uint64_t tie);
  [[gnu::always_inline]] void clear(std::size_t index) {
    if (index >= m_place.size()) return;
    const std::uint32_t place = m_place[index];
    if (place == kAbsent) return;
    m_place[index] = kAbsent;
    if (place == kAtFront)
      m_front.index = kNone;
    else
      take(index, place);
    noteEarliest();
  }
  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;  ///< no index
  // Places that are no position in the heap.
  static constexpr std::uint32_t kAbsent = UINT32_MAX, kAtFront = UINT32_MAX - 1, kWaits = UINT32_MAX - 2;
  static constexpr std::size_t kArity = 4;
  static constexpr unsigned kSlotShift = 18;
  static constexpr std::size_t kSlots = 256, kFar = kSlots;
  /// Time and tie as one number: comparing needs no branch, and which of two comes first cannot be predicted.
  __extension__ using Key = unsigned __int128;

  /// One that is not in the heap yet, in a list by its slot.
  struct Waiting {
    std::uint64_t timeNs = 0;
    std::uint64_t tie = 0;
    std::uint32_t before = kNone, after = kNone;
    std::uint32_t list = 0;
  };

  static Key keyOf(const Entry& e) { return static_cast<Key>(e.timeNs) << 64 | e.tie; }
  static bool isBefore(const Entry& a, const Entry& b) { return keyOf(a) < keyOf(b); }
  static std::uint64_t slotOf(std::uint64_t timeNs) { return timeNs >> kSlotShift; }
  bool hasFront() const { return m_front.index != kNone; }
  std::size_t earliest(std::size_t first, std::size_t end) const;
  void put(std::size_t place, const Entry& entry) {
    m_heap[place] = entry;
    m_place[entry.index] = static_cast<std::uint32_t>(place);
  }
  void siftUp(std::size_t place, Entry entry);
  void siftDown(std::size_t place, Entry entry);
  void insert(Entry entry);
  void noteEarliest() { m_earliestNs = isEmpty() ? UINT64_MAX : top().timeNs; }
  void push(const Entry& entry);
  void take(std::size_t index, std::uint32_t place);
  void takeFromHeap(std::size_t place);

  // Those that wait.
  void wait(const Entry& entry);
  void link(std::uint32_t index);
  void unlink(std::uint32_t index);
  void refill();
  std::uint64_t nextSlot() const;
  void moveNearer();

  std::uint64_t m_earliestNs = UINT64_MAX;
  Entry m_front{0, 0, kNone};
  std::vector<Entry> m_heap;
  std::vector<std::uint32_t> m_place;
  std::uint64_t m_nearSlot = 0;
  std::uint64_t m_farFirst = UINT64_MAX;              ///< no slot of the list kFar is earlier
  std::array<std::uint64_t, kSlots / 64> m_filled{};  ///< slots whose list is not empty
  std::vector<std::uint32_t> m_lists;                 ///< first index of each; empty until one waits
  std::vector<Waiting> m_waiting;                     ///< by index; as m_lists
};

}  // namespace rqscope
