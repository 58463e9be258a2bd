"""Writes the PTO kernels of examples/ascend and examples/validation whose text repeats itself: tiles of a matrix product in
panels, and a cube-vector chain with a ring of slots.

    python3 -B -m validation.kernels [--check]      from scripts/; --check: exit code 1 if a file is not what would be written
"""
import argparse
import dataclasses
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
K0 = 64  # elements of K a MAD of f16 takes; of int8 twice as many


class Text:
    """Lines of a kernel, indented."""

    def __init__(self, comment):
        self.lines = [f"// {line}" for line in comment.strip().split("\n")]
        self.depth = 0
        self.known = set()

    def __call__(self, line):
        if line.startswith("}"):
            self.depth -= 1
        self.lines.append("  " * self.depth + line)
        if line.endswith("{"):
            self.depth += 1

    def constant(self, *values):
        for value in values:
            if value not in self.known:
                self.known.add(value)
                self(f"%c{value} = arith.constant {value} : index")

    def new_function(self):
        self.known = set()

    def index(self, name, op, a, b):
        self(f"%{name} = arith.{op} {a}, {b} : index")

    def set(self, source, target, event):
        self(f"pto.set_flag[<PIPE_{source}>, <PIPE_{target}>, <EVENT_ID{event}>]")

    def wait(self, source, target, event):
        self(f"pto.wait_flag[<PIPE_{source}>, <PIPE_{target}>, <EVENT_ID{event}>]")

    def view(self, name, pointer, rows, columns, element):
        self(f"%{name} = pto.make_tensor_view %{pointer}, shape = [{rows}, {columns}], strides = [{columns}, %c1] : "
             f"!pto.tensor_view<?x?x{element}>")

    def part(self, name, view, offsets, sizes, element):
        sizes_text = ", ".join(f"%c{size}" for size in sizes)
        shape = "x".join(str(size) for size in sizes)
        self(f"%{name} = pto.partition_view %{view}, offsets = [{', '.join(offsets)}], sizes = [{sizes_text}] : "
             f"!pto.tensor_view<?x?x{element}> -> !pto.partition_tensor_view<{shape}x{element}>")

    def __str__(self):
        return "\n".join(self.lines) + "\n"


@dataclasses.dataclass(frozen=True)
class Gemm:
    """C = A * B of f16 by panels, on the AICs (reference ascend.md 3.2, 5.1, 5.2). A panel is `step` blocks of K of one operand;
    `halves` of them are in L1 for each operand, so that a load runs beside the extraction."""
    comment: str
    m: int = 128
    n: int = 256
    k: int = 64
    step_a: int = 4
    step_b: int = 4
    halves: int = 2
    out: str = "f16"
    unit_flag: bool = False
    ahead: bool = False  # a panel is asked for when the one before it begins, not when it does itself
    b_by_columns: bool = False  # B lies in GM with K contiguous, as N x K

    def alloc(self, t):
        for half in range(self.halves):
            t(f"%a1_{half} = pto.alloc_tile : !a1")
            t(f"%b1_{half} = pto.alloc_tile : !b1")
        for half in range(2):
            t(f"%a0_{half} = pto.alloc_tile : !a0")
            t(f"%b0_{half} = pto.alloc_tile : !b0")
        t("%acc = pto.alloc_tile : !acc")

    def types(self, t):
        t(f"!a1 = !pto.tile_buf<mat, {self.m}x{self.k * self.step_a}xf16>")
        rows, columns = self.panel("b")
        t(f"!b1 = !pto.tile_buf<mat, {rows}x{columns}xf16>")
        t(f"!a0 = !pto.tile_buf<left, {self.m}x{self.k}xf16>")
        t(f"!b0 = !pto.tile_buf<right, {self.k}x{self.n}xf16>")
        t(f"!acc = !pto.tile_buf<acc, {self.m}x{self.n}xf32>")

    def panel(self, operand):
        """Rows and columns of a panel as it lies in GM and L1."""
        if operand == "a":
            return self.m, self.k * self.step_a
        return (self.n, self.k * self.step_b) if self.b_by_columns else (self.k * self.step_b, self.n)

    def reverse_flags(self):
        """Set before the loop, waited for behind it: which buffers are free."""
        flags = [("MTE1", "MTE2", half) for half in range(self.halves)]
        flags += [("MTE1", "MTE2", self.halves + half) for half in range(self.halves)]
        flags += [("M", "MTE1", half) for half in range(2)]
        return flags + ([] if self.unit_flag else [("FIX", "M", 0)])

    def load(self, t, operand, block, panel):
        """The next panel of an operand; its events are those of its half."""
        half = panel % self.halves
        event = half + (self.halves if operand == "b" else 0)
        rows, columns = self.panel(operand)
        name = f"{operand}{block}"
        t.index(f"{name}_k", "addi", "%k", f"%c{block * self.k}")  # beyond this round of the loop: of the next one
        offsets = ["%row" if operand == "a" else "%column", f"%{name}_k"]
        if operand == "b" and not self.b_by_columns:
            offsets.reverse()
        t.part(f"{name}_part", operand, offsets, (rows, columns), "f16")
        t.wait("MTE1", "MTE2", event)
        t(f"pto.tload ins(%{name}_part : !pto.partition_tensor_view<{rows}x{columns}xf16>) outs(%{operand}1_{half} : !{operand}1)")
        t.set("MTE2", "MTE1", event)

    def extract(self, t, operand, block, step):
        """A block of a panel into L0. Of a panel of B by columns it is transposed, which values do not show."""
        panel, half = f"{operand}1_{block // step % self.halves}", block % 2
        place = ["%c0", f"%c{block % step * self.k}"]
        if operand == "b" and not self.b_by_columns:
            place.reverse()
        if step == 1 or (operand == "b" and self.b_by_columns):
            t(f"pto.tmov ins(%{panel} : !{operand}1) outs(%{operand}0_{half} : !{operand}0)")
        else:
            t(f"pto.textract ins(%{panel}, {', '.join(place)} : !{operand}1, index, index) outs(%{operand}0_{half} : !{operand}0)")

    def step(self, t, block, blocks):
        """One block of K: extract A and B, multiply."""
        half = block % 2
        t.wait("M", "MTE1", half)
        for operand, step in (("a", self.step_a), ("b", self.step_b)):
            panel = block // step
            event = panel % self.halves + (self.halves if operand == "b" else 0)
            if block % step == 0:
                t.wait("MTE2", "MTE1", event)
            self.extract(t, operand, block, step)
            if block % step == step - 1:
                t.set("MTE1", "MTE2", event)
        t.set("MTE1", "M", half)
        t.wait("MTE1", "M", half)
        if block == 0:
            t("%starts = arith.cmpi eq, %k, %c0 : index")
            t("scf.if %starts {")
            t(f"pto.tmatmul ins(%a0_0, %b0_0 : !a0, !b0) outs(%acc : !acc){self.flag(2)}")
            t("} else {")
        multiply = f"pto.tmatmul.acc ins(%acc, %a0_{half}, %b0_{half} : !acc, !a0, !b0) outs(%acc : !acc)"
        if self.unit_flag and block == blocks - 1:  # the last MAD of a tile hands it over
            t("scf.if %goes_on {")
            t(multiply + self.flag(2))
            t("} else {")
            t(multiply + self.flag(3))
        else:
            t(multiply + self.flag(2))
        if block == 0 or (self.unit_flag and block == blocks - 1):
            t("}")
        t.set("M", "MTE1", half)

    def flag(self, value):
        return f' {{accPhase = "{"final" if value == 3 else "partial"}"}}' if self.unit_flag else ""

    def blocks(self):
        """Blocks of K in a round of the loop over K: all halves of both operands come round."""
        return self.halves * max(self.step_a, self.step_b)

    def loop_over_k(self, t, blocks):
        for block in range(blocks):
            for operand, step in (("b", self.step_b), ("a", self.step_a)):
                if block % step == 0:
                    self.ask_for(t, operand, block + step * self.ahead, step, blocks)
            self.step(t, block, blocks)

    def ask_for(self, t, operand, block, step, blocks):
        if block < blocks:
            return self.load(t, operand, block, block // step)
        t("scf.if %goes_on {")
        self.load(t, operand, block, block // step)
        t("}")

    def __str__(self):
        t = Text(self.comment)
        self.types(t)
        t('')
        t('module attributes {pto.target_arch = "a2a3"} {')
        t("func.func @gemm(%a_gm: !pto.ptr<f16>, %b_gm: !pto.ptr<f16>, %c_gm: !pto.ptr<" + self.out + ">, %M: index, %N: index, "
          "%K: index, %GM: index, %GN: index)")
        t("    attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {")
        blocks = self.blocks()
        t.constant(*(block * self.k for block in range(max(self.step_a, self.step_b))))
        starts = {block * self.k for block in range(blocks + self.step_a * self.ahead) if block % self.step_a == 0 or block % self.step_b == 0}
        t.constant(0, 1, self.m, self.n, self.k * self.step_a, self.k * self.step_b, blocks * self.k, *sorted(starts))
        self.share(t)
        t.view("a", "a_gm", "%M", "%K", "f16")
        t.view("b", "b_gm", *(("%N", "%K") if self.b_by_columns else ("%K", "%N")), "f16")
        t.view("c", "c_gm", "%M", "%N", self.out)
        self.alloc(t)
        for flag in self.reverse_flags():
            t.set(*flag)
        t(f"scf.for %row = %row0 to %row1 step %c{self.m} {{")
        t(f"scf.for %column = %column0 to %column1 step %c{self.n} {{")
        if not self.unit_flag:
            t.wait("FIX", "M", 0)
        if self.ahead:
            t("scf.for %k = %c0 to %c1 step %c1 {")
            for operand in "ba":
                self.load(t, operand, 0, 0)
            t("}")
        t(f"scf.for %k = %c0 to %K step %c{blocks * self.k} {{")
        if self.ahead:
            t.index("next", "addi", "%k", f"%c{blocks * self.k}")
            t("%goes_on = arith.cmpi slt, %next, %K : index")
        self.loop_over_k(t, blocks)
        t("}")
        if not self.unit_flag:
            t.set("M", "FIX", 0)
            t.wait("M", "FIX", 0)
        t.part("c_part", "c", ["%row", "%column"], (self.m, self.n), self.out)
        flag = ' {stPhase = "final"}' if self.unit_flag else ""
        t(f"pto.tstore ins(%acc : !acc) outs(%c_part : !pto.partition_tensor_view<{self.m}x{self.n}x{self.out}>){flag}")
        if not self.unit_flag:
            t.set("FIX", "M", 0)
        t("}")
        t("}")
        for flag in self.reverse_flags():
            t.wait(*flag)
        t("return")
        t("}")
        t("}")
        return str(t)

    def share(self, t):
        """The rectangle of C that this core computes: a grid of GM x GN cores, columns in whole tiles."""
        t("%id = pto.get_block_idx -> i64")
        t.index("grid_row", "divsi", "%id", "%GN")
        t.index("grid_column", "remsi", "%id", "%GN")
        t.index("rows", "divsi", "%M", "%GM")
        t.index("row0", "muli", "%grid_row", "%rows")
        t.index("row1", "addi", "%row0", "%rows")
        t.index("tiles_n", "divsi", "%N", f"%c{self.n}")
        t.index("tiles_up", "addi", "%tiles_n", "%GN")
        t.index("tiles_less", "subi", "%tiles_up", "%c1")
        t.index("tiles", "divsi", "%tiles_less", "%GN")
        t.index("columns", "muli", "%tiles", f"%c{self.n}")
        t.index("column0", "muli", "%grid_column", "%columns")
        t.index("column_end", "addi", "%column0", "%columns")
        t.index("column1", "minsi", "%column_end", "%N")


@dataclasses.dataclass(frozen=True)
class FusedGemm:
    """x * weight of int8 on the AICs, dequantization and GELU on the AIVs, with a ring of DEPTH slots in GM between them: quant
    grouped matmul of ascend.md 5.4. Tile `m` x 256, K = 1024 in two halves of L1; a group is four tiles that share A."""
    comment: str
    arch: str = "a2a3"
    m: int = 128
    aivs: int = 2

    READY, FREE = 5, 3
    N, K, STEP = 256, 1024, 128
    CHUNK = 24  # rows that an AIV takes at a time: 24 KB of UB

    @property
    def a5(self):
        return self.arch == "a5"

    def types(self, t):
        half = self.K // 2
        t(f"!a1 = !pto.tile_buf<mat, {self.m}x{half}xi8>")
        t(f"!b1 = !pto.tile_buf<mat, {self.N}x{half}xi8>")
        t(f"!a0 = !pto.tile_buf<left, {self.m}x{self.STEP}xi8>")
        t(f"!b0 = !pto.tile_buf<right, {self.STEP}x{self.N}xi8>")
        t(f"!acc = !pto.tile_buf<acc, {self.m}x{self.N}xi32>")
        for rows in sorted(set(self.chunks())):
            for element in ("i32", "f32", "f16"):
                t(f"!{element}_{rows} = !pto.tile_buf<vec, {rows}x{self.N}x{element}>")
            t(f"!column_{rows} = !pto.tile_buf<vec, {rows}x8xf32>")
        t(f"!row = !pto.tile_buf<vec, 1x{self.N}xf32>")

    def chunks(self):
        """Rows of each piece of a tile that one AIV takes."""
        rows = self.m // self.aivs
        return [min(self.CHUNK, rows - first) for first in range(0, rows, self.CHUNK)]

    def core_flags(self, t, what, flag, pipe):
        """Set or wait of both AIVs' flag: one operation on A2/A3, one for each AIV on A5."""
        t(f"pto.sync.{what} <PIPE_{pipe}>, {flag}")
        if self.a5 and self.aivs == 2:
            t(f"pto.sync.{what} <PIPE_{pipe}>, {flag + 16}")

    def slot(self, t, more=""):
        t.index(f"slot{more}", "remsi", "%t" + more, "%DEPTH")
        t.index(f"slot_row{more}", "muli", f"%slot{more}", f"%c{self.m}")

    # --- AIC ---

    PRIMES = [("MTE1", "MTE2", event) for event in range(4)] + [("M", "MTE1", 0), ("M", "MTE1", 1)]

    def load(self, t, operand, name, half):
        event = half + (2 if operand == "b" else 0)
        rows = self.m if operand == "a" else self.N
        view, row = ("x", "%row") if operand == "a" else ("w", f"%w_row{name}")
        t.part(f"{operand}_part{name}_{half}", view, [row, f"%c{half * self.K // 2}"], (rows, self.K // 2), "i8")
        t.wait("MTE1", "MTE2", event)
        t(f"pto.tload ins(%{operand}_part{name}_{half} : !pto.partition_tensor_view<{rows}x{self.K // 2}xi8>) "
          f"outs(%{operand}1_{half} : !{operand}1)")
        t.set("MTE2", "MTE1", event)

    def step(self, t, tile, step):
        half, l0, steps = step // 4, step % 2, self.K // self.STEP
        t.wait("M", "MTE1", l0)
        if step % 4 == 0:
            if tile == 0:
                t.wait("MTE2", "MTE1", half)
            t.wait("MTE2", "MTE1", 2 + half)
        t(f"pto.textract ins(%a1_{half}, %c0, %c{step % 4 * self.STEP} : !a1, index, index) outs(%a0_{l0} : !a0)")
        t(f"pto.tmov ins(%b1_{half} : !b1) outs(%b0_{l0} : !b0)")
        if step % 4 == 3:
            if tile == 3:
                t.set("MTE1", "MTE2", half)
            t.set("MTE1", "MTE2", 2 + half)
        t.set("MTE1", "M", l0)
        t.wait("MTE1", "M", l0)
        flag = f' {{accPhase = "{"final" if step == steps - 1 else "partial"}"}}'
        if step == 0:
            t(f"pto.tmatmul ins(%a0_{l0}, %b0_{l0} : !a0, !b0) outs(%acc : !acc){flag}")
        else:
            t(f"pto.tmatmul.acc ins(%acc, %a0_{l0}, %b0_{l0} : !acc, !a0, !b0) outs(%acc : !acc){flag}")
        t.set("M", "MTE1", l0)

    def tile(self, t, tile):
        t.constant(self.N * tile)
        t.index(f"w_row{tile}", "addi", "%group_row", f"%c{self.N * tile}")
        t.index(f"t{tile}", "addi", "%t", f"%c{tile}")
        self.slot(t, str(tile))
        for half in range(2):
            if tile == 0:
                self.load(t, "a", tile, half)
            self.load(t, "b", tile, half)
            for step in range(4 * half, 4 * half + 4):
                self.step(t, tile, step)
        t(f"%reused{tile} = arith.cmpi sge, %t{tile}, %DEPTH : index")
        t(f"scf.if %reused{tile} {{")
        self.core_flags(t, "wait", self.FREE, "FIX")
        t("}")
        t.part(f"s_part{tile}", "s", [f"%slot_row{tile}", "%c0"], (self.m, self.N), "i32")
        t(f"pto.tstore ins(%acc : !acc) outs(%s_part{tile} : !pto.partition_tensor_view<{self.m}x{self.N}xi32>) {{stPhase = \"final\"}}")
        self.core_flags(t, "set", self.READY, "FIX")

    def share(self, t):
        """Groups %id, %id + cores, .. of 8192 / m x 8 are this cluster's."""
        t.constant(0, 1, 2, 3, 4, 8, self.m, self.N, self.K // 2, self.K, 8192)
        t.index("group_rows", "divsi", "%M", f"%c{self.m}")
        t.index("groups", "muli", "%group_rows", "%c8")

    def cube(self, t):
        t(f"func.func @cube(%ffts: !pto.ptr<i64>, %x: !pto.ptr<i8>, %w: !pto.ptr<i8>, %slots: !pto.ptr<i32>, %M: index, "
          "%DEPTH: index)")
        t("    attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {")
        t.new_function()
        if not self.a5:
            t("pto.set_ffts %ffts : !pto.ptr<i64>")
        self.share(t)
        t.constant(*(step * self.STEP for step in range(4)))
        t("%id = pto.get_block_idx -> i64")
        t("%cores = pto.get_block_num -> i64")
        t.view("xv", "x", "%M", f"%c{self.K}", "i8")
        t.constant(65536)
        t.view("wv", "w", "%c65536", f"%c{self.K}", "i8")  # eight weights, one below the other, K contiguous
        t.index("slot_rows", "muli", "%DEPTH", f"%c{self.m}")
        t.index("first_slot", "muli", "%id", "%slot_rows")
        t.index("all_slots", "muli", "%cores", "%slot_rows")
        t.view("sv", "slots", "%all_slots", f"%c{self.N}", "i32")
        for name in ("a1", "b1", "a0", "b0"):
            for half in range(2):
                t(f"%{name}_{half} = pto.alloc_tile : !{name}")
        t("%acc = pto.alloc_tile : !acc")
        for flag in self.PRIMES:
            t.set(*flag)
        t("%tiles = scf.for %group = %id to %groups step %cores iter_args(%t = %c0) -> (index) {")
        t.index("m", "divsi", "%group", "%c8")
        t.index("n", "remsi", "%group", "%c8")
        t.index("row", "muli", "%m", f"%c{self.m}")
        t.index("expert", "divsi", "%row", f"%c{self.K}")
        t.index("weight", "muli", "%expert", "%c8192")
        t.index("column", "muli", "%n", f"%c{self.K}")
        t.index("group_row", "addi", "%weight", "%column")
        for tile in range(4):
            self.tile(t, tile)
        t.index("next", "addi", "%t", "%c4")
        t("scf.yield %next : index")
        t("}")
        t.index("rest", "minsi", "%tiles", "%DEPTH")
        t("scf.for %i = %c0 to %rest step %c1 {")
        self.core_flags(t, "wait", self.FREE, "FIX")
        t("}")
        for flag in self.PRIMES:
            t.wait(*flag)
        t("return")
        t("}")

    # --- AIV ---

    # Dequantization and GELU of a piece, x / (1 + exp(-1.6 x (1 + 0.045 x^2))), as operations on tiles of f32.
    CHAIN = (("tcvt", "%in", "%x"), ("tmuls", "%scale, %step", "%scaled"), ("tcolexpandmul", "%x, %scaled", "%y"), ("trowexpandmul", "%y, %token", "%x"),
             ("tmul", "%x, %x", "%y"), ("tmul", "%y, %x", "%z"), ("tmuls", "%z, %cubic", "%y"), ("tadd", "%x, %y", "%z"),
             ("tmuls", "%z, %slope", "%y"), ("texp", "%y", "%z"), ("tadds", "%z, %one", "%y"), ("tdiv", "%x, %y", "%z"),
             ("tcvt", "%z", "%out"))

    def chain(self, t, rows, buffer):
        def typed(name):
            plain = {"%in": (f"%in{buffer}_{rows}", f"!i32_{rows}"), "%out": (f"%out{buffer}_{rows}", f"!f16_{rows}"),
                     "%scale": ("%scale", "!row"), "%scaled": ("%scaled", "!row"),
                     "%token": (f"%token_{rows}", f"!column_{rows}")}
            return plain.get(name, (f"{name}_{rows}" if name in ("%x", "%y", "%z") else name,
                                    f"!f32_{rows}" if name in ("%x", "%y", "%z") else "f32"))
        for name, ins, out in self.CHAIN:
            operands = [typed(operand) for operand in ins.split(", ")]
            result = typed(out)
            t(f"pto.{name} ins({', '.join(o[0] for o in operands)} : {', '.join(o[1] for o in operands)}) outs({result[0]} : {result[1]})")

    def alloc_vector(self, t):
        kb = self.CHUNK * self.N // 256  # of an f16 or half an f32 tile: 12 KB
        tiles = [("in0", "i32", 0), ("in1", "i32", 2), ("out0", "f16", 4), ("out1", "f16", 5), ("x", "f32", 6), ("y", "f32", 8),
                 ("z", "f32", 10), ("token", "column", 12)]
        places = {name: place * kb * 512 for name, _, place in tiles}
        places.update(scale=13 * kb * 512, scaled=13 * kb * 512 + 4 * self.N)
        t.constant(*places.values())
        for rows in sorted(set(self.chunks())):  # a short piece uses the first rows of the buffers
            for name, element, _ in tiles:
                t(f"%{name}_{rows} = pto.alloc_tile addr = %c{places[name]} : !{element}_{rows}")
        for name in ("scale", "scaled"):
            t(f"%{name} = pto.alloc_tile addr = %c{places[name]} : !row")
        for name, value in (("cubic", "0.044715"), ("slope", "-1.5957691"), ("one", "1.0"), ("step", "0.0078125")):
            t(f"%{name} = arith.constant {value} : f32")

    def piece(self, t, tile, piece, rows, last):
        buffer, first = piece % 2, piece * self.CHUNK
        name = f"{tile}_{piece}"
        t.constant(first, rows)
        t.index(f"in_row{name}", "addi", f"%half_row{tile}", f"%c{first}")
        t.index(f"out_row{name}", "addi", "%tile_row", f"%c{first}")
        t.part(f"in_part{name}", "sv", [f"%in_row{name}", "%c0"], (rows, self.N), "i32")
        t.part(f"out_part{name}", "yv", [f"%out_row{name}", f"%column{tile}"], (rows, self.N), "f16")
        t.wait("V", "MTE2", buffer)
        t(f"pto.tload ins(%in_part{name} : !pto.partition_tensor_view<{rows}x{self.N}xi32>) outs(%in{buffer}_{rows} : !i32_{rows})")
        if last:
            t(f"pto.sync.set <PIPE_MTE2>, {self.FREE}")
        t.set("MTE2", "V", buffer)
        t.wait("MTE2", "V", buffer)
        t.wait("MTE3", "V", buffer)
        self.chain(t, rows, buffer)
        t.set("V", "MTE2", buffer)
        t.set("V", "MTE3", buffer)
        t.wait("V", "MTE3", buffer)
        t(f"pto.tstore ins(%out{buffer}_{rows} : !f16_{rows}) outs(%out_part{name} : !pto.partition_tensor_view<{rows}x{self.N}xf16>)")
        t.set("MTE3", "V", buffer)

    def vector(self, t):
        t("func.func @vector(%ffts: !pto.ptr<i64>, %slots: !pto.ptr<i32>, %y_gm: !pto.ptr<f16>, %M: index, %DEPTH: index)")
        t("    attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {")
        t.new_function()
        if not self.a5:
            t("pto.set_ffts %ffts : !pto.ptr<i64>")
        self.share(t)
        primes = [(source, target, buffer) for source, target in (("V", "MTE2"), ("MTE3", "V")) for buffer in range(2)]
        t("%aiv = pto.get_block_idx -> i64")
        t.constant(self.aivs, self.m // self.aivs)
        t.index("id", "divsi", "%aiv", f"%c{self.aivs}")
        t("%cores = pto.get_block_num -> i64")
        t("%sub = pto.get_subblock_idx -> i64")
        t.index("half", "muli", "%sub", f"%c{self.m // self.aivs}")
        t.index("slot_rows", "muli", "%DEPTH", f"%c{self.m}")
        t.index("first_slot", "muli", "%id", "%slot_rows")
        t.index("all_slots", "muli", "%cores", "%slot_rows")
        t.view("sv", "slots", "%all_slots", f"%c{self.N}", "i32")
        t.view("yv", "y_gm", "%M", "%c8192", "f16")
        self.alloc_vector(t)
        for flag in primes:
            t.set(*flag)
        t("%tiles = scf.for %group = %id to %groups step %cores iter_args(%t = %c0) -> (index) {")
        t.index("m", "divsi", "%group", "%c8")
        t.index("n", "remsi", "%group", "%c8")
        t.index("row", "muli", "%m", f"%c{self.m}")
        t.index("tile_row", "addi", "%row", "%half")
        t.index("group_column", "muli", "%n", f"%c{self.K}")
        t("%next = scf.for %tile = %c0 to %c4 step %c1 iter_args(%t_ = %t) -> (index) {")
        self.slot(t, "_")
        t.index("slot_base", "addi", "%first_slot", "%slot_row_")
        t.index("half_row_", "addi", "%slot_base", "%half")
        t.index("columns", "muli", "%tile", f"%c{self.N}")
        t.index("column_", "addi", "%group_column", "%columns")
        t(f"pto.sync.wait <PIPE_MTE2>, {self.READY}")
        chunks = self.chunks()
        for piece, rows in enumerate(chunks):
            self.piece(t, "_", piece, rows, piece == len(chunks) - 1)
        t.index("later", "addi", "%t_", "%c1")
        t("scf.yield %later : index")
        t("}")
        t("scf.yield %next : index")
        t("}")
        for flag in primes:
            t.wait(*flag)
        t("return")
        t("}")

    def __str__(self):
        t = Text(self.comment)
        self.types(t)
        t("")
        t(f'module attributes {{pto.target_arch = "{self.arch}"}} {{')
        self.cube(t)
        self.vector(t)
        t("}")
        text = str(t)
        # the views of the AIC are named by what load() and tile() ask for
        return text.replace("%xv =", "%xv =").replace("partition_view %x,", "partition_view %xv,").replace(
            "partition_view %w,", "partition_view %wv,").replace("partition_view %s,", "partition_view %sv,")


FILES = {
    "examples/ascend/fused_gemm_a2a3.pto": FusedGemm("""
Dequantized matrix product with GELU, cube and vector cores side by side (ascend.md 5.4): y = gelu(x * w scaled), x of M x 1024,
eight weights of 1024 x 8192, all int8. The AIC writes tiles of 128 x 256 to a ring of DEPTH slots in GM and sets id 5; each AIV
takes its half in pieces of 24 rows, and sets id 3 when it has read the last one. --param M=8192 --param DEPTH=4 --no-data: the
weights lie by columns, and turning them round in L1 is not in the values."""),
    "examples/ascend/fused_gemm_a5.pto": FusedGemm("""
The same as fused_gemm_a2a3.pto on A5: tiles of 256 x 256, a signal for each AIV (5 and 21) and back (3 and 19).""",
                                                   arch="a5", m=256),
    "examples/validation/ascend_fused_gemm_1_1.pto": FusedGemm("""
fused_gemm_a2a3.pto with one AIV a cluster, for launch.ratio=1:1 (ascend.md 5.4).""", aivs=1),
    "examples/ascend/gemm.pto": Gemm("""
C = A * B of f16 on AICs, with the reference schedule (ascend.md 3.2): panels of four blocks of K, two of each operand in L1;
L0A and L0B in turn; one tile of L0C, which FIX stores before the next one begins. GM x GN cores share C; K in steps of 512.""",
                                     out="f32"),
    "examples/validation/ascend_gemm_2.pto": Gemm("""
Matrix product of ascend.md 5.2, case 4: panels of two blocks, four blocks of each operand in L1.""", step_a=2, step_b=2, b_by_columns=True),
    "examples/validation/ascend_gemm_8_4.pto": Gemm("""
Matrix product of ascend.md 5.2, cases 5 to 7: L1 full, 16 blocks of A in panels of eight, 8 of B in panels of four.""",
                                                    step_a=8, ahead=True, b_by_columns=True),
    "examples/validation/ascend_gemm_unit.pto": Gemm("""
Matrix product of ascend.md 5.2, case 8 and the basic API: L1 full, and the unit flag between M and FIX.""", step_a=8, ahead=True,
                                                     b_by_columns=True, unit_flag=True),
    "examples/validation/ascend_gemm_serial.pto": Gemm("""
Matrix product of ascend.md 5.2, cases 1 to 3: one block of each operand in L1, so that loads and extraction take turns.""",
                                                       step_a=1, step_b=1, halves=1, b_by_columns=True),
    "examples/validation/ascend_gemm_small.pto": Gemm("""
Matrix product of ascend.md 5.2, case 0: tiles of 64 x 64 x 64, one block of each operand in L1.""", m=64, n=64, step_a=1,
                                                      step_b=1, halves=1, b_by_columns=True),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    wrong = 0
    for name, kernel in FILES.items():
        path = ROOT / name
        if arguments.check:
            if not path.is_file() or path.read_text() != str(kernel):
                print(f"{name}: not what scripts/validation/kernels.py writes")
                wrong = 1
        else:
            path.write_text(str(kernel))
    return wrong


if __name__ == "__main__":
    sys.exit(main())
