// SPDX-FileCopyrightText: 2026 The rqscope developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/support/sample_frames.h"

#include <string>
#include <vector>

namespace rqscope::samples {
namespace {

using api::Comparison;
using api::Operand;
using api::Rung;
using api::RungRow;
using api::Subject;
using api::SubjectKind;
using api::Tone;
using api::Unit;

constexpr std::int32_t kLittle = 383;
constexpr std::int32_t kBig = 1024;
const std::vector<std::int32_t> kBigs = {1, 2};
const std::vector<std::int32_t> kLittles = {0, 3, 4, 5};
const std::vector<std::int32_t> kAll = {0, 1, 2, 3, 4, 5};

bool isBig(std::int32_t cpu) { return cpu == 1 || cpu == 2; }

void addJunoDomains(api::MachineLayout& layout) {
  for (std::int32_t cpu = 0; cpu < 6; ++cpu)
    layout.groups.push_back({{cpu}, {cpu}, {}, "{" + std::to_string(cpu) + "}"});
  layout.groups.push_back({kBigs, kBigs, {}, "{1,2}"});
  layout.groups.push_back({kLittles, kLittles, {}, "{0,3-5}"});
  for (std::int32_t cpu = 0; cpu < 6; ++cpu) {
    const auto& span = isBig(cpu) ? kBigs : kLittles;
    api::LayoutDomain mc{cpu, 0, 0, "MC", span, {"BALANCE_NEWIDLE", "WAKE_AFFINE", "SHARE_LLC"}, {cpu}};
    for (const std::int32_t other : span) {
      if (other != cpu) mc.groups.push_back(other);
    }
    mc.minIntervalMs = 4, mc.maxIntervalMs = 8, mc.busyFactor = 16, mc.imbalancePct = 117,
    mc.cacheNiceTries = 1;
    api::LayoutDomain pkg{cpu,
                          1,
                          1,
                          "PKG",
                          kAll,
                          {"BALANCE_NEWIDLE", "BALANCE_EXEC", "BALANCE_FORK", "WAKE_AFFINE", "PREFER_SIBLING",
                           "ASYM_CPUCAPACITY", "ASYM_CPUCAPACITY_FULL"},
                          isBig(cpu) ? std::vector<std::int32_t>{6, 7} : std::vector<std::int32_t>{7, 6}};
    pkg.minIntervalMs = 6, pkg.maxIntervalMs = 12, pkg.busyFactor = 16, pkg.imbalancePct = 117,
    pkg.cacheNiceTries = 1;
    const auto first = static_cast<std::int32_t>(layout.domains.size());
    mc.parent = first + 1;
    layout.domains.push_back(mc);
    layout.domains.push_back(pkg);
    layout.cpus[static_cast<std::size_t>(cpu)].domains = {first, first + 1};
  }
}

std::shared_ptr<const api::MachineLayout> junoLayout() {
  auto layout = std::make_shared<api::MachineLayout>();
  layout->name = "Juno r2";
  layout->kernel = "v6.12";
  layout->patches = {"migrate_util_shr_bound=on"};
  for (std::int32_t cpu = 0; cpu < 6; ++cpu) {
    api::LayoutCpu c;
    c.id = cpu;
    c.capacity = c.throughput = isBig(cpu) ? kBig : kLittle;
    c.kind = isBig(cpu) ? "big" : "little";
    c.llc = isBig(cpu) ? 0 : 1;
    c.core = cpu;
    layout->cpus.push_back(c);
  }
  layout->root = {
      "machine",
      "Juno r2",
      kAll,
      {{"package", "package 0", kAll, {{"llc", "L2 0", kBigs, {}}, {"llc", "L2 1", kLittles, {}}}}}};
  layout->groupTypes = {"has_spare", "fully_busy", "misfit_task", "imbalanced", "overloaded"};
  layout->levelNames = {"MC", "PKG"};
  addJunoDomains(*layout);
  return layout;
}

Operand number(const char* name, std::int64_t value, Unit unit = Unit::Capacity) {
  return {name, value, unit, {}};
}
Operand text(const char* name, const char* value) { return {name, 0, Unit::None, value}; }

RungRow groupRow(std::int32_t group, const char* label, const char* type, bool isLocal,
                 std::vector<Operand> cells) {
  RungRow row;
  row.subject = {SubjectKind::Group, group};
  row.label = label;
  row.groupType = type;
  row.isLocal = isLocal;
  row.cells = std::move(cells);
  return row;
}

Rung rung(const char* kind, const char* function, const char* outcome, Tone tone,
          std::vector<Operand> operands, Subject subject = {}) {
  Rung r;
  r.kind = kind;
  r.function = function;
  r.outcome = outcome;
  r.tone = tone;
  r.subject = subject;
  r.operands = std::move(operands);
  return r;
}

Rung candidateRung(bool detached, std::int64_t failed) {
  Rung r = rung("candidate", "detach_tasks", detached ? "detached" : "util_too_big",
                detached ? Tone::Yes : Tone::No,
                {number("util", 512), number("nr_balance_failed", failed, Unit::None),
                 number("imbalance", 383), number("loop", 1, Unit::None), number("loop_max", 2, Unit::None)},
                {SubjectKind::Task, 2});
  r.tests.push_back(
      {number("util >> nr_balance_failed", 512 >> failed), ">", number("imbalance", 383), !detached});
  RungRow row;
  row.subject = {SubjectKind::Task, 2};
  row.label = "C";
  row.cells = {number("util", 512)};
  row.tests = r.tests;
  row.verdict = r.outcome;
  row.tone = r.tone;
  r.rows.push_back(row);
  return r;
}

Rung queueRung() {
  Rung r = rung("source_queue", "sched_balance_find_src_rq", "CPU 2", Tone::Yes, {}, {SubjectKind::Cpu, 2});
  RungRow one;
  one.subject = {SubjectKind::Cpu, 1};
  one.label = "CPU 1";
  one.cells = {number("nr_running", 1, Unit::Tasks)};
  one.verdict = "one_task";
  one.tone = Tone::No;
  RungRow two;
  two.subject = {SubjectKind::Cpu, 2};
  two.label = "CPU 2";
  two.cells = {number("util", 1024)};
  two.verdict = "chosen";
  two.tone = Tone::Yes;
  r.rows = {one, two};
  return r;
}

std::shared_ptr<const api::Ladder> junoLadder(bool detached, std::int64_t failed, std::int64_t timeNs) {
  auto ladder = std::make_shared<api::Ladder>();
  ladder->index = detached ? 214 : 213;
  ladder->eventIndex = 1482;
  ladder->timeNs = timeNs;
  ladder->entry = "nohz";
  ladder->cpu = 5;
  ladder->runOn = 0;
  ladder->domain = 11;
  ladder->domainName = "PKG";
  ladder->idle = "idle";
  ladder->moved = detached ? 1 : 0;
  ladder->failed = !detached;
  auto& rungs = ladder->rungs;
  rungs.push_back(rung("entry", "nohz_balancer_kick", "kick CPU 5", Tone::Neutral,
                       {number("misfit_task_load", 1, Unit::Load), text("first idle CPU", "5")}));
  rungs.push_back(rung(
      "domain_due", "sched_balance_domains", "PKG due", Tone::Yes,
      {number("last_balance", 188, Unit::Milliseconds), number("balance_interval", 8, Unit::Milliseconds)}));
  rungs.push_back(rung("should_we_balance", "should_we_balance", "yes", Tone::Yes,
                       {number("first idle CPU", 5, Unit::Cpu), number("dst_cpu", 5, Unit::Cpu)},
                       {SubjectKind::Cpu, 5}));
  Rung stats = rung("group_statistics", "update_sg_lb_stats", "2 groups", Tone::Neutral, {});
  stats.rows.push_back(groupRow(7, "{0,3-5}", "has_spare", true,
                                {number("nr", 3, Unit::Tasks), number("weight", 4, Unit::Cpus),
                                 number("util", 1149), number("capacity", 1532)}));
  stats.rows.push_back(groupRow(6, "{1,2}", "overloaded", false,
                                {number("nr", 3, Unit::Tasks), number("weight", 2, Unit::Cpus),
                                 number("util", 2048), number("capacity", 2048)}));
  stats.rows[1].tests.push_back(
      {number("capacity * 100", 204800), "<", number("util * imbalance_pct", 239616), true});
  rungs.push_back(stats);
  rungs.push_back(
      rung("busiest_group", "update_sd_pick_busiest", "{1,2}", Tone::Yes, {}, {SubjectKind::Group, 6}));
  rungs.push_back(rung("worth_balancing", "sched_balance_find_src_group", "go", Tone::Yes,
                       {text("local", "has_spare"), text("busiest", "overloaded")}));
  rungs.push_back(
      rung("imbalance", "calculate_imbalance", "migrate_util 383", Tone::Neutral,
           {number("group_capacity", 1532), number("group_util", 1149), number("imbalance", 383)}));
  rungs.push_back(queueRung());
  rungs.push_back(candidateRung(detached, failed));
  rungs.push_back(rung("result", "sched_balance_rq", detached ? "moved 1" : "moved 0", Tone::Neutral,
                       {number("moved", detached ? 1 : 0, Unit::Tasks),
                        number("nr_balance_failed", detached ? 0 : 1, Unit::None)}));
  return ladder;
}

std::shared_ptr<const api::Frame> junoFrame(bool detached, std::int64_t failed, std::int64_t timeNs) {
  auto frame = std::make_shared<api::Frame>();
  frame->layout = junoLayout();
  frame->timeNs = timeNs;
  frame->jiffies = static_cast<std::uint64_t>(timeNs / 4'000'000);
  frame->eventIndex = 1482;
  frame->passIndex = detached ? 214 : 213;
  frame->eventText = "nohz_balance";
  const std::int32_t where[] = {1, 2, 2, 0, 3, 4};
  for (std::int32_t i = 0; i < 6; ++i) {
    api::TaskFrame task;
    task.id = i;
    task.pid = 1000 + i;
    task.name = std::string(1, static_cast<char>('A' + i));
    task.state = i == 2 ? "queued" : "running";
    task.cpu = where[i];
    task.util = task.utilEst = i == 0 ? 1024 : (i < 3 ? 512 : 383);
    task.load = task.runnable = 1024;
    task.vruntime = 80'000'000 + i * 1'300'000;
    task.deadline = task.vruntime + 3'000'000;
    task.lag = i == 1 ? -650'000 : (i == 2 ? 650'000 : 0);
    task.slice = 3'000'000;
    task.eligible = task.lag >= 0;
    task.isNext = i == 2;
    frame->tasks.push_back(task);
  }
  for (std::int32_t cpu = 0; cpu < 6; ++cpu) {
    api::CpuFrame c;
    c.id = cpu;
    c.capacity = c.capacityOrig = isBig(cpu) ? kBig : kLittle;
    for (std::int32_t i = 0; i < 6; ++i) {
      if (where[i] != cpu) continue;
      if (i == 2) {
        c.queued.push_back(i);
      } else {
        c.running = i;
      }
      ++c.nrRunning;
      c.util += frame->tasks[static_cast<std::size_t>(i)].util;
      c.load += 1024;
    }
    c.isIdle = c.nrRunning == 0;
    c.averageVruntime = 81'950'000;
    c.totalWeight = 1024 * c.nrRunning;
    frame->cpus.push_back(c);
  }
  frame->groups.resize(8);
  for (std::size_t cpu = 0; cpu < 6; ++cpu) {
    const bool idle = frame->cpus[cpu].nrRunning == 0;
    frame->groups[cpu].type =
        idle ? "has_spare" : (frame->cpus[cpu].nrRunning > 1 ? "overloaded" : "fully_busy");
    frame->groups[cpu].nrRunning = frame->cpus[cpu].nrRunning;
    frame->groups[cpu].util = frame->cpus[cpu].util;
    frame->groups[cpu].capacity = frame->cpus[cpu].capacity;
    frame->groups[cpu].idleCpus = idle ? 1 : 0;
  }
  frame->groups[6] = {"overloaded", 3072, 2048, 3072, 2048, 3, 0, false};
  frame->groups[7] = {"has_spare", 3072, 1149, 3072, 1532, 3, 1, false};
  frame->domains.resize(12);
  frame->domains[11] = {6, failed, 47, 0};
  frame->ladder = junoLadder(detached, failed, timeNs);
  frame->rung = 8;
  frame->migrations = 0;
  frame->failedPasses = static_cast<std::uint64_t>(failed);
  frame->historyBytes = 14'200'000;
  frame->historyBudget = 256'000'000;
  return frame;
}

struct Random {
  std::uint64_t state = 0x9E3779B97F4A7C15ULL;
  std::uint32_t next(std::uint32_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>(state >> 33) % below;
  }
};

std::vector<std::int32_t> llcCpus(std::int32_t llc) {
  std::vector<std::int32_t> cpus;
  for (std::int32_t i = 0; i < 4; ++i) cpus.push_back(llc * 4 + i);
  for (std::int32_t i = 0; i < 4; ++i) cpus.push_back(128 + llc * 4 + i);
  return cpus;
}

api::LayoutBox llcBox(std::int32_t llc) {
  api::LayoutBox box{"llc", "L3 " + std::to_string(llc), llcCpus(llc), {}};
  for (std::int32_t i = 0; i < 4; ++i) {
    const std::int32_t first = llc * 4 + i;
    box.children.push_back({"core", "core " + std::to_string(first), {first, first + 128}, {}});
  }
  return box;
}

api::LayoutBox epycBox() {
  api::LayoutBox root{"machine", "EPYC", {}, {}};
  for (std::int32_t package = 0; package < 2; ++package) {
    api::LayoutBox p{"package", "package " + std::to_string(package), {}, {}};
    for (std::int32_t node = package * 2; node < package * 2 + 2; ++node) {
      api::LayoutBox n{"node", "NODE " + std::to_string(node), {}, {}};
      for (std::int32_t llc = node * 8; llc < node * 8 + 8; ++llc) {
        n.children.push_back(llcBox(llc));
        n.cpus.insert(n.cpus.end(), n.children.back().cpus.begin(), n.children.back().cpus.end());
      }
      p.cpus.insert(p.cpus.end(), n.cpus.begin(), n.cpus.end());
      p.children.push_back(n);
    }
    root.cpus.insert(root.cpus.end(), p.cpus.begin(), p.cpus.end());
    root.children.push_back(p);
  }
  return root;
}

std::shared_ptr<api::MachineLayout> epycLayout() {
  auto layout = std::make_shared<api::MachineLayout>();
  layout->name = "EPYC 2x64c NPS2";
  layout->kernel = "v6.12";
  layout->root = epycBox();
  layout->groupTypes = {"has_spare", "fully_busy", "imbalanced", "overloaded"};
  layout->levelNames = {"MC", "NODE"};
  for (std::int32_t llc = 0; llc < 32; ++llc)
    layout->groups.push_back({llcCpus(llc), llcCpus(llc), {}, "L3 " + std::to_string(llc)});
  for (std::int32_t cpu = 0; cpu < 256; ++cpu) {
    api::LayoutCpu c;
    c.id = cpu;
    c.core = cpu % 128;
    c.llc = (cpu % 128) / 4;
    c.node = c.llc / 8;
    c.package = c.node / 2;
    api::LayoutDomain node{cpu,
                           0,
                           0,
                           "NODE",
                           layout->root.children[static_cast<std::size_t>(c.package)]
                               .children[static_cast<std::size_t>(c.node % 2)]
                               .cpus,
                           {"BALANCE_NEWIDLE", "PREFER_SIBLING"},
                           {c.llc}};
    for (std::int32_t llc = c.node * 8; llc < c.node * 8 + 8; ++llc) {
      if (llc != c.llc) node.groups.push_back(llc);
    }
    node.imbalancePct = 117;
    c.domains = {static_cast<std::int32_t>(layout->domains.size())};
    layout->domains.push_back(node);
    layout->cpus.push_back(c);
  }
  return layout;
}

}  // namespace

std::shared_ptr<const api::Frame> junoDetach() { return junoFrame(true, 1, 196'000'000); }
std::shared_ptr<const api::Frame> junoSkip() { return junoFrame(false, 0, 188'000'000); }
std::shared_ptr<const api::Frame> empty() { return std::make_shared<api::Frame>(); }

std::shared_ptr<const api::Frame> epyc256() {
  auto frame = std::make_shared<api::Frame>();
  const auto layout = epycLayout();
  frame->layout = layout;
  frame->timeNs = 680'944'000;
  frame->groups.resize(32);
  frame->domains.resize(256);
  Random random;
  for (std::int32_t cpu = 0; cpu < 256; ++cpu) {
    api::CpuFrame c;
    c.id = cpu;
    const std::int32_t llc = (cpu % 128) / 4;
    const std::uint32_t chance = llc == 2 || llc == 21 ? 13 : 3 + static_cast<std::uint32_t>(llc * 7 % 5);
    const std::uint32_t tasks = chance > 10 ? 1 + random.next(2) : (random.next(8) < chance ? 1 : 0);
    for (std::uint32_t i = 0; i < tasks; ++i) {
      api::TaskFrame task;
      task.id = static_cast<std::int32_t>(frame->tasks.size());
      task.name = "req." + std::to_string(task.id % 60);
      task.state = i == 0 ? "running" : "queued";
      task.cpu = cpu;
      task.util = 200 + random.next(800 / tasks);
      task.load = 1024;
      if (i == 0) {
        c.running = task.id;
      } else {
        c.queued.push_back(task.id);
      }
      c.util += task.util;
      frame->tasks.push_back(task);
    }
    c.nrRunning = static_cast<std::int32_t>(tasks);
    c.isIdle = tasks == 0;
    auto& group = frame->groups[static_cast<std::size_t>(llc)];
    group.nrRunning += c.nrRunning;
    group.idleCpus += c.isIdle ? 1 : 0;
    group.util += c.util;
    group.capacity += 1024;
    frame->cpus.push_back(c);
  }
  for (auto& group : frame->groups)
    group.type = group.nrRunning > 8 ? "overloaded" : (group.nrRunning == 8 ? "fully_busy" : "has_spare");
  frame->historyBytes = 171'000'000;
  frame->historyBudget = 256'000'000;
  return frame;
}

}  // namespace rqscope::samples
