// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/time_heap.h"

#include <algorithm>

namespace rqscope {

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
  if (place == kAbsent) {
    m_heap.push_back(entry);
    siftUp(m_heap.size() - 1, entry);
  } else if (isBefore(entry, m_heap[place])) {
    siftUp(place, entry);
  } else {
    siftDown(place, entry);
  }
}

void TimeHeap::clear(std::size_t index) {
  if (!contains(index)) return;
  const std::size_t place = m_place[index];
  m_place[index] = kAbsent;
  const Entry last = m_heap.back();
  m_heap.pop_back();
  if (place == m_heap.size()) return;
  if (place > 0 && isBefore(last, m_heap[(place - 1) / kArity]))
    siftUp(place, last);
  else
    siftDown(place, last);
}

}  // namespace rqscope
