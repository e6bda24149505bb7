// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace rqscope {

namespace fs = std::filesystem;

namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

std::string contentsOf(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

std::string freshFolder(const std::string& name) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const fs::path folder =
      fs::path(testing::TempDir()) / ("rqscope-app-" + std::string{test->name()} + "-" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder.string();
}

std::string writeTo(const std::string& folder, const std::string& name, const std::string& text) {
  const fs::path file = fs::path(folder) / name;
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

namespace {

ProgramResult run(const std::string& program, const std::vector<std::string>& variables,
                  const std::vector<std::string>& arguments, const std::string& input,
                  const std::string& folder) {
  const fs::path box = freshFolder("io");
  writeTo(box.string(), "in", input);
  std::string command = "cd " + quoted(folder.empty() ? box.string() : folder) +
                        " && env -u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM";
  for (const std::string& variable : variables) command += " " + quoted(variable);
  command += " " + quoted(program);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " <" + quoted((box / "in").string()) + " >" + quoted((box / "out").string()) + " 2>" +
             quoted((box / "err").string());
  const int status = std::system(command.c_str());
  ProgramResult result;
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  result.out = contentsOf(box / "out");
  result.err = contentsOf(box / "err");
  fs::remove_all(box);
  return result;
}

}  // namespace

ProgramResult runProgram(const std::vector<std::string>& arguments, const std::string& input,
                         const std::string& folder) {
  return run(RQSCOPE_PROGRAM, {}, arguments, input, folder);
}

ProgramResult runProgramAs(const std::string& program, const std::vector<std::string>& variables,
                           const std::vector<std::string>& arguments) {
  return run(program, variables, arguments, {}, {});
}

std::string programPath() { return RQSCOPE_PROGRAM; }

}  // namespace rqscope
