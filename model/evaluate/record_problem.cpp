// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/record_problem.h"

namespace rqscope {

std::string plainReason(std::string_view what) {
  if (what.starts_with('['))
    if (const auto bracket = what.find("] "); bracket != std::string_view::npos)
      what.remove_prefix(bracket + 2);
  constexpr std::string_view kParsing = "parse error";
  const auto colon = what.starts_with(kParsing) ? what.find(": ") : std::string_view::npos;
  return std::string(colon == std::string_view::npos ? what : what.substr(colon + 2));
}

Diagnostic recordProblem(const std::string& path, const std::exception& exception, int line) {
  return {Severity::Error,
          {path, line, 0},
          "the record is not as its README says: " + plainReason(exception.what()),
          "the README beside the records names the members and their types"};
}

}  // namespace rqscope
