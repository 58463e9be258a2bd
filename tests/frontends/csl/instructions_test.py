"""What compiling costs, in instructions, which are the same on every computer: `valgrind --tool=callgrind` counts those of
tessera_cslc. The bounds are about 10 percent above what GCC 12 makes of the release preset; another compiler may need others.

    instructions_test.py <tessera_cslc> <root of the source tree>

Exits with 77 where valgrind is missing.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What each PE computes with its own numbers; most functions are the same for all.
PE = """
param x: i16; param y: i16; param n: u16;
var a = @zeros([32]f32); var b = @zeros([32]f32); var w = @zeros([16]u16); var sum: f32 = 0.0; var seen: u16 = 0;
const da = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{n} -> a[i] });
const db = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{n} -> b[i] });
const go = @get_local_task_id(9); const next = @get_local_task_id(10);
fn norm() f32 { var s: f32 = 0.0; for (@range(u16, 32)) |k| { s += a[k] * a[k]; } return s; }
fn sort() void { for (@range(u16, 15)) |k| { if (w[k] > w[k + 1]) { const t = w[k]; w[k] = w[k + 1]; w[k + 1] = t; } } }
fn place() i16 { return if (x > y) x * 3 - y else y / 5 + x; }
fn mark() void { var k: u16 = 0; while (k < n) : (k += 1) { w[k & 15] = (w[k & 15] << 1) ^ @as(u16, place()); } }
fn scale(f: f32) void { @fmuls(da, da, f); @fadds(db, db, da); }
task start() void { mark(); sort(); sum = norm(); @activate(next); }
task finish() void {
  scale(@as(f32, x + 1)); seen += 1;
  if (seen < 4) { @activate(go); } else { seen = @as(u16, place()); }
}
comptime { @bind_local_task(start, go); @bind_local_task(finish, next); @activate(go); }
"""
LAYOUT = """
layout {
  @set_rectangle(12, 12);
  for (@range(i16, 12)) |x| { for (@range(i16, 12)) |y| {
    @set_tile_code(x, y, "pe.csl", .{ .x = x, .y = y, .n = @as(u16, x + y) % 8 + 8 });
  } }
}
"""
# name, layout below the root (None: the text above), options, most instructions in millions
CASES = [
    ("144 PEs, each with numbers of its own", None, "--fabric-dims=12,12", 1230),
    ("a stencil", "examples/csl/stencil/layout.csl",
     "--fabric-dims=15,10 --fabric-offsets=4,1 --params=width:8,height:8,depth:32 --memcpy --channels=1", 155),
    ("a solver", "bench/real/solver/layout.csl",
     "--fabric-dims=15,10 --fabric-offsets=4,1 --params=w:8,h:8,nz:32 --memcpy --channels=1", 325),
    ("the layout of a large stencil", "bench/real/star/layout.csl",
     "--fabric-dims=71,66 --fabric-offsets=4,1 --params=W:64,H:64,nx:8,ny:8,R:3 --memcpy --channels=1", 2760),
]


def millions(compiler, layout, options, folder):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", compiler, layout, "--arch=wse3", *options.split(),
               "-o", folder / "out"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    counted = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or counted is None:
        sys.exit(f"{layout} ended with exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return int(counted[1].replace(",", "")) / 1e6


def main():
    compiler, root = sys.argv[1], pathlib.Path(sys.argv[2])
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is missing (scripts/test.sh --all installs it)")
        sys.exit(77)
    failed = False
    for name, layout, options, bound in CASES:
        with tempfile.TemporaryDirectory() as text:
            folder = pathlib.Path(text)
            (folder / "pe.csl").write_text(PE, encoding="utf-8")
            (folder / "layout.csl").write_text(LAYOUT, encoding="utf-8")
            needed = millions(compiler, root / layout if layout else folder / "layout.csl", options, folder)
        failed |= needed > bound
        print(f"{name}: {needed:.0f} million instructions, at most {bound}")
    if failed:
        sys.exit("the compiler has become slower; docs/performance-history.md says how to find where")


main()
