// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/line_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

namespace rqscope {
namespace {

constexpr std::size_t kBlock = 1 << 16;

std::string reasonOf(archive* a) {
  const char* text = archive_error_string(a);
  return text == nullptr ? "unknown error" : text;
}

}  // namespace

void LineReader::Closer::operator()(archive* a) const { archive_read_free(a); }

Result<LineReader> LineReader::open(const std::string& path) {
  LineReader reader(path);
  reader.m_archive.reset(archive_read_new());
  archive* a = reader.m_archive.get();
  archive_read_support_filter_all(a);
  archive_read_support_format_raw(a);
  archive_read_support_format_empty(a);
  if (archive_read_open_filename(a, path.c_str(), kBlock) != ARCHIVE_OK)
    return Diagnostic{Severity::Error, {path}, fmt::format("cannot be read: {}", reasonOf(a)), ""};
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(a, &entry);
  if (status == ARCHIVE_EOF)
    reader.m_atEnd = true;
  else if (status != ARCHIVE_OK)
    return Diagnostic{Severity::Error, {path}, fmt::format("cannot be read: {}", reasonOf(a)), ""};
  return reader;
}

bool LineReader::fill() {
  if (m_atEnd) return false;
  m_buffer.erase(0, m_begin);
  m_begin = 0;
  const std::size_t had = m_buffer.size();
  m_buffer.resize(had + kBlock);
  const la_ssize_t got = archive_read_data(m_archive.get(), m_buffer.data() + had, kBlock);
  m_buffer.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got < 0)
    m_error = Diagnostic{Severity::Error,
                         {m_path, m_lineNumber},
                         fmt::format("is damaged: {}", reasonOf(m_archive.get())),
                         ""};
  if (got <= 0) m_atEnd = true;
  return got > 0;
}

bool LineReader::next(std::string& line) {
  std::size_t from = m_begin;
  while (true) {
    const std::size_t end = m_buffer.find('\n', from);
    if (end != std::string::npos) {
      line.assign(m_buffer, m_begin, end - m_begin);
      m_begin = end + 1;
      break;
    }
    const std::size_t scanned = m_buffer.size() - m_begin;
    if (fill()) {
      from = m_begin + scanned;
      continue;
    }
    if (m_error || m_begin == m_buffer.size()) return false;
    line.assign(m_buffer, m_begin);
    m_begin = m_buffer.size();
    break;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  ++m_lineNumber;
  return true;
}

}  // namespace rqscope
