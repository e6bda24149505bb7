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

void TimeHeap::siftDown(std::size_t place, Entry entry) {
  for (;;) {
    const std::size_t first = place * kArity + 1;
    if (first >= m_heap.size()) break;
    const std::size_t end = std::min(first + kArity, m_heap.size());
    std::size_t best = first;
    for (std::size_t child = first + 1; child < end; ++child)
      if (isBefore(m_heap[child], m_heap[best])) best = child;
    if (!isBefore(m_heap[best], entry)) break;
    put(place, m_heap[best]);
    place = best;
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
