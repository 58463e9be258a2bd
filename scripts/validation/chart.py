"""Pictures: lines and points over two axes, as SVG."""
import dataclasses
import math
import typing
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 800, 400
LEFT, RIGHT, TOP, BOTTOM = 72, 220, 40, 52  # the legend stands at the right
COLORS = ["#1f6fb4", "#d1495b", "#3a8f5c", "#8a5a9e", "#c98a1b", "#4a4a4a"]


@dataclasses.dataclass(frozen=True)
class Series:
    name: str
    values: typing.Sequence[typing.Tuple[float, float]]
    points: bool = False  # marks instead of a line
    like: typing.Optional[str] = None  # the series whose color it takes


@dataclasses.dataclass(frozen=True)
class Chart:
    name: str  # of the file
    title: str
    x: str
    y: str
    series: typing.Sequence[Series]
    log_x: bool = False
    log_y: bool = False

    def svg(self):
        xs = Axis([x for s in self.series for x, _ in s.values], self.log_x, LEFT, WIDTH - RIGHT)
        ys = Axis([y for s in self.series for _, y in s.values], self.log_y, HEIGHT - BOTTOM, TOP)
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
                 'font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
                 text((LEFT + WIDTH - RIGHT) / 2, 22, self.title, size=15)]
        for value in xs.ticks():
            at = xs.place(value)
            parts += [line(at, TOP, at, HEIGHT - BOTTOM, "#e4e4e4"), text(at, HEIGHT - BOTTOM + 16, short(value))]
        for value in ys.ticks():
            at = ys.place(value)
            parts += [line(LEFT, at, WIDTH - RIGHT, at, "#e4e4e4"), text(LEFT - 6, at + 4, short(value), "end")]
        parts += [f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - RIGHT - LEFT}" height="{HEIGHT - BOTTOM - TOP}" '
                  'fill="none" stroke="#888"/>', text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, self.x),
                  f'<g transform="rotate(-90 16 {HEIGHT / 2})">{text(16, HEIGHT / 2, self.y)}</g>']
        colors = {}
        for number, series in enumerate(self.series):
            color = colors.get(series.like) or COLORS[len(set(colors.values())) % len(COLORS)]
            colors[series.name] = color
            parts += drawn(series, [(xs.place(x), ys.place(y)) for x, y in series.values], color)
            parts += legend(series, number, color)
        return "\n".join([*parts, "</svg>"]) + "\n"


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


def drawn(series, places, color):
    if series.points:
        return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="white" stroke="{color}" stroke-width="2"/>' for x, y in places]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return [f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>']


def legend(series, number, color):
    x, y = WIDTH - RIGHT + 12, TOP + 12 + 18 * number
    mark = drawn(series, [(x + 8, y - 4)] if series.points else [(x, y - 4), (x + 16, y - 4)], color)
    return [*mark, text(x + 24, y, series.name, "start")]


def line(x1, y1, x2, y2, color):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"/>'


def text(x, y, words, anchor="middle", size=12):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def short(value):
    return f"{value:,.0f}" if abs(value) >= 10 or value == int(value) else f"{value:.3g}"
