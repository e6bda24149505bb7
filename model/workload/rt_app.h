// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "workload/json_document.h"
#include "workload/json_reader.h"
#include "workload/program.h"

namespace rqscope {

/// How repeated keys and bare keys of an rt-app file are taken.
enum class RtAppDialect : std::uint8_t {
  Workgen,  ///< as the script `workgen` does: repeated events are all kept in order, a repeated property
            ///< keeps its first value, "suspend" may stand without a value and may name its own point
  Plain     ///< as rt-app itself does: the last of repeated keys wins in the place of the first, every key
            ///< has a value, the text of "suspend" is ignored
};

/// Reads a parsed rt-app file (or one that is part of `document`). Warnings come with a good result.
Result<Workload> readRtApp(const JsonDocument& document, const JsonValue& root, RtAppDialect dialect);
/// Parses and reads.
Result<Workload> readRtAppText(std::string file, std::string text, RtAppDialect dialect);
/// Whether the document looks like an rt-app file, or a part of one: it has its sections and no scenario key.
bool looksLikeRtApp(const JsonValue& root);

/// What cannot be meant, in any workload: suspended and never resumed, locked and never unlocked, loops in
/// which no time passes. Used by the rt-app reader and for generated workloads.
void lintWorkload(const Workload& workload, JsonLint& lint);

/// Index of the group with that path ("/a/b"), made with its parents when new; -1 for "/".
std::int32_t findOrAddGroupPath(Workload& workload, std::string_view path);

}  // namespace rqscope
