# SPDX-License-Identifier: Apache-2.0
"""Curves and a roofline of a sweep, as pictures; they need matplotlib (Debian: python3-matplotlib)."""
import re
import sys

from files import write_text
from sweeps.expression import BadSpec, is_number
from sweeps.spec import short

MOST_CURVES = 8  # with names in the legend, and colors of their own
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")


def _number(row, name):
    value = row.get(name)
    if not is_number(value):
        raise BadSpec(f"plot: '{name}' has no numbers; columns: {', '.join(row)}")
    return value


def _save(figure, plt, out, name):
    path = out / (re.sub(r"[^\w.-]+", "_", name) + ".svg")
    figure.savefig(path.with_suffix(".tmp.svg"), metadata={"Date": None})
    path.with_suffix(".tmp.svg").replace(path)
    plt.close(figure)


def _curves(rows, x, by):
    """{text of the legend: rows in order of x}"""
    curves = {}
    for name in by:
        if name not in rows[0]:
            raise BadSpec(f"plot: '{name}' is no column; columns: {', '.join(rows[0])}")
    for row in rows:
        curves.setdefault(", ".join(f"{name} = {row[name]}" for name in by), []).append(row)
    return {text: sorted(part, key=lambda row: _number(row, x)) for text, part in curves.items()}


def curve(plot, rows, axes, plt, out):
    """One picture: `y` over `x`, a curve for every value of `by`; without it, of all other axes."""
    x, y = plot["x"], plot["y"]
    by = plot.get("by", [axis for axis in axes if axis != x])
    figure, panel = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    curves = _curves(rows, x, [by] if isinstance(by, str) else by)
    for number, (text, part) in enumerate(curves.items()):
        panel.plot([_number(row, x) for row in part], [_number(row, y) for row in part], marker="o", markersize=4, linewidth=1.4,
                   color=COLORS[number % len(COLORS)], label=text if number < MOST_CURVES else None)
    for axis in plot.get("log", ""):
        getattr(panel, f"set_{axis}scale")("log", base=2)
        getattr(panel, f"{axis}axis").set_major_formatter("{x:g}")
    panel.set(xlabel=x, ylabel=y)
    panel.set_ylim(bottom=None if "y" in plot.get("log", "") else 0)
    panel.grid(alpha=0.3)
    if len(curves) > 1:
        panel.legend(fontsize="small")
    _save(figure, plt, out, plot.get("name", f"{y}_over_{x}")[:100])


def roofline(rows, plt, out):
    """Operations per cycle over operations per byte, below what the machine can do at most: its peak, and its bandwidth."""
    points = [{**row["roofline"], "cycles": row["cycles"]} for row in rows if row["cycles"]]
    for point in points:
        for name, value in point.items():
            if not is_number(value) or not 0 < value < float("inf"):
                raise BadSpec(f"roofline: {name} has the value '{value}' at a point, expected a number above 0")
    if not points:
        return
    figure, panel = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    intensity = [point["operations"] / point["bytes"] for point in points]
    roofs = sorted({(point["peak"], point["bandwidth"]) for point in points})
    for number, (peak, bandwidth) in enumerate(roofs):
        color = COLORS[number % len(COLORS)]
        own = [i for i, point in enumerate(points) if (point["peak"], point["bandwidth"]) == (peak, bandwidth)]
        span = sorted([min(intensity) / 2, peak / bandwidth, max(*intensity, peak / bandwidth) * 2])
        panel.plot(span, [min(peak, bandwidth * at) for at in span], color=color, linewidth=1.4,
                   label=f"peak {peak:g}, bandwidth {bandwidth:g} bytes" if number < MOST_CURVES else None)
        panel.plot([intensity[i] for i in own], [points[i]["operations"] / points[i]["cycles"] for i in own], "o", markersize=4, color=color)
    panel.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel="operations per cycle")
    panel.grid(alpha=0.3, which="both")
    panel.legend(fontsize="small", loc="upper left", bbox_to_anchor=(0, -0.16), ncols=2, frameon=False)
    _save(figure, plt, out, "roofline")


def draw(spec, rows, out):
    try:
        import matplotlib
    except ImportError:
        print("sweep.py: without matplotlib there are no plots (Debian: python3-matplotlib)", file=sys.stderr)
        return
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tessera"  # the same picture of the same table
    import matplotlib.pyplot as plt
    rows = [row for row in rows if row["status"] == "finished"]
    axes = [name for entry in spec.axes for name in map(short, entry)]
    for plot in spec.plots if rows else []:
        curve(plot, rows, axes, plt, out)
    if spec.roofline and rows:
        roofline(rows, plt, out)


def svg_of_search(points, path):
    """Cycles of the runs of a search in their order, and the fewest so far."""
    cycles = [report["cycles"] if report and report["status"] == "finished" else None for report in (point.result() for point in points)]
    known = [c for c in cycles if c is not None]
    if not known:
        return
    width, height, low, high = 640, 320, min(known), max(known)
    at = [(40 + (width - 60) * n / max(len(cycles) - 1, 1), None if c is None else 20 + (height - 60) * (high - c) / max(high - low, 1))
          for n, c in enumerate(cycles)]
    best, line = None, []
    for x, y in at:
        best = y if best is None or (y is not None and y > best) else best
        if best is not None:
            line.append(f"{x:.1f},{best:.1f}")
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#4477aa"/>' for x, y in at if y is not None)
    write_text(path, f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">'
               f'<polyline points="{" ".join(line)}" fill="none" stroke="#cc6677"/>{dots}<text x="40" y="14">{high:,} cycles</text>'
               f'<text x="40" y="{height - 22}">{low:,} cycles: the best</text><text x="40" y="{height - 6}">{len(cycles)} runs</text></svg>\n')
