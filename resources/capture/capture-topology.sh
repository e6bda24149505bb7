#!/bin/sh
# SPDX-FileCopyrightText: 2026 The rqscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes a record (schema linux-sched-topology/1) of this machine and of the sched domains its kernel built:
#     sudo sh capture-topology.sh > my-machine.json
# Reads /sys, /proc, debugfs and the boot log only; changes nothing. Domains need root and a mounted debugfs; the
# spans of domains are in the boot log only when the machine was started with "sched_verbose".
#     sh capture-topology.sh --root DIR     reads a copy of /sys and /proc (and a file "dmesg") below DIR instead
set -eu

root=
while [ $# -gt 0 ]; do
  case $1 in
    --root) root=${2:?--root needs a folder}; root=${root%/}; shift 2 ;;
    *) echo "usage: $0 [--root DIR] > record.json" >&2; exit 2 ;;
  esac
done
cd "$root/" || exit 1
[ -d sys/devices/system/cpu ] || { echo "$0: there is no /sys/devices/system/cpu" >&2; exit 1; }
[ -d sys/kernel/debug/sched/domains ] ||
  echo "$0: debugfs cannot be read: the record has the hardware only (run as root, with debugfs mounted)" >&2

# Every file that is needed, one "path:line" each; what cannot be read is left out.
files() {
  find sys/devices/system/cpu -type f \( -path '*/topology/*' -o -path '*/cache/index*' -o -name cpu_capacity \
    -o -name highest_perf -o -path 'sys/devices/system/cpu/cpu[0-9]*/uevent' \) 2>/dev/null || true
  find sys/devices/system/node -maxdepth 2 -type f \( -name cpulist -o -name distance \) 2>/dev/null || true
  find sys/kernel/debug/sched/domains -type f 2>/dev/null || true
  find sys/fs/cgroup -name 'cpuset.cpus*' -type f 2>/dev/null || true
  ls -d sys/devices/system/cpu/possible sys/devices/system/cpu/present sys/devices/system/cpu/online \
    sys/devices/system/cpu/offline sys/devices/system/cpu/isolated sys/devices/system/node/online \
    sys/devices/system/node/has_cpu sys/devices/system/node/has_memory sys/devices/cpu_atom/cpus proc/cmdline \
    proc/version proc/sys/kernel/osrelease proc/sys/kernel/sched_itmt_enabled \
    sys/kernel/debug/x86/sched_itmt_enabled 2>/dev/null || true
}
boot_log() {
  if [ -n "$root" ]; then cat dmesg 2>/dev/null || true; else dmesg 2>/dev/null || true; fi
}

cluster_level=
if [ -z "$root" ] && [ -r "boot/config-$(uname -r)" ]; then
  grep -q '^CONFIG_SCHED_CLUSTER=y' "boot/config-$(uname -r)" || cluster_level=false
fi
if [ -n "$root" ]; then name=captured; else name=$(uname -n); fi

{
  files | xargs grep -sH '' 2>/dev/null || true
  grep -sE '^(vendor_id|cpu family|model name|Model|CPU implementer|isa)[[:space:]]*:' proc/cpuinfo |
    awk '!seen[$0]++' | sed 's|^|proc/cpuinfo:|' || true
  boot_log | grep -E ' attaching |domain-[0-9]+:' | sed 's/^/LOG:/' || true
} | awk -v name="$name" -v cluster_level="$cluster_level" '
function text(s) { sub(/[ \t]+$/, "", s); gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return "\"" s "\"" }
function num(path, other) { return (path in v) && v[path] ~ /^-?[0-9]+/ ? v[path] + 0 : other }
function either(a, b) { return text((a in v) ? v[a] : v[b]) }
function words(s,   n, w, i, out) {
  n = split(s, w, " "); out = "["
  for (i = 1; i <= n; i++) out = out (i > 1 ? "," : "") "\"" w[i] "\""
  return out "]"
}
function contains(list, n,   count, part, i, ends, k) {
  count = split(list, part, ",")
  for (i = 1; i <= count; i++) {
    k = split(part[i], ends, "-")
    if (part[i] != "" && n >= ends[1] + 0 && n <= (k > 1 ? ends[2] : ends[1]) + 0) return 1
  }
  return 0
}
function cpu(c,   t, d, i, out, cluster, n) {
  t = CPU "cpu" c "/topology/"
  if ((CPU "online") in v && !contains(v[CPU "online"], c)) return "  {\"id\":" c ",\"online\":false}"
  cluster = num(t "cluster_id", -1); if (cluster == 65535 || cluster == -1) cluster = "null"
  out = "  {\"id\":" c ",\"online\":true,\"package\":" num(t "physical_package_id", 0) ",\"die\":" num(t "die_id", 0)
  out = out ",\"cluster\":" cluster ",\"core\":" num(t "core_id", 0)
  out = out ",\"thread_siblings\":" either(t "core_cpus_list", t "thread_siblings_list")
  if ((t "cluster_cpus_list") in v) out = out ",\"cluster_cpus\":" text(v[t "cluster_cpus_list"])
  out = out ",\"die_cpus\":" either(t "die_cpus_list", t "core_siblings_list")
  out = out ",\"package_cpus\":" either(t "package_cpus_list", t "core_siblings_list") ",\"caches\":["
  for (i = 0; (CPU "cpu" c "/cache/index" i "/level") in v; i++) {
    d = CPU "cpu" c "/cache/index" i "/"
    out = out (i ? "," : "") "{\"level\":" num(d "level", 1) ",\"type\":" text(v[d "type"]) ",\"size\":" text(v[d "size"])
    out = out ",\"id\":" num(d "id", -1) ",\"shared\":" text(v[d "shared_cpu_list"]) "}"
  }
  node = 0
  for (n = 0; n <= maxnode; n++) if (contains(v[NODE "node" n "/cpulist"], c)) node = n
  out = out "],\"node\":" node
  if ((CPU "cpu" c "/cpu_capacity") in v) out = out ",\"capacity\":" num(CPU "cpu" c "/cpu_capacity", 1024)
  if ((CPU "cpu" c "/acpi_cppc/highest_perf") in v)
    out = out ",\"asym_priority\":" num(CPU "cpu" c "/acpi_cppc/highest_perf", 0)
  return out "}"
}
function domain(c, i,   d, out) {
  d = DOM "cpu" c "/domain" i "/"
  out = "  {\"cpu\":" c ",\"index\":" i ",\"name\":" text(v[d "name"])
  if ((d "level") in v) out = out ",\"level\":" num(d "level", 0)
  if ((c, i) in span) out = out ",\"span\":\"" span[c, i] "\""
  out = out ",\"flags\":" words(v[d "flags"])
  if ((d "groups_flags") in v) out = out ",\"groups_flags\":" words(v[d "groups_flags"])
  out = out ",\"imbalance_pct\":" num(d "imbalance_pct", 0) ",\"busy_factor\":" num(d "busy_factor", 0)
  out = out ",\"min_interval_ms\":" num(d "min_interval", 0) ",\"max_interval_ms\":" num(d "max_interval", 0)
  return out ",\"cache_nice_tries\":" num(d "cache_nice_tries", 0) "}"
}
function number_after(path, prefix,   rest) {
  rest = substr(path, length(prefix) + 1)
  return index(path, prefix) == 1 && rest ~ /^[0-9]+\// ? rest + 0 : -1
}
BEGIN {
  CPU = "sys/devices/system/cpu/"; NODE = "sys/devices/system/node/"; DOM = "sys/kernel/debug/sched/domains/"
  maxcpu = maxnode = -1; reclaim = 30
}
/^LOG:/ {
  if (/ attaching /) { match($0, /CPU[0-9]+ attaching/); logcpu = substr($0, RSTART + 3) + 0 }
  else if (match($0, /span=[0-9,-]+/)) {
    s = substr($0, RSTART + 5, RLENGTH - 5); match($0, /domain-[0-9]+:/); span[logcpu, substr($0, RSTART + 7) + 0] = s
  }
  next
}
{
  colon = index($0, ":"); path = substr($0, 1, colon - 1); value = substr($0, colon + 1)
  if (path == "proc/cpuinfo") {
    if (value ~ /^vendor_id/) x86 = 1
    if (value ~ /AuthenticAMD/) amd = 1
    if (value ~ /^cpu family/) family = substr(value, index(value, ":") + 1) + 0
    if (value ~ /^(model name|Model)/ && model == "") model = substr(value, index(value, ":") + 2)
    next
  }
  if (!(path in v)) v[path] = value
  if ((n = number_after(path, CPU "cpu")) > maxcpu) maxcpu = n
  if (n >= 0) iscpu[n] = 1
  if ((n = number_after(path, NODE "node")) > maxnode) maxnode = n
  if (path ~ /cpuset\.cpus\.partition$/ && value != "member") part[parts++] = substr(path, 1, length(path) - 22)
}
END {
  for (c = 0; c <= 65535 && (CPU "present") in v; c++) {
    if (contains(v[CPU "present"], c)) { iscpu[c] = 1; if (c > maxcpu) maxcpu = c }
    if (c > maxcpu + 4096) break
  }
  print "{\n \"schema\": \"linux-sched-topology/1\",\n \"id\": " text(name) ",\n \"machine\": " text(model) ","
  print " \"kernel\": {\"release\": " text(v["proc/sys/kernel/osrelease"]) ", \"version\": " text(v["proc/version"]) "},"
  print " \"cmdline\": " text(v["proc/cmdline"]) ","
  if (!x86) print " \"mask_rules\": \"arch_topology\","
  if (cluster_level != "") print " \"cluster_level\": " cluster_level ","
  if ("sys/devices/cpu_atom/cpus" in v) print " \"hybrid\": true,"
  if (v["proc/sys/kernel/sched_itmt_enabled"] == "1" || v["sys/kernel/debug/x86/sched_itmt_enabled"] == "Y")
    print " \"itmt\": true,"
  print " \"cpu_lists\": {\"possible\": " text(v[CPU "possible"]) ", \"present\": " text(v[CPU "present"]) ", \"online\": " \
    text(v[CPU "online"]) ", \"offline\": " text(v[CPU "offline"]) ", \"isolated\": " text(v[CPU "isolated"]) "},"
  printf " \"cpus\": ["; comma = "\n"
  for (c = 0; c <= maxcpu; c++) if (c in iscpu) { printf "%s%s", comma, cpu(c); comma = ",\n" }
  print "\n ],"
  if (parts) {
    printf " \"cpuset\": {"; comma = "\n"
    for (i = 0; i < parts; i++) {
      g = part[i]; short = g; sub(/^sys\/fs\/cgroup\//, "", short)
      printf "%s  %s: %s", comma, text(short "/cpuset.cpus"), text(v[g "/cpuset.cpus"]); comma = ",\n"
      printf ",\n  %s: %s", text(short "/cpuset.cpus.partition"), text(v[g "/cpuset.cpus.partition"])
    }
    print "\n },"
  }
  # The kernel sets node_reclaim_distance to 32 on AMD family 17h and later; it cannot be read.
  if (amd && family >= 23) reclaim = 32
  printf " \"numa\": {\"nodes\": ["; comma = ""
  for (n = 0; n <= maxnode; n++) {
    if (!((NODE "node" n "/distance") in v) && !((NODE "node" n "/cpulist") in v)) continue
    d = v[NODE "node" n "/distance"]; sub(/^ +/, "", d); sub(/ +$/, "", d); gsub(/ +/, ", ", d)
    printf "%s{\"id\": %d, \"cpulist\": %s, \"distance\": [%s]}", comma, n, text(v[NODE "node" n "/cpulist"]), d
    comma = ", "
  }
  printf "], \"online\": %s, \"has_cpu\": %s, ", text(v[NODE "online"]), text(v[NODE "has_cpu"])
  printf "\"has_memory\": %s, \"node_reclaim_distance\": %d}", text(v[NODE "has_memory"]), reclaim
  comma = ",\n \"domains\": [\n"; any = 0
  for (c = 0; c <= maxcpu; c++)
    for (i = 0; (DOM "cpu" c "/domain" i "/name") in v; i++) { printf "%s%s", comma, domain(c, i); comma = ",\n"; any = 1 }
  print (any ? "\n ]\n}" : "\n}")
}'
