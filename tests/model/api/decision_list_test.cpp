// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "rqscope/decision_list.h"

#include <gtest/gtest.h>

#include <limits>

namespace rqscope::api {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

std::unique_ptr<Simulation> junoTo(std::int64_t timeNs) {
  Opened opened = Simulation::open("juno", {});
  EXPECT_NE(opened.simulation, nullptr);
  if (opened.simulation) opened.simulation->seekTime(timeNs);
  return std::move(opened.simulation);
}

std::vector<std::uint64_t> numbersOf(const std::vector<Simulation::DecisionSummary>& rows) {
  std::vector<std::uint64_t> numbers;
  for (const auto& row : rows) numbers.push_back(row.index);
  return numbers;
}

TEST(DecisionList, ListsAllWhenThereAreFew) {
  const auto simulation = junoTo(100'000'000);
  const DecisionList list = decisionsAround(*simulation, {}, 100'000);
  EXPECT_EQ(numbersOf(list.rows), numbersOf(simulation->decisions(0, kEnd, kAll)));
  EXPECT_EQ(list.made, list.rows.size());
  EXPECT_GT(list.made, 30U);
  EXPECT_FALSE(list.hasEarlier);
  EXPECT_FALSE(list.hasLater);
}

TEST(DecisionList, ListsTheNearestWithoutGapsOnBothSides) {
  const auto simulation = junoTo(400'000'000);
  simulation->seekTime(200'000'000);
  const auto all = numbersOf(simulation->decisions(0, kEnd, kAll));
  const auto past = numbersOf(simulation->decisions(0, simulation->frame()->timeNs, kAll));
  constexpr std::size_t kSide = 7;
  ASSERT_GT(past.size(), kSide);
  ASSERT_GT(all.size(), past.size() + kSide);
  const DecisionList list = decisionsAround(*simulation, {}, kSide);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(past.size() - kSide);
  EXPECT_EQ(numbersOf(list.rows), std::vector<std::uint64_t>(first, first + 2 * kSide));
  EXPECT_TRUE(list.hasEarlier);
  EXPECT_TRUE(list.hasLater);
}

TEST(DecisionList, KeepsToTheFilter) {
  const auto simulation = junoTo(400'000'000);
  DecisionFilter filter;
  filter.cpu = 5;
  filter.result = "failed";
  filter.fromNs = 100'000'000;
  std::vector<std::uint64_t> wanted;
  for (const auto& row : simulation->decisions(filter.fromNs, kEnd, kAll))
    if (row.cpu == 5 && row.result == "failed") wanted.push_back(row.index);
  ASSERT_FALSE(wanted.empty());
  EXPECT_EQ(numbersOf(decisionsAround(*simulation, filter, 1000).rows), wanted);
  filter.result = "placed";
  EXPECT_TRUE(decisionsAround(*simulation, filter, 1000).rows.empty());
}

}  // namespace
}  // namespace rqscope::api
