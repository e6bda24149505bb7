// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/verify_vectors.h"

#include <filesystem>
#include <fstream>

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace rqscope {
namespace {

constexpr auto kGood = R"({"fn":"decay_load","in":{"val":47742,"n":32},"out":{"val":23870}})";
constexpr auto kChanged = R"({"fn":"decay_load","in":{"val":47742,"n":32},"out":{"val":23871}})";

std::string written(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  const auto path = folder.path() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return path.string();
}

TEST(VerifyVectors, CountsEqualCases) {
  TemporaryFolder folder;
  const auto path = written(folder, "6.12/decay_load.jsonl", std::string(kGood) + "\n" + kGood + "\n");
  const auto report = verifyVectors(path);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.value().kernel, "v6.12");
  EXPECT_EQ(report.value().cases, 2);
  EXPECT_EQ(report.value().equal, 2);
  EXPECT_TRUE(report.value().allEqual());
}

TEST(VerifyVectors, FindsAnOutputChangedByHand) {
  TemporaryFolder folder;
  const auto path = written(folder, "6.1/decay_load.jsonl", std::string(kGood) + "\n" + kChanged + "\n");
  const auto report = verifyVectors(path).value();
  EXPECT_EQ(report.different, 1);
  ASSERT_EQ(report.firstDifferent.size(), 1U);
  EXPECT_EQ(report.firstDifferent[0].line, 2);
  ASSERT_EQ(report.firstDifferent[0].fields.size(), 1U);
  EXPECT_EQ(report.firstDifferent[0].fields[0].path, "out.val");
  EXPECT_EQ(report.firstDifferent[0].fields[0].expected, "23871");
  EXPECT_EQ(report.firstDifferent[0].fields[0].actual, "23870");
}

TEST(VerifyVectors, CountsACaseThatCannotBeRunAsDifferent) {
  TemporaryFolder folder;
  const auto path = written(folder, "6.12/x.jsonl", "{\"fn\":\"no_such\",\"in\":{},\"out\":{}}\nnot json\n");
  const auto report = verifyVectors(path).value();
  EXPECT_EQ(report.cases, 2);
  EXPECT_EQ(report.different, 2);
  EXPECT_FALSE(report.firstDifferent[0].error.empty());
  EXPECT_FALSE(report.firstDifferent[1].error.empty());
}

TEST(VerifyVectors, TakesTheKernelFromTheOptionOverTheFolder) {
  TemporaryFolder folder;
  const auto path = written(folder, "6.12/decay_load.jsonl", kGood);
  EXPECT_EQ(verifyVectors(path, {.kernel = "v7.3"}).value().kernel, "v7.3");
}

TEST(VerifyVectors, RefusesAFileWithoutAKernel) {
  TemporaryFolder folder;
  const auto report = verifyVectors(written(folder, "decay_load.jsonl", kGood));
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "no kernel is known for this file");
}

TEST(VerifyVectors, RefusesAFileThatIsNotThere) {
  TemporaryFolder folder;
  EXPECT_FALSE(verifyVectors((folder.path() / "6.12/none.jsonl").string()).ok());
}

void writeGzip(const std::string& path, const std::string& text) {
  archive* a = archive_write_new();
  archive_write_add_filter_gzip(a);
  archive_write_set_format_raw(a);
  archive_write_open_filename(a, path.c_str());
  archive_entry* entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_write_header(a, entry);
  archive_write_data(a, text.data(), text.size());
  archive_entry_free(entry);
  archive_write_free(a);
}

// More than one block of 64 KiB, so that lines cross blocks.
TEST(VerifyVectors, ReadsCompressedFilesLineByLine) {
  TemporaryFolder folder;
  std::string text;
  constexpr int kLines = 3000;
  for (int i = 0; i < kLines; ++i) text += std::string(kGood) + "\n";
  const auto path = written(folder, "6.12/decay_load.jsonl.gz", "");
  writeGzip(path, text);
  EXPECT_EQ(verifyVectors(path).value().equal, kLines);
}

TEST(VerifyVectors, SaysThatACompressedFileIsCut) {
  TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += R"({"fn":"decay_load","in":{"val":)" + std::to_string(i * 7919) +
            R"(,"n":1},"out":{"val":0}})"
            "\n";
  const auto path = written(folder, "6.12/decay_load.jsonl.gz", "");
  writeGzip(path, text);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_FALSE(verifyVectors(path).ok());
}

TEST(ProfileOfVectorFile, FollowsTheEndingOfTheName) {
  EXPECT_FALSE(
      profileOfVectorFile("6.12/detach_tasks_util_plain.jsonl.gz").value().behaviours.migrateUtilShrBound);
  EXPECT_TRUE(profileOfVectorFile("7.3/detach_tasks_cache.jsonl.gz").value().features.schedCache);
  EXPECT_FALSE(profileOfVectorFile("7.3/detach_tasks.jsonl.gz").value().features.schedCache);
}

// -1 and 2^64 - 1 are the same bits but not the same number.
TEST(CompareJson, NeverTakesANegativeForAHugeNumber) {
  EXPECT_EQ(compareJson(18446744073709551615U, -1).size(), 1U);
  EXPECT_TRUE(compareJson(5U, 5).empty());
}

TEST(CompareJson, NamesFieldsThatOneSideLacks) {
  const auto found = compareJson({{"a", 1}, {"b", {1, 2}}}, {{"b", {1, 3, 4}}, {"c", 2}});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].path, "out.a");
  EXPECT_EQ(found[1].path, "out.b.length");
  EXPECT_EQ(found[2].path, "out.b[1]");
  EXPECT_EQ(found[3].path, "out.c");
}

}  // namespace
}  // namespace rqscope
