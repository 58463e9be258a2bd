#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'TEXT'
scripts/test.sh [--asan | --tsan] [--all] [CTEST ARGUMENT...]
Installs what is missing, builds everything and runs the test suite.

  --asan    with the address and undefined-behaviour sanitizers (preset asan), in build-asan/
  --tsan    with the thread sanitizer (preset tsan), in build-tsan/: only what is stepped by several threads
  --all     also the tests that need optional packages, which it installs: clang (fuzz targets), doxygen, matplotlib (plots
            of sweeps), Slurm and Dask (sweeps on a cluster), jsonschema, Verilator, QEMU,
            Chromium (live view), Jupyter (notebooks), Open MPI (ranks), Valgrind (instructions of a step); and the check of
            the format of all sources (clang-format-14, scripts/format.sh)
  --help    this text

Other arguments go to ctest:
  scripts/test.sh -L unit -R router    tests of a label (unit, module, platform, scenario, timing, consumer)
                                       whose name matches
  scripts/test.sh -L soak              the tests that run for minutes; they are left out otherwise

TESSERA_BUILD_DIR names another build folder, TESSERA_SKIP_SETUP=1 skips the installation of packages.
tests/README.md says what is tested where.
TEXT
}

preset=release
targets=(all)
optional=()
arguments=()
for argument in "$@"; do
  case "$argument" in
    --help | -h) usage; exit 0 ;;
    --asan) preset=asan ;;
    --tsan)
      preset=tsan
      targets=(wse_platform test.models.wafer test.modules test.platforms)
      arguments+=(-R '^platforms.threads$|Wafer|Strips|SeveralThreads')
      ;;
    # python3-munkres: fonttools, which matplotlib needs, otherwise asks for SciPy, whose libboost-dev (1.74) is in
    # conflict with the Boost 1.81 that Debian 12 needs for JSON; apt does not find the alternative itself.
    --all)
      optional=(clang doxygen python3-munkres python3-matplotlib python3-jsonschema slurm-wlm munge python3-distributed
                verilator qemu-system-x86 chromium python3-nbclient python3-ipykernel libopenmpi-dev openmpi-bin valgrind
                clang-format-14)
      ;;
    *) arguments+=("$argument") ;;
  esac
done
[ "$preset" = release ] || build_dir="${TESSERA_BUILD_DIR:-$root/build-$preset}"

# What the tests of packages need.
[[ "${arguments[*]-}" != *soak* ]] || optional+=(debootstrap patchelf python3-wheel python3-venv g++-aarch64-linux-gnu qemu-user)
scripts/setup.sh
if [ "${#optional[@]}" -gt 0 ] && ! scripts/setup.sh "${optional[@]}"; then
  # Together they cannot be installed; one that is missing must not cost the tests of all others.
  for package in "${optional[@]}"; do
    scripts/setup.sh "$package" || say "Without $package some tests are skipped"
  done
fi
if [ "${#optional[@]}" -gt 0 ]; then
  if command -v clang-format-14 >/dev/null; then scripts/format.sh --check; else say "Without clang-format-14 the format is not checked"; fi
fi
configure "$preset"
build --target "${targets[@]}"

skip=(-LE soak)
[[ "${arguments[*]-}" != *soak* ]] || skip=()
cd "$build_dir"
exec ctest --output-on-failure --no-tests=error -j "$(nproc)" \
  ${skip[@]+"${skip[@]}"} ${arguments[@]+"${arguments[@]}"}
