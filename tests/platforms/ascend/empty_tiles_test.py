#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tiles without valid elements: every operation ends the run in good order, whatever the machine says of it.

    empty_tiles_test.py ASCEND_PLATFORM
"""
import pathlib
import subprocess
import sys
import tempfile

TILE = "!pto.tile_buf<vec, {rows}x{columns}x{type}, valid=?x?>"
UNARY = ("tneg", "tabs", "texp", "trsqrt", "trecip", "tmov", "tfillpad")
BINARY = ("tadd", "tmul", "tdiv", "tmax", "tpartadd", "tprelu")
BY_ROW = ("trowsum", "trowmax", "trowmin", "trowprod", "trowargmax", "trowargmin")
BY_COLUMN = ("tcolsum", "tcolmax", "tcolmin", "tcolprod")


class Operation:
    """One line of a kernel, with its tiles."""

    def __init__(self, text, **tiles):
        self.text, self.tiles = text, tiles

    def program(self):
        types = {name: TILE.format(rows=rows, columns=columns, type=kind) for name, (rows, columns, kind, *_) in self.tiles.items()}
        lines = [f"%c{n} = arith.constant {n} : index" for n in range(257)]
        for name, (_, _, _, valid_rows, valid_columns) in self.tiles.items():
            lines.append(f"%{name} = pto.alloc_tile valid_row = %c{valid_rows} valid_col = %c{valid_columns} : {types[name]}")
        lines.append(self.text.format(**types))
        body = "\n".join(f"    {line}" for line in lines)
        return ("module {\n  func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n"
                f"{body}\n    return\n  }}\n}}\n")


def operations(kind, rows, columns):
    whole = (16, 64, kind, rows, columns)
    for name in UNARY:
        yield Operation(f"pto.{name} ins(%a : {{a}}) outs(%d : {{d}})", a=whole, d=whole)
    for name in BINARY:
        yield Operation(f"pto.{name} ins(%a, %b : {{a}}, {{b}}) outs(%d : {{d}})", a=whole, b=whole, d=whole)
    for name in BY_ROW:
        result = (16, 16, "i32" if "arg" in name else kind, rows, 1)
        yield Operation(f"pto.{name} ins(%a, %s : {{a}}, {{s}}) outs(%d : {{d}})", a=whole, s=whole, d=result)
    for name in BY_COLUMN:
        yield Operation(f"pto.{name} ins(%a : {{a}}) outs(%d : {{d}})", a=whole, d=(1, 64, kind, 1, columns))
    line, index = (1, 64, kind, 1, columns), (1, 64, "i32", 1, columns)
    yield Operation("pto.tcolargmax ins(%a, %s : {a}, {s}) outs(%d : {d})", a=whole, s=(1, 64, kind, 1, 64), d=index)
    yield Operation("pto.tcolargmax ins(%a, %s : {a}, {s}) outs(%d, %e : {d}, {e})", a=whole, s=(1, 64, kind, 1, 64), d=line, e=index)
    yield Operation("pto.tgather ins(%a, %b, %s {{cmpMode = #pto<cmp gt>, offset = 0 : i32}} : {a}, {b}, {s}) outs(%d, %n : {d}, {n})",
                    a=whole, b=whole, s=whole, d=(16, 64, "i32", rows, columns), n=(16, 8, "i32", rows, 1))
    yield Operation("pto.tgather ins(%a, %i : {a}, {i}) outs(%d : {d})", a=whole, i=(16, 64, "i32", rows, columns), d=whole)
    yield Operation("pto.ttrans ins(%a, %s : {a}, {s}) outs(%d : {d})", a=whole, s=whole, d=(64, 16, kind, columns, rows))
    yield Operation("pto.tcvt ins(%a : {a}) outs(%d : {d})", a=whole, d=(16, 64, "i32" if kind != "i32" else "f32", rows, columns))
    yield Operation("pto.tconcat ins(%a, %b : {a}, {b}) outs(%d : {d})", a=whole, b=whole, d=(16, 128, kind, rows, 2 * columns))


def main():
    ran = refused = 0
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "kernel.pto"
        for preset in ("a5", "a2a3"):
            for kind, rows, columns in (("f32", 3, 0), ("f16", 0, 5), ("i32", 0, 0), ("f32", 0, 5)):
                for operation in operations(kind, rows, columns):
                    file.write_text(operation.program(), encoding="utf-8")
                    run = subprocess.run([sys.argv[1], str(file), "--quiet", "--preset", preset], capture_output=True, text=True,
                                         timeout=120, check=False)
                    said = f"{preset} {kind} {rows}x{columns} {operation.text}\n{run.stderr}"
                    assert run.returncode in (0, 2, 4) and run.stderr.count("\n") == (run.returncode != 0), said
                    assert "internal" not in run.stderr, said
                    ran, refused = ran + (run.returncode == 0), refused + (run.returncode != 0)
    print(f"{ran} kernels ran, {refused} were refused or ended with one sentence")
    assert ran > refused > 0, "most operations have nothing to do"


if __name__ == "__main__":
    main()
