// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "api/machine_base.h"
#include "api/problems.h"
#include "topology/domain_dump.h"
#include "topology/hwloc_xml.h"
#include "topology/machine_file.h"
#include "topology/stoppable_build.h"
#include "topology/topology_record.h"
#include "workload/json_document.h"

namespace rqscope::api {

namespace {

Problem problemOfFault(const EditFault& fault) {
  Problem out;
  out.message = fault.message;
  out.hint = fault.hint;
  return out;
}

/// Replaces parts of a text, last first, so that positions stay right.
class TextPatch {
 public:
  explicit TextPatch(std::string text) : m_text(std::move(text)) {}
  void replace(const JsonValue& value, std::string with) {
    m_parts.push_back({value.begin, value.end, std::move(with)});
  }
  std::string result() {
    std::sort(m_parts.begin(), m_parts.end(), [](const Part& a, const Part& b) { return a.begin > b.begin; });
    for (const Part& part : m_parts) m_text.replace(part.begin, part.end - part.begin, part.with);
    return std::move(m_text);
  }

 private:
  struct Part {
    std::size_t begin, end;
    std::string with;
  };
  std::string m_text;
  std::vector<Part> m_parts;
};

/// A machine file as the value of a key: without the line at the end, two blanks further in.
std::string inlined(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

}  // namespace

MachineText machineText(const EditMachine& machine, const std::string& kernel, MachineFormat format,
                        const std::stop_token& stop) {
  MachineText out;
  for (const EditFault& fault : faultsOf(machine)) out.problems.push_back(problemOfFault(fault));
  if (!out.problems.empty()) return out;
  const Hardware hardware = hardwareOf(machine);
  if (format == MachineFormat::MachineFile) {
    out.text = writeMachineJson(hardware);
    return out;
  }
  if (format == MachineFormat::HwlocXml) {
    out.text = writeHwlocXml(hardware);
    return out;
  }
  const auto profile = kernelProfile(kernel);
  out.problems = problemsOf(profile.diagnostics());
  if (!profile) return out;
  const auto topology = buildSchedTopology(hardware, profile.value(), stop);
  out.problems = problemsOf(topology.diagnostics());
  if (!topology) return out;
  out.text = format == MachineFormat::Record
                 ? topologyRecord(*topology.value(), profile.value())
                           .dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
                       "\n"
                 : schedVerboseText(*topology.value(), profile.value());
  return out;
}

MachineText scenarioWithMachine(const std::string& fileName, const std::string& text,
                                const EditMachine& machine) {
  MachineText out;
  const auto document = parseJson(fileName, text);
  out.problems = problemsOf(document.diagnostics());
  if (!document) return out;
  const JsonMember* own = document.value().root.find("machine");
  if (own == nullptr) {
    Problem problem;
    problem.file = fileName;
    problem.message = "the scenario has no \"machine\" that could be replaced";
    problem.hint = "save the machine as a file and choose it in the Scenario view";
    out.problems.push_back(std::move(problem));
    return out;
  }
  const MachineText written = machineText(machine, "", MachineFormat::MachineFile);
  out.problems = written.problems;
  if (written.text.empty()) return out;
  TextPatch patch(text);
  patch.replace(own->value, inlined(written.text));
  for (const char* key : {"capacity", "throughput"})
    if (const JsonMember* member = document.value().root.find(key)) patch.replace(member->value, "{}");
  out.text = patch.result();
  return out;
}

}  // namespace rqscope::api
