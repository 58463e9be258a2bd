# SPDX-License-Identifier: Apache-2.0
"""The 16-bit floats of a program that NumPy does not have: bfloat16, and cb16 (6 exponent and 9 fraction bits, bias 42)."""
import math

LAYOUTS = {"bf16": (7, 127), "cb16": (9, 42)}  # fraction bits, bias


def half_value(bits, format_name):
    """The number that 16 bits stand for."""
    fraction_bits, bias = LAYOUTS[format_name]
    fraction, exponent = bits & ((1 << fraction_bits) - 1), (bits & 0x7FFF) >> fraction_bits
    sign = -1.0 if bits & 0x8000 else 1.0
    if exponent == (0x7FFF >> fraction_bits):
        return math.nan if fraction else sign * math.inf
    if exponent:
        fraction += 1 << fraction_bits
    return sign * math.ldexp(fraction, max(exponent, 1) - bias - fraction_bits)


def half_bits(number, format_name):
    """The bits of the nearest number, ties to even; what is beyond the largest becomes infinite."""
    fraction_bits, bias = LAYOUTS[format_name]
    infinite = (0x7FFF >> fraction_bits) << fraction_bits
    sign = 0x8000 if math.copysign(1.0, number) < 0 else 0
    if math.isnan(number):
        return infinite | 1 << fraction_bits - 1
    if math.isinf(number):
        return sign | infinite
    exponent = max(math.frexp(number)[1] - 1 + bias, 1)
    fraction = round(math.ldexp(abs(number), fraction_bits + bias - exponent))
    return sign | min((exponent - 1 << fraction_bits) + fraction, infinite) if number else sign
