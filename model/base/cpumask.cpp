// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cpumask.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace rqscope {
namespace {

constexpr int kMaxCpuNumber = 65535;

}  // namespace

void CpuMask::growTo(std::size_t count) {
  if (count <= m_used) return;
  if (count > kInlineWords) {
    if (m_used <= kInlineWords) {
      m_more.assign(m_inline.begin(), m_inline.end());
      m_inline = {};
    }
    m_more.resize(count, 0);
  }
  m_used = count;
}

CpuMask CpuMask::firstN(int count) {
  CpuMask m;
  for (int i = 0; i < count; ++i) m.set(CpuId{i});
  return m;
}

Result<CpuMask> CpuMask::parseList(std::string_view text) {
  CpuMask mask;
  const auto bad = [&](std::string why) {
    return Result<CpuMask>(Diagnostic{
        Severity::Error, {}, fmt::format("CPU list \"{}\": {}", text, why), "a list looks like 0-3,6"});
  };
  const auto isBlank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  std::string_view rest = text;
  while (!rest.empty() && isBlank(rest.back())) rest.remove_suffix(1);
  while (!rest.empty() && isBlank(rest.front())) rest.remove_prefix(1);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    int lo = 0;
    auto [p, ec] = std::from_chars(part.data(), part.data() + part.size(), lo);
    if (ec != std::errc{} || lo < 0) return bad("a number is expected");
    int hi = lo;
    if (p != part.data() + part.size()) {
      if (*p != '-') return bad("only digits, '-' and ',' are allowed");
      auto [q, ec2] = std::from_chars(p + 1, part.data() + part.size(), hi);
      if (ec2 != std::errc{} || q != part.data() + part.size()) return bad("a number is expected after '-'");
    }
    if (hi < lo) return bad("a range runs from low to high");
    if (hi > kMaxCpuNumber) return bad(fmt::format("CPU numbers end at {}", kMaxCpuNumber));
    for (int c = lo; c <= hi; ++c) mask.set(CpuId{c});
  }
  return mask;
}

int CpuMask::weight() const {
  int n = 0;
  for (std::size_t w = 0; w < words(); ++w) n += std::popcount(word(w));
  return n;
}

CpuId CpuMask::firstFromWrapping(CpuId start) const {
  const CpuId found = next(CpuId{start.value - 1});
  return found.isValid() ? found : first();
}

CpuMask& CpuMask::operator&=(const CpuMask& o) {
  std::uint64_t* const d = data();
  for (std::size_t w = 0; w < words(); ++w) d[w] &= o.word(w);
  return *this;
}

CpuMask& CpuMask::operator|=(const CpuMask& o) {
  growTo(o.words());
  std::uint64_t* const d = data();
  const std::uint64_t* const other = o.data();
  for (std::size_t w = 0; w < o.words(); ++w) d[w] |= other[w];
  return *this;
}

CpuMask& CpuMask::operator-=(const CpuMask& o) {
  std::uint64_t* const d = data();
  for (std::size_t w = 0; w < words(); ++w) d[w] &= ~o.word(w);
  return *this;
}

bool CpuMask::operator==(const CpuMask& o) const {
  const std::size_t both = std::min(words(), o.words());
  const std::uint64_t* const a = data();
  const std::uint64_t* const b = o.data();
  for (std::size_t w = 0; w < both; ++w)
    if (a[w] != b[w]) return false;
  const auto isZero = [](std::uint64_t word) { return word == 0; };
  return std::all_of(a + both, a + words(), isZero) && std::all_of(b + both, b + o.words(), isZero);
}

bool CpuMask::intersects(const CpuMask& o) const {
  for (std::size_t w = 0; w < words(); ++w)
    if ((word(w) & o.word(w)) != 0) return true;
  return false;
}

bool CpuMask::isSubsetOf(const CpuMask& o) const {
  for (std::size_t w = 0; w < words(); ++w)
    if ((word(w) & ~o.word(w)) != 0) return false;
  return true;
}

std::string CpuMask::list() const {
  std::string out;
  for (CpuId c = first(); c.isValid(); c = next(c)) {
    CpuId last = c;
    while (test(CpuId{last.value + 1})) last = CpuId{last.value + 1};
    if (!out.empty()) out += ',';
    out += last == c ? fmt::format("{}", c.value) : fmt::format("{}-{}", c.value, last.value);
    c = last;
  }
  return out;
}

}  // namespace rqscope
