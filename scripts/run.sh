#!/usr/bin/env bash
# From a fresh Debian 12 to the report of the main example: packages, configure, build, run.
# Extra arguments go to the executable: scripts/run.sh --param W=8 --param H=8 --param M=32 --param N=32
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/setup.sh
configure
build --target wse_platform

report="$build_dir/gemv-report.json"
heatmap="$build_dir/gemv-heatmap.svg"
"$build_dir/bin/wse_platform" examples/gemv_stream/layout.json --preset wse3 \
  --report "$report" --heatmap "$heatmap" "$@"
say "Report:   $report"
say "Heat map: $heatmap (open it in a browser)"
