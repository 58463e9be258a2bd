#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The debug adapter of the extension: `tessera dap` of PATH, of the folder that TESSERA_BIN names, or of this checkout.
if command -v tessera > /dev/null; then exec tessera dap; fi
if [ -n "$TESSERA_BIN" ] && [ -x "$TESSERA_BIN/tessera" ]; then exec "$TESSERA_BIN/tessera" dap; fi
here=$(dirname "$(readlink -f "$0")")
for scripts in "$here/../.." "$here/../../scripts"; do
  if [ -f "$scripts/tessera.py" ]; then exec python3 "$scripts/tessera.py" dap; fi
done
echo "tessera is not found; put it into PATH, or name its folder with TESSERA_BIN" >&2
exit 1
