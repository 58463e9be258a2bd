#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What README shows, with an installed Tessera and no checkout: use.sh PREFIX [PART]..
# PREFIX is /usr or a virtual environment. Parts beside those for everybody: cpp (kernels in C++), c (the C library), cmake
# (models in SystemC). Prints a line for each part, with the seconds that it took; the first that fails ends the script.
set -euo pipefail
prefix=$1
shift
examples=$prefix/share/tessera/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PATH="$prefix/bin:$PATH"

part() {  # part NAME FUNCTION: the function's output is shown if it fails
  local start=$EPOCHREALTIME
  if ! (set -euo pipefail; "$2") >"$1.log" 2>&1 </dev/null; then
    tail -n 30 "$1.log" >&2
    echo "use.sh: $1 failed" >&2
    exit 1
  fi
  printf '%-10s %6.1f s\n' "$1" "$(echo "$start $EPOCHREALTIME" | awk '{print $2 - $1}')"
}

must_say() {  # must_say TEXT COMMAND..: the command succeeds and its output has the text
  local text=$1 said
  shift
  said=$("$@" 2>&1) || { printf '%s\n' "$said" "exit code $? of $*"; return 1; }
  grep -qF -- "$text" <<<"$said" || { printf '%s\n' "$said" "'$text' is not in the output of $*"; return 1; }
}

info() {
  must_say wse_platform tessera info
  must_say '@software{tessera' tessera info --cite
  tessera --help
}

csl_with_host() {
  cp -r "$examples/csl/gemv" host
  cd host
  PATH="$prefix/libexec/tessera/sdk/bin:$PATH" must_say SUCCESS bash -e commands.sh
  must_say SUCCESS tessera run run.py --name out
}

csl() {
  cp -r "$examples/csl/gemv" gemv
  tessera run gemv/layout.csl --params width:4,height:4,M:32,N:32 --launch compute --report r.json --heatmap hops.svg --heatmap-counter hops
  must_say cycles tessera show r.json
  must_say 'results are equal' tessera diff r.json r.json
}

pto() { must_say cycles tessera run "$examples/ascend/vector_add.pto" --param TILES=32; }
mesh() { must_say cycles tessera run "$examples/numesh/tour.json"; }
vp() { tessera run "$examples/vp/gemv.vps"; }
cpp() { must_say machine ascend_platform "$examples/ascend/cpp/vector_add.cpp" --arg a=f32[384,512] --arg b=f32[384,512] --arg c=f32[384,512] \
  --arg tiles=6 --set launch.clusters=2; }

golden() {
  tessera golden add gemv/layout.csl -- --params width:4,height:4,M:32,N:32 --launch compute
  must_say '1 as before' tessera golden check
  sed -i 's/left -= 1;/left -= 1; y[0] += 0.0;/' gemv/pe.csl
  local code=0
  tessera golden check >moved.txt 2>&1 || code=$?
  grep 'task on_x' moved.txt && [ "$code" = 1 ]
}

sweep() {
  tessera sweep "$examples/gemv_stream/layout.json" --param W=2,4 --set fabric.hop_latency=1,2 --out sweep
  [ "$(wc -l <sweep/results.csv)" = 5 ]
}

debug() {
  must_say 'left' tessera debug "$examples/csl/gemv/layout.csl" --params width:4,height:4,M:32,N:32 --launch compute --batch \
    -ex 'break task reduce' -ex run -ex where -ex 'print left' -ex 'info tasks' -ex continue
}

python() {
  must_say 42 "${python_of_prefix:-python3}" -c "import tessera
m = tessera.Machine('$examples/hello_wavelet/layout.json')
m.launch('main')
m.run()
print(m.read('answer', 1)[0])"
}

c() {
  cp -r "$examples/consumers/capi" c
  cd c
  # shellcheck disable=SC2046
  cc -std=c99 mine.c $(pkg-config --cflags --libs tessera-c) -o mine
  must_say '"status": "finished"' ./mine "$examples/hello_wavelet/layout.json"
}

cmake_project() {
  cp -r "$examples/consumers/numesh" mesh
  cmake -S mesh -B mesh/build
  cmake --build mesh/build
  must_say cycles mesh/build/my_mesh
}

part info info
part csl-host csl_with_host
part csl csl
part pto pto
part mesh mesh
part vp vp
part golden golden
part sweep sweep
part debug debug
part python python
for more in "$@"; do
  case $more in
    cpp | c) part "$more" "$more" ;;
    cmake) part cmake cmake_project ;;
    *) echo "use.sh: there is no part $more" >&2; exit 2 ;;
  esac
done
