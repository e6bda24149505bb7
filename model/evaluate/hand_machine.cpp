// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "evaluate/hand_machine.h"

#include <algorithm>

namespace rqscope {
namespace {

/// Last update of every queue and, when attached, of the task: no time passes inside a record.
constexpr std::uint64_t kRecordClock = 1000;

CpuMask maskOf(const std::vector<int>& cpus) {
  CpuMask mask;
  for (const int cpu : cpus) mask.set(CpuId{cpu});
  return mask;
}

}  // namespace

HandTopology::HandTopology(int cpuCount) : m_topology(std::make_shared<SchedTopology>()) {
  SchedTopology& t = *m_topology;
  const auto count = static_cast<std::size_t>(cpuCount);
  t.cpuLimit = cpuCount;
  t.online = CpuMask::firstN(cpuCount);
  t.position.resize(count);
  t.cpus.resize(count);
  t.smtMask.resize(count);
  t.cpuCapacity.assign(count, 1024);
  t.asymPriority.assign(count, 0);
  t.node.assign(count, NodeId{0});
  t.rootDomains.push_back(t.online);
  for (int cpu = 0; cpu < cpuCount; ++cpu) {
    const auto i = static_cast<std::size_t>(cpu);
    t.position[i] = cpu;
    t.cpus[i].llcId = t.cpus[i].shareId = CpuId{cpu};
    t.cpus[i].rootDomain = RootDomainId{0};
    t.smtMask[i] = CpuMask::of(CpuId{cpu});
  }
  t.asymCapacities.emplace_back(1024, t.online);
}

void HandTopology::addDomain(const std::vector<int>& members, std::uint32_t flags, int imbalancePct,
                             const std::vector<GroupSpec>& groups, Ring order) {
  SchedTopology& t = *m_topology;
  std::vector<SchedGroupId> ring;
  CpuMask span;
  for (const GroupSpec& spec : groups) {
    ring.emplace_back(t.groups.size());
    SchedGroup& group = t.groups.emplace_back();
    group.span = group.balanceMask = maskOf(spec.cpus);
    group.span.forEach([&](CpuId cpu) { group.cpus.push_back(cpu); });
    group.flags = spec.flags;
    group.weight = group.span.weight();
    group.cores = spec.cores != 0 ? spec.cores : group.weight;
    group.asymPreferCpu = group.cpus.empty() ? CpuId{0} : group.cpus.front();
    group.capacity = CapacityId{t.capacityCount++};
    span |= group.span;
  }
  for (const int cpu : members) {
    const DomainId id{t.domains.size()};
    SchedDomain& domain = t.domains.emplace_back();
    CpuDomains& own = t.cpus[static_cast<std::size_t>(cpu)];
    DomainId below = own.lowest;
    while (below.isValid() && t.domain(below).parent.isValid()) below = t.domain(below).parent;
    domain.cpu = CpuId{cpu};
    domain.child = below;
    domain.index = below.isValid() ? t.domain(below).index + 1 : 0;
    domain.level = domain.index;
    domain.span = span;
    domain.spanWeight = span.weight();
    domain.flags = flags;
    domain.imbalancePct = imbalancePct;
    domain.minIntervalMs = domain.spanWeight;
    domain.maxIntervalMs = 2 * domain.spanWeight;
    domain.groups = ring;
    const auto local =
        std::ranges::find_if(domain.groups, [&](SchedGroupId g) { return t.group(g).span.test(CpuId{cpu}); });
    if (order == Ring::LocalFirst && local != domain.groups.end()) std::ranges::rotate(domain.groups, local);
    if (below.isValid())
      t.domains[below.index()].parent = id;
    else
      own.lowest = id;
  }
}

SharedId HandTopology::addCache(const std::vector<int>& cpus) {
  SchedTopology& t = *m_topology;
  const SharedId shared{t.sharedCount++};
  t.sharedSpan.push_back(maskOf(cpus));
  const CpuId first = t.sharedSpan.back().first();
  for (const int cpu : cpus) {
    CpuDomains& own = t.cpus[static_cast<std::size_t>(cpu)];
    own.sdLlc = own.lowest;
    own.llcShared = shared;
    own.llcSize = static_cast<int>(cpus.size());
    own.llcId = own.shareId = first;
    if (own.sdLlc.isValid()) t.domains[own.sdLlc.index()].shared = shared;
  }
  return shared;
}

const nlohmann::json* RecordReader::find(const char* key) {
  const auto at = m_object.is_object() ? m_object.find(key) : m_object.end();
  if (m_object.is_object() && at != m_object.end()) return &*at;
  if (m_error.empty()) m_error = std::string("the input \"") + key + "\" is missing";
  return nullptr;
}

std::uint64_t RecordReader::number(const char* key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return 0;
  if (value->is_boolean()) return value->get<bool>() ? 1 : 0;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  if (value->is_number_integer()) return static_cast<std::uint64_t>(value->get<std::int64_t>());
  if (m_error.empty()) m_error = std::string("the input \"") + key + "\" is not an integer";
  return 0;
}

std::uint64_t RecordReader::number(const char* key, std::uint64_t absent) {
  return has(key) ? number(key) : absent;
}

std::int64_t RecordReader::integer(const char* key) { return static_cast<std::int64_t>(number(key)); }
bool RecordReader::flag(const char* key) { return number(key) != 0; }
bool RecordReader::flag(const char* key, bool absent) { return has(key) ? number(key) != 0 : absent; }

const nlohmann::json& RecordReader::object(const char* key) {
  static const nlohmann::json kEmpty = nlohmann::json::object();
  const nlohmann::json* value = find(key);
  if (value != nullptr && value->is_object()) return *value;
  if (m_error.empty()) m_error = std::string("the input \"") + key + "\" is not an object";
  return kEmpty;
}

const nlohmann::json& RecordReader::array(const char* key) {
  static const nlohmann::json kEmpty = nlohmann::json::array();
  const nlohmann::json* value = find(key);
  if (value != nullptr && value->is_array()) return *value;
  if (m_error.empty()) m_error = std::string("the input \"") + key + "\" is not a list";
  return kEmpty;
}

std::vector<int> RecordReader::list(const char* key) {
  std::vector<int> out;
  for (const nlohmann::json& item : array(key)) {
    const bool fits = item.is_number_integer() && item >= 0 && item <= 65535;
    if (fits) out.push_back(item.get<int>());
    if (!fits && m_error.empty()) m_error = std::string("the input \"") + key + "\" is not a list of CPUs";
  }
  return out;
}

std::uint64_t RecordReader::bounded(const char* key, std::uint64_t max) {
  const std::uint64_t value = number(key);
  if (value <= max) return value;
  fail(std::string("the input \"") + key + "\" is above " + std::to_string(max));
  return 0;
}

std::uint64_t RecordReader::positive(const char* key, std::uint64_t max) {
  const std::uint64_t value = bounded(key, max);
  if (value != 0) return value;
  fail(std::string("the input \"") + key + "\" is 0");
  return 1;
}

std::string RecordReader::text(const char* key) {
  const nlohmann::json* value = find(key);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  fail(std::string("the input \"") + key + "\" is not a text");
  return {};
}

Diagnostic RecordReader::error() const {
  return {Severity::Error, {}, m_error, "the schema is the one of the ground-truth vectors"};
}

Machine handMachine(std::shared_ptr<const SchedTopology> topology, const KernelProfile& profile) {
  Machine m =
      makeMachine(std::move(topology), std::make_shared<const KernelProfile>(profile), kRecordClock, 1);
  m.jiffies = 1'000'000;
  m.maxBalanceIntervalJiffies = 0;  // records give the number of CPUs that counts
  for (CfsRq& queue : m.cfs) {
    queue.avg.lastUpdateTime = kRecordClock;
    queue.lastHLoadUpdate = 0;
  }
  return m;
}

Result<bool> layCpuRow(Machine& m, const nlohmann::json& row) {
  RecordReader in(row);
  const std::int64_t number = in.integer("cpu");
  if (!in.ok()) return in.error();
  if (number < 0 || number >= m.topology->cpuLimit)
    return Diagnostic{Severity::Error, {}, "a CPU row is of a CPU that is in no group", ""};
  const CpuId cpu{static_cast<std::int32_t>(number)};
  const std::uint64_t running = in.number("nr_running");
  const bool isIdle = in.flag("curr_is_idle");
  Rq& rq = m.rq(cpu);
  rq.nrRunning = static_cast<std::uint32_t>(running);
  rq.ttwuPending = in.flag("ttwu_pending");
  rq.cpuCapacity = in.number("capacity", 1024);
  rq.misfitTaskLoad = in.number("misfit_task_load", 0);
  rq.nrNumaRunning = static_cast<std::uint32_t>(in.number("nr_numa_running", 0));
  rq.nrPreferredRunning = static_cast<std::uint32_t>(in.number("nr_preferred_running", 0));
  rq.idleStamp = in.number("idle_stamp", 0);
  if (in.has("exit_latency")) rq.idleExitLatency = static_cast<std::int32_t>(in.number("exit_latency"));
  CfsRq& cfs = m.rootCfs(cpu);
  cfs.hNrQueued = static_cast<std::uint32_t>(in.number("cfs_h_nr", running));
  cfs.hNrDelayed = static_cast<std::uint32_t>(in.number("cfs_h_nr_delayed", 0));
  cfs.hNrRunnable = cfs.hNrQueued - cfs.hNrDelayed;
  cfs.hNrIdle = static_cast<std::uint32_t>(in.number("sched_idle_nr", 0));
  if (in.has("load")) cfs.avg.loadAvg = in.bounded("load", kMaxAverage);
  cfs.avg.utilAvg = in.number("util_avg", 0);
  cfs.avg.utilEst = static_cast<std::uint32_t>(in.number("util_est", 0));
  cfs.avg.runnableAvg = in.number("runnable_avg", 0);
  if (!in.ok()) return in.error();
  if (!isIdle) {
    NewTask busy;
    busy.cpu = cpu;
    const TaskId current = addTask(m, busy);
    m.task(current).state = TaskState::Running;
    m.task(current).onRq = m.task(current).onCpu = true;
    m.rq(cpu).curr = current;
  }
  return true;
}

}  // namespace rqscope
