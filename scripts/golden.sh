#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Timing goldens: what runs took, kept as text, so that no cycle moves unnoticed (docs/timing-goldens.md).
# Builds wse_platform where it is needed; the arguments go to scripts/golden.py: scripts/golden.sh update --reason "a hop is 2"
set -euo pipefail
here="$PWD"
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

runs=yes previous=
for argument; do
  case "$previous $argument" in
    --dir\ * | --platform\ *) ;;                      # a value
    *\ check | *\ update | *\ add) break ;;
    *\ log | *\ remove | *\ -h | *\ --help) runs= && break ;;
  esac
  previous="$argument"
done
if [ -n "$runs" ]; then
  scripts/setup.sh
  configure
  build --target wse_platform ascend_platform
fi
cd "$here"
exec python3 -B "$root/scripts/golden.py" --platform "$build_dir/bin/wse_platform" "$@"
