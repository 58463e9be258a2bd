#!/usr/bin/env bash
# Formats every C++ file of the tree with clang-format. --check changes nothing, names what differs and exits 1.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
help_if_asked "$@"

command -v clang-format >/dev/null || die "clang-format is missing (Debian: apt-get install clang-format)"
case "${1:-}" in
  "") mode=(-i) ;;
  --check) mode=(--dry-run --Werror) ;;
  *) die "unknown argument $1; use --check or nothing" ;;
esac
find tlm_ifaces models frontends platforms sc_main tests bench \
  \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 --no-run-if-empty clang-format --style=file "${mode[@]}"
