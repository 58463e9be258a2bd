"""Integers of the scalar unit wrap around at the width of their type."""
import sys

import numpy as np

from kernel_builder import Kernel, run


def wrapped(number, bits, is_signed=True):
    number &= (1 << bits) - 1
    return number - (1 << bits) if is_signed and number >> (bits - 1) else number


def quotient(a, b):  # towards zero
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


INTEGER_OPERATIONS = {  # of the numbers as signed ones; the second group of them as unsigned ones
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "andi": lambda a, b: a & b, "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b, "divsi": quotient, "remsi": lambda a, b: a - b * quotient(a, b), "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b), "minsi": min, "maxsi": max,
    "cmpi slt,": lambda a, b: a < b, "cmpi sge,": lambda a, b: a >= b, "cmpi eq,": lambda a, b: a == b}
UNSIGNED_OPERATIONS = {
    "divui": lambda a, b: a // b, "remui": lambda a, b: a % b, "ceildivui": lambda a, b: -(-a // b), "minui": min, "maxui": max,
    "cmpi ult,": lambda a, b: a < b, "cmpi uge,": lambda a, b: a >= b}
SHIFTS = {"shli": lambda a, b, bits: a << b, "shrsi": lambda a, b, bits: a >> b, "shrui": lambda a, b, bits: wrapped(a, bits, False) >> b}


def check_integer_types(executable):
    """Numbers of a type wrap around at its width, and unsigned operations read them as such: known ones and those of the running core."""
    for bits in (8, 16, 32, 64):
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        pairs = [(a, b) for a in (high, low, -5, 100) for b in (3, -2, high)]
        pairs += [(a, b) for a in (low, -5, 77) for b in (0, 1, bits - 1)]
        kernel, expected, kind = Kernel(), [], f"i{bits}"
        kernel.arguments += ["%x_p: !pto.ptr<i64>", "%out_p: !pto.ptr<i64>"]
        kernel.inputs["x_p"] = np.array(pairs, dtype=np.int64)

        def add(name, left, right, n):
            result = "i1" if name.startswith("cmpi") else kind
            kernel.body.append(f"%r{n} = arith.{name} {left}, {right} : {kind}")
            extended = f"%r{n}" if result == "i64" else f"%e{n}"
            if result != "i64":
                kernel.body.append(f"%e{n} = arith.{'extui' if result == 'i1' else 'extsi'} %r{n} : {result} to i64")
            kernel.body += [f"%to{n} = arith.constant {n} : index", f"pto.store_scalar {extended}, %out_p[%to{n}] : !pto.ptr<i64>, i64"]

        for i, (a, b) in enumerate(pairs):
            for j, number in enumerate((a, b)):
                kernel.body += [f"%k{i}_{j} = arith.constant {number} : {kind}", f"%at{i}_{j} = arith.constant {2 * i + j} : index",
                                f"%l{i}_{j} = pto.load_scalar %x_p[%at{i}_{j}] : !pto.ptr<i64> -> i64"]
                kernel.body.append(f"%v{i}_{j} = arith.trunci %l{i}_{j} : i64 to {kind}" if bits < 64 else f"%v{i}_{j} = arith.addi %l{i}_{j}, %none : i64")
            cases = [(name, f(a, b, bits)) for name, f in SHIFTS.items() if 0 <= b < bits]
            if b != 0:
                cases += [(name, f(a, b)) for name, f in INTEGER_OPERATIONS.items()]
                cases += [(name, f(wrapped(a, bits, False), wrapped(b, bits, False))) for name, f in UNSIGNED_OPERATIONS.items()]
            for name, result in cases:
                for letter in "kv":
                    add(name, f"%{letter}{i}_0", f"%{letter}{i}_1", len(expected))
                    expected.append((letter, name, a, b, int(result) if name.startswith("cmpi") else wrapped(result, bits)))
        kernel.body.insert(0, "%none = arith.constant 0 : i64")
        kernel.body.append('pto.dcci %out_p "ENTIRE_DATA_CACHE", "CACHELINE_OUT" : !pto.ptr<i64>')
        kernel.inputs["out_p"] = np.zeros(len(expected), np.int64)
        found = run(executable, kernel)
        wrong = [(e, int(f)) for e, f in zip(expected, found) if e[-1] != f]
        assert not wrong, (kind, len(wrong), wrong[:5])
    for number, word in (("300", "300 is no number of type i8"), ("-129", "-129 is no number of type i8")):
        kernel = Kernel()
        kernel.body.append(f"%k = arith.constant {number} : i8")
        code, error = run(executable, kernel, fails=True)
        assert code == 2 and word in error, error


def main():
    check_integer_types(sys.argv[1])


if __name__ == "__main__":
    main()
