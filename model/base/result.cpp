// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/result.h"

#include <fmt/format.h>

#include "base/readable.h"

namespace rqscope {

std::string Diagnostic::text() const {
  std::string out = where.file.empty() ? std::string("input") : where.file;
  if (where.line > 0) out += fmt::format(":{}", where.line);
  if (where.line > 0 && where.column > 0) out += fmt::format(":{}", where.column);
  out += severity == Severity::Error     ? ": error: "
         : severity == Severity::Warning ? ": warning: "
                                         : ": note: ";
  out += readable(message);
  if (!hint.empty()) out += fmt::format(" ({})", readable(hint));
  return out;
}

}  // namespace rqscope
