// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "rqscope/decision_filter.h"
#include "rqscope/simulation.h"

namespace rqscope::app {

/// What the command line asks of the window.
struct WindowOptions {
  std::string scenario;  ///< file or built-in name; empty: the default scenario
  api::Overrides overrides;
  std::string theme;          ///< "dark", "light" or empty: as last time
  int width = 0, height = 0;  ///< 0: as last time
  double textScale = 1;
  std::string screenshot;  ///< PNG file: show, save and quit; no settings are read or written
  std::int64_t atNs = -1;  ///< where to go before the picture; -1: not asked
  std::int64_t pass = -1;
  api::DecisionFilter decision;  ///< which decision, beside atNs
  std::int64_t rung = -1;        ///< rung of that pass or decision, from 0
  bool isRungRefusing = false;   ///< instead: the first that refuses something
  std::string select;            ///< "cpu5": selected in the picture
  std::string level;             ///< "NUMA 2": domain level framed in the machine
  std::string publishedReport;   ///< file with a report that the Published dock shows
  std::string dock;              ///< tab to raise for the picture: "charts", "scenario", "queue", ...
};

/// Shows the window until it is closed. 0, or 1 when the scenario or the picture was bad.
int runWindow(int& argc, char** argv, const WindowOptions& options);

}  // namespace rqscope::app
