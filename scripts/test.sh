#!/usr/bin/env bash
# Sets up, builds and runs the whole test suite. Extra arguments go to ctest: scripts/test.sh -L unit -R router
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/setup.sh
configure
build --target all

# Soak tests run for minutes: only when they are asked for (scripts/test.sh -L soak).
skip=(-LE soak)
[[ "$*" != *soak* ]] || skip=()
cd "$build_dir"
exec ctest --output-on-failure --no-tests=error -j "$(nproc)" ${skip[@]+"${skip[@]}"} "$@"
