#!/usr/bin/env bash
# Installs the Debian packages that Tessera needs and this machine lacks. Silent when none is missing.
# Arguments are further packages: scripts/setup.sh libbenchmark-dev
# TESSERA_SKIP_SETUP=1 skips it, for machines that provide the tools in another way.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The one list of what is needed: README and the CI refer to this script.
packages=(
  g++ cmake ninja-build ccache pkg-config
  libsystemc-dev libboost1.81-dev libboost-json1.81-dev libboost-program-options1.81-dev
  libgtest-dev libgmock-dev
  python3 python3-numpy
)
packages+=("$@")

[ -z "${TESSERA_SKIP_SETUP:-}" ] || exit 0
command -v dpkg-query >/dev/null ||
  die "this is not Debian or Ubuntu; install what these packages hold and set TESSERA_SKIP_SETUP=1: ${packages[*]}"

missing=()
for package in "${packages[@]}"; do
  status="$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)"
  # A virtual package (pkg-config is one in newer releases) has no status of its own.
  [ "$status" = installed ] || dpkg-query -W -f '${Provides}\n' 2>/dev/null | grep -qw -- "^$package" ||
    missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || die "run this as root, or let an administrator install: ${missing[*]}"
  as_root=(sudo)
fi
say "Installing ${missing[*]}"
quietly ${as_root[@]+"${as_root[@]}"} apt-get update -q ||
  die "apt-get update failed (see above); without a package index nothing can be installed"
quietly ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}" ||
  die "apt-get could not install ${missing[*]} (see above); Tessera is made for Debian 12 (bookworm)"
