#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The wheel in a fresh virtual environment: wheel_test.sh BUILD PYTHON. No registry is asked: NumPy is the system's.
# Exit code 77: patchelf or a module of Python is missing.
set -euo pipefail
build=$(realpath "$1")
python=$2
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
if ! command -v patchelf >/dev/null || ! "$python" -c 'import wheel, venv, ensurepip, numpy' 2>/dev/null; then
  echo "skipped: this needs patchelf, python3-wheel, python3-venv and python3-numpy"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
since=$SECONDS
file=$("$python" "$here/../../scripts/wheel.py" --build "$build" --out "$work")
du -h "$file"
echo "made: $((SECONDS - since)) s"
since=$SECONDS
"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/python" -m pip install --no-index --quiet "$file"
echo "installed: $((SECONDS - since)) s"
cd "$work"

# Nothing of SystemC or Boost comes from the system.
for program in "$work"/venv/bin/{*_platform,ascend-cxx,tessera_cslc,tessera_csl_server} "$work"/venv/lib/libtessera.so.*; do
  outside=$(ldd "$program" | grep -E 'systemc|boost' | grep -vF "$work/venv/" || true)
  [ -z "$outside" ] || { echo "$program uses $outside" >&2; exit 1; }
done

clean=(env -i HOME="$work" PATH=/usr/bin:/bin LC_ALL=C.UTF-8)
"${clean[@]}" python_of_prefix="$work/venv/bin/python" bash "$here/use.sh" "$work/venv" cpp
# The commands of host programs stand on the path of the environment.
cp -r "$work/venv/share/tessera/examples/csl/gemv" gemv
(cd gemv && "${clean[@]}" PATH="$work/venv/bin:/usr/bin:/bin" bash -e commands.sh | grep -x SUCCESS)
if "$python" -c 'import nbclient, ipykernel' 2>/dev/null; then
  "$work/venv/bin/python" -m ipykernel install --sys-prefix --name environment >/dev/null  # the system's kernel is another Python
  "${clean[@]}" PATH="$work/venv/bin:/usr/bin:/bin" "$work/venv/bin/python" - <<NOTEBOOK
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read("$work/venv/share/tessera/examples/notebooks/study.ipynb", as_version=4)
NotebookClient(notebook, timeout=600, kernel_name="environment").execute()
print("the notebook ran")
NOTEBOOK
else
  echo "the notebook was not run: nbclient and ipykernel are missing"
fi
"$work/venv/bin/python" -m pip uninstall --yes --quiet tessera
left=$(find "$work/venv" -name '*tessera*' -type f)
[ -z "$left" ] || { echo "a removed wheel leaves $left" >&2; exit 1; }
echo "the wheel works in a fresh virtual environment"
