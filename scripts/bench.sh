#!/usr/bin/env bash
# Builds the preset `bench`, measures the limit and whole runs, and prints a table (docs/performance.md).
# Arguments go to scripts/bench.py: scripts/bench.sh --quick --json bench.json
# With --peers DIR, other simulators run the same traffic (scripts/bench_peers.py); with --cost, larger runs are predicted from small
# ones and measured (scripts/bench_cost.py).
set -euo pipefail
here="$PWD"
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build_dir="${TESSERA_BENCH_DIR:-$root/build-bench}"

script=bench.py targets=(wse_platform limit micro) limit=(--limit "$build_dir/bench/limit") help=false
for argument in "$@"; do
  case "$argument" in
    --peers | --peers=*) script=bench_peers.py ;;
    --cost) script=bench_cost.py ;;
    -h | --help) help=true ;;
  esac
done
if $help; then
  "scripts/$script" --help
  if [[ $script == bench.py ]]; then
    echo "Other simulators on the same traffic: bench.sh --peers DIR --help"
    echo "Predictions from small runs, and measurements: bench.sh --cost --help"
  fi
  exit 0
fi
if [[ $script != bench.py ]]; then targets=(wse_platform) limit=(); else scripts/setup.sh libbenchmark-dev; fi

configure bench
build --target "${targets[@]}"
cd "$here"
exec python3 "$root/scripts/$script" --platform "$build_dir/bin/wse_platform" ${limit[@]+"${limit[@]}"} "$@"
