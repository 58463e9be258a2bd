#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian or Ubuntu packages that Tessera needs and this machine lacks. Silent when none is missing.
# Arguments are further packages: scripts/setup.sh libbenchmark-dev
# TESSERA_SKIP_SETUP=1 skips it, for machines that provide the tools in another way.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
help_if_asked "$@"

# The one list of what is needed: the documentation, the Containerfiles and the CI refer to this script.
packages=(
  g++ cmake ninja-build ccache pkg-config
  libsystemc-dev zlib1g-dev
  libgtest-dev libgmock-dev
  python3 python3-numpy python3-yaml
)
packages+=("$@")

# The series of Boost: the release's own where that has JSON (Debian 13, Ubuntu 24.04), else the newer one that the
# release has beside it (Debian 12: 1.81 beside 1.74).
boost_series=("" 1.81)
boost_packages() { printf '%s\n' "libboost$1-dev" "libboost-json$1-dev" "libboost-program-options$1-dev" "libboost-context$1-dev"; }

[ -z "${TESSERA_SKIP_SETUP:-}" ] || exit 0
command -v dpkg-query >/dev/null ||
  die "this is not Debian or Ubuntu; install what these packages hold, and Boost 1.81 or newer with JSON and" \
    "Program_options, and set TESSERA_SKIP_SETUP=1: ${packages[*]}"

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ] ||
    # A virtual package (pkg-config is one in newer releases) has no status of its own.
    [[ "$(dpkg-query -W -f ' ${Provides},\n' 2>/dev/null || true)" == *" $1"[\ ,]* ]]
}

boost_is_installed() {
  local package
  while read -r package; do
    is_installed "$package" || return 1
  done < <(boost_packages "$1")
}

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
need_boost=yes
for series in "${boost_series[@]}"; do
  ! boost_is_installed "$series" || need_boost=no
done
[ "${#missing[@]}" -gt 0 ] || [ "$need_boost" = yes ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || die "run this as root, or let an administrator install: ${missing[*]} and Boost with JSON"
  as_root=(sudo)
fi
quietly ${as_root[@]+"${as_root[@]}"} apt-get update -q ||
  die "apt-get update failed (see above); without a package index nothing can be installed"
if [ "$need_boost" = yes ]; then
  for series in "${boost_series[@]}"; do
    # What a release lacks may still be named in its index: only a package with a version can be installed.
    if [[ "$(apt-cache show "libboost-json$series-dev" 2>/dev/null)" == *Version:* ]]; then
      mapfile -t boost < <(boost_packages "$series")
      missing+=("${boost[@]}")
      need_boost=no
      break
    fi
  done
  [ "$need_boost" = no ] ||
    die "this release has no Boost with JSON (1.81 or newer); Tessera is tested on Debian 12 and 13"
fi
say "Installing ${missing[*]}"
quietly ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}" ||
  die "apt-get could not install ${missing[*]} (see above); Tessera is tested on Debian 12 and 13"
