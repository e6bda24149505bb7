// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/result.h"

namespace rqscope {

/// A set of CPUs of any size. Grows when a bit is set; bits beyond the end are 0. Masks compare by content.
class CpuMask {
 public:
  CpuMask() = default;
  static CpuMask of(CpuId cpu) {
    CpuMask m;
    m.set(cpu);
    return m;
  }
  static CpuMask firstN(int count);
  /// Kernel list format: "0-3,6"; empty text is the empty set. Ids above 65535 are refused.
  static Result<CpuMask> parseList(std::string_view text);

  void set(CpuId cpu) {
    RQS_CHECK(cpu.isValid(), "setting a CPU that is none");
    const auto w = cpu.index() / 64;
    if (w >= kInlineWords) growTo(w + 1);
    slot(w) |= std::uint64_t{1} << (cpu.value % 64);
  }
  void clear(CpuId cpu) {
    const auto w = cpu.index() / 64;
    if (cpu.isValid() && w < words()) slot(w) &= ~(std::uint64_t{1} << (cpu.value % 64));
  }
  void clearAll() {
    m_inline = {};
    m_more.clear();
  }
  bool test(CpuId cpu) const {
    return ((word(static_cast<std::size_t>(cpu.value) / 64) >> (cpu.value % 64)) & 1U) != 0;
  }
  bool isEmpty() const {
    std::uint64_t any = 0;
    for (const std::uint64_t bits : m_inline) any |= bits;
    if (!m_more.empty())
      for (const std::uint64_t bits : m_more) any |= bits;
    return any == 0;
  }
  int weight() const;
  CpuId first() const { return next(CpuId{-1}); }
  /// First member after `cpu`, or none.
  CpuId next(CpuId cpu) const {
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
  std::size_t words() const { return kInlineWords + m_more.size(); }
  std::uint64_t word(std::size_t w) const {
    if (w < kInlineWords) return m_inline[w];
    return w - kInlineWords < m_more.size() ? m_more[w - kInlineWords] : 0;
  }
  std::uint64_t& slot(std::size_t w) { return w < kInlineWords ? m_inline[w] : m_more[w - kInlineWords]; }
  void growTo(std::size_t count) {
    if (count > words()) m_more.resize(count - kInlineWords, 0);
  }

  std::array<std::uint64_t, kInlineWords> m_inline{};
  std::vector<std::uint64_t> m_more;
};

}  // namespace rqscope
