"""Gathers, scatters, sorts and merges, against NumPy."""
import sys

import numpy as np

from kernel_builder import COLUMNS, Kernel, ROWS, TYPES, apply, bits, check, run, values


def check_scatters(executable):
    """To and from places that an index, an offset or a pattern names."""
    rng = np.random.default_rng(3)
    x = values("f32")
    places = rng.permutation(x.size).astype(np.int32).reshape(x.shape)
    expected = np.empty_like(x)
    expected.flat[places.ravel()] = x.ravel()
    check("tscatter", apply(executable, "tscatter", [x, places]), expected)
    spread = np.zeros((ROWS, 2 * COLUMNS), np.float32)
    spread[:, 1::2] = x
    mask = " {maskPattern = #pto.mask_pattern<P1010>%s}"
    check("tscatter", apply(executable, "tscatter", [x], result=spread.shape, attributes=mask % ""), spread)
    spread = np.zeros((2 * ROWS, COLUMNS), np.float32)
    spread[1::2] = x
    check("tscatter", apply(executable, "tscatter", [x], result=spread.shape, attributes=mask % ', axis = "col"'), spread)
    blocks = rng.permutation(ROWS * 3).astype(np.uint32).reshape(ROWS, 3)
    check("tgatherb", apply(executable, "tgatherb", [x, blocks * np.uint32(32)]), x.reshape(-1, 8)[blocks].reshape(x.shape))


def check_gather(executable):
    rng = np.random.default_rng(5)
    table = values("f32", (4, 64))
    for kind in ("i32", "i16"):
        places = rng.integers(0, table.size, (ROWS, COLUMNS)).astype(TYPES[kind])
        check("tgather", apply(executable, "tgather", [table, places]), table.ravel()[places])
    patterns = {"P0101": (2, 0), "P1010": (2, 1), "P0001": (4, 0), "P0010": (4, 1), "P0100": (4, 2), "P1000": (4, 3), "P1111": (1, 0)}
    for dtype in ("f32", "f16", "i32"):
        x = values(dtype)
        for pattern, (period, first) in patterns.items():
            text = f" {{maskPattern = #pto.mask_pattern<{pattern}>}}"
            check(pattern, apply(executable, "tgather", [x], result=(ROWS, COLUMNS // period), attributes=text), x[:, first::period])
    # The form of public kernels: the pattern in place of an operand, and the axis after the types.
    kernel = Kernel()
    a, out = kernel.load("a", values("f32")), kernel.tile("result", ROWS // 2, COLUMNS, "f32")
    kernel.step(f"pto.tgather ins(%a, {{maskPattern = #pto.mask_pattern<P1010>}} : {a[1]}, \"col\") outs(%result : {out[1]})")
    kernel.store(out, ROWS // 2, COLUMNS, "f32")
    check("col", run(executable, kernel), values("f32")[1::2])


def pairs_of(dtype, x, index):
    """Values and indices as 8 bytes each, every 32 of a row falling."""
    found = np.zeros((*x.shape, 8 // x.itemsize), dtype)
    for r in range(len(x)):
        for first in range(0, x.shape[1], 32):
            order = first + np.lexsort((index[r, first:first + 32], -x[r, first:first + 32].astype(np.float64)))
            part = found[r, first:first + 32]
            part[:, 0] = x[r, order]
            part.view(np.uint32).reshape(len(order), 2)[:, 1] = index[r, order]
    return found.reshape(len(x), -1)


def check_sorting(executable):
    for dtype in ("f32", "f16"):
        for columns in (64, 48):  # whole blocks, and one that is shorter
            x = np.round(values(dtype, (3, columns)), 1)  # some are equal
            index = np.arange(31000, 31000 + x.size, dtype=np.uint32).reshape(x.shape)  # among f16 also bits of NaNs
            expected = pairs_of(TYPES[dtype], x, index)
            found = apply(executable, "tsort32", [x, index], result=expected.shape, dtype=dtype)
            check("tsort32", bits(found), bits(expected))
    x = values("f32", (1, 32))  # indices whose bits are those of signalling NaNs
    index = np.arange(0x7F800001, 0x7F800021, dtype=np.uint32).reshape(x.shape)
    expected = pairs_of(np.float32, x, index)
    check("tsort32", bits(apply(executable, "tsort32", [x, index], result=expected.shape)), bits(expected))
    x = values("f32", (1, 512))
    index = np.arange(512, dtype=np.uint32).reshape(1, -1)
    blocks = pairs_of(np.float32, x, index)  # 16 blocks of 32 pairs, 64 columns
    found = apply(executable, "tmrgsort", [blocks], [("64", "i32")], result=blocks.shape)
    expected = np.concatenate([merged(part) for part in np.split(blocks, 4, axis=1)], axis=1)
    check("tmrgsort", bits(found), bits(expected))
    lists = np.split(expected, 4, axis=1)
    for count in (2, 3, 4):
        whole = merged(np.concatenate(lists[:count], axis=1))
        for columns in (whole.shape[1], 64):  # all of them, or the first 32
            found = apply_merge(executable, lists[:count], columns, "false")
            check("tmrgsort", bits(found), bits(whole[:, :columns]))
    low, high = lists[0].copy(), lists[1].copy()
    low[0, ::2] -= 100  # the other list ends first
    check("exhausted", bits(apply_merge(executable, [low, high], 512, "true")[:, :256]), bits(high))


def merged(pairs):
    order = np.argsort(-pairs[0, ::2], kind="stable")
    return pairs.reshape(-1, 2)[order].reshape(1, -1)


def apply_merge(executable, lists, columns, exhausted):
    kernel = Kernel()
    tiles = [kernel.load(f"in{i}", v) for i, v in enumerate(lists)]
    tiles.append(kernel.tile("tmp", 1, 1024, "f32"))
    out = kernel.tile("result", 1, columns, "f32")
    kernel.body.append("%counts = arith.constant dense<0> : vector<4xi16>")
    names, kinds = ", ".join(t[0] for t in tiles), ", ".join(t[1] for t in tiles)
    kernel.step(f"pto.tmrgsort ins({names} {{exhausted = {exhausted}}} : {kinds}) outs(%result, %counts : {out[1]}, vector<4xi16>)")
    kernel.store(out, 1, columns, "f32")
    return run(executable, kernel)


def check_transposition(executable):
    x = values("f32")
    check("ttrans", apply(executable, "ttrans", [x], result=(COLUMNS, ROWS)), x.T)


def main():
    check_scatters(sys.argv[1])
    check_gather(sys.argv[1])
    check_sorting(sys.argv[1])
    check_transposition(sys.argv[1])


if __name__ == "__main__":
    main()
