# SPDX-FileCopyrightText: 2026 The rqscope developers
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by app/run and tests/run: installs what is missing, configures, builds. Does nothing that is done already.

rqs_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rqs_build="$rqs_top/build/release"

rqs_say() { printf 'rqscope: %s\n' "$*" >&2; }

# rqs_install FILE...: the packages listed in the files that are not installed yet.
rqs_install() {
  local wanted missing=() name
  wanted=$(cat "$@" | grep -v '^#')
  for name in $wanted; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  [ "${#missing[@]}" -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { rqs_say "these packages are missing and neither root nor sudo is at hand: ${missing[*]}"; return 1; }
    as_root=(sudo)
  fi
  rqs_say "installing ${#missing[@]} packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq >&2 &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# rqs_build_all [CMAKE-OPTION...]: configures when the options changed or nothing is configured, then builds.
rqs_build_all() {
  local stamp="$rqs_build/.configured" options="$*"
  if [ ! -f "$rqs_build/build.ninja" ] || [ "$(cat "$stamp" 2>/dev/null)" != "$options" ]; then
    rqs_say "configuring in build/release"
    (cd "$rqs_top" && cmake --preset release "$@" >&2) || return 1
    printf '%s' "$options" >"$stamp"
  fi
  # Quiet when there is nothing to build.
  if ! ninja -C "$rqs_build" -n | tail -n 1 | grep -q 'no work to do'; then
    rqs_say "building in build/release"
    ninja -C "$rqs_build" >&2
  fi
}
