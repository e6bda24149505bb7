// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
    slot(w) |= std::uint64_t{1} << (cpu.value % 64);
  }
  [[gnu::always_inline]] void clear(CpuId cpu) {
    const auto w = cpu.index() / 64;
    if (cpu.isValid() && w < words()) slot(w) &= ~(std::uint64_t{1} << (cpu.value % 64));
  }
  void clearAll() {
    m_inline = {};
    if (!m_more.empty()) m_more.clear();
    m_used = 0;
  }
  [[gnu::always_inline]] bool test(CpuId cpu) const {
    return ((word(static_cast<std::size_t>(cpu.value) / 64) >> (cpu.value % 64)) & 1U) != 0;
  }
  [[gnu::always_inline]] bool isEmpty() const {
    for (std::size_t w = 0; w < words(); ++w)
      if (word(w) != 0) return false;
    return true;
  }
  int weight() const;
  [[gnu::always_inline]] CpuId first() const { return next(CpuId{-1}); }
  /// First member after `cpu`, or none.
  [[gnu::always_inline]] CpuId next(CpuId cpu) const {
    const auto start = static_cast<std::size_t>(cpu.value + 1);
    std::size_t w = start / 64;
    if (w >= words()) return CpuId{};
    std::uint64_t bits = word(w) & (~std::uint64_t{0} << (start % 64));
    while (bits == 0) {
      if (++w >= words()) return CpuId{};
      bits = word(w);
    }
    return CpuId{w * 64 + static_cast<std::size_t>(std::countr_zero(bits))};
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
    for (std::size_t w = 0; w < words(); ++w)
      for (std::uint64_t bits = word(w); bits != 0; bits &= bits - 1)
        f(CpuId{static_cast<std::int32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)))});
  }

 private:
  static constexpr std::size_t kInlineWords = 4;  // 256 CPUs without an allocation
  std::size_t words() const { return m_used; }
  std::uint64_t word(std::size_t w) const {
    if (w < kInlineWords) return m_inline[w];
    return w - kInlineWords < m_more.size() ? m_more[w - kInlineWords] : 0;
  }
  std::uint64_t& slot(std::size_t w) { return w < kInlineWords ? m_inline[w] : m_more[w - kInlineWords]; }
  void growTo(std::size_t count);

  std::size_t m_used = 0;  ///< words before this one may hold bits, later ones are 0
  std::array<std::uint64_t, kInlineWords> m_inline{};
  std::vector<std::uint64_t> m_more;
};

}  // namespace rqscope
