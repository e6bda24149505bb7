// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/eval_line.h"

#include <fmt/format.h>

#include "evaluate/function_table.h"
#include "evaluate/record_problem.h"

namespace rqscope {
namespace {

Diagnostic badLine(std::string message, int column = 0, std::string hint = "") {
  return Diagnostic{Severity::Error, {"", 0, column}, std::move(message), std::move(hint)};
}

std::string errorLine(const Diagnostic& error, int lineNumber) {
  nlohmann::json fields = {{"message", error.message}};
  if (lineNumber > 0) fields["line"] = lineNumber;
  if (error.where.column > 0) fields["column"] = error.where.column;
  if (!error.hint.empty()) fields["hint"] = error.hint;
  return nlohmann::json{{"error", std::move(fields)}}.dump(-1, ' ', false,
                                                           nlohmann::json::error_handler_t::replace);
}

}  // namespace

Result<VectorCase> parseVectorLine(std::string_view text) {
  nlohmann::json line;
  try {
    line = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    return badLine(fmt::format("not JSON: {}", plainReason(e.what())), static_cast<int>(e.byte));
  } catch (const nlohmann::json::exception& e) {
    return badLine(fmt::format("not JSON: {}", plainReason(e.what())));
  }
  constexpr auto kHint = "a line is {\"fn\": \"decay_load\", \"in\": {...}}";
  if (!line.is_object()) return badLine("the line is not an object", 0, kHint);
  const auto fn = line.find("fn");
  if (fn == line.end() || !fn->is_string()) return badLine("\"fn\" is missing or not a text", 0, kHint);
  const auto in = line.find("in");
  if (in == line.end() || !in->is_object()) return badLine("\"in\" is missing or not an object", 0, kHint);
  VectorCase out{fn->get<std::string>(), std::move(*in), nullptr};
  if (const auto expected = line.find("out"); expected != line.end()) out.out = std::move(*expected);
  return out;
}

Result<nlohmann::json> runVectorCase(const VectorCase& vectorCase, const KernelProfile& profile) {
  const EvalFunction* function = findEvalFunction(vectorCase.function);
  if (function == nullptr) {
    const auto near = nearestName(vectorCase.function, evalFunctionNames());
    return badLine(fmt::format("there is no function \"{}\"", vectorCase.function), 0,
                   near.empty() ? "rqscope eval --list names them" : fmt::format("did you mean {}?", near));
  }
  try {
    return function->run(vectorCase.in, profile);
  } catch (const nlohmann::json::exception& e) {  // a value of the wrong type that an adapter did not check
    return badLine(fmt::format("{}: {}", vectorCase.function, plainReason(e.what())));
  }
}

std::string evalLine(std::string_view text, const KernelProfile& profile, int lineNumber) {
  const Result<VectorCase> parsed = parseVectorLine(text);
  if (!parsed) return errorLine(parsed.error(), lineNumber);
  const Result<nlohmann::json> out = runVectorCase(parsed.value(), profile);
  if (!out) return errorLine(out.error(), lineNumber);
  return nlohmann::json{{"fn", parsed.value().function}, {"out", out.value()}}.dump();
}

}  // namespace rqscope
