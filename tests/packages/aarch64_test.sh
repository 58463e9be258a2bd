#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tessera built for aarch64 by Debian's cross compiler and run by QEMU: aarch64_test.sh BUILD [PLATFORM...]
# BUILD has the same executables for this machine: both must print the same digests and cycles. The libraries of the other
# machine come from Debian into a folder of their own; nothing is installed here. AARCH64_WORK names a folder to keep.
# Exit code 77: the cross compiler, QEMU or a Debian mirror is missing.
set -euo pipefail
build=$(realpath "$1")
shift
platforms=("$@")
[ "${#platforms[@]}" -gt 0 ] || platforms=(wse_platform numesh_platform ascend_platform)
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
for tool in aarch64-linux-gnu-g++ qemu-aarch64 apt-get dpkg; do
  command -v "$tool" >/dev/null || { echo "skipped: this needs $tool (packages g++-aarch64-linux-gnu and qemu-user)"; exit 77; }
done
work=${AARCH64_WORK:-$(mktemp -d)}
[ -n "${AARCH64_WORK:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"

# An own state of apt, in which nothing is installed: all that the libraries need is downloaded.
sysroot=$work/sysroot
if [ ! -d "$sysroot" ]; then
  mkdir -p "$work"/apt/{lists,archives}/partial
  apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Status=/dev/null
       -o Dir::State::Lists="$work/apt/lists" -o Dir::Cache::Archives="$work/apt/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
       -o Debug::NoLocking=1 -o APT::Sandbox::User=root)
  "${apt[@]}" update >"$work/apt.log" 2>&1 || { tail -n 3 "$work/apt.log"; echo "skipped: no Debian mirror can be reached"; exit 77; }
  series=
  "${apt[@]}" install --simulate libboost-json-dev >/dev/null 2>&1 || series=1.81
  "${apt[@]}" install --yes --download-only --no-install-recommends libsystemc-dev zlib1g-dev libzstd-dev \
    "libboost$series-dev" "libboost-json$series-dev" "libboost-program-options$series-dev" "libboost-context$series-dev" \
    >"$work/apt.log" 2>&1 || { tail -n 20 "$work/apt.log"; exit 1; }
  mkdir "$sysroot.new"
  for package in "$work"/apt/archives/*.deb; do dpkg --extract "$package" "$sysroot.new"; done
  mv "$sysroot.new" "$sysroot"
fi

cat >"$work/toolchain.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT "$sysroot")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;$sysroot")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "$sysroot")
set(ENV{PKG_CONFIG_LIBDIR} "$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig")
TOOLCHAIN
cmake -S "$root" -B "$work/build" -G Ninja --toolchain "$work/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release -DTESSERA_BUILD_TESTS=OFF \
  >"$work/configure.log" 2>&1 || { tail -n 20 "$work/configure.log"; exit 1; }
cmake --build "$work/build" --target "${platforms[@]}" >"$work/build.log" 2>&1 || { grep -m 20 -E 'error|FAILED' "$work/build.log"; exit 1; }

# The same program on both: the reports differ in nothing but the run itself.
cat >"$work/compare.py" <<'COMPARE'
import json
import sys
here, there = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
differ = sorted(key for key in here.keys() | there.keys() if here.get(key) != there.get(key) and key not in ("wall", "run"))
sys.exit(f"the reports differ in: {', '.join(differ)}" if differ else 0)
COMPARE
for platform in "${platforms[@]}"; do
  case $platform in
    wse_platform) example=("$root/examples/reduce_chain/layout.json") ;;
    numesh_platform) example=("$root/examples/numesh/tour.json") ;;
    ascend_platform) example=("$root/examples/ascend/c2v_a2a3.pto" --param TILES=3) ;;
    *) echo "there is no example for $platform" >&2; exit 2 ;;
  esac
  "$build/bin/$platform" "${example[@]}" --quiet --report "$work/here.json"
  aarch64-linux-gnu-readelf -h "$work/build/bin/$platform" | grep -q AArch64
  qemu-aarch64 -L "$sysroot" -E LD_LIBRARY_PATH="$sysroot/usr/lib/aarch64-linux-gnu:/usr/aarch64-linux-gnu/lib" \
    "$work/build/bin/$platform" "${example[@]}" --quiet --report "$work/there.json"
  python3 "$work/compare.py" "$work/here.json" "$work/there.json"
  echo "$platform: $(basename "${example[0]}") is equal on aarch64"
done
