# SPDX-License-Identifier: Apache-2.0
"""Pictures: lines and points over two axes, as SVG. A line, or dots, is the model, circles in the same color are what was published
for the same case; a panel below the picture shows by how much the model is off, which a picture over decades hides."""
import dataclasses
import math
import typing
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 800, 400
LEFT, RIGHT, TOP, BOTTOM = 72, 220, 40, 52  # the legend stands at the right
PANEL, PANEL_GAP = 110, 30  # height of the panel of errors, and what is above it
LEAST_ERROR = 5  # percent that the panel shows at least
COLORS = ["#1f6fb4", "#d1495b", "#3a8f5c", "#8a5a9e", "#c98a1b", "#4a4a4a"]


@dataclasses.dataclass(frozen=True)
class Series:
    name: str
    values: typing.Sequence[typing.Tuple[float, float]]
    points: bool = False  # circles instead of a line: what was published
    dots: bool = False  # dots instead of a line: between the values lies nothing, as between the rows of a table
    like: typing.Optional[str] = None  # the series whose color it takes, and which it is compared with


@dataclasses.dataclass(frozen=True)
class Chart:
    name: str  # name of the file
    title: str
    x: str
    y: str
    series: typing.Sequence[Series]
    log_x: bool = False
    log_y: bool = False

    def svg(self):
        xs = Axis([x for s in self.series for x, _ in s.values], self.log_x, LEFT, WIDTH - RIGHT)
        ys = Axis([y for s in self.series for _, y in s.values], self.log_y, HEIGHT - BOTTOM, TOP)
        colors = self.colors()
        errors = [(color, self.errors(s)) for s, color in zip(self.series, colors) if s.points and self.errors(s)]
        height = HEIGHT + (PANEL + PANEL_GAP if errors else 0)
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
                 'font-size="12">', f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
                 text((LEFT + WIDTH - RIGHT) / 2, 22, self.title, size=15)]
        parts += frame(xs, ys, TOP, HEIGHT - BOTTOM, short)
        parts += [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, self.x), turned(HEIGHT / 2, self.y)]
        last = []  # a dot lies on its circle
        for number, (series, color) in enumerate(zip(self.series, colors)):
            marks = drawn(series, [(xs.place(x), ys.place(y)) for x, y in series.values], color)
            (last if series.dots else parts).extend(marks)
            parts += legend(series, number, color)
        parts += last
        if errors:
            parts += error_panel(xs, errors)
        return "\n".join([*parts, "</svg>"]) + "\n"

    def colors(self):
        """The color of every series, in their order."""
        by_name = {}
        for number, series in enumerate(self.series):
            by_name[number] = by_name[series.name] = by_name.get(series.like) or COLORS[len(set(by_name.values())) % len(COLORS)]
        return [by_name[number] for number in range(len(self.series))]

    def errors(self, published):
        """By how many percent the series it is compared with lies above it: (x, percent), where both have a value."""
        model = next((dict(s.values) for s in self.series if s.name == published.like), {})
        return [(x, 100 * (model[x] / y - 1)) for x, y in published.values if x in model and y]


class Axis:
    def __init__(self, values, log, begin, end):
        self.log = log
        self.begin, self.end = begin, end
        low, high = min(values), max(values)
        if log:
            self.low, self.high = math.log2(low), math.log2(high)
        else:
            self.low, self.high = min(low, 0) if low < 0.6 * high else low, high
        pad = (self.high - self.low or 1) * 0.05
        self.low -= pad if log or self.low != 0 else 0
        self.high += pad

    def place(self, value):
        at = math.log2(value) if self.log else value
        return self.begin + (self.end - self.begin) * (at - self.low) / (self.high - self.low)

    def ticks(self):
        if self.log:
            step = max(1, round((self.high - self.low) / 8))
            return [2.0 ** k for k in range(math.ceil(self.low), math.floor(self.high) + 1, step)]
        step = 10 ** math.floor(math.log10((self.high - self.low) / 4))
        step *= next(m for m in (1, 2, 5, 10) if (self.high - self.low) / (step * m) <= 8)
        first = math.ceil(self.low / step)
        return [k * step for k in range(first, math.floor(self.high / step) + 1)]


def frame(xs, ys, top, bottom, label):
    """A grid with its numbers, from y `top` to `bottom`."""
    parts = []
    for value in xs.ticks():
        at = xs.place(value)
        parts += [line(at, top, at, bottom, "#e4e4e4"), text(at, bottom + 16, short(value))]
    for value in ys.ticks():
        at = ys.place(value)
        parts += [line(LEFT, at, WIDTH - RIGHT, at, "#e4e4e4"), text(LEFT - 6, at + 4, label(value), "end")]
    return parts + [f'<rect x="{LEFT}" y="{top}" width="{WIDTH - RIGHT - LEFT}" height="{bottom - top}" fill="none" stroke="#888"/>']


def error_panel(xs, errors):
    """A stem from 0 for each published value: how far the model is above or below it."""
    top = HEIGHT + PANEL_GAP - 12
    bottom = top + PANEL - 16
    largest = max([LEAST_ERROR, *(abs(percent) for _, values in errors for _, percent in values)])
    ys = Axis([-largest, largest], False, bottom, top)
    parts = [text(LEFT, top - 8, "error of the model, %", "start")]
    parts += frame(xs, ys, top, bottom, lambda value: f"{value:+.3g}" if value else "0")
    parts.append(line(LEFT, ys.place(0), WIDTH - RIGHT, ys.place(0), "#444"))
    for number, (color, values) in enumerate(errors):
        beside = 3 * (number - (len(errors) - 1) / 2)  # cases at the same x stand beside each other
        for x, percent in values:
            at = xs.place(x) + beside
            parts += [line(at, ys.place(0), at, ys.place(percent), color),
                      f'<circle cx="{at:.1f}" cy="{ys.place(percent):.1f}" r="2.5" fill="{color}"/>']
    return parts


def turned(y, words):
    return f'<g transform="rotate(-90 16 {y})">{text(16, y, words)}</g>'


def drawn(series, places, color):
    if series.points:
        return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="white" stroke="{color}" stroke-width="2"/>' for x, y in places]
    if series.dots:
        return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in places]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return [f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>']


def legend(series, number, color):
    x, y = WIDTH - RIGHT + 12, TOP + 12 + 18 * number
    mark = drawn(series, [(x + 8, y - 4)] if series.points or series.dots else [(x, y - 4), (x + 16, y - 4)], color)
    return [*mark, text(x + 24, y, series.name, "start")]


def line(x1, y1, x2, y2, color):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"/>'


def text(x, y, words, anchor="middle", size=12):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def short(value):
    return f"{value:,.0f}" if abs(value) >= 10 or value == int(value) else f"{value:.3g}"
