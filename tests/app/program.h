// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rqscope {

/// What a run of the program left behind.
struct ProgramResult {
  int status = -1;  ///< exit status; -1: killed by a signal
  std::string out, err;

  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

/// Runs the program without a display, in `folder`, with `input` on its standard input.
ProgramResult runProgram(const std::vector<std::string>& arguments, const std::string& input = {},
                         const std::string& folder = {});

/// Runs another copy of the program, with variables ("NAME=value") in its environment.
ProgramResult runProgramAs(const std::string& program, const std::vector<std::string>& variables,
                           const std::vector<std::string>& arguments);
/// The program that runProgram() runs.
std::string programPath();

/// A new empty folder of this test.
std::string freshFolder(const std::string& name);
/// Writes a file into a folder; its path.
std::string writeTo(const std::string& folder, const std::string& name, const std::string& text);

}  // namespace rqscope
