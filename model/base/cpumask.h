// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/result.h"

namespace rqscope {

/// A set of CPUs of any size. Grows when a bit is set; bits beyond the end are 0. Masks compare by content.
/// Every event of a run walks over some: the steps are always compiled in place.
class CpuMask {
 public:
  CpuMask() = default;
  CpuMask(const CpuMask&) = default;
  CpuMask(CpuMask&& o) noexcept
      : m_used(std::exchange(o.m_used, 0)),
        m_inline(std::exchange(o.m_inline, {})),
        m_more(std::move(o.m_more)) {}
  CpuMask& operator=(const CpuMask&) = default;
  CpuMask& operator=(CpuMask&& o) noexcept {
    m_used = std::exchange(o.m_used, 0);
    m_inline = std::exchange(o.m_inline, {});
    m_more = std::move(o.m_more);
    return *this;
  }
  ~CpuMask() = default;
  static CpuMask of(CpuId cpu) {
    CpuMask m;
    m.set(cpu);
    return m;
  }
  static CpuMask firstN(int count);
  /// Kernel list format: "0-3,6"; empty text is the empty set. Ids above 65535 are refused.
  static Result<CpuMask> parseList(std::string_view text);

  [[gnu::always_inline]] void set(CpuId cpu) {
    RQS_CHECK(cpu.isValid(), "setting a CPU that is none");
    const auto w = cpu.index() / 64;
    if (w >= m_used) [[unlikely]]
      growTo(w + 1);
    data()[w] |= std::uint64_t{1} << (cpu.value % 64);
  }
  [[gnu::always_inline]] void clear(CpuId cpu) {
    const auto w = static_cast<std::size_t>(cpu.value) / 64;
    if (w < m_used) data()[w] &= ~(std::uint64_t{1} << (cpu.value % 64));
  }
  /// Keeps its room: what is set again soon needs none anew.
  [[gnu::always_inline]] void clearAll() {
    m_inline = {};
    if (m_used > kInlineWords) [[unlikely]]
      std::fill(m_more.begin(), m_more.end(), 0);
  }
  [[gnu::always_inline]] bool test(CpuId cpu) const {
    return ((word(static_cast<std::size_t>(cpu.value) / 64) >> (cpu.value % 64)) & 1U) != 0;
  }
  [[gnu::always_inline]] bool isEmpty() const {
    if (m_used > kInlineWords) [[unlikely]]
      return !first().isValid();
    return (m_inline[0] | m_inline[1] | m_inline[2] | m_inline[3]) == 0;
  }
  int weight() const;
  [[gnu::always_inline]] CpuId first() const {
    const std::uint64_t* const d = data();
    for (std::size_t w = 0; w < m_used; ++w)
      if (d[w] != 0) return member(w, d[w]);
    return CpuId{};
  }
  /// First member after `cpu`, or none.
  [[gnu::always_inline]] CpuId next(CpuId cpu) const {
    const auto start = static_cast<std::size_t>(cpu.value + 1);
    std::size_t w = start / 64;
    if (w >= m_used) return CpuId{};
    const std::uint64_t* const d = data();
    std::uint64_t bits = d[w] & (~std::uint64_t{0} << (start % 64));
    while (bits == 0) {
      if (++w >= m_used) return CpuId{};
      bits = d[w];
    }
    return member(w, bits);
  }
  /// First member at or after `start`, wrapping to the lowest; none if empty.
  CpuId firstFromWrapping(CpuId start) const;

  CpuMask& operator&=(const CpuMask& o);
  CpuMask& operator|=(const CpuMask& o);
  CpuMask& operator-=(const CpuMask& o);  ///< and-not
  friend CpuMask operator&(CpuMask a, const CpuMask& b) { return a &= b; }
  friend CpuMask operator|(CpuMask a, const CpuMask& b) { return a |= b; }
  friend CpuMask operator-(CpuMask a, const CpuMask& b) { return a -= b; }
  bool operator==(const CpuMask& o) const;
  bool intersects(const CpuMask& o) const;
  bool isSubsetOf(const CpuMask& o) const;
  std::string list() const;  ///< "0-3,6"

  /// Calls f(CpuId) in ascending order.
  template <class F>
  void forEach(F&& f) const {
    const std::uint64_t* const d = data();
    for (std::size_t w = 0; w < m_used; ++w)
      for (std::uint64_t bits = d[w]; bits != 0; bits &= bits - 1) f(member(w, bits));
  }

 private:
  static constexpr std::size_t kInlineWords = 4;  // 256 CPUs without an allocation
  std::size_t words() const { return m_used; }
  const std::uint64_t* data() const { return m_used <= kInlineWords ? m_inline.data() : m_more.data(); }
  std::uint64_t* data() { return m_used <= kInlineWords ? m_inline.data() : m_more.data(); }
  std::uint64_t word(std::size_t w) const { return w < m_used ? data()[w] : 0; }
  static CpuId member(std::size_t w, std::uint64_t bits) {
    return CpuId{static_cast<std::int32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)))};
  }
  void growTo(std::size_t count);

  std::size_t m_used = 0;                              ///< words in use: these hold bits, all others are 0
  std::array<std::uint64_t, kInlineWords> m_inline{};  ///< the words while they fit
  std::vector<std::uint64_t> m_more;                   ///< all words when they do not
};

}  // namespace rqscope
