#!/usr/bin/env bash
# Builds the preset `bench`, measures the limit and whole runs, and prints a table (docs/performance.md).
# Arguments go to scripts/bench.py: scripts/bench.sh --quick --json bench.json
# With --peers DIR, other simulators run the same traffic; then they go to scripts/bench_peers.py.
set -euo pipefail
here="$PWD"
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build_dir="${TESSERA_BENCH_DIR:-$root/build-bench}"

peers=false help=false
for argument in "$@"; do
  case "$argument" in
    --peers | --peers=*) peers=true ;;
    -h | --help) help=true ;;
  esac
done
script=bench.py targets=(wse_platform limit micro) limit=(--limit "$build_dir/bench/limit")
if $peers; then
  script=bench_peers.py targets=(wse_platform) limit=()
fi
if $help; then
  "scripts/$script" --help
  $peers || echo "Other simulators on the same traffic: bench.sh --peers DIR --help"
  exit 0
fi

$peers || scripts/setup.sh libbenchmark-dev
configure bench
build --target "${targets[@]}"
cd "$here"
exec python3 "$root/scripts/$script" --platform "$build_dir/bin/wse_platform" ${limit[@]+"${limit[@]}"} "$@"
