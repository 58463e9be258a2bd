"""Which instructions an operation is charged for, by what its types and shapes say: cycles of V in kernels of one operation."""
import json
import pathlib
import subprocess
import sys
import tempfile

PLATFORM = sys.argv[1]
TIMES = 16

KERNEL = """module {{
  func.func @one() attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %times = arith.constant {times} : index
    {tiles}
    scf.for %i = %c0 to %times step %c1 {{
      {line}
    }}
    return
  }}
}}
"""


def tile(element, rows, columns, valid="", layout=""):
    return f"!pto.tile_buf<vec, {rows}x{columns}x{element}{valid and ', valid=' + valid}{layout and ', blayout=' + layout}>"


def cycles(name, inputs, result, preset="a2a3", numbers=()):
    """Of one of them; tiles have no banks in common."""
    kinds = [*inputs, result]
    tiles = [f"%t{n} = pto.alloc_tile : {kind}" for n, kind in enumerate(kinds)]
    tiles += [f"%n{n} = arith.constant {value} : {kind}" for n, (value, kind) in enumerate(numbers)]
    names = [f"%t{n}" for n in range(len(inputs))] + [f"%n{n}" for n in range(len(numbers))]
    line = f"pto.{name} ins({', '.join(names)} : {', '.join([*inputs, *(kind for _, kind in numbers)])}) outs(%t{len(inputs)} : {result})"
    with tempfile.TemporaryDirectory() as folder:
        kernel, report = pathlib.Path(folder, "k.pto"), pathlib.Path(folder, "r.json")
        kernel.write_text(KERNEL.format(times=TIMES, tiles="\n    ".join(tiles), line=line), encoding="utf-8")
        sets = [f"--set=vector.bank_conflict.{kind}=100" for kind in ("read_read", "read_write", "neighbour")] if preset == "a2a3" else []
        command = [PLATFORM, str(kernel), "--preset", preset, "--quiet", "--no-data", "--hazards=off", "--report", str(report), *sets]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        data = json.loads(report.read_text(encoding="utf-8"))
    gigahertz = {"a2a3": 1.85, "a5": 1.65}[preset]
    return round(1000 * gigahertz * data["profile"]["aiv_vec_time_us"] / TIMES)


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found} cycles, expected {expected}")


def main():
    whole, some = tile("f32", 16, 64), tile("f32", 16, 64, "16x33")
    row, column, blocks = tile("f32", 1, 64), tile("f32", 16, 1, layout="col_major"), tile("f32", 16, 8)
    expect("values of columns, all of them valid", cycles("tcolexpandadd", [whole, row], whole), 24 + 16)
    expect("values of columns, some of them", cycles("tcolexpandadd", [some, tile("f32", 1, 64, "1x33")], some), 17 + 16 * 5)
    expect("values of rows", cycles("trowexpandmul", [whole, column], whole), 20 + 17 + 16)
    expect("values of rows in blocks", cycles("trowexpandmul", [whole, blocks], whole), 24 + 16)
    expect("quotients of rows", cycles("trowexpanddiv", [whole, column], whole), 20 + 31 + 32)
    expect("exponentials of columns", cycles("tcolexpandexpdif", [whole, row], whole), 17 + 16 + 31 + 32)
    wide, whole_numbers, halves = tile("f32", 16, 96), tile("i32", 16, 64), tile("f16", 16, 64)
    expect("an exponential", cycles("texp", [wide], wide), 31 + 2 * 24)
    expect("a sum with a number", cycles("tadds", [wide], wide, numbers=[("2.0", "f32")]), 24 + 24 + 17)
    expect("a comparison", cycles("tcmp", [wide, wide], tile("ui8", 16, 32)), 24 + 2 * 16)
    expect("halves to bytes", cycles("tcvt", [halves], tile("i8", 16, 64)), 24 + 2 * 16 + 17)
    expect("i32 to f32", cycles("tcvt", [whole_numbers], whole), 24 + 2 * 16)
    expect("i32 to f16", cycles("tcvt", [whole_numbers], halves), 16 * (24 + 2))
    expect("a gather", cycles("tgather", [whole, whole_numbers, whole_numbers], whole), 16 * (17 + 1 + 24) + 205)
    expect("a scatter", cycles("tscatter", [whole, whole_numbers], whole), 60 + 3 * 1024 * 11)
    expect("a merge", cycles("tmrgsort", [tile("f32", 1, 1024)], tile("f32", 1, 1024), numbers=[(64, "i32")]), 20 + 4 * 78)
    expect("one merge", cycles("tmrgsort", [tile("f32", 1, 256)], tile("f32", 1, 256), numbers=[(64, "i32")]), 20 + 78)
    reciprocals = tile("f32", 13, 48)
    for name in "trsqrt", "trecip":
        expect(name, cycles(name, [reciprocals], reciprocals), 52)
    expect("integers by a number", cycles("tdivs", [whole_numbers], whole_numbers, numbers=[(3, "i32")]), 24 + 16 + 31 + 32 + 3 * (24 + 32))
    # The result of 8 rows lies in a tile of 16: the source decides.
    extremes = tile("f32", 16, 1, "8x1", "col_major")
    expect("a row by blocks", cycles("trowmax", [tile("f32", 8, 1024)] * 2, extremes), 146 + 3 * 29 + 28)
    expect("A5, f32 to f8", cycles("tcvt", [tile("f32", 1, 640)], tile("f8E4M3FN", 1, 640), "a5"), 179)
    one_round = cycles("tcvt", [tile("f32", 10, 192, "10x64")], tile("f8E4M3FN", 10, 192, "10x64"), "a5")
    expect("A5, f32 to f8 of rows of one round that lie apart", one_round, 55 + 124)
    expect("A5, f8 to f32", cycles("tcvt", [tile("f8E4M3FN", 1, 640)], tile("f32", 1, 640), "a5"), 115)
    apart = cycles("tcvt", [tile("f32", 10, 192, "10x128")], tile("f16", 10, 192, "10x128"), "a5")
    expect("A5, f32 to f16 of rows that lie apart", apart, 76)


main()
