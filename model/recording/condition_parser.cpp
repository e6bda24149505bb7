// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/profile.h"
#include "recording/condition.h"
#include "recording/condition_fields.h"

namespace rqscope {
namespace {

constexpr int kMaxDepth = 200;  // of nesting, so that no input exhausts the stack

bool isWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

/// Recursive descent over the grammar in condition.h. On the first mistake `error` is set and parsing ends.
class Parser {
 public:
  Parser(std::string_view text, const SimState& state) : m_text(text), m_state(state) {}

  std::vector<Condition::Node> run() {
    parseOr();
    skipSpace();
    if (!error && m_at != m_text.size())
      fail(m_at, "something follows the end of the condition", "use && or ||");
    return std::move(m_nodes);
  }

  std::optional<Diagnostic> error;

 private:
  using Op = Condition::Op;
  using Node = Condition::Node;

  std::int32_t fail(std::size_t at, std::string message, std::string hint) {
    if (!error)
      error =
          Diagnostic{Severity::Error, {"", 1, static_cast<int>(at) + 1}, std::move(message), std::move(hint)};
    return 0;
  }
  void skipSpace() {
    while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0) ++m_at;
  }
  bool take(std::string_view token) {
    skipSpace();
    if (!m_text.substr(m_at).starts_with(token)) return false;
    m_at += token.size();
    return true;
  }
  std::int32_t add(Node node) {
    m_nodes.push_back(std::move(node));
    return static_cast<std::int32_t>(m_nodes.size()) - 1;
  }
  std::int32_t addOperation(Op op, std::int32_t left, std::int32_t right = -1) {
    Node node;
    node.op = op;
    node.left = left;
    node.right = right;
    return add(std::move(node));
  }

  std::int32_t parseOr() {
    std::int32_t left = parseAnd();
    while (!error && take("||")) left = addOperation(Op::Or, left, parseAnd());
    return left;
  }
  std::int32_t parseAnd() {
    std::int32_t left = parseNot();
    while (!error && take("&&")) left = addOperation(Op::And, left, parseNot());
    return left;
  }
  std::int32_t parseNot() {
    if (++m_depth > kMaxDepth) return fail(m_at, "the condition is nested too deeply", "");
    skipSpace();
    std::int32_t node = 0;
    if (!m_text.substr(m_at).starts_with("!=") && take("!"))
      node = addOperation(Op::Not, parseNot());
    else
      node = parseComparison();
    --m_depth;
    return node;
  }
  std::int32_t parseComparison() {
    constexpr std::pair<std::string_view, Op> kOps[] = {{"==", Op::Equal},     {"!=", Op::NotEqual},
                                                        {"<=", Op::LessEqual}, {">=", Op::GreaterEqual},
                                                        {"<", Op::Less},       {">", Op::Greater}};
    const std::int32_t left = parseSum();
    for (const auto& [token, op] : kOps)
      if (!error && take(token)) return addOperation(op, left, parseSum());
    skipSpace();
    if (!error && m_at < m_text.size() && m_text[m_at] == '=')
      return fail(m_at, "\"=\" alone means nothing here", "use ==");
    return left;
  }
  std::int32_t parseSum() {
    std::int32_t left = parseProduct();
    while (!error) {
      if (take("+"))
        left = addOperation(Op::Add, left, parseProduct());
      else if (take("-"))
        left = addOperation(Op::Subtract, left, parseProduct());
      else
        break;
    }
    return left;
  }
  std::int32_t parseProduct() {
    std::int32_t left = parseUnary();
    while (!error) {
      if (take("*"))
        left = addOperation(Op::Multiply, left, parseUnary());
      else if (take("/"))
        left = addOperation(Op::Divide, left, parseUnary());
      else if (take("%"))
        left = addOperation(Op::Remainder, left, parseUnary());
      else
        break;
    }
    return left;
  }
  std::int32_t parseUnary() {
    if (++m_depth > kMaxDepth) return fail(m_at, "the condition is nested too deeply", "");
    const std::int32_t node = parsePrimary();
    --m_depth;
    return node;
  }
  std::int32_t parsePrimary() {
    skipSpace();
    if (m_at == m_text.size()) return fail(m_at, "the condition ends where a value must stand", "");
    if (take("-")) return addOperation(Op::Negate, parseUnary());
    if (take("(")) {
      const std::int32_t node = parseOr();
      if (!error && !take(")")) return fail(m_at, "a \")\" is missing", "");
      return node;
    }
    const char c = m_text[m_at];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return parseNumber();
    if (c == '\'' || isWordStart(c)) return parseName();
    return fail(m_at, fmt::format("\"{}\" cannot start a value", c), "");
  }
  std::int32_t parseNumber() {
    constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
        {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
    std::int64_t value = 0;
    const std::size_t at = m_at;
    const auto [end, code] = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), value);
    if (code != std::errc{}) return fail(at, "the number is too large", "");
    m_at = static_cast<std::size_t>(end - m_text.data());
    if (m_at < m_text.size() && m_text[m_at] == '.')
      return fail(m_at, "numbers are whole", "use a smaller unit: 1500us");
    const std::string_view unit = word();
    if (!unit.empty()) {
      const auto* row =
          std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& u) { return u.first == unit; });
      if (row == std::end(kUnits))
        return fail(at, fmt::format("there is no unit \"{}\"", unit), "ns, us, ms and s are");
      if (value > INT64_MAX / row->second) return fail(at, "the number is too large", "");
      value *= row->second;
    }
    Node node;
    node.constant = value;
    return add(std::move(node));
  }
  std::string_view word() {
    const std::size_t start = m_at;
    while (m_at < m_text.size() && isWord(m_text[m_at])) {
      // "a-1" is a name, "a -1" and "a - 1" are sums; a minus needs a word on both sides to belong to one.
      if (m_text[m_at] == '-' && (m_at + 1 == m_text.size() || !isWord(m_text[m_at + 1]))) break;
      ++m_at;
    }
    return m_text.substr(start, m_at - start);
  }
  /// A word, or anything between single quotes.
  std::string_view name() {
    if (m_text[m_at] != '\'') return word();
    const std::size_t start = ++m_at;
    const std::size_t end = m_text.find('\'', start);
    if (end == std::string_view::npos) {
      fail(start - 1, "the quoted name has no end", "close it with '");
      return {};
    }
    m_at = end + 1;
    return m_text.substr(start, end - start);
  }
  std::int32_t parseName() {
    const std::size_t at = m_at;
    const bool isQuoted = m_text[m_at] == '\'';
    const std::string_view first = name();
    if (error) return 0;
    std::vector<std::string_view> rest;
    while (m_at < m_text.size() && m_text[m_at] == '.') {
      ++m_at;
      rest.push_back(word());
    }
    if (rest.empty() && !isQuoted) return parseLoneName(at, first);
    if (const auto cpu = isQuoted ? std::nullopt : cpuNumber(first)) return parseCpuName(at, *cpu, rest);
    if (rest.size() != 1) return fail(at, "a task's value is written TASK.FIELD", "");
    return parseTaskName(at, first, rest[0]);
  }
  std::int32_t parseLoneName(std::size_t at, std::string_view word) {
    const auto types = groupTypeNames();
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (types[i] != word) continue;
      Node node;
      node.constant = static_cast<std::int64_t>(i);
      return add(std::move(node));
    }
    Node node;
    node.op = Op::Run;
    node.field = fieldOf(at, runFields(), word, "the run");
    return add(std::move(node));
  }
  std::optional<CpuId> cpuNumber(std::string_view word) const {
    if (!word.starts_with("cpu") || word.size() == 3) return std::nullopt;
    std::int32_t value = 0;
    const auto [end, code] = std::from_chars(word.data() + 3, word.data() + word.size(), value);
    if (code != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return CpuId{value};
  }
  std::int32_t parseCpuName(std::size_t at, CpuId cpu, const std::vector<std::string_view>& rest) {
    if (!m_state.allCpus.test(cpu))
      return fail(at, fmt::format("there is no CPU {}", cpu.value),
                  fmt::format("the CPUs are {}", m_state.allCpus.list()));
    Node node;
    if (rest.size() == 1) {
      node.op = Op::Cpu;
      node.subject = cpu.value;
      node.field = fieldOf(at, cpuFields(), rest[0], "a CPU");
      return add(std::move(node));
    }
    if (rest.size() != 2) return fail(at, "a CPU's value is written cpuN.FIELD or cpuN.DOMAIN.FIELD", "");
    std::vector<std::string_view> known;
    const SchedTopology& topology = *m_state.machine.topology;
    for (DomainId d = topology.cpus[cpu.index()].lowest; d.isValid(); d = topology.domain(d).parent) {
      known.push_back(topology.domain(d).name);
      if (topology.domain(d).name != rest[0]) continue;
      node.op = Op::Domain;
      node.subject = d.value;
      node.field = fieldOf(at, domainFields(), rest[1], "a domain");
      return add(std::move(node));
    }
    return fail(at, fmt::format("CPU {} has no domain {}", cpu.value, rest[0]),
                fmt::format("it has {}", fmt::join(known, ", ")));
  }
  std::int32_t parseTaskName(std::size_t at, std::string_view task, std::string_view field) {
    std::vector<std::string> names;
    const Workload& workload = m_state.plan->workload;
    for (std::size_t t = 0; t < workload.threads.size(); ++t)
      for (std::int32_t i = 0; i < std::max(1, workload.threads[t].instances); ++i)
        names.push_back(threadName(workload, static_cast<std::int32_t>(t), i));
    if (std::find(names.begin(), names.end(), task) == names.end()) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      const std::string_view near = nearestName(task, known);
      return fail(at, fmt::format("no task is called \"{}\"", task),
                  near.empty() ? "" : fmt::format("did you mean {}?", near));
    }
    Node node;
    node.op = Op::Task;
    node.name = task;
    node.field = fieldOf(at, taskFields(), field, "a task");
    return add(std::move(node));
  }
  template <class Table>
  std::int32_t fieldOf(std::size_t at, const Table& table, std::string_view name, std::string_view what) {
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i].name == name) return static_cast<std::int32_t>(i);
      known.push_back(table[i].name);
    }
    const std::string_view near = nearestName(name, known);
    return fail(at, fmt::format("{} has no value \"{}\"", what, name),
                near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                             : fmt::format("did you mean {}?", near));
  }

  std::string_view m_text;
  const SimState& m_state;
  std::size_t m_at = 0;
  int m_depth = 0;
  std::vector<Node> m_nodes;
};

}  // namespace

Result<Condition> Condition::parse(std::string_view text, const SimState& state) {
  Parser parser(text, state);
  Condition condition;
  condition.m_nodes = parser.run();
  if (parser.error) return *parser.error;
  return condition;
}

}  // namespace rqscope
