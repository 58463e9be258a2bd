#!/usr/bin/env bash
# Builds the preset `bench`, measures the limit and whole runs, and prints a table (docs/performance.md).
# Arguments go to scripts/bench.py: scripts/bench.sh --quick --json bench.json
set -euo pipefail
here="$PWD"
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build_dir="${TESSERA_BENCH_DIR:-$root/build-bench}"

scripts/setup.sh libbenchmark-dev
configure bench
build --target wse_platform limit micro
cd "$here"
exec python3 "$root/scripts/bench.py" --platform "$build_dir/bin/wse_platform" --limit "$build_dir/bench/limit" "$@"
