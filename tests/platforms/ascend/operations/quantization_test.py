"""Quantisation and back, against NumPy."""
import sys

import numpy as np

from kernel_builder import ROWS, apply, check, values


def check_quantization(executable):
    x, scale, offset = 40 * values("f32"), values("f32", (ROWS, 1), 3, least=0.25), values("f32", (ROWS, 1), 4)
    signed = apply(executable, "tquant", [x, scale], dtype="i8", attributes=" {quant_type = #pto<quant_type INT8_SYM>}")
    check("tquant", signed, np.clip(np.rint(x * scale), -128, 127))
    assert (np.abs(signed) == 127).any(), "nothing was saturated"
    unsigned = apply(executable, "tquant", [x, scale, offset], dtype="ui8", attributes=" {quant_type = #pto<quant_type INT8_ASYM>}")
    check("tquant", unsigned, np.clip(np.rint(x * scale + offset), 0, 255))
    for q in (values("i8"), values("i16")):
        check("tdequant", apply(executable, "tdequant", [q, scale, offset], dtype="f32"), (q.astype(np.float32) - offset) * scale)
        check("tdequant", apply(executable, "tdequant", [q, scale], dtype="f32"), q.astype(np.float32) * scale)


def main():
    check_quantization(sys.argv[1])


if __name__ == "__main__":
    main()
