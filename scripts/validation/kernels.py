# SPDX-License-Identifier: Apache-2.0
"""Writes the PTO kernels of examples/ascend and examples/validation whose text repeats itself: tiles of a matrix product in
panels, a cube-vector chain with a ring of slots, and probes of single pipes.

    python3 -B -m validation.kernels [--check]      from scripts/; --check: exit code 1 if a file is not what would be written
"""
import argparse
import pathlib
import sys

from files import write_text
from validation.fused_gemm_kernel import FusedGemm
from validation.gemm_kernel import Gemm
from validation.micro_kernel import KERNELS as MICRO_KERNELS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

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
Matrix product of ascend.md 5.2, case 8 and the basic API: L1 full, and the unit flag between M and FIX. TAIL: what the scalar
unit has to do before FIX, in rounds of a loop.""", step_a=8, ahead=True, b_by_columns=True, unit_flag=True, tail=True),
    "examples/validation/ascend_gemm_a5_2.pto": Gemm("""
Matrix product on A5 as in ascend.md 5.2, case 4: panels of two blocks, four blocks of each operand in L1.""", m=256, step_a=2,
                                                     step_b=2, b_by_columns=True, arch="a5"),
    "examples/validation/ascend_gemm_a5_4.pto": Gemm("""
Matrix product on A5 as in ascend.md 5.2, cases 5 to 7: L1 full, eight blocks of each operand in panels of four.""", m=256, ahead=True,
                                                     b_by_columns=True, arch="a5"),
    "examples/validation/ascend_gemm_a5_unit.pto": Gemm("""
Matrix product on A5 as in ascend.md 5.2, case 8 and the basic API: L1 full, and the unit flag between M and FIX. TAIL: what the
scalar unit has to do before FIX, in rounds of a loop.""", m=256, ahead=True, b_by_columns=True, unit_flag=True, arch="a5", tail=True),
    "examples/validation/ascend_gemm_serial.pto": Gemm("""
Matrix product of ascend.md 5.2, cases 1 to 3: one block of each operand in L1, so that loads and extraction take turns.""",
                                                       step_a=1, step_b=1, halves=1, b_by_columns=True),
    "examples/validation/ascend_gemm_small.pto": Gemm("""
Matrix product of ascend.md 5.2, case 0: tiles of 64 x 64 x 64, one block of each operand in L1.""", m=64, n=64, step_a=1,
                                                      step_b=1, halves=1, b_by_columns=True),
    **{f"examples/validation/{name}.pto": kernel for name, kernel in MICRO_KERNELS.items()},
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
            write_text(path, str(kernel))
    return wrong


if __name__ == "__main__":
    sys.exit(main())
