// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/problems.h"

#include "base/readable.h"

namespace rqscope {

api::Problem problemOf(const Diagnostic& d) {
  api::Problem problem;
  problem.severity = d.severity == Severity::Error     ? api::Problem::Severity::Error
                     : d.severity == Severity::Warning ? api::Problem::Severity::Warning
                                                       : api::Problem::Severity::Note;
  problem.file = d.where.file;
  problem.line = d.where.line;
  problem.column = d.where.column;
  problem.message = readable(d.message);
  problem.hint = readable(d.hint);
  return problem;
}

std::vector<api::Problem> problemsOf(const std::vector<Diagnostic>& diagnostics) {
  std::vector<api::Problem> out;
  for (const Diagnostic& d : diagnostics) out.push_back(problemOf(d));
  return out;
}

std::string api::Problem::text() const {
  Diagnostic d;
  d.severity = severity == Severity::Error     ? rqscope::Severity::Error
               : severity == Severity::Warning ? rqscope::Severity::Warning
                                               : rqscope::Severity::Note;
  d.where = {file, line, column};
  d.message = message;
  d.hint = hint;
  return d.text();
}

}  // namespace rqscope
