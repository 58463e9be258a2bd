#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats C++ files with the one version of clang-format that decides: all of the tree, or those that are named.
#   scripts/format.sh [FILE ..]
#   scripts/format.sh --check    changes nothing, names what differs and exits 1; files of scripts/format_exceptions.txt may
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
help_if_asked "$@"

version=14
exceptions=scripts/format_exceptions.txt
clang_format="$(command -v "clang-format-$version" || true)"
[ -n "$clang_format" ] || die "clang-format-$version is missing (Debian 12: apt-get install clang-format-$version)"
all_files() {
  find tlm_ifaces models frontends platforms sc_main tests bench \( -name '*.h' -o -name '*.cpp' \) -print | LC_ALL=C sort
}

case "${1:-}" in
  --check)
    mapfile -t differing < <(all_files | xargs "$clang_format" --style=file --dry-run 2>&1 | sed -n 's/^\([^:]*\):.*warning: .*/\1/p' | LC_ALL=C sort -u)
    status=0
    for file in "${differing[@]}"; do
      grep -qxF "$file" "$exceptions" || { echo "$file: scripts/format.sh $file formats it" >&2; status=1; }
    done
    while IFS= read -r file; do
      case "$file" in '' | '#'*) continue ;; esac
      # No pipe into grep -q: it ends at the first match, and pipefail then counts the signal of whoever still writes.
      grep -qxF "$file" <<<"$(printf '%s\n' "${differing[@]}")" || { echo "$exceptions: $file needs no exception any more" >&2; status=1; }
    done < "$exceptions"
    exit "$status"
    ;;
  --*) die "unknown argument $1; use --check, or name files" ;;
  "") all_files | xargs "$clang_format" --style=file -i ;;
  *)
    for file in "$@"; do
      case "$file" in *.h | *.cpp) "$clang_format" --style=file -i "$file" ;; *) say "$file: is not C++, left as it is" ;; esac
    done
    ;;
esac
