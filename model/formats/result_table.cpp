// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/result_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <boost/tokenizer.hpp>
#include <charconv>
#include <cmath>
#include <string_view>

namespace rqscope {

namespace {

using Cells = std::vector<std::string>;

enum class Column : std::uint8_t { Name, Before, After, Better, BeforeDeviation, AfterDeviation, Printed };

struct ColumnName {
  std::string_view name;
  Column column;
};
constexpr std::array<ColumnName, 20> kColumns{{{"before", Column::Before},
                                               {"base", Column::Before},
                                               {"baseline", Column::Before},
                                               {"tip", Column::Before},
                                               {"a", Column::Before},
                                               {"after", Column::After},
                                               {"patched", Column::After},
                                               {"patch", Column::After},
                                               {"b", Column::After},
                                               {"better", Column::Better},
                                               {"better is", Column::Better},
                                               {"before_deviation", Column::BeforeDeviation},
                                               {"base_deviation", Column::BeforeDeviation},
                                               {"a_deviation", Column::BeforeDeviation},
                                               {"after_deviation", Column::AfterDeviation},
                                               {"patched_deviation", Column::AfterDeviation},
                                               {"b_deviation", Column::AfterDeviation},
                                               {"printed", Column::Printed},
                                               {"change", Column::Printed},
                                               {"improvement", Column::Printed}}};

Column columnOf(const std::string& head) {
  const std::string name = boost::to_lower_copy(head);
  const auto* found = std::find_if(kColumns.begin(), kColumns.end(),
                                   [&](const ColumnName& column) { return column.name == name; });
  return found == kColumns.end() ? Column::Name : found->column;
}

/// The sign between cells that the first line has most of.
char separatorOf(const std::string& line) {
  constexpr std::string_view kSigns = ",;\t|";
  return *std::max_element(kSigns.begin(), kSigns.end(), [&](char a, char b) {
    return std::count(line.begin(), line.end(), a) < std::count(line.begin(), line.end(), b);
  });
}

Cells cellsOf(std::string line, char separator) {
  boost::trim(line);
  if (separator == '|') boost::trim_if(line, boost::is_any_of("|"));
  // No sign escapes another one: a backslash is a letter like others.
  const boost::escaped_list_separator<char> rule(std::string{}, std::string(1, separator), "\"");
  const boost::tokenizer<boost::escaped_list_separator<char>> parts(line, rule);
  Cells cells(parts.begin(), parts.end());
  for (std::string& cell : cells) boost::trim(cell);
  return cells;
}

/// "| --- | ---: |"
bool isRule(const std::string& line) {
  return line.find('-') != std::string::npos && line.find_first_not_of("|-: \t\r") == std::string::npos;
}

/// The number at the start of a text, and what stands behind it.
std::optional<PrintedNumber> numberAt(std::string_view& text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  PrintedNumber number;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (r.ec != std::errc{} || !std::isfinite(number.value)) return std::nullopt;
  const std::string_view digits(text.data(), static_cast<std::size_t>(r.ptr - text.data()));
  const std::size_t exponent = std::min(digits.find_first_of("eE"), digits.size());
  const std::size_t point = digits.find('.');
  int power = point < exponent ? -static_cast<int>(exponent - point - 1) : 0;
  if (exponent < digits.size()) {
    std::string_view tail = digits.substr(exponent + 1);
    if (tail.starts_with('+')) tail.remove_prefix(1);
    int e = 0;
    std::from_chars(tail.data(), tail.data() + tail.size(), e);
    power += e;
  }
  number.halfDigit = std::pow(10.0, power) / 2;
  text.remove_prefix(digits.size());
  return number;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// "1.5 %" of a mean, or a value in its unit.
std::optional<double> deviationOf(std::string_view text, double mean) {
  text = trimmed(text);
  const auto number = numberAt(text);
  if (!number || number->value < 0) return std::nullopt;
  return trimmed(text).starts_with('%') ? std::abs(mean) * number->value / 100 : number->value;
}

/// Nothing, "s", "MB/s", "%" or "\u00b5s"; not the rest of a number in another notation.
bool isUnit(std::string_view text) {
  return text.empty() || std::string_view{"0123456789.,:'-+"}.find(text.front()) == std::string_view::npos;
}

/// "15.305 s (+/- 1.50 %)": mean, unit and deviation.
bool readMean(std::string_view text, PrintedNumber& mean, std::string& unit,
              std::optional<double>& deviation) {
  const auto number = numberAt(text);
  if (!number) return false;
  mean = *number;
  std::string_view rest = trimmed(text);
  std::size_t mark = std::string_view::npos, width = 0;
  for (const std::string_view sign : {"+/-", "+-", "\u00b1", "("})
    if (const std::size_t at = rest.find(sign); at < mark) {
      mark = at;
      width = sign.size();
    }
  if (mark != std::string_view::npos) {
    std::string_view inside = trimmed(rest.substr(mark + width));
    for (const std::string_view sign : {"+/-", "+-", "\u00b1"})
      if (inside.starts_with(sign)) inside.remove_prefix(sign.size());
    deviation = deviationOf(inside, mean.value);
    if (!deviation) return false;
    rest = trimmed(rest.substr(0, mark));
  }
  if (!isUnit(rest)) return false;
  if (!rest.empty()) unit = rest;
  return true;
}

class TableReader {
 public:
  TableReader(std::string file, std::optional<bool> isLessBetter)
      : m_file(std::move(file)), m_isLessBetter(isLessBetter) {}

  Result<std::vector<ResultRow>> read(const std::string& text) {
    std::vector<std::string> lines;
    boost::split(lines, text, boost::is_any_of("\n"));
    for (std::string& line : lines) {
      ++m_line;
      if (m_line == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
      boost::trim_right(line);
      if (line.empty() || line.starts_with('#') || isRule(line)) continue;
      m_columns.empty() ? readHead(line) : readRow(line);
      if (m_columns.empty() && !m_errors.empty()) break;
    }
    if (m_errors.empty() && m_rows.empty())
      fail("the table has no rows", "a line with the names of the columns, then a line for each result");
    if (!m_errors.empty()) return m_errors;
    return std::move(m_rows);
  }

 private:
  std::string m_file;
  std::optional<bool> m_isLessBetter;
  char m_separator = ',';
  int m_line = 0;
  Cells m_heads;
  std::vector<Column> m_columns;
  std::vector<ResultRow> m_rows;
  std::vector<Diagnostic> m_errors;

  void fail(std::string message, std::string hint) {
    m_errors.push_back({Severity::Error, {m_file, m_line, 0}, std::move(message), std::move(hint)});
  }

  void readHead(const std::string& line) {
    m_separator = separatorOf(line);
    m_heads = cellsOf(line, m_separator);
    std::vector<Column> columns;
    for (const std::string& head : m_heads) columns.push_back(columnOf(head));
    for (const auto& [column, name] : {std::pair{Column::Before, "before"}, {Column::After, "after"}}) {
      const auto count = std::count(columns.begin(), columns.end(), column);
      if (count == 1) continue;
      fail(fmt::format("{} column \"{}\" in the first line: {}", count == 0 ? "no" : "more than one", name,
                       fmt::join(m_heads, ", ")),
           "name the columns of the means before and after, those of other facts better, before_deviation, "
           "after_deviation, printed");
    }
    const bool hasBetter = std::find(columns.begin(), columns.end(), Column::Better) != columns.end();
    if (m_errors.empty() && !hasBetter && !m_isLessBetter)
      fail("the table does not say whether less or more is better",
           "add a column better with less or more, or give --better less");
    if (m_errors.empty()) m_columns = std::move(columns);
  }

  void readRow(const std::string& line) {
    const Cells cells = cellsOf(line, m_separator);
    if (cells.size() != m_columns.size()) {
      fail(fmt::format("{} cells, and {} columns", cells.size(), m_columns.size()),
           "as many as the first line has; a cell with the separator in it stands in \"quotes\"");
      return;
    }
    ResultRow row;
    row.line = m_line;
    row.isLessBetter = m_isLessBetter.value_or(false);
    const std::size_t errors = m_errors.size();
    std::vector<std::string> names;
    std::string beforeUnit;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (m_columns[i] == Column::Name && !cells[i].empty()) names.push_back(cells[i]);
      if (m_columns[i] == Column::Before)
        readMeanCell(i, cells[i], beforeUnit, row.before, row.beforeDeviation);
      if (m_columns[i] == Column::After) readMeanCell(i, cells[i], row.unit, row.after, row.afterDeviation);
      if (m_columns[i] == Column::Better) readBetter(i, cells[i], row);
    }
    // A deviation in percent is one of the mean, which may stand behind it.
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (m_columns[i] == Column::BeforeDeviation)
        readDeviation(i, cells[i], row.before, row.beforeDeviation);
      if (m_columns[i] == Column::AfterDeviation) readDeviation(i, cells[i], row.after, row.afterDeviation);
      if (m_columns[i] == Column::Printed) readPrinted(i, cells[i], row);
    }
    row.name = fmt::format("{}", fmt::join(names, ", "));
    if (m_errors.size() == errors && beforeUnit != row.unit)
      fail(fmt::format("the means have different units, \"{}\" and \"{}\"", beforeUnit, row.unit),
           "one unit in a row");
    if (m_errors.size() == errors) m_rows.push_back(std::move(row));
  }

  void readMeanCell(std::size_t cell, const std::string& text, std::string& unit, PrintedNumber& mean,
                    std::optional<double>& deviation) {
    if (!readMean(text, mean, unit, deviation))
      fail(fmt::format("{}: \"{}\" is not a number", m_heads[cell], text),
           "15.305, 15.305 s or 15.305 s (+/- 1.5 %)");
    else if (mean.value <= 0)
      fail(fmt::format("{}: {} is not above 0", m_heads[cell], text),
           "a change in percent needs means above 0");
  }

  void readBetter(std::size_t cell, const std::string& text, ResultRow& row) {
    const std::string word = boost::to_lower_copy(text);
    const bool isLess = word == "less" || word == "lower";
    if (!isLess && word != "more" && word != "higher")
      fail(fmt::format("{}: \"{}\"", m_heads[cell], text), "less or more");
    row.isLessBetter = isLess;
  }

  void readDeviation(std::size_t cell, const std::string& text, const PrintedNumber& mean,
                     std::optional<double>& deviation) {
    if (text.empty()) return;
    deviation = deviationOf(text, mean.value);
    if (!deviation) fail(fmt::format("{}: \"{}\" is not a deviation", m_heads[cell], text), "0.21, or 1.5 %");
  }

  void readPrinted(std::size_t cell, const std::string& text, ResultRow& row) {
    if (text.empty() || text == "-") return;
    std::string_view rest = text;
    row.printed = numberAt(rest);
    rest = trimmed(rest);
    if (!row.printed || (!rest.empty() && rest != "%"))
      fail(fmt::format("{}: \"{}\" is not a percentage", m_heads[cell], text), "+8.52 %");
  }
};

double percent(double part, double whole) { return 100 * (part / whole - 1); }

struct Range {
  double low = 0, high = 0;
};

/// The change from a to b over all that both may be.
Range changeRange(const PrintedNumber& a, const PrintedNumber& b) {
  return {percent(b.value - b.halfDigit, a.value + a.halfDigit),
          percent(b.value + b.halfDigit, a.value - a.halfDigit)};
}

Range improvementRange(const ResultRow& row) {
  const Range change = changeRange(row.before, row.after);
  return row.isLessBetter ? Range{-change.high, -change.low} : change;
}

bool meets(const Range& range, const PrintedNumber& printed) {
  // What is computed in binary may miss a limit that is met in decimal.
  constexpr double kBinary = 1e-9;
  return range.low <= printed.value + printed.halfDigit + kBinary &&
         range.high >= printed.value - printed.halfDigit - kBinary;
}

}  // namespace

double ResultRow::improvement() const {
  const double change = percent(after.value, before.value);
  return isLessBetter ? -change : change;
}

double ResultRow::lowest() const { return improvementRange(*this).low; }
double ResultRow::highest() const { return improvementRange(*this).high; }

std::optional<double> ResultRow::noise() const {
  if (!beforeDeviation || !afterDeviation) return std::nullopt;
  return 100 * after.value / before.value *
         std::hypot(*beforeDeviation / before.value, *afterDeviation / after.value);
}

PrintedChange ResultRow::printedIs() const {
  if (!printed) return PrintedChange::Absent;
  if (meets(improvementRange(*this), *printed)) return PrintedChange::Improvement;
  if (!isLessBetter) return PrintedChange::Differs;
  if (meets(changeRange(after, before), *printed)) return PrintedChange::Speed;
  return meets(changeRange(before, after), *printed) ? PrintedChange::Difference : PrintedChange::Differs;
}

Result<std::vector<ResultRow>> readResultTable(const std::string& file, const std::string& text,
                                               std::optional<bool> isLessBetter) {
  return TableReader(file, isLessBetter).read(text);
}

}  // namespace rqscope
