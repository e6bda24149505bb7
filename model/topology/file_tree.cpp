// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/file_tree.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>

#include <fmt/format.h>

namespace rqscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;  // /proc/cpuinfo of a large server
constexpr std::size_t kMaxFiles = 1'000'000;
constexpr std::string_view kCpuFolder = "sys/devices/system/cpu/";
constexpr std::string_view kNodeFolder = "sys/devices/system/node/";

constexpr std::array<std::string_view, 7> kOtherFiles = {"proc/cpuinfo",
                                                         "proc/cmdline",
                                                         "proc/version",
                                                         "sys/devices/cpu_core/cpus",
                                                         "sys/devices/cpu_atom/cpus",
                                                         "proc/sys/kernel/sched_itmt_enabled",
                                                         "proc/sys/kernel/osrelease"};

bool isCpuFile(std::string_view rest) {
  if (rest.find('/') == std::string_view::npos) return true;  // online, possible, isolated, ...
  for (const std::string_view part : {"/topology/", "/cache/", "/acpi_cppc/highest_perf"})
    if (rest.find(part) != std::string_view::npos) return true;
  for (const std::string_view end : {"/online", "/cpu_capacity", "/cpuinfo_max_freq", "/related_cpus"})
    if (rest.ends_with(end)) return true;
  return rest.find("/node") != std::string_view::npos;
}

/// Whether a file says something about the machine.
bool isWanted(std::string_view path) {
  if (const auto at = path.find(kCpuFolder); at != std::string_view::npos)
    return isCpuFile(path.substr(at + kCpuFolder.size()));
  if (const auto at = path.find(kNodeFolder); at != std::string_view::npos) {
    const std::string_view rest = path.substr(at + kNodeFolder.size());
    return std::count(rest.begin(), rest.end(), '/') <= 1 && rest.find("/memory") == std::string_view::npos;
  }
  // cpuN/domainM/name of /sys/kernel/debug/sched/domains
  if (path.find("/domain") != std::string_view::npos && path.find("cpu") != std::string_view::npos)
    return true;
  return std::any_of(kOtherFiles.begin(), kOtherFiles.end(),
                     [&](std::string_view f) { return path.ends_with(f); });
}

Diagnostic problem(const std::string& file, std::string message, std::string hint = {}) {
  return {Severity::Error, {file, 0, 0}, std::move(message), std::move(hint)};
}

Diagnostic stopped(const std::string& file) { return problem(file, "reading was given up"); }

std::string readSmall(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text;
  std::array<char, 1 << 14> buffer;
  while (text.size() < kMaxFileBytes && (in.read(buffer.data(), buffer.size()) || in.gcount() > 0))
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  return text;
}

/// Whether an archive path stays inside: not absolute, no "..".
bool staysInside(std::string_view path) {
  if (path.starts_with('/')) return false;
  for (std::size_t start = 0; start <= path.size();) {
    const auto slash = path.find('/', start);
    if (path.substr(start, slash == std::string_view::npos ? slash : slash - start) == "..") return false;
    if (slash == std::string_view::npos) break;
    start = slash + 1;
  }
  return true;
}

struct ArchiveCloser {
  void operator()(archive* a) const { archive_read_free(a); }
};
using ArchivePtr = std::unique_ptr<archive, ArchiveCloser>;

/// Contents of the current entry; nothing when the archive is damaged.
std::optional<std::string> readEntry(archive* a) {
  std::string text;
  std::array<char, 1 << 14> buffer;
  for (;;) {
    const auto n = archive_read_data(a, buffer.data(), buffer.size());
    if (n < 0) return std::nullopt;
    if (n == 0 || text.size() > kMaxFileBytes) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

void walk(const fs::path& root, const fs::path& folder, const std::stop_token& stop, const auto& add) {
  std::error_code ec;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder, options, ec), end; !ec && it != end; it.increment(ec)) {
    if (stop.stop_requested()) return;
    if (it.depth() > 24) it.disable_recursion_pending();
    const std::string path = it->path().lexically_relative(root).generic_string();
    std::error_code kind;
    if (it->is_symlink(kind))
      add(path, std::string{}, it->path());  // never followed: a dump must not lead outside
    else if (it->is_regular_file(kind) && isWanted(path))
      add(path, readSmall(it->path()), it->path());
  }
}

/// Whether the first line is an event of ftrace, any: "name-pid [cpu] flags seconds.fraction: event: ...".
bool beginsWithEvent(std::string_view text) {
  static const std::regex kEvent(R"(\S.*-\d+\s+(\(.{5,7}\)\s+)?\[\d+\]\s.*\d+\.\d+:\s+\w+:.*)");
  const std::string line(text.substr(0, std::min(text.find_first_of("\r\n"), std::size_t{500})));
  return std::regex_match(line, kEvent);
}

/// An entry of a dump of CPUID leaves as hwloc-gather-cpuid makes it: a file "puN" for each CPU.
bool isCpuidFile(std::string_view name) {
  const auto slash = name.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
  return last.size() > 2 && last.starts_with("pu") &&
         last.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

Diagnostic noMachineIn(const std::string& path, std::size_t entries, bool isCpuid, bool isBuffers) {
  if (isBuffers)
    return problem(path, "this archive holds raw buffers of ftrace, as SchedViz gathers them",
                   "trace-cmd report, perf script and trace.dat can be opened");
  if (isCpuid)
    return problem(path, "this is a dump of CPUID leaves, which does not tell what a kernel made of them",
                   "hwloc-gather-topology dumps /sys, lstopo --of xml writes XML; both can be opened");
  return problem(path, fmt::format("none of the {} entries is below sys/devices/system/cpu", entries),
                 "a dump of /sys, as hwloc-gather-topology makes it");
}

}  // namespace

Result<FileTree> FileTree::fromDirectory(const std::string& path, const std::stop_token& stop) {
  FileTree tree;
  const auto add = [&](std::string name, std::string contents, const fs::path&) {
    if (tree.m_files.size() < kMaxFiles && isWanted(name)) tree.add(std::move(name), std::move(contents));
  };
  std::error_code ec;
  fs::path root = fs::canonical(path, ec);
  if (ec) return problem(path, "this directory cannot be read");
  if (root == "/" || root == "/sys") {
    root = "/";
    for (const char* folder :
         {"/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/debug/sched"})
      walk(root, folder, stop, add);
    for (const std::string_view file : kOtherFiles)
      if (fs::exists(root / file, ec)) tree.add(std::string(file), readSmall(root / file));
  } else {
    // Paths keep the folder's own name: a dump of /sys or of debugfs "domains" may start anywhere below.
    walk(root.parent_path(), root, stop, add);
  }
  if (stop.stop_requested()) return stopped(path);
  if (tree.m_files.empty())
    return problem(path, "there is no sys/devices/system/cpu below this directory",
                   "a dump of /sys, as hwloc-gather-topology makes it");
  tree.stripRoot();
  return tree;
}

std::string startOfCompressed(const std::string& path) {
  constexpr std::size_t kStartBytes = 4096, kReadBytes = 1 << 16;
  const ArchivePtr a(archive_read_new());
  archive_read_support_filter_all(a.get());
  archive_read_support_format_raw(a.get());
  archive_entry* entry = nullptr;
  if (archive_read_open_filename(a.get(), path.c_str(), kReadBytes) != ARCHIVE_OK ||
      archive_read_next_header(a.get(), &entry) != ARCHIVE_OK)
    return {};
  std::string start(kStartBytes, '\0');
  const auto count = archive_read_data(a.get(), start.data(), start.size());
  start.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return start;
}

bool looksLikeHtml(std::string_view start) {
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  std::string word(start.substr(first, 14));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word == "<!doctype html" || word.starts_with("<html");
}

bool looksLikeTrace(std::string_view start) {
  constexpr std::string_view kTraceCmd("\x17\x08\x44tracing", 10);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || start.find("ustar", 257) == 257) return false;
  if (looksLikeHtml(start)) return true;
  const std::string_view body = start.substr(first);
  const bool isTaskName = body.starts_with("<idle>-") || body.starts_with("<...>-");
  if (!isTaskName && std::string_view{"{[</"}.find(body.front()) != std::string_view::npos) return false;
  return start.starts_with("# tracer:") || start.starts_with("PERFILE2") || start.starts_with(kTraceCmd) ||
         start.find(": sched_") != std::string_view::npos ||
         start.find(" sched:sched_") != std::string_view::npos || beginsWithEvent(body) ||
         (start.starts_with("version = ") && start.find("\ncpus=") != std::string_view::npos);
}

Result<FileTree> FileTree::fromArchive(const std::string& path, const std::stop_token& stop) {
  const ArchivePtr a(archive_read_new());
  archive_read_support_filter_all(a.get());
  archive_read_support_format_tar(a.get());
  archive_read_support_format_cpio(a.get());
  archive_read_support_format_zip(a.get());
  if (archive_read_open_filename(a.get(), path.c_str(), 1 << 16) != ARCHIVE_OK)
    return problem(path, "this is not an archive that can be read");
  FileTree tree;
  archive_entry* entry = nullptr;
  std::size_t count = 0;
  bool hasCpuid = false, hasBuffers = false;
  const auto damaged = [&] {
    return problem(path, fmt::format("the archive is damaged or ends too early after {} entries", count));
  };
  for (;;) {
    if (stop.stop_requested()) return stopped(path);
    const int state = archive_read_next_header(a.get(), &entry);
    if (state == ARCHIVE_EOF) break;
    if (state < ARCHIVE_WARN) return damaged();
    if (++count > kMaxFiles) return problem(path, "the archive has more than a million entries");
    const char* rawName = archive_entry_pathname(entry);
    std::string name = rawName == nullptr ? "" : rawName;
    while (name.starts_with("./")) name.erase(0, 2);
    if (!staysInside(name))
      return problem(path, fmt::format("entry \"{}\" leads out of the archive", name.substr(0, 120)),
                     "such archives are refused");
    hasCpuid = hasCpuid || isCpuidFile(name);
    hasBuffers = hasBuffers || name.find("traces/cpu") != std::string::npos;
    if (!isWanted(name) || archive_entry_filetype(entry) == AE_IFDIR) continue;
    if (archive_entry_filetype(entry) != AE_IFREG) {
      tree.add(std::move(name), {});
      continue;
    }
    auto contents = readEntry(a.get());
    if (!contents) return damaged();
    tree.add(std::move(name), std::move(*contents));
  }
  if (tree.m_files.empty()) return noMachineIn(path, count, hasCpuid, hasBuffers);
  tree.stripRoot();
  return tree;
}

// Finds where "sys/devices/system/cpu" starts and drops what stands before it. Debugfs dumps may start lower.
void FileTree::stripRoot() {
  std::optional<std::string> root;
  for (const auto& [path, contents] : m_files) {
    const auto at = path.find(kCpuFolder);
    if (at == std::string::npos || (at > 0 && path[at - 1] != '/')) continue;
    if (!root || at < root->size()) root = path.substr(0, at);
  }
  if (!root || root->empty()) return;
  std::map<std::string, std::string> stripped;
  for (auto& [path, contents] : m_files)
    if (path.starts_with(*root)) stripped.emplace(path.substr(root->size()), std::move(contents));
  m_files = std::move(stripped);
}

bool FileTree::hasUnder(const std::string& folder) const {
  const auto it = m_files.lower_bound(folder + "/");
  return it != m_files.end() && it->first.starts_with(folder + "/");
}

std::optional<std::string> FileTree::text(const std::string& path) const {
  const auto it = m_files.find(path);
  if (it == m_files.end()) return std::nullopt;
  std::string out = it->second;
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ' || out.back() == '\0')) out.pop_back();
  if (out.empty()) return std::nullopt;
  return out;
}

const std::string& FileTree::raw(const std::string& path) const {
  static const std::string kNone;
  const auto it = m_files.find(path);
  return it == m_files.end() ? kNone : it->second;
}

}  // namespace rqscope
