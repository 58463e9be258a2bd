# SPDX-License-Identifier: Apache-2.0
"""Star stencil on tiles with halos, both generations, compiled from CSL (wse_timing_3.md C9)."""
from validation.case import Case, Family, percent

ORDER = 77
LAYOUT = "validation/tiled_stencil.csl"
MEASURED = {  # (width, height of a tile, radius): cycles of an iteration on WSE-2, on WSE-3 (None: that program does not wait)
    (1, 1, 1): (125, 155), (2, 1, 1): (131, 162), (2, 2, 1): (141, 176), (3, 3, 1): (188, 197), (14, 1, 1): (232, 243),
    (4, 5, 1): (240, None), (5, 5, 1): (283, None), (10, 10, 1): (783, None), (20, 20, 1): (2669, None), (64, 64, 1): (25270, None),
    (2, 2, 2): (271, 339), (3, 3, 2): (371, 419), (4, 5, 2): (477, 527), (5, 5, 2): (585, 635), (20, 20, 2): (4548, 4570),
    (64, 64, 2): (42358, 42238), (3, 3, 3): (444, 526), (4, 5, 3): (693, 740), (14, 3, 3): (1118, 1168), (4, 5, 4): (839, 872),
    (6, 6, 6): (1872, 1879), (7, 7, 7): (2804, 2792),
}
CALIBRATED = {("wse2", (1, 1, 1)), ("wse3", (1, 1, 1)), ("wse2", (3, 3, 2)), ("wse2", (5, 5, 1)), ("wse2", (20, 20, 1)), ("wse2", (64, 64, 1))}
SHORT = {(2, 2, 2), (3, 3, 3)}


def cycles(bench, preset, iterations, width, height, radius):
    return bench.run(LAYOUT, preset, options=(f"--launch=run:{iterations}", "--csl-version=1.4"), tile_width=width, tile_height=height,
                     radius=radius, inner=2).cycles


def time(bench, preset, tile):
    """An iteration, as published: half of what two more take."""
    return (cycles(bench, preset, 4, *tile) - cycles(bench, preset, 2, *tile)) / 2


def row(preset, tile, published):
    width, height, radius = tile
    open_ = preset == "wse2" and tile in SHORT
    return Case("C9, S", f"{preset.upper().replace('E', 'E-')}, {width} x {height} cells, radius {radius}", published,
                lambda bench: time(bench, preset, tile), tolerance=None if open_ else percent(10), quick=width < 20,
                calibrated=(preset, tile) in CALIBRATED,
                note="operations on at most nine elements that load their descriptors take 3 to 5 cycles less there" if open_ else "")


FAMILY = Family("tiled_stencil", "Star stencil on tiles", """
`examples/validation/tiled_stencil.csl`: 2 x 2 PEs have a tile each, with a halo as wide as the radius; 12 PEs around them send and
receive only. An iteration sends and receives four edges by eight microthreads, whose tasks count; then operations on the tile follow. The
program is our own, made as the published one is described ([C9](../reference/wse_timing_3.md)): with radius 1 two `@fmuls` and four
`@fadds` whose DSRs are loaded once, with a larger radius one `@fmuls` and four `@fmacs` for each distance and one more, whose descriptors are
loaded for each operation. The published program itself gives the same cycles within 3 in the model. Numbers of WSE-3 are left out where the
program does not wait for its neighbors there.

These rows set four values, because each kind of them shows one cost alone:

- **Loads of DSRs** (`pe.dsr_latency` of WSE-2, 4): rows with a larger radius load two descriptors for each operation. With the 10 that an
  older program suggests ([row reduce](row_reduce.md)) they would be 6 cycles too long for each operation, 38 published sizes by 12 % at the
  median instead of 2 %.
- **Tasks** (`pe.task_switch`): tiles of one cell are mostly tasks. An iteration has 30 cycles more on WSE-3 than on WSE-2, and a data
  task of the [other stencil](stencil_data_tasks.md) about 5 more; 3 and 6 are the bounds of both generations.
- **Additions** (`pe.rate.fadds` of WSE-2): one a cycle in large tiles.
- **Banks and additions**: with 5 x 5 cells two of the four additions read sources of one bank, and take no longer than the others. An
  addition takes so long on WSE-2 that both sources can be read one after the other meanwhile.
""", [row(preset, tile, published) for preset, at in (("wse2", 0), ("wse3", 1)) for tile, both in MEASURED.items()
      if (published := both[at]) is not None])
