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
        t(f"!b1 = !pto.tile_buf<mat, {self.k * self.step_b}x{self.n}xf16>")
        t(f"!a0 = !pto.tile_buf<left, {self.m}x{self.k}xf16>")
        t(f"!b0 = !pto.tile_buf<right, {self.k}x{self.n}xf16>")
        t(f"!acc = !pto.tile_buf<acc, {self.m}x{self.n}xf32>")

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
        rows, columns = (self.m, self.k * self.step_a) if operand == "a" else (self.k * self.step_b, self.n)
        name = f"{operand}{block}"
        t.index(f"{name}_k", "addi", "%k", f"%c{block * self.k}")
        offsets = ["%row", f"%{name}_k"] if operand == "a" else [f"%{name}_k", "%column"]
        t.part(f"{name}_part", operand, offsets, (rows, columns), "f16")
        t.wait("MTE1", "MTE2", event)
        t(f"pto.tload ins(%{name}_part : !pto.partition_tensor_view<{rows}x{columns}xf16>) outs(%{operand}1_{half} : !{operand}1)")
        t.set("MTE2", "MTE1", event)

    def step(self, t, block, blocks):
        """One block of K: extract A and B, multiply."""
        half = block % 2
        t.wait("M", "MTE1", half)
        for operand, step in (("a", self.step_a), ("b", self.step_b)):
            panel = block // step
            event = panel % self.halves + (self.halves if operand == "b" else 0)
            if block % step == 0:
                t.wait("MTE2", "MTE1", event)
            t(f"pto.tmov ins(%{operand}1_{panel % self.halves} : !{operand}1) outs(%{operand}0_{half} : !{operand}0)")
            if block % step == step - 1:
                t.set("MTE1", "MTE2", event)
        t.set("MTE1", "M", half)
        t.wait("MTE1", "M", half)
        if block == 0:
            t("%starts = arith.cmpi eq, %k, %c0 : index")
            t("scf.if %starts {")
            t(f"pto.tmatmul ins(%a0_0, %b0_0 : !a0, !b0) outs(%acc : !acc){self.flag_of(block, blocks)}")
            t("} else {")
        t(f"pto.tmatmul.acc ins(%acc, %a0_{half}, %b0_{half} : !acc, !a0, !b0) outs(%acc : !acc){self.flag_of(block, blocks)}")
        if block == 0:
            t("}")
        t.set("M", "MTE1", half)

    def flag_of(self, block, blocks):
        return "" if not self.unit_flag else f" {{unit_flag = {3 if block == blocks - 1 else 2} : i32}}"

    def blocks(self):
        """Blocks of K in a round of the loop over K: all halves of both operands come round."""
        return self.halves * max(self.step_a, self.step_b)

    def loop_over_k(self, t, blocks):
        for block in range(blocks):
            for operand, step in (("b", self.step_b), ("a", self.step_a)):
                if block % step == 0:
                    self.load(t, operand, block, block // step)
            self.step(t, block, blocks)

    def __str__(self):
        t = Text(self.comment)
        self.types(t)
        t('')
        t('module attributes {pto.target_arch = "a2a3"} {')
        t("func.func @gemm(%a_gm: !pto.ptr<f16>, %b_gm: !pto.ptr<f16>, %c_gm: !pto.ptr<" + self.out + ">, %M: index, %N: index, "
          "%K: index, %GM: index, %GN: index)")
        t("    attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {")
        blocks = self.blocks()
        starts = {block * self.k for block in range(blocks) if block % self.step_a == 0 or block % self.step_b == 0}
        t.constant(0, 1, self.m, self.n, self.k * self.step_a, self.k * self.step_b, blocks * self.k, *sorted(starts))
        self.share(t)
        t.view("a", "a_gm", "%M", "%K", "f16")
        t.view("b", "b_gm", "%K", "%N", "f16")
        t.view("c", "c_gm", "%M", "%N", self.out)
        self.alloc(t)
        for flag in self.reverse_flags():
            t.set(*flag)
        t(f"scf.for %row = %row0 to %row1 step %c{self.m} {{")
        t(f"scf.for %column = %column0 to %column1 step %c{self.n} {{")
        if not self.unit_flag:
            t.wait("FIX", "M", 0)
        t(f"scf.for %k = %c0 to %K step %c{blocks * self.k} {{")
        self.loop_over_k(t, blocks)
        t("}")
        if not self.unit_flag:
            t.set("M", "FIX", 0)
            t.wait("M", "FIX", 0)
        t.part("c_part", "c", ["%row", "%column"], (self.m, self.n), self.out)
        flag = " {unit_flag = 3 : i32}" if self.unit_flag else ""
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


FILES = {
    "examples/ascend/gemm.pto": Gemm("""
C = A * B of f16 on AICs, with the reference schedule (ascend.md 3.2): panels of four blocks of K, two of each operand in L1;
L0A and L0B in turn; one tile of L0C, which FIX stores before the next one begins. GM x GN cores share C; K in steps of 512.""",
                                     out="f32"),
    "examples/validation/ascend_gemm_2.pto": Gemm("""
Matrix product of ascend.md 5.2, case 4: panels of two blocks, four blocks of each operand in L1.""", step_a=2, step_b=2),
    "examples/validation/ascend_gemm_8_4.pto": Gemm("""
Matrix product of ascend.md 5.2, cases 5 to 7: L1 full, 16 blocks of A in panels of eight, 8 of B in panels of four.""",
                                                    step_a=8),
    "examples/validation/ascend_gemm_serial.pto": Gemm("""
Matrix product of ascend.md 5.2, cases 1 to 3: one block of each operand in L1, so that loads and extraction take turns.""",
                                                       step_a=1, step_b=1, halves=1),
    "examples/validation/ascend_gemm_small.pto": Gemm("""
Matrix product of ascend.md 5.2, case 0: tiles of 64 x 64 x 64, one block of each operand in L1.""", m=64, n=64, step_a=1,
                                                      step_b=1, halves=1),
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
