# SPDX-License-Identifier: Apache-2.0
"""A matrix product on AICs as PTO text."""
import dataclasses

from validation.kernel_text import Text


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
    arch: str = "a2a3"
    tail: bool = False  # TAIL rounds of a scalar loop between the last MAD of a tile and FIX

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
        """Set before the loop, waited for after it: which buffers are free."""
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
        t.index(f"{name}_k", "addi", "%k", f"%c{block * self.k}")  # beyond this round of the loop: the next round's
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
        t(f'module attributes {{pto.target_arch = "{self.arch}"}} {{')
        t("func.func @gemm(%a_gm: !pto.ptr<f16>, %b_gm: !pto.ptr<f16>, %c_gm: !pto.ptr<" + self.out + ">, %M: index, %N: index, "
          "%K: index, %GM: index, %GN: index" + (", %TAIL: index)" if self.tail else ")"))
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
        if self.tail:
            t("scf.for %round = %c0 to %TAIL step %c1 {")
            t("}")
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
        t.number("id", "get_block_idx")
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
