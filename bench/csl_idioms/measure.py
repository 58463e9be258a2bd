#!/usr/bin/env python3
"""Cycles of small CSL functions beside those of code written by hand (docs/csl.md, "Idioms").

    measure.py [--platform WSE_PLATFORM] [--check] [--markdown] [NAME..]

Each idiom runs between two readings of the cycle counter, in each style of code; what an empty function takes is subtracted.
The cycles by hand are those of the instructions that an idiom needs on preset wse3 at least: loads, stores, moves and integers 1, a
float that reads the float before it 2 if nothing else may stand between, a taken jump back 8. Results are compared with what the host computes. --check: exit code 1
if a result is wrong, the geometric mean of `vendor` over `by hand` is outside 0.95 to 1.10, or one ratio is outside 0.8 to 1.5.
"""
import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

A = np.array([5, -7, 300, -1200, 42, 9, -3, 77], np.int16)
B = np.array([9, 65000, 123, 1, 4096, 77, 1000, 31], np.uint16)
X = np.array([1.5, -2.25, 4.0, -0.5, 3.0, 8.0, -1.0, 0.25], np.float32)


def halves(values, by):
    return np.array([int(v / by) for v in values], np.int64)


# name: body, cycles by hand, array of the results, what it holds in the end (None: not compared)
IDIOMS = {
    "unsigned quotient by 16": ("inline for (@range(i16, 4)) |k| { rb[k] = b[k] / 16; }", 12, "rb", B[:4] // 16),
    "unsigned remainder by 8": ("inline for (@range(i16, 4)) |k| { rb[k] = b[k] % 8; }", 12, "rb", B[:4] % 8),
    "signed quotient by 4": ("inline for (@range(i16, 4)) |k| { ra[k] = a[k] / 4; }", 24, "ra", halves(A[:4], 4)),
    "signed remainder by 32": ("inline for (@range(i16, 4)) |k| { ra[k] = a[k] % 32; }", 28, "ra", np.fmod(A[:4], 32)),
    "float quotient by 8": ("inline for (@range(i16, 4)) |k| { rx[k] = x[k] / 8.0; }", 13, "rx", X[:4] / 8),
    "choice of two constants": ("inline for (@range(i16, 4)) |k| { var y: i16 = 3; if (a[k] > 7) { y = -3; } ra[k] = y; }", 16, "ra",
                                np.where(A[:4] > 7, -3, 3)),
    "larger of two floats": ("inline for (@range(i16, 4)) |k| { var y = x[k]; if (y < x[k + 4]) { y = x[k + 4]; } rx[k] = y; }", 20, "rx",
                             np.maximum(X[:4], X[4:])),
    "range test": ("inline for (@range(i16, 4)) |k| { var in: bool = a[k] >= -10 and a[k] <= 50; "
                   "ra[k] = if (in) @as(i16, 1) else @as(i16, 0); }", 20, "ra", ((A[:4] >= -10) & (A[:4] <= 50)).astype(int)),
    "known loop": ("for (@range(u16, 8)) |k| { ra[k] = a[k] - 2; }", 24, "ra", A - 2),
    "loop of 64": ("var k: u16 = 0; while (k < 64) : (k += 1) { wide[k] = k; }", 1 + 64 * 14 - 2, "wide", np.arange(64)),
    "float sum of 64": ("var s: f32 = 0.0; var k: u16 = 0; while (k < 64) : (k += 1) { s += many[k]; } rx[0] = s;", 3 + 64 * 15 - 2, "rx",
                        [2016]),
    "largest of 64": ("var m = many[0]; var k: u16 = 1; while (k < 64) : (k += 1) { if (many[k] > m) { m = many[k]; } } rx[0] = m;",
                      3 + 63 * 16 - 2, "rx", [63]),
    "sum kept in a global": ("total = 0; var k: u16 = 0; while (k < 64) : (k += 1) { total += wide[k]; } rb[0] = total;",
                             5 + 64 * 15 - 2, "rb", [0]),
    "invariant product": ("for (@range(u16, 8)) |k| { ra[k] = a[k] + a[4] * a[0]; }", 27, "ra", A + A[4] * A[0]),
    "element read twice": ("const i = b[3]; rx[0] = x[i + 1] * x[i + 1] + x[i + 2];", 12, "rx", [15.5]),
    "stores that are stored again": ("inline for (@range(i16, 4)) |k| { rb[k] = 1; rb[k] = b[k] ^ 3; }", 12, "rb", B[:4] ^ 3),
    "halves of 32 bits": ("rb[0] = @as(u16, w[0] >> 16); rb[1] = @as(u16, w[0] & 0xffff);", 4, "rb", [7, 9]),
    "struct as scalars": ("var p = Pair{ .x = a[0], .y = a[1] }; p.x += p.y; p.y = p.x * 3; ra[0] = p.x; ra[1] = p.y;", 6, "ra", [-2, -6]),
    "function of 10 instructions, three calls": ("inline for (@range(i16, 3)) |k| { ra[k] = mix(a[k], a[k + 3]); }", 33, "ra", None),
    "butterfly": ("const i = b[3]; const wr = x[5]; const wi = x[6]; const tr = x[i] * wr - x[i + 1] * wi; const ti = x[i] * wi + x[i + 1] * wr; "
                  "rx[0] = x[2] + tr; rx[1] = x[3] + ti; rx[2] = x[2] - tr; rx[3] = x[3] - ti;", 25, "rx", [-10, 33.75, 18, -34.75]),
    "sum with carry, wide product": ("const lo = w[0] + w[1]; var hi: u32 = 5; if (lo < w[0]) { hi += 1; } const p = @as(u32, b[0]) * @as(u32, b[1]); "
                                     "rb[0] = @as(u16, p & 0xffff); rb[1] = @as(u16, p >> 16); rb[2] = @as(u16, hi); rb[3] = @as(u16, lo >> 16);",
                                     21, "rb", [60712, 8, 5, 7]),
    "rows of a triangle": ("var j: u16 = 0; while (j < 8) : (j += 1) { var s: f32 = many[j * 8 + 7]; var k: u16 = 0; "
                           "while (k < j) : (k += 1) { s -= many[j * 8 + k] * many[56 + k]; } rx[j] = s; }", 8 * 26 + 28 * 22, "rx",
                           [8 * j + 7 - sum((8 * j + k) * (56 + k) for k in range(j)) for j in range(8)]),
    "state machine": ("var st: u16 = b[3]; for (@range(u16, 8)) |k| { switch (st) { 0 => { st = if (a[k] > 0) @as(u16, 1) else @as(u16, 2); }, "
                      "1 => { ra[k] = a[k]; st = 2; }, 2 => { ra[k] = -a[k]; st = 3; }, else => { st = 0; } } }", 280, "ra", [5, 7, 0, 0, -42, 0, 0, -77]),
    "fixed point": ("inline for (@range(i16, 4)) |k| { ra[k] = @as(i16, (@as(i32, a[k]) * @as(i32, a[k + 4]) + 64) >> 7); }", 60, "ra",
                    (A[:4].astype(int) * A[4:] + 64) >> 7),
    "walk over structs": ("var i: u16 = 0; while (i < 4) : (i += 1) { ps[i].x += ps[i].y; ps[i].y = ps[i].x - 1; ra[i] = ps[i].y; }", 28, "ra", [2] * 4),
    "five points of a plane": ("for (@range(i16, 6)) |i| { for (@range(i16, 6)) |j| { g2[i + 1, j + 1] = g1[i, j + 1] + g1[i + 2, j + 1] + g1[i + 1, j] "
                               "+ g1[i + 1, j + 2] - 4.0 * g1[i + 1, j + 1]; } } rx[0] = g2[3, 3];", 36 * 33 + 6 * 16, "rx", [0]),
    "bits in reverse": ("var v = b[1]; var r: u16 = 0; for (@range(u16, 16)) |k| { r = (r << 1) | (v & 1); v = v >> 1; } rb[0] = r;", 63, "rb", [6079]),
    "sorting step": ("inline for (@range(i16, 7)) |k| { ra[k] = a[k]; } inline for (@range(i16, 6)) |k| { if (ra[k] > ra[k + 1]) { const t = ra[k]; "
                     "ra[k] = ra[k + 1]; ra[k + 1] = t; } }", 50, "ra", [-7, 5, -1200, 42, 9, -3, 300]),
    "descriptor that moves on": ("var d = first_x; for (@range(i16, 4)) |k| { @fadds(first_rx, first_rx, d); d = @increment_dsd_offset(d, 2, f32); }",
                                 26, "rx", X.reshape(4, 2).sum(0)),
    "map of 8": ("@map(half, all_x, all_rx);", 25, "rx", X / 2),
    "copies of structs": ("inline for (@range(i16, 3)) |k| { ps[k] = ps[k + 1]; } ra[0] = ps[1].y;", 13, "ra", [2]),
    "loop with two conditions": ("var i: u16 = 0; while (i < 64 and many[i] < 20.0) : (i += 1) {} rb[0] = i;", 20 * 18 + 13, "rb", [20]),
    "search in rows": ("var at: i16 = -1; var i: u16 = 0; while (i < 8 and at < 0) : (i += 1) { var k: u16 = 0; while (k < 8) : (k += 1) { "
                       "if (many[i * 8 + k] == 21.0) { at = @as(i16, i * 8 + k); break; } } } ra[0] = at;", 22 * 19 + 3 * 14, "ra", [21]),
    "floats of 16 bits": ("inline for (@range(i16, 4)) |k| { const h = @as(f16, x[k]); rx[k] = @as(f32, h) * 2.0; }", 20, "rx", X[:4] * 2),
    "bytes into words": ("inline for (@range(i16, 4)) |k| { rb[k] = (b[k] & 0xff) << 8 | (b[k + 4] & 0xff); }", 24, "rb",
                         (B[:4] & 255) << 8 | (B[4:] & 255)),
    "table of eight": ("inline for (@range(i16, 4)) |k| { ra[k] = a[b[k] & 7]; }", 28, "ra", A[B[:4] & 7]),
    "ring of eight": ("var head: u16 = b[3]; for (@range(u16, 16)) |k| { wide[head] = k; head = (head + 1) & 7; } rb[0] = head;", 2 + 16 * 7, "rb",
                      [1]),
    "arms of several numbers": ("inline for (@range(i16, 4)) |k| { ra[k] = switch (b[k]) { 0, 1, 2, 3 => 1, 9 => 2, 123 => 3, else => 4 }; }", 32,
                                "ra", [2, 4, 3, 1]),
    "chain of compares": ("inline for (@range(i16, 4)) |k| { const v = a[k]; ra[k] = if (v < -100) -2 else if (v < 0) -1 else if (v < 100) 1 else 2; }",
                          32, "ra", [1, -1, 2, -2]),
    "smallest and largest": ("var lo: i16 = a[0]; var hi: i16 = a[0]; inline for (@range(i16, 1, 8, 1)) |k| { if (a[k] < lo) { lo = a[k]; } "
                             "if (a[k] > hi) { hi = a[k]; } } ra[0] = lo; ra[1] = hi;", 8 + 7 * 4 + 2, "ra", [-1200, 300]),
    "swap from both ends": ("var i: u16 = 0; var k: u16 = 63; while (i < k) { const t = many[i]; many[i] = many[k]; many[k] = t; i += 1; k -= 1; } "
                            "rx[0] = many[0];", 32 * 21 - 1, "rx", [63]),
    "histogram of words": ("for (@range(u16, 64)) |k| { rb[wide[k] & 7] += 1; }", 64 * 21, "rb", [64]),
    "phases of a task": ("if (total == 0) { if (b[3] > 5) { rb[0] = 1; return; } total = 1; } if (total == 1) { if (b[1] > 5) { rb[1] = 1; return; } "
                         "total = 2; } if (total == 2) { if (b[2] > 5) { rb[2] = 1; return; } total = 3; } if (total == 3) { rb[3] = 1; }",
                         1 + 4 + 4 + 1 + 7 + 2 + 6 + 1 + 4 + 2, "rb", [0, 1, 0, 0]),
    "four directions in turn": ("var i: u16 = 0; while (i < 4) : (i += 1) { const d = (b[3] + i) % 4; if (d == 0 and ra[0] > 0) { rb[0] = 1; return; } "
                                "if (d == 1 and ra[1] > 0) { rb[1] = 1; return; } if (d == 2 and ra[2] > 0) { rb[2] = 1; return; } "
                                "if (d == 3 and ra[3] > 0) { rb[3] = 1; return; } }", 6 + 4 * 2 + 11 + 18 + 25 + 25 + 3 * 10 + 5, "rb", [0] * 4),
    "switch of six with stores": ("var i: u16 = 0; while (i < 8) : (i += 1) { switch (b[i]) { 1 => { ra[0] = 7; }, 9 => { rb[1] = i; }, 31 => { ra[2] = 8; }, "
                                  "77 => { rb[3] = i; }, 123 => { ra[4] = 9; }, 4096 => { rb[5] = i; }, else => {} } }", 8 * 32, "rb", [0, 0, 0, 5, 0, 4]),
    "sum of 64 bits": ("var s: u64 = 4294967295; inline for (@range(i16, 4)) |k| { s += @as(u64, b[k]); } rb[0] = @as(u16, s); rb[1] = @as(u16, s >> 16); "
                       "rb[2] = @as(u16, s >> 32);", 4 * 9 + 8, "rb", [(0xFFFFFFFF + 65133) >> n & 0xFFFF for n in (0, 16, 32)]),
    "dot product of f16": ("var s: f16 = 0.0; var k: u16 = 0; while (k < 64) : (k += 1) { s += hs[k] * ht[k]; } rx[0] = @as(f32, s);",
                           3 + 64 * 20, "rx", [64]),
    "axpy of f16": ("var k: u16 = 0; while (k < 64) : (k += 1) { ht[k] = ht[k] + hs[k] * 2.0; } rx[0] = @as(f32, ht[5]);", 3 + 64 * 21, "rx", [3]),
    "while with continue": ("var n: u16 = 0; var k: u16 = 0; while (k < 64) : (k += 1) { if (many[k] < 40.0) { continue; } n += 1; } rb[0] = n;",
                            3 + 64 * 17, "rb", [24]),
    "counter of 32 bits": ("var i: i32 = 0; var s: u16 = 0; while (i < 64) : (i += 1) { s += wide[@as(u16, i)]; } rb[0] = s;", 5 + 64 * 15, "rb", [0]),
    "list of i32": ("var at: i16 = -1; var k: u16 = 0; while (k < 64) : (k += 1) { if (list[k] == 47) { at = @as(i16, k); break; } } ra[0] = at;",
                    4 + 47 * 18 + 9, "ra", [47]),
    "fields behind a pointer": ("var p: *Pair = &ps[1]; p.*.x += 5; p.*.y = p.*.x + p.*.y; ra[0] = p.*.y;", 8, "ra", [8]),
    "loops of known bounds": ("for (@range(u16, 8)) |i| { for (@range(u16, 8)) |j| { g2[i, j] = g1[j, i]; } } rx[0] = g2[1, 2];", 8 * (8 * 11 + 12), "rx",
                              [0]),
    "global descriptor in a loop": ("for (@range(u16, 40)) |k| { @fadds(first_rx, first_rx, moving); } rx[4] = 1.0;", 40 * 21, "rx", [60, -90]),
    "compares of floats": ("inline for (@range(i16, 4)) |k| { ra[k] = if (x[k] < x[k + 4]) @as(i16, 1) else if (x[k] == x[k + 4]) @as(i16, 2) else @as(i16, 3); }",
                           4 * 7, "ra", [1, 1, 3, 1]),
}

PE = """param memcpy_params;
const sys = @import_module("<memcpy/memcpy>", memcpy_params);
const time = @import_module("<time>");
const Pair = struct { x: i16, y: i16 };
var a = [8]i16{ %s };
var b = [8]u16{ %s };
var x = [8]f32{ %s };
var w = [2]u32{ 458761, 3 };
var many = [64]f32{ %s };
var wide = @zeros([64]u16);
var hs = [64]f16{ %s };
var ht = [64]f16{ %s };
var list = [64]i32{ %s };
var total: u16 = 0;
var ra = @zeros([8]i16);
var rb = @zeros([8]u16);
var rx = @zeros([8]f32);
var stamps = @zeros([6]u16);
const all_x = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> x[i] });
const all_rx = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> rx[i] });
const first_x = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> x[i] });
const first_rx = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> rx[i] });
var moving = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> x[i] });
fn move() void { moving = @increment_dsd_offset(moving, 2, f32); }
const one = Pair{ .x = 1, .y = 2 };
var ps = [4]Pair{ one, one, one, one };
var g1 = @zeros([8, 8]f32);
var g2 = @zeros([8, 8]f32);
fn half(v: f32) f32 { return v * 0.5; }
fn mix(p: i16, q: i16) i16 { var m = (p ^ q) + (p & 15); m = (m << 2) - (q | 1); if (m < 0) { m = -m; } return m; }
%s
fn run() void {
  time.enable_tsc();
  time.get_timestamp(@ptrcast(*[3]u16, &stamps[0]));
  body();
  time.get_timestamp(@ptrcast(*[3]u16, &stamps[3]));
  sys.unblock_cmd_stream();
}
%s
comptime { @export_symbol(run); @export_symbol(move); %s }
"""
ARRAYS = {"a": "i16", "b": "u16", "x": "f32", "w": "u32", "many": "f32", "wide": "u16", "ra": "i16", "rb": "u16", "rx": "f32", "stamps": "u16"}
LAYOUT = """const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0) });
  @export_name("run", fn() void);
  @export_name("move", fn() void);
%s
}
"""


def sources(folder, body):
    numbers = [", ".join(map(str, v)) for v in (A, B)] + [", ".join(f"{float(v)}" for v in n) for n in (X, range(64), [1] * 64, [1] * 64)]
    numbers.append(", ".join(map(str, range(64))))
    pointers = "\n".join(f"const {n}_ptr: [*]{t} = &{n};" for n, t in ARRAYS.items())
    exports = " ".join(f'@export_symbol({n}_ptr, "{n}");' for n in ARRAYS)
    (folder / "pe.csl").write_text(PE % (*numbers, "fn body() void { " + body + " }", pointers, exports))
    (folder / "layout.csl").write_text(LAYOUT % "\n".join(f'  @export_name("{n}", [*]{t}, true);' for n, t in ARRAYS.items()))


def cycles_of(platform, body, code, result):
    """Cycles between the readings, and the array `result`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources(folder, body)
        command = [platform, "layout.csl", "--preset", "wse3", "--launch", "run", "--csl-code=" + code]
        for array in {"stamps", result}:
            command += ["--output", f"{array}={array}.npy"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"{body}\n{done.stdout}{done.stderr}")
        t = np.load(folder / "stamps.npy").ravel().astype(np.int64)
        return int(t[3] - t[0] + ((t[4] - t[1]) << 16)), np.load(folder / f"{result}.npy").ravel()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platform", default="build/bin/wse_platform")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    platform = str(Path(args.platform).resolve())
    styles = ("vendor", "best", "plain")
    empty = {code: cycles_of(platform, "", code, "ra")[0] for code in styles}
    ratios, problems = [], []
    row = "| {} | {} | {} | {} | {} | {} |" if args.markdown else "{:<42} {:>8} {:>8} {:>8} {:>8} {:>6}"
    print(row.format("idiom", "by hand", *styles, "ratio"))
    if args.markdown:
        print("| --- |" + " ---: |" * 5)
    for name, (body, by_hand, result, wanted) in IDIOMS.items():
        if args.names and name not in args.names:
            continue
        found = {}
        for code in styles:
            cycles, values = cycles_of(platform, body, code, result)
            found[code] = cycles - empty[code]
            if wanted is not None and not np.array_equal(values[:len(wanted)], np.asarray(wanted).astype(values.dtype)):
                problems.append(f"{name}, {code}: {values} instead of {wanted}")
        ratios.append(found["vendor"] / by_hand)
        if not 0.8 <= ratios[-1] <= 1.5:
            problems.append(f"{name}: {ratios[-1]:.2f} times the cycles by hand")
        print(row.format(name, by_hand, *(found[code] for code in styles), f"{ratios[-1]:.2f}"))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.3f}")
    if not 0.95 <= mean <= 1.10:
        problems.append(f"the geometric mean is {mean:.3f}")
    if args.check and problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
