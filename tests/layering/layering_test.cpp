// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

const fs::path kTop = RQSCOPE_SOURCE_DIR;

bool isSource(const fs::path& path) { return path.extension() == ".h" || path.extension() == ".cpp"; }

std::vector<fs::path> sourcesUnder(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && isSource(entry.path())) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

struct Include {
  int line = 0;
  std::string name;
  bool isQuoted = false;
};

std::vector<Include> includesOf(const fs::path& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> out;
  std::ifstream in(file);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    std::smatch match;
    if (std::regex_search(text, match, pattern)) out.push_back({line, match[2], match[1] == "\""});
  }
  return out;
}

std::string firstPart(const std::string& path) { return path.substr(0, path.find('/')); }

/// The table of model/README.md: room -> rooms it may include ("all": every room).
std::map<std::string, std::set<std::string>> allowedRooms() {
  std::map<std::string, std::set<std::string>> table;
  std::ifstream in(kTop / "model/README.md");
  static const std::regex row(R"(^\| ([a-z]+) \| ([a-z ]*)\|)");
  std::string text;
  while (std::getline(in, text)) {
    std::smatch match;
    if (!std::regex_search(text, match, row) || match[1] == "room") continue;
    std::istringstream words(match[2]);
    std::set<std::string>& rooms = table[match[1]];
    for (std::string word; words >> word;) rooms.insert(word);
  }
  return table;
}

std::string at(const fs::path& file, int line) {
  return fmt::format("{}:{}", fs::relative(file, kTop).string(), line);
}

// Situation: every quoted include of a model room. Expectation: the table of model/README.md allows it.
TEST(Layering, ModelRoomsIncludeOnlyWhatTheTableAllows) {
  const auto table = allowedRooms();
  ASSERT_GE(table.size(), 14U) << "model/README.md: the table of rooms was not found";
  for (const auto& [room, allowed] : table) {
    for (const auto& file : sourcesUnder(kTop / "model" / room)) {
      for (const auto& include : includesOf(file)) {
        if (!include.isQuoted) continue;
        const std::string target = firstPart(include.name);
        const bool ok = target == room || allowed.contains("all") || allowed.contains(target) ||
                        (room == "api" && target == "rqscope");
        EXPECT_TRUE(ok) << at(file, include.line) << ": room " << room << " may not include \""
                        << include.name << "\" (table in model/README.md)";
      }
    }
  }
}

TEST(Layering, EveryModelFolderStandsInTheTable) {
  const auto table = allowedRooms();
  for (const auto& entry : fs::directory_iterator(kTop / "model")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(table.contains(entry.path().filename().string()))
        << entry.path().filename() << " is not in the table of model/README.md";
  }
}

// The engine must not know the toolkit: a text-only program links it alone.
TEST(Layering, ModelHasNoQt) {
  for (const auto& file : sourcesUnder(kTop / "model"))
    for (const auto& include : includesOf(file))
      EXPECT_FALSE(!include.isQuoted && include.name.starts_with("Q"))
          << at(file, include.line) << ": Qt header <" << include.name << "> inside model/";
}

// The face stays shut: its headers see the standard library and each other only.
TEST(Layering, FaceHeadersIncludeOnlyTheFace) {
  for (const auto& file : sourcesUnder(kTop / "model/api/rqscope"))
    for (const auto& include : includesOf(file)) {
      if (!include.isQuoted) continue;
      EXPECT_TRUE(include.name.starts_with("rqscope/"))
          << at(file, include.line) << ": a face header includes \"" << include.name << "\"";
    }
}

// Views talk to the model through the face, and to each other through the main window.
TEST(Layering, ViewRoomsIncludeOnlyTheFaceTheirOwnRoomAndLook) {
  if (!fs::exists(kTop / "views")) return;
  for (const auto& entry : fs::directory_iterator(kTop / "views")) {
    if (!entry.is_directory()) continue;
    const std::string room = entry.path().filename();
    for (const auto& file : sourcesUnder(entry.path())) {
      for (const auto& include : includesOf(file)) {
        if (!include.isQuoted) continue;
        const std::string target = firstPart(include.name);
        // session is the one owner of the Simulation: every view reads frames from it.
        const bool ok = target == "rqscope" || target == room || target == "look" || target == "session";
        EXPECT_TRUE(ok) << at(file, include.line) << ": view room " << room << " may not include \""
                        << include.name << "\"";
      }
    }
  }
}

// Both headers cost seconds of compile time per file: one room each.
TEST(Layering, HeavyHeadersStayInTheirRoom) {
  for (const std::string folder : {"model", "views", "app"}) {
    for (const auto& file : sourcesUnder(kTop / folder)) {
      const std::string name = fs::relative(file, kTop).string();
      for (const auto& include : includesOf(file)) {
        if (include.name.starts_with("boost/graph")) {
          EXPECT_TRUE(name.starts_with("model/topology/") && file.extension() == ".cpp")
              << at(file, include.line) << ": Boost.Graph outside model/topology/*.cpp";
        }
        if (include.name.starts_with("QtCharts") || include.name == "QChart" ||
            include.name == "QChartView") {
          EXPECT_TRUE(name.starts_with("views/charts/"))
              << at(file, include.line) << ": Qt Charts outside views/charts";
        }
      }
    }
  }
}

TEST(Layering, EverySourceFileHasItsSpdxLines) {
  for (const std::string folder : {"model", "views", "app", "tests"}) {
    for (const auto& file : sourcesUnder(kTop / folder)) {
      std::ifstream in(file);
      std::string first, second;
      std::getline(in, first);
      std::getline(in, second);
      EXPECT_TRUE(first.find("SPDX-FileCopyrightText") != std::string::npos &&
                  second.find("SPDX-License-Identifier: GPL-3.0-or-later") != std::string::npos)
          << at(file, 1) << ": the two SPDX lines are missing";
    }
  }
}

}  // namespace
