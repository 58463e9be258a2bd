# SPDX-License-Identifier: Apache-2.0
"""Damaged copies of a file: cut short, one bit turned, bytes put in, bytes replaced."""


def mutants(whole, draw, count):
    """At most `count` copies of the bytes `whole`, each unlike it; `draw` is a random.Random."""
    for number in range(count):
        changed = bytearray(whole)
        place, kind = draw.randrange(len(whole)), number % 4
        if kind == 0:
            del changed[place:]
        elif kind == 1:
            changed[place] ^= 1 << draw.randrange(8)
        elif kind == 2:
            changed[place:place] = draw.randbytes(draw.randint(1, 40))
        else:
            size = len(whole[place:place + draw.randint(1, 200)])
            changed[place:place + size] = draw.randbytes(size)
        if changed != whole:
            yield bytes(changed)
