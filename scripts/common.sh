# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by the scripts in this folder (sourced). Leaves the caller in the root of the checkout, with
#   root       the checkout               build_dir  where the release build goes (TESSERA_BUILD_DIR overrides)
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root" || exit
build_dir="${TESSERA_BUILD_DIR:-$root/build}"

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*"; exit 1; }

# help_if_asked "$@": for -h or --help, prints the comment that opens the script and ends.
help_if_asked() {
  local argument
  for argument in "$@"; do
    case "$argument" in -h | --help) ;; *) continue ;; esac
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit 0
  done
}

# Runs a command; shows what it printed only when it fails.
quietly() {
  local log status=0
  log="$(mktemp)"
  "$@" >"$log" 2>&1 || status=$?
  [ "$status" -eq 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

# configure [PRESET]: configures a preset, `release` if none is named; costs nothing when it is configured already.
configure() {
  if ! mkdir -p "$build_dir" 2>/dev/null || [ ! -w "$build_dir" ]; then
    die "cannot write to $build_dir; make it writable or set TESSERA_BUILD_DIR to another folder"
  fi
  local cache="$build_dir/CMakeCache.txt" generator=()
  # A checkout that was moved or copied keeps a cache of its old place, which CMake refuses.
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf "$cache" "$build_dir/CMakeFiles"
  fi
  if [ ! -f "$cache" ]; then
    say "Configuring in $build_dir"
    command -v ninja >/dev/null || generator=(-G "Unix Makefiles")
  else
    generator=(-G "$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$cache")")
  fi
  quietly cmake --preset "${1:-release}" -B "$build_dir" ${generator[@]+"${generator[@]}"}
}

# build [--target NAME...]: builds what is out of date, and says nothing when nothing is.
build() {
  local jobs
  jobs="$(nproc)"
  if [ -t 1 ]; then
    cmake --build "$build_dir" --parallel "$jobs" "$@"
  else
    cmake --build "$build_dir" --parallel "$jobs" "$@" | sed -u '/no work to do\|Built target\|Re-checking globbed\|Entering directory/d'
  fi
}
