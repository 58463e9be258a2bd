# SPDX-License-Identifier: Apache-2.0
"""`tessera show`: a report in words, and as a picture of the machine (docs/command.md)."""
import argparse
import contextlib
import html
import os
import webbrowser
from pathlib import Path

import pictures
from commands import programs
from commands.reports import SCHEMA, read
from files import write_text

MOST_LINES = 8
LEAST_GRID = 48  # cells on a side from which on they have no gaps
LEFT, TOP, SIDE = 64, 86, 576  # of the map
MOST_CELLS = 256  # on a side


# --- in words
def shares(report):
    """[(name, share of all cycles)], most first; idle last."""
    waits = report.get("waits") or {}
    reasons = waits.get("reasons", {})
    busy, idle = waits.get("busy", 0), waits.get("idle", 0)
    every = waits.get("units", 0) * report.get("cycles", 0) or busy + idle + sum(reasons.values())
    if not every:
        return []
    return [("busy", busy / every), *((name, cycles / every) for name, cycles in sorted(reasons.items(), key=lambda r: -r[1])), ("idle", idle / every)]


def in_words(report):
    given = report.get("run", {})
    params = " ".join(f"{name}={value}" for name, value in given.get("params", {}).items())
    lines = [f"{report['program']}: {report['status']}" + (f", exit {report['exit_code']}" if report["exit_code"] else ""),
             f"  {report['preset']}, {report['structure']}" + (f", {params}" if params else ""),
             f"  {report['cycles']:,} cycles, {report.get('time_ns', 0) / 1000:,.2f} us, digest {report['digest']}"]
    if report.get("message"):
        lines.append(f"  {report['message'].splitlines()[0]}")
    if shares(report):
        lines += ["where the cycles went:", *(f"  {100 * share:5.1f} %  {name.replace('_', ' ')}" for name, share in shares(report) if share >= 0.0005)]
    waited = (report.get("waits") or {}).get("lines", [])
    if waited:
        lines.append("lines that waited most:")
        for line in waited[:MOST_LINES]:
            what = ", ".join(filter(None, (line.get("what") or line["reason"], line.get("thread"))))
            lines.append(f"  {line['cycles']:>12,}  {line['place'].rsplit('/', 1)[-1]}: {what}")
    for check in report.get("checks", []):
        lines.append(f"check {check['name']}: {'holds' if check['passed'] else 'fails'}, {check['detail']}")
    return "\n".join(lines)


# --- as a picture
def quantity(report, name):
    """(title, ramp, unit, {(x, y): value}): shares of cycles in percent, wavelets a cycle of the busiest link in percent, or a counter."""
    tiles, cycles = report.get("tiles") or [], max(report.get("cycles", 0), 1)
    if not tiles and report.get("platform") in ("ascend", "numesh"):
        raise programs.Problem(f"these pictures are of fabrics; of a run of {report['platform']} --trace-perfetto makes a timeline")
    if not tiles:
        raise programs.Problem("the report has no counters of tiles: run again with --report r.json --report-detail")
    keys = [key for key in tiles[0] if key != "tile"]
    reason = name.partition(":")[2]
    if name == "waits":
        value, words = lambda tile: sum(tile[key] for key in keys if key.startswith("wait_")), ("where tiles waited", "waits", "%")
    elif name.startswith("wait:") and f"wait_{reason}" in keys:
        value, words = lambda tile: tile[f"wait_{reason}"], (f"where tiles waited: {reason.replace('_', ' ')}", "waits", "%")
    elif name == "busy":
        value, words = lambda tile: tile["busy_issue_cycles"], ("where tiles were busy", "busy", "%")
    elif name == "links":
        value, words = lambda tile: max(tile[f"hops_{way}"] for way in ("east", "west", "north", "south")), ("load of the busiest link", "links", "%")
    elif name in keys:
        value, words = lambda tile: tile[name], (name.replace("_", " "), "busy", "")
    else:
        known = ["busy", "waits", "links", *(f"wait:{key[5:]}" for key in keys if key.startswith("wait_")), *(key for key in keys if not key.startswith("wait_"))]
        raise programs.Problem(f"'{name}' is nothing that the report has of a tile; it has {', '.join(known)}")
    factor = 100 / cycles if words[2] == "%" else 1
    return (*words, {tuple(tile["tile"]): value(tile) * factor for tile in tiles})


def blocks(values, width, height):
    """(block, {(x, y): mean}): cells of a machine, or of blocks of them where it is large."""
    block = -(-max(width, height) // MOST_CELLS)
    sums = {}
    for (x, y), value in values.items():
        sums.setdefault((x // block, y // block), []).append(value)
    return block, {at: sum(of) / len(of) for at, of in sums.items()}


def picture_of(report, name):
    title, ramp, unit, values = quantity(report, name)
    width, height = (1 + max(at[axis] for at in values) for axis in (0, 1))
    block, cells = blocks(values, width, height)
    columns, rows = -(-width // block), -(-height // block)
    cell = max(1, min(SIDE / max(columns, rows), 48))
    top = pictures.round_top(max(values.values()))
    high, low = max(values, key=values.get), min(values, key=values.get)
    mean = sum(values.values()) / len(values)
    say = lambda value: f"{pictures.number(value)} {unit}".strip()
    given = report.get("run", {})
    example = Path(report["program"])
    example = example.parent.name if example.stem == "layout" else example.stem
    params = " ".join(f"{key}={value}" for key, value in given.get("params", {}).items())
    map_w, map_h = cell * columns, cell * rows
    side = LEFT + map_w + 100
    picture = pictures.Picture(side + 200, max(TOP + map_h + 90, 470), f"{example}: {title}",
                               f"{width} x {height} tiles, smallest {say(values[low])} at {low}, mean {say(mean)}, largest {say(values[high])} at {high}.")
    picture.text(24, 34, f"{example}: {title}", "t")
    kind = f"share of the {report['cycles']:,} cycles of the run" if unit == "%" else f"{report['cycles']:,} cycles"
    picture.text(24, 54, pictures.shortened(", ".join(filter(None, (kind, report["preset"], f"{width} \u00d7 {height} tiles", params, "digest " + report["digest"]))), 150), "s")
    _cells(picture, cells, (ramp, top, cell, block), say)
    _axes(picture, (width, height), cell / block, (map_w, map_h))
    _means(picture, cells, (columns, rows), (cell, top, ramp, block), say)
    _scale(picture, values, (ramp, top, unit), side)
    y = TOP + 126
    ordered = sorted(values.values())
    for words, text in (("largest", f"{say(values[high])} at {high}"), ("99 of 100 below", say(ordered[int(0.99 * len(ordered))])), ("mean", say(mean)),
                        ("median", say(ordered[len(ordered) // 2])), ("smallest", f"{say(values[low])} at {low}")):
        picture.text(side, y, words, "s")
        picture.text(side + 170, y, text, anchor="end")
        y += 19
    _reasons(picture, report, ramp, side, y + 16)
    return picture


def _cells(picture, cells, look, say):
    """Equal neighbours of a row are one rectangle; a few cells have a gap and a tooltip."""
    ramp, top, cell, block = look
    columns, rows = (1 + max(at[axis] for at in cells) for axis in (0, 1))
    picture.add('<g shape-rendering="crispEdges">')
    if max(columns, rows) < LEAST_GRID:
        for (x, y), value in cells.items():
            where = f"tile ({x}, {y})" if block == 1 else f"tiles from ({x * block}, {y * block})"
            picture.rect(LEFT + x * cell, TOP + y * cell, cell - 1, cell - 1, pictures.mixed(ramp, value / top), title=f"{where}: {say(value)}")
    else:
        for y in range(rows):
            x = 0
            while x < columns:
                color, length = pictures.mixed(ramp, round(64 * cells.get((x, y), 0) / top) / 64), 1
                while x + length < columns and pictures.mixed(ramp, round(64 * cells.get((x + length, y), 0) / top) / 64) == color:
                    length += 1
                picture.rect(LEFT + x * cell, TOP + y * cell, length * cell, cell, color)
                x += length
    picture.add("</g>")


def _axes(picture, size, tile, extent):
    width, height = size
    step = max(1, int(pictures.nice(30 / tile)))
    for n in range(0, width, step):
        x = LEFT + (n + 0.5) * tile
        picture.line(x, TOP - 6, x, TOP - 2)
        picture.text(x, TOP - 10, str(n), "a", "middle")
    for n in range(0, height, step):
        y = TOP + (n + 0.5) * tile
        picture.line(LEFT - 6, y, LEFT - 2, y)
        picture.text(LEFT - 10, y + 4, str(n), "a", "end")
    picture.text(LEFT + extent[0] + 6, TOP - 10, "x east", "a")
    if extent[1] > 60:
        picture.text(20, TOP + extent[1] / 2, "y south", "a", turned=-90)


def _means(picture, cells, size, look, say):
    """Means of columns and rows at the rim: the line that is slow is seen at once."""
    (columns, rows), (cell, top, ramp, block) = size, look
    color, gap = pictures.RAMPS[ramp][4], 2 if cell > 5 else 0
    span = lambda kind, n: f"{kind} {n}" if block == 1 else f"{kind}s {n * block}..{(n + 1) * block - 1}"
    for x in range(columns):
        mean = sum(cells.get((x, y), 0) for y in range(rows)) / rows
        picture.rect(LEFT + x * cell, TOP + rows * cell + 8, cell - gap, max(mean / top * 40, 0.01), color, title=f"{span('column', x)}: mean {say(mean)}")
    for y in range(rows):
        mean = sum(cells.get((x, y), 0) for x in range(columns)) / columns
        picture.rect(LEFT + columns * cell + 8, TOP + y * cell, max(mean / top * 40, 0.01), cell - gap, color, title=f"{span('row', y)}: mean {say(mean)}")
    picture.text(LEFT, TOP + rows * cell + 64, "mean of a column", "a")
    picture.text(LEFT + columns * cell + 56, TOP + 2, "mean of a row", "a", turned=90)


def _scale(picture, values, look, x):
    ramp, top, unit = look
    bins = [0] * 30
    for value in values.values():
        bins[min(29, int(value / top * 30))] += 1
    for n, tiles in enumerate(bins):
        if tiles:
            high = 50 * (tiles / max(bins)) ** 0.5
            picture.rect(x + n * 5.4, TOP + 60 - high, 4, high, kind="grey", title=f"{tiles} tiles with {pictures.number(n * top / 30)} to {pictures.number((n + 1) * top / 30)} {unit}")
    for n in range(162):
        picture.rect(x + n, TOP + 64, 1.4, 12, pictures.mixed(ramp, n / 161))
    for share, anchor in ((0, "start"), (0.5, "middle"), (1, "end")):
        picture.text(x + 162 * share, TOP + 92, f"{pictures.number(top * share)} {unit}".strip(), "a", anchor)
    picture.text(x, TOP + 2, "tiles (root scale)", "a")


def _reasons(picture, report, ramp, x, y):
    reasons = (report.get("waits") or {}).get("reasons", {})
    if ramp != "waits" or not sum(reasons.values()):
        return
    picture.text(x, y, "for what, of all waits", "b")
    for name, cycles in sorted(reasons.items(), key=lambda r: -r[1])[:8]:
        share = cycles / sum(reasons.values())
        y += 22
        picture.text(x, y, name.replace("_", " "), "s")
        picture.text(x + 170, y, f"{100 * share:.0f} %", anchor="end")
        picture.rect(x, y + 4, max(170 * share, 0.01), 3, pictures.RAMPS["waits"][4], radius=1.5)


@contextlib.contextmanager
def of_the_form(path):
    """A report that was edited may lack anything, or have something else in its place."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise programs.Problem(f"{path}: has not the form of a report ({SCHEMA}): {what}") from error


def check_files(arguments):
    """Nothing that is written is the report, or written twice."""
    used = {os.path.realpath(arguments.report): "the report"}
    for option, path in (("--svg", arguments.svg), ("--html", arguments.html)):
        if path and used.setdefault(os.path.realpath(path), option) != option:
            raise programs.Problem(f"{option}: '{path}' is also the file of {used[os.path.realpath(path)]}")


def show(arguments):
    check_files(arguments)
    report = read(arguments.report)
    with of_the_form(arguments.report):
        words = in_words(report)
        wants_picture = arguments.svg or (arguments.html and report.get("tiles"))
        picture = str(picture_of(report, arguments.of or "busy")) if wants_picture else ""
    if not arguments.svg and not arguments.html:
        if arguments.of:
            raise programs.Problem("--of says what a picture shows: add --svg FILE.svg or --html FILE.html")
        print(words)
        return 0
    if arguments.svg:
        write_text(arguments.svg, picture)
    if arguments.html:
        name = html.escape(str(report["program"]))
        write_text(arguments.html, f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}</title><meta name="viewport" content="width=device-width">'
                   "<style>:root{color-scheme:light dark}body{margin:24px;font:14px/1.5 system-ui,sans-serif}pre{overflow:auto}svg{max-width:100%;height:auto}</style></head>"
                   f"<body><pre>{html.escape(words)}</pre>{picture}</body></html>\n")
        if arguments.open:
            webbrowser.open(Path(arguments.html).resolve().as_uri())
    return 0


def add_to(commands):
    parser = commands.add_parser("show", help="a report in words, and as a picture", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", metavar="REPORT.json")
    parser.add_argument("--of", metavar="WHAT", help="busy (the default), waits, wait:REASON, links, or a counter of tiles")
    parser.add_argument("--svg", metavar="FILE.svg", help="draws the machine; the report needs --report-detail")
    parser.add_argument("--html", metavar="FILE.html", help="words and picture as a page")
    parser.add_argument("--open", action="store_true", help="with --html: opens the page in the browser")
    parser.set_defaults(call=show)
