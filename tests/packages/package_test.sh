#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages in a bare Debian: package_test.sh BUILD [FOLDER]
# Makes a Debian of the release of this computer with debootstrap, installs the packages of BUILD/packages there (scripts/package.sh
# makes them if there are none, or older ones), and does as a user without a checkout what use.sh does. FOLDER keeps the bare system for the next
# time. Exit code 77: not root, or debootstrap is missing.
set -euo pipefail
build=$(realpath "$1")
packages=$build/packages
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo "skipped: this needs root and debootstrap"
  exit 77
fi
kept=${2:-}
work=$(mktemp -d)
system=$work/system
finish() {
  mountpoint -q "$system/proc" && umount "$system/proc"
  rm -rf --one-file-system "$work"
}
trap finish EXIT

said() { printf '%s: %d s\n' "$1" "$((SECONDS - since))"; since=$SECONDS; }
since=$SECONDS
oldest=$(find "$packages" -name '*.deb' -printf '%T@ %p\n' 2>/dev/null | sort -n | awk 'NR == 1 {print $2}')
if [ -z "$oldest" ] || [ "$build/bin/wse_platform" -nt "$oldest" ]; then
  TESSERA_BUILD_DIR=$build "$here/../../scripts/package.sh"
  said "packages made"
fi
if [ -z "$kept" ] || [ ! -f "$kept/$suite.tar" ]; then
  debootstrap --variant=minbase "$suite" "$system" >"$work/log" 2>&1 || { tail "$work/log" >&2; exit 1; }
  if [ -n "$kept" ]; then
    mkdir -p "$kept"
    tar -C "$system" -cf "$kept/$suite.part" . && mv "$kept/$suite.part" "$kept/$suite.tar"
  fi
else
  mkdir "$system"
  tar -C "$system" -xf "$kept/$suite.tar"
fi
said "a bare $suite"

cp "$packages"/*.deb "$here/use.sh" "$system/tmp"
cp /etc/resolv.conf /etc/hosts "$system/etc"
mount -t proc proc "$system/proc"
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$system" "$@"; }
quiet() { "$@" >"$work/log" 2>&1 </dev/null || { tail -n 20 "$work/log" >&2; exit 1; }; }
quiet inside apt-get update

# What a user of programs installs; then the C library alone; then everything.
quiet inside sh -c 'apt-get install -y --no-install-recommends /tmp/tessera_*.deb /tmp/python3-tessera_*.deb /tmp/libtessera[0-9]*.deb'
said "tessera and python3-tessera installed"
quiet inside useradd -m user
as_user() { inside setpriv --reuid=user --regid=user --init-groups env HOME=/home/user "$@"; }
as_user bash /tmp/use.sh /usr
since=$SECONDS

quiet inside sh -c 'apt-get install -y --no-install-recommends /tmp/*.deb python3-yaml g++ make cmake pkg-config'
said "the other packages, a compiler and CMake installed"
as_user bash /tmp/use.sh /usr cpp c cmake
inside sh -c 'test -f /usr/share/man/man1/wse_platform.1.gz && test -f /usr/share/doc/tessera/docs/README.md'

# What is removed leaves nothing.
quiet inside sh -c 'apt-get remove -y --purge "tessera*" "libtessera*" python3-tessera'
left=$(inside find / -xdev -name '*tessera*' -not -path '/tmp/*' -not -path '/var/log/*' -not -path '/home/*')
[ -z "$left" ] || { echo "a removed package leaves $left" >&2; exit 1; }
echo "the packages work in a bare $suite"
