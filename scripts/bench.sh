#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the preset `bench`, measures the limit and whole runs, and prints a table (docs/performance.md).
# Arguments go to scripts/bench.py: scripts/bench.sh --quick --json bench.json
# With --peers DIR, other simulators run the same traffic (scripts/bench_peers.py); with --cost, larger runs are predicted from
# small ones and measured (scripts/bench_cost.py); with --clusters, AI-core clusters are measured instead of wafers
# (scripts/bench_clusters.py); with --real, the CSL programs of bench/real (scripts/bench_real.py).
set -euo pipefail
here="$PWD"
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build_dir="${TESSERA_BENCH_DIR:-$root/build-bench}"

what=wafers help=false arguments=()
for argument in "$@"; do
  case "$argument" in
    --clusters) what=clusters && continue ;;
    --cost) what=cost && continue ;;
    --real) what=real && continue ;;
    --peers | --peers=*) what=peers ;;
    -h | --help) help=true ;;
  esac
  arguments+=("$argument")
done
case $what in
  wafers) script=bench.py targets=(wse_platform limit micro) executables=(--platform "$build_dir/bin/wse_platform" --limit "$build_dir/bench/limit") ;;
  cost) script=bench_cost.py targets=(wse_platform) executables=(--platform "$build_dir/bin/wse_platform") ;;
  peers) script=bench_peers.py targets=(wse_platform) executables=(--platform "$build_dir/bin/wse_platform") ;;
  real) script=bench_real.py targets=(tessera_cslc tessera_csl_server) executables=(--bin "$build_dir/bin") ;;
  clusters) script=bench_clusters.py targets=(ascend_platform libtessera.so) executables=(--bin "$build_dir/bin") ;;
esac
if $help; then
  "scripts/$script" --help
  [ $what != wafers ] || printf '%s\n' "Other simulators on the same traffic: bench.sh --peers DIR --help" \
    "Predictions from small runs, and measurements: bench.sh --cost --help" "AI-core clusters: bench.sh --clusters --help" \
    "Real programs in CSL: bench.sh --real --help"
  exit 0
fi

[ $what != wafers ] || scripts/setup.sh libbenchmark-dev
[ $what != real ] || command -v valgrind >/dev/null || say "valgrind is missing: instructions are not counted"
configure bench
build --target "${targets[@]}"
cd "$here"
exec python3 "$root/scripts/$script" "${executables[@]}" ${arguments[@]+"${arguments[@]}"}
