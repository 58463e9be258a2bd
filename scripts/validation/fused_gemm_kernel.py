# SPDX-License-Identifier: Apache-2.0
"""A matrix product on AICs and what AIVs make of it as PTO text."""
import dataclasses

from validation.kernel_text import Text


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
        t.number("id", "get_block_idx")
        t.number("cores", "get_block_num")
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
        kb = self.CHUNK * self.N // 256  # size of an f16 tile or of half an f32 tile, in units of 512 bytes: 12 KB
        tiles = [("in0", "i32", 0), ("in1", "i32", 2), ("out0", "f16", 4), ("out1", "f16", 5), ("x", "f32", 6), ("y", "f32", 8),
                 ("z", "f32", 10), ("token", "column", 12)]
        places = {name: place * kb * 512 for name, _, place in tiles}
        # y is in other groups of banks than x and z (ascend.md 1.3).
        for name, later in (("y", 256), ("z", 512), ("token", 1024)):
            places[name] += later
        places.update(scale=13 * kb * 512, scaled=13 * kb * 512 + 4 * self.N)
        t.address(*places.values())
        for rows in sorted(set(self.chunks())):  # a short piece uses the first rows of the buffers
            for name, element, _ in tiles:
                t(f"%{name}_{rows} = pto.alloc_tile addr = %at{places[name]} : !{element}_{rows}")
        for name in ("scale", "scaled"):
            t(f"%{name} = pto.alloc_tile addr = %at{places[name]} : !row")
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
        t.number("id", "get_block_idx")
        t.constant(self.aivs, self.m // self.aivs)
        t.number("cores", "get_block_num")
        t.number("sub", "get_subblock_idx")
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
