#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes packages for Debian of the release build, in build/packages: tessera, libtessera1, libtessera-dev, python3-tessera,
# tessera-doc, and tessera-mpi where Open MPI is installed. Nothing is compiled that is built already (docs/packages.md).
# DEBFULLNAME and DEBEMAIL name the maintainer.
#   scripts/package.sh [--no-lintian]
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
help_if_asked "$@"

check=yes
for argument in "$@"; do
  case "$argument" in
    --no-lintian) check=no ;;
    *) die "there is no option $argument; see --help" ;;
  esac
done

tools=(dpkg-dev)
[ "$check" = no ] || tools+=(lintian)
scripts/setup.sh "${tools[@]}"
[ ! -f "$build_dir/CMakeCache.txt.before" ] || mv "$build_dir/CMakeCache.txt.before" "$build_dir/CMakeCache.txt"  # it was killed
configure
build --target installation

# A package installs below /usr, with libraries in the folder of their machine. Afterwards the build is configured as before.
cache="$build_dir/CMakeCache.txt"
restore() {
  [ -f "$cache.before" ] || return 0
  mv "$cache.before" "$cache"
  quietly cmake -B "$build_dir"
}
trap restore EXIT
trap 'exit 143' INT TERM
cp "$cache" "$cache.before"
quietly cmake -B "$build_dir" -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
  -DCMAKE_INSTALL_DOCDIR=share/doc/tessera -DTESSERA_PYTHON_DIR=lib/python3/dist-packages
packages="$build_dir/packages"
rm -rf "$packages"
(umask 022 && cd "$build_dir" && quietly cpack -G DEB)
rm -rf "$packages/_CPack_Packages"

if [ "$check" = yes ]; then
  lintian --allow-root --fail-on error "$packages"/*.deb >"$packages/lintian.txt" || {
    grep '^E' "$packages/lintian.txt" >&2
    die "lintian finds errors; all that it says is in $packages/lintian.txt"
  }
fi
du -h "$packages"/*.deb
