import numpy as np
from host import Machine, expect, expect_failure


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def even(n, weight):
    if n == 0:
        return weight
    return odd(n - 1, weight + 1) + n * (n + 2) - (n + 1)


def odd(n, weight):
    return -weight if n == 0 else even(n - 1, weight * 2) - n


def five(a, b, c, d, e):
    return b + 2 * c + 3 * d + 4 * e if a == 0 else five(a - 1, c, d, e, b) + e


with Machine() as machine:
    for n in (1, 5, 7):
        machine.launch("run", np.int16(n))
        wanted = [factorial(n), fibonacci(n + 5), 20100 + n, 40, 0, five(n, 1, 2, 3, 4), 0, 0]
        expect(machine.get("y", 8, np.int16), np.array(wanted, np.int16))
        expect(machine.get("z", 2, np.float32), np.array([even(n, 1), odd(n, 0.5)], np.float32))
    expect_failure(lambda: machine.launch("deep", np.int16(2000)), "too_many_calls_of_factorial")
