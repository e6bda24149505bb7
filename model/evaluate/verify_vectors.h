// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/profile.h"
#include "base/result.h"
#include "evaluate/eval_line.h"

namespace rqscope {

/// One field of a case whose value is not the kernel's. "(none)" stands for a field that one side lacks.
struct VectorFieldDifference {
  std::string path;      ///< "out.steps[3].avg.util_avg"
  std::string expected;  ///< the kernel's
  std::string actual;    ///< ours
};

/// A case that is not equal, or could not be run (then `error` says why and there are no fields).
struct CaseDifference {
  int line = 0;
  std::string function;
  std::string error;
  std::vector<VectorFieldDifference> fields;
};

struct VectorReport {
  std::string file;
  std::string kernel;                  ///< name of the profile used
  std::vector<std::string> functions;  ///< "fn" of the cases, in order of appearance
  int cases = 0, equal = 0, different = 0;
  std::vector<CaseDifference> firstDifferent;

  bool allEqual() const { return cases > 0 && different == 0; }
};

struct VerifyOptions {
  std::string kernel;    ///< profile name; empty: by the folder's name (6.1, 6.12, 7.3)
  int shownCases = 3;    ///< how many differing cases are kept
  int shownFields = 12;  ///< and how many fields of each
};

/// The profile that a vector file was recorded with: by the folder's name or `kernel`, then by the ending of
/// the file's name (one place for all such rules):
/// - "..._util_plain": patch migrate_util_shr_bound off;
/// - "..._cache": sched feature SCHED_CACHE on.
Result<KernelProfile> profileOfVectorFile(const std::string& path, std::string_view kernel = {});

/// Runs every case of a .jsonl or .jsonl.gz file and compares all fields of "out". Fails only when the file
/// cannot be read or no kernel is known; a case that cannot be run counts as different. Of sequences, the
/// resched mark of the idle task is carried from one case to the next, as it was in the recording process.
Result<VectorReport> verifyVectors(const std::string& path, const VerifyOptions& options = {});

/// Fields whose values differ; integers compare by value, never across the sign.
std::vector<VectorFieldDifference> compareJson(const nlohmann::json& expected, const nlohmann::json& actual,
                                               int limit = 12);

/// Report as lines of text, for people.
std::string textOf(const VectorReport& report);

}  // namespace rqscope
