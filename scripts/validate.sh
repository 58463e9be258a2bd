#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the model and runs the published workloads on it (docs/validation.md). Arguments: scripts/validate.sh --help
set -euo pipefail
here="$PWD"
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/setup.sh
configure
build --target wse_platform ascend_platform
python=/usr/bin/python3  # Debian's is the one that scripts/setup.sh gives NumPy to
[ -x "$python" ] || python=python3
cd "$here"
PYTHONPATH="$root/scripts" exec "$python" -B -m validation --platform "$build_dir/bin/wse_platform" "$@"
