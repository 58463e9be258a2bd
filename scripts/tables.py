# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share: grids on the command line, and tables of numbers."""


def read_sizes(parser, texts, smallest=2):
    """Grids such as 128x128, each a pair (width, height)."""
    try:
        sizes = [tuple(int(part) for part in text.split("x")) for text in texts or []]
    except ValueError:
        parser.error("--size: expected two numbers, as in 128x128")
    if any(len(size) != 2 or min(size) < smallest for size in sizes):
        parser.error(f"--size: expected width and height, at least {smallest}, as in 128x128")
    return sizes


def scaled(value):
    """Three digits and a unit: 1.23 M."""
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value:.3g}"


def print_table(head, rows):
    """As Markdown, its columns aligned."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for number, row in enumerate([head, *rows]):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
        if number == 0:
            print("| " + " | ".join("-" * width for width in widths) + " |")
