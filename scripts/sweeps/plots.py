# SPDX-License-Identifier: Apache-2.0
"""Curves and a roofline of a sweep, and the way of a search, as pictures (SVG)."""
import re

import pictures
from files import write_text
from sweeps.expression import BadSpec, is_number
from sweeps.spec import short

MOST_PANELS, MOST_CURVES = 8, 8
LEAST = 1e-30  # numbers of a roofline: their ratios can be drawn
LEFT, TOP, PANEL, GAP, HIGH = 76, 104, 240, 84, 280  # of a panel
EFFECTS = 216  # width of what axes do


def _number(row, name):
    value = row.get(name)
    if not is_number(value):
        raise BadSpec(f"plot: '{name}' has no numbers; columns: {', '.join(row)}")
    return value


def _file_of(plot):
    name = plot.get("name", f"{plot['y']}_over_{plot['x']}")
    return re.sub(r"[^\w.-]+", "_", name[:100]) + ".svg"


def check_files(spec):
    """Refuses two pictures of one file, and those that a listing hides."""
    taken = {"roofline.svg"} if spec.roofline else set()
    for plot in spec.plots:
        name = _file_of(plot)
        if name.startswith("."):
            raise BadSpec(f"plot: '{plot.get('name', '')}' is no name of a picture, which begins with a letter, a digit, '_' or '-'")
        if name in taken:
            raise BadSpec(f"plot: two pictures have the file {name}; give them different names with 'name'")
        taken.add(name)


def _by(rows, names):
    """{(value, ..) of the names: rows}, in the order in which they come."""
    groups = {}
    for name in names:
        if name not in rows[0]:
            raise BadSpec(f"plot: '{name}' is no column; columns: {', '.join(rows[0])}")
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def _words(names, values):
    return ", ".join(f"{name.rsplit('.', 1)[-1]} {value}" for name, value in zip(names, values))


def _bounds(values, log):
    """From 0 if that costs less than half of the height."""
    low, high = min(values), max(values)
    if log:
        if low <= 0:
            raise BadSpec("plot: a logarithmic axis needs numbers above 0")
        return low / 1.1, high * 1.1
    if low >= 0 and low <= 0.5 * high:
        return 0, high * 1.05 or 1
    room = 0.05 * (high - low) or 0.05 * abs(high) or 1
    return low - room, high + room


def _axes_of(plot, rows, axes):
    """(by, panels): the axes that curves and panels stand for."""
    x, by = plot["x"], plot.get("by", [])
    by = [by] if isinstance(by, str) else by
    varied = [axis for axis in axes if len({str(row[axis]) for row in rows}) > 1]
    free = [axis for axis in varied if axis not in (x, *by)]
    if not plot.get("by"):  # the last of the free axes makes curves, if these are few; others make panels
        curves = [axis for axis in free if len({str(row[axis]) for row in rows}) <= MOST_CURVES][-1:]
        return curves, [axis for axis in free if axis not in curves]
    return by, free


def curve(plot, rows, axes, out):
    """One picture: `y` over `x`, a curve for each value of `by`, a panel for each value of the other axes."""
    x, y, log = plot["x"], plot["y"], plot.get("log", "")
    by, free = _axes_of(plot, rows, axes)
    panels = _by(rows, free)
    if len(panels) > MOST_PANELS:
        raise BadSpec(f"plot of {y} over {x}: {len(panels)} panels for the axes {', '.join(free)}; name some of them in 'by', or give them one value "
                      f"({MOST_PANELS} panels at most)")
    xs, ys = [_number(row, x) for row in rows], [_number(row, y) for row in rows]
    bounds = _bounds(ys, "y" in log)
    effects = effects_of(rows, axes, y)
    columns = min(len(panels), 4)
    lines = -(-len(panels) // columns)
    width = LEFT + columns * (PANEL + GAP) + (EFFECTS if effects else 0) + 24
    title, from_0 = f"{y} over {x}", bounds[0] == 0 or "y" in log
    said = f"{len(rows)} points" + (f"; a curve for each {', '.join(by)}" if by else "") + (f"; a panel for each {', '.join(free)}" if free else "")
    picture = pictures.Picture(max(width, 520), TOP + lines * (HIGH + 70), title, f"{said}. {y}: {pictures.number(min(ys))} to {pictures.number(max(ys))}.")
    picture.text(24, 34, title, "t")
    picture.text(24, 54, said + ("" if from_0 else f"; the axis of {y} does not begin at 0"), "s")
    for n, (values, part) in enumerate(panels.items()):
        left, top = LEFT + n % columns * (PANEL + GAP), TOP + n // columns * (HIGH + 70)
        if free:
            picture.text(left, top - 10, pictures.shortened(_words(free, values), 40), "b")
        _panel(picture, part, (x, y, by), (xs, bounds, log), (left, top, n % columns == 0))
    if effects:
        _draw_effects(picture, effects, y, width - EFFECTS - 12)
    write_text(out / _file_of(plot), str(picture))


def _panel(picture, rows, names, ranges, corner):
    (x, y, by), (xs, bounds, log), (left, top, is_first) = names, ranges, corner
    room = 0.05 * (max(xs) - min(xs))
    across = pictures.Scale(min(xs) / (1.1 if "x" in log else 1) - (0 if "x" in log else room), max(xs) * (1.1 if "x" in log else 1) + (0 if "x" in log else room),
                            left + 8, left + PANEL - 8, "x" in log)
    up = pictures.Scale(*bounds, top + HIGH - 6, top + 18, "y" in log)
    picture.rect(left, top, PANEL, HIGH, kind="card", radius=6)
    for tick in up.ticks(6):
        picture.line(left, up(tick), left + PANEL, up(tick))
        if is_first:
            picture.text(left - 8, up(tick) + 4, pictures.number(tick, 3), "a", "end")
    values = sorted(set(xs))
    shown = values if len(values) <= 8 else across.ticks(5)  # ticks at the values of the axis
    for tick in shown:
        picture.text(across(tick), top + HIGH + 16, pictures.number(tick, 3), "a", "middle")
    picture.text(left + PANEL / 2, top + HIGH + 34, x, "a", "middle")
    curves = _by(rows, by)
    ends = []
    for number, (values, part) in enumerate(curves.items()):
        part = sorted(part, key=lambda row: _number(row, x))
        points = [(across(_number(row, x)), up(_number(row, y))) for row in part]
        color = pictures.CURVES[number % len(pictures.CURVES)]
        picture.add(f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}"/>')
        for row, (a, b) in zip(part, points):
            shape = f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4"' if number % 2 == 0 else f'<rect x="{a - 3.8:.1f}" y="{b - 3.8:.1f}" width="7.6" height="7.6"'
            picture.add(f'{shape} fill="{color}"><title>{pictures.number(_number(row, x), 3)}: {pictures.number(_number(row, y), 3)}</title>'
                        f'</{"circle" if number % 2 == 0 else "rect"}>')
        if number < MOST_CURVES and by:
            ends.append([points[-1][1] + 4, pictures.shortened(_words(by, values), 13), color])
    _names_at_ends(picture, ends, left + PANEL + 6)


def _names_at_ends(picture, ends, x):
    """Names of curves beside their ends, none over another."""
    below = None
    for end in sorted(ends):
        if below is not None and end[0] < below + 13:
            end[0] = below + 13
        below = end[0]
        picture.text(x, end[0], end[1], color=end[2])


def effects_of(rows, axes, y):
    """What an axis does, the others fixed: [(axis, before, after, changes in percent)] of neighbouring values."""
    effects = []
    values = {axis: sorted({row[axis] for row in rows}, key=lambda v: (not is_number(v), v if is_number(v) else str(v))) for axis in axes}
    for axis in axes:
        if not 2 <= len(values[axis]) <= 12:
            continue
        first, last = values[axis][0], values[axis][-1]
        others = [other for other in axes if other != axis]
        at = {(row[axis], *(row[other] for other in others)): _number(row, y) for row in rows}
        changes = [100 * (at[(last, *rest)] / value - 1) for (own, *rest), value in at.items() if own == first and value and (last, *rest) in at]
        if changes:
            effects.append((axis, first, last, changes))
    return effects if len(effects) > 1 else []


def _draw_effects(picture, effects, y, left):
    picture.text(left, TOP - 10, f"what an axis does to {pictures.shortened(y, 12)}", "b")
    reach = max(max(abs(c) for c in changes) for *_, changes in effects) or 1
    at = pictures.Scale(-reach, reach, left + 8, left + EFFECTS - 20)
    top = TOP + 22
    for n, (axis, first, last, changes) in enumerate(sorted(effects, key=lambda e: -abs(sum(e[3]) / len(e[3])))[:6]):
        row = top + 46 * n
        name = axis.rsplit(".", 1)[-1]
        picture.text(left, row, pictures.shortened(f"{name} {first} \u2192 {last}", 24), "s")
        picture.text(left + EFFECTS - 12, row, f"{sum(changes) / len(changes):+.1f} %", anchor="end")
        picture.line(at(0), row + 5, at(0), row + 21)
        picture.line(at(min(changes)), row + 13, at(max(changes)), row + 13, "grey", 2)
        for change in changes:
            picture.add(f'<circle cx="{at(change):.1f}" cy="{row + 13:.1f}" r="3.2" fill="#1c7ea3" fill-opacity=".75"><title>{change:+.1f} %</title></circle>')
    below = top + 46 * min(len(effects), 6) + 4
    picture.text(left, below, "a dot: two runs that differ in this axis", "a")
    picture.text(left, below + 15, "only; the number is their mean", "a")


def _roofline_points(rows):
    points = [{**row["roofline"], "cycles": row["cycles"]} for row in rows if row["cycles"]]
    for point in points:
        for name, value in point.items():
            if not is_number(value) or not LEAST < value < 1 / LEAST:
                raise BadSpec(f"roofline: {name} has the value '{value}' at a point, expected a number between {LEAST} and {1 / LEAST}")
    return points


def roofline(rows, out):
    """Operations per cycle over operations per byte, below what the machine can do at most: its peak, and its bandwidth."""
    points = _roofline_points(rows)
    if not points:
        return
    intensity = [point["operations"] / point["bytes"] for point in points]
    reached = [point["operations"] / point["cycles"] for point in points]
    roofs = sorted({(point["peak"], point["bandwidth"]) for point in points})
    span = min(*intensity, *(p / b for p, b in roofs)) / 2, max(*intensity, *(p / b for p, b in roofs)) * 2
    picture = pictures.Picture(640, 460, "Roofline", f"{len(points)} points, {pictures.number(min(reached), 3)} to {pictures.number(max(reached), 3)} operations per cycle.")
    across = pictures.Scale(*span, LEFT, 470, log=True)
    up = pictures.Scale(min(reached) / 1.5, max(p for p, _ in roofs) * 1.3, 400, 80, log=True)
    picture.text(24, 34, "Roofline", "t")
    picture.text(24, 54, f"{len(points)} points; lines: what the machine can do at most", "s")
    picture.rect(LEFT, 80, 470 - LEFT, 320, kind="card", radius=6)
    for tick in up.ticks(7):
        picture.line(LEFT, up(tick), 470, up(tick))
        picture.text(LEFT - 8, up(tick) + 4, pictures.number(tick, 3), "a", "end")
    for tick in across.ticks(6):
        picture.text(across(tick), 416, pictures.number(tick, 4), "a", "middle")
    picture.text((LEFT + 470) / 2, 436, "operations per byte", "a", "middle")
    picture.text(LEFT, 72, "operations per cycle", "a", "start")
    ends = []
    for n, (peak, bandwidth) in enumerate(roofs):
        color = pictures.CURVES[n % len(pictures.CURVES)]
        roof = [(at, min(peak, bandwidth * at)) for at in sorted([span[0], peak / bandwidth, span[1]])]
        line = " ".join(f"{across(a):.1f},{max(80, min(400, up(b))):.1f}" for a, b in roof)
        picture.add(f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{line}"/>')
        for point, a, b in zip(points, intensity, reached):
            if (point["peak"], point["bandwidth"]) == (peak, bandwidth):
                picture.add(f'<circle cx="{across(a):.1f}" cy="{up(b):.1f}" r="4" fill="{color}"><title>{pictures.number(b, 3)} operations per cycle</title></circle>')
        if n < MOST_CURVES:
            ends.append([max(80, up(peak)) + 4, f"{pictures.number(peak, 2)}, {pictures.number(bandwidth, 2)} bytes", color])
    _names_at_ends(picture, ends, 478)
    write_text(out / "roofline.svg", str(picture))


def check_names(spec, row):
    """Refuses plots of names that the row of a finished run does not have."""
    for plot in spec.plots if row["status"] == "finished" else []:
        by = plot.get("by", [])
        _by([row], [by] if isinstance(by, str) else by)
        for name in (plot["x"], plot["y"]):
            _number(row, name)
    if spec.roofline and row["status"] == "finished":
        _roofline_points([row])


def draw(spec, rows, out):
    rows = [row for row in rows if row["status"] == "finished"]
    axes = [name for entry in spec.axes for name in map(short, entry)]
    for plot in spec.plots if rows else []:
        curve(plot, rows, axes, out)
    if spec.roofline and rows:
        roofline(rows, out)


def svg_of_search(points, path):
    """Cycles of the runs of a search in their order, and the fewest so far."""
    cycles = [report["cycles"] if report and report["status"] == "finished" else None for report in (point.result() for point in points)]
    known = [c for c in cycles if c is not None]
    if not known:
        return
    picture = pictures.Picture(640, 340, "Search", f"{len(cycles)} runs, the best has {min(known):,} cycles.")
    picture.text(24, 34, "Search: cycles of each run", "t")
    picture.text(24, 54, f"{len(cycles)} runs; line: the fewest so far, {min(known):,} at the end", "s")
    across, up = pictures.Scale(0, max(len(cycles) - 1, 1), 80, 616), pictures.Scale(*_bounds(known, False), 300, 76)
    for tick in up.ticks(5):
        picture.line(72, up(tick), 624, up(tick))
        picture.text(66, up(tick) + 4, pictures.number(tick), "a", "end")
    best, line = None, []
    for n, value in enumerate(cycles):
        best = min(b for b in (best, value) if b is not None) if (best, value) != (None, None) else None
        if best is not None:
            line.append(f"{across(n):.1f},{up(best):.1f}")
        if value is not None:
            picture.add(f'<circle cx="{across(n):.1f}" cy="{up(value):.1f}" r="3" fill="#1c7ea3"><title>run {n + 1}: {value:,} cycles</title></circle>')
    picture.add(f'<polyline points="{" ".join(line)}" fill="none" stroke="#c47a2b" stroke-width="2"/>')
    write_text(path, str(picture))
