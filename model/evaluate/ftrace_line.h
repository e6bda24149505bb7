// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rqscope {

/// One line of ftrace's text: "    wl-202     [000] d..2.     5.015109: sched_switch: prev_comm=wl ...".
/// Points into the text it was read from.
struct FtraceLine {
  std::uint64_t pid = 0;  ///< the current task
  int cpu = 0;
  std::uint64_t timeNs = 0;
  std::string_view event, body;

  /// The value after " key=" (or "key=" at the start), up to the next space; empty when absent.
  std::string_view value(std::string_view key) const;
  /// The same up to " before": names of tasks may have spaces.
  std::string_view valueUpTo(std::string_view key, std::string_view before) const;
  /// 0 when absent.
  std::uint64_t number(std::string_view key) const;
};

/// None for comments and lines of another form.
std::optional<FtraceLine> parseFtraceLine(std::string_view text);

}  // namespace rqscope
