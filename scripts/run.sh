#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 to the result of the main example: packages, configure, build, run.
# Extra arguments are options of the simulator, for example:
#   scripts/run.sh --set fabric.hop_latency=4
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
help_if_asked "$@"

scripts/setup.sh
configure
build --target wse_platform tessera_cslc tessera_csl_server

example="$build_dir/examples/gemv"
mkdir -p "$example"
cp examples/csl/gemv/* "$example"
cd "$example"
PATH="$build_dir/sdk/bin:$PATH" TESSERA_OPTIONS="--report report.json --heatmap hops.svg --heatmap-counter hops $*" \
  bash -e commands.sh
say "Report:   $example/report.json"
say "Heat map: $example/hops.svg (open it in a browser)"
