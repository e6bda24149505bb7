// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/time_heap.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace rqscope {

void TimeHeap::reserve(std::size_t indexes) {
  if (indexes > m_place.size()) m_place.resize(indexes, kAbsent);
  m_heap.reserve(m_place.capacity());
}

std::uint64_t TimeHeap::timeOf(std::size_t index) const {
  const std::uint32_t place = m_place[index];
  if (place == kAtFront) return m_front.timeNs;
  return place == kWaits ? m_waiting[index].timeNs : m_heap[place].timeNs;
}

std::size_t TimeHeap::bytes() const {
  return m_heap.capacity() * sizeof(Entry) +
         (m_place.capacity() + m_lists.capacity()) * sizeof(std::uint32_t) +
         m_waiting.capacity() * sizeof(Waiting);
}

void TimeHeap::siftUp(std::size_t place, Entry entry) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / kArity;
    if (!isBefore(entry, m_heap[parent])) break;
    put(place, m_heap[parent]);
    place = parent;
  }
  put(place, entry);
}

/// Of the children first..end-1, at most four.
inline std::size_t TimeHeap::earliest(std::size_t first, std::size_t end) const {
  const Entry* const e = m_heap.data();
  if (end - first == kArity) {  // two independent comparisons, then one
    const std::size_t a = isBefore(e[first + 1], e[first]) ? first + 1 : first;
    const std::size_t b = isBefore(e[first + 3], e[first + 2]) ? first + 3 : first + 2;
    return isBefore(e[b], e[a]) ? b : a;
  }
  std::size_t best = first;
  for (std::size_t child = first + 1; child < end; ++child)
    if (isBefore(e[child], e[best])) best = child;
  return best;
}

/// The earliest children move up all the way, then `entry` climbs from the bottom: it was a late one mostly.
void TimeHeap::siftDown(std::size_t place, Entry entry) {
  const std::size_t top = place;
  const std::size_t size = m_heap.size();
  for (std::size_t first = place * kArity + 1; first < size; first = place * kArity + 1) {
    const std::size_t best = earliest(first, std::min(first + kArity, size));
    put(place, m_heap[best]);
    place = best;
  }
  while (place > top) {
    const std::size_t parent = (place - 1) / kArity;
    if (!isBefore(entry, m_heap[parent])) break;
    put(place, m_heap[parent]);
    place = parent;
  }
  put(place, entry);
}

void TimeHeap::set(std::size_t index, std::uint64_t timeNs, std::uint64_t tie) {
  if (index >= m_place.size()) reserve(index + 1);
  const Entry entry{timeNs, tie, static_cast<std::uint32_t>(index)};
  const std::uint32_t place = m_place[index];
  if (place < kWaits && slotOf(timeNs) <= m_nearSlot && !(hasFront() && isBefore(entry, m_front))) {
    if (isBefore(entry, m_heap[place]))
      siftUp(place, entry);
    else
      siftDown(place, entry);
  } else {
    if (place != kAbsent) clear(index);
    insert(entry);
  }
  noteEarliest();
}

/// A new entry: at the front when it comes first of all, whom it drives away goes to the heap.
void TimeHeap::insert(Entry entry) {
  if (isEmpty() || isBefore(entry, top())) {
    m_place[entry.index] = kAtFront;
    if (!hasFront()) {
      m_front = entry;
      return;
    }
    std::swap(entry, m_front);
  }
  if (m_heap.empty()) m_nearSlot = slotOf(entry.timeNs);
  if (slotOf(entry.timeNs) <= m_nearSlot)
    push(entry);
  else
    wait(entry);
}

void TimeHeap::push(const Entry& entry) {
  m_heap.push_back(entry);
  siftUp(m_heap.size() - 1, entry);
}

/// Not at the front. The index has no place any more.
void TimeHeap::take(std::size_t index, std::uint32_t place) {
  if (place == kWaits) return unlink(static_cast<std::uint32_t>(index));
  takeFromHeap(place);
  if (m_heap.empty()) refill();
}

void TimeHeap::takeFromHeap(std::size_t place) {
  const Entry last = m_heap.back();
  m_heap.pop_back();
  if (place == m_heap.size()) return;
  if (place > 0 && isBefore(last, m_heap[(place - 1) / kArity]))
    siftUp(place, last);
  else
    siftDown(place, last);
}

void TimeHeap::wait(const Entry& entry) {
  if (m_lists.empty()) m_lists.assign(kSlots + 1, kNone);
  if (m_waiting.size() < m_place.size()) m_waiting.resize(m_place.size());
  m_place[entry.index] = kWaits;
  m_waiting[entry.index] = {entry.timeNs, entry.tie, kNone, kNone, 0};
  link(entry.index);
}

/// Puts one that waits into the list that is its now.
void TimeHeap::link(std::uint32_t index) {
  Waiting& w = m_waiting[index];
  const std::uint64_t slot = slotOf(w.timeNs);
  const bool isFar = slot - m_nearSlot > kSlots;
  w.list = static_cast<std::uint32_t>(isFar ? kFar : slot % kSlots);
  if (isFar)
    m_farFirst = std::min(m_farFirst, slot);
  else
    m_filled[w.list / 64] |= std::uint64_t{1} << (w.list % 64);
  std::uint32_t& head = m_lists[w.list];
  w.before = kNone;
  w.after = head;
  if (head != kNone) m_waiting[head].before = index;
  head = index;
}

void TimeHeap::unlink(std::uint32_t index) {
  const Waiting& w = m_waiting[index];
  if (w.after != kNone) m_waiting[w.after].before = w.before;
  if (w.before != kNone) {
    m_waiting[w.before].after = w.after;
    return;
  }
  m_lists[w.list] = w.after;
  if (w.after == kNone && w.list != kFar) m_filled[w.list / 64] &= ~(std::uint64_t{1} << (w.list % 64));
}

/// The slot after m_nearSlot whose list is the first that is not empty; none: UINT64_MAX.
std::uint64_t TimeHeap::nextSlot() const {
  const std::uint64_t from = m_nearSlot + 1;
  const std::size_t start = from % kSlots;
  constexpr std::size_t kWords = kSlots / 64;
  for (std::size_t step = 0; step <= kWords; ++step) {  // the first word again for what lies before `start`
    const std::size_t word = (start / 64 + step) % kWords;
    std::uint64_t bits = m_filled[word];
    if (step == 0) bits &= ~std::uint64_t{0} << (start % 64);
    if (bits == 0) continue;
    const std::size_t list = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return from + (list + kSlots - start) % kSlots;
  }
  return UINT64_MAX;
}

/// The heap is empty: the next slot that has times becomes the near one.
void TimeHeap::refill() {
  if (m_lists.empty()) return;
  for (;;) {
    const std::uint64_t slot = nextSlot();
    if (slot == UINT64_MAX && m_farFirst == UINT64_MAX) return;
    if (m_farFirst <= slot) {
      if (slot == UINT64_MAX) m_nearSlot = m_farFirst - 1;
      moveNearer();
      continue;
    }
    m_nearSlot = slot;
    const std::size_t list = slot % kSlots;
    std::uint32_t index = m_lists[list];
    m_lists[list] = kNone;
    m_filled[list / 64] &= ~(std::uint64_t{1} << (list % 64));
    for (; index != kNone; index = m_waiting[index].after)
      push({m_waiting[index].timeNs, m_waiting[index].tie, index});
    return;
  }
}

/// Times of the list kFar that are far no longer go to the lists of their slots.
void TimeHeap::moveNearer() {
  std::uint32_t index = m_lists[kFar];
  m_lists[kFar] = kNone;
  m_farFirst = UINT64_MAX;
  while (index != kNone) {
    const std::uint32_t next = m_waiting[index].after;
    link(index);
    index = next;
  }
}

}  // namespace rqscope
