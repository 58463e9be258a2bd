#!/usr/bin/env bash
# Timing goldens: what runs took, kept as text, so that no cycle moves unnoticed (docs/timing-goldens.md).
# Builds wse_platform; the arguments go to scripts/golden.py: scripts/golden.sh update --reason "hops take 2 cycles"
set -euo pipefail
here="$PWD"
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

configure
build --target wse_platform
cd "$here"
exec python3 -B "$root/scripts/golden.py" --platform "$build_dir/bin/wse_platform" "$@"
