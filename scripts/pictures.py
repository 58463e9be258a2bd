# SPDX-License-Identifier: Apache-2.0
"""Pictures (SVG) of scripts, in the hand of the live view: its colors, light and dark, with a title and a description for those
who cannot see them."""
import math
from xml.sax.saxutils import escape

RAMPS = {
    "busy": ("#eef3f5", "#d3e5ec", "#a9cfdc", "#74b2c8", "#3f8fae", "#1c6b8d", "#0a4766"),
    "waits": ("#f6f2eb", "#f3e0c1", "#ecc48a", "#dea053", "#c47a2b", "#9a5717", "#6a380c"),
    "links": ("#f3f1f7", "#e0d9ee", "#c4b5e0", "#a38bcd", "#8264b4", "#624392", "#432a6b"),
}
CURVES = ("#1c7ea3", "#c47a2b", "#7d6bb8", "#4f8f4a", "#b5588f", "#82909b", "#c2513f", "#4f79c4")
STYLE = """<style>text{font-family:Inter,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif;font-size:12px;fill:#16222b;font-variant-numeric:tabular-nums}
.t{font-size:16px;font-weight:600}.s,.a{fill:#51606b}.a{font-size:11px}.b{font-weight:600}.bg{fill:#fff}.l{stroke:#dfe5e7}.card{fill:#f0f3f3}.grey{fill:#8794a0;stroke:#8794a0}
@media (prefers-color-scheme:dark){text{fill:#e2e9ed}.s,.a{fill:#a3b1bb}.bg{fill:#141c22}.l{stroke:#2b3942}.card{fill:#0f171c}}</style>"""


def number(value, digits=1):
    """1,234 or 12.5, without needless zeros."""
    text = f"{value:,.{digits}f}" if value != int(value) else f"{int(value):,}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def nice(least):
    """1, 2 or 5 times a power of ten, at least `least`."""
    if least <= 0:
        return 1
    power = 10 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9))


def round_top(value):
    """A round number that is not below `value`: the end of a scale."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next(step * power for step in (1, 2, 2.5, 4, 5, 8, 10) if step * power >= value * (1 - 1e-9)) if value > 0 else 1


def mixed(ramp, share):
    """The color of a share of the scale."""
    steps = RAMPS[ramp]
    position = min(max(share, 0), 1) * (len(steps) - 1)
    first = min(int(position), len(steps) - 2)
    pairs = [(int(steps[first][k:k + 2], 16), int(steps[first + 1][k:k + 2], 16)) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * (position - first)):02x}" for a, b in pairs)


def shortened(text, most=28):
    return text if len(text) <= most else text[:most - 2].rstrip(" ,") + " .."


class Picture:
    """The parts of a picture, in pixels from the upper left corner."""

    def __init__(self, width, height, title, description):
        self.width, self.height = width, height
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" role="img" '
                      f'aria-labelledby="t d"><title id="t">{escape(title)}</title><desc id="d">{escape(description)}</desc>',
                      STYLE, f'<rect class="bg" width="{width:g}" height="{height:g}"/>']

    def text(self, x, y, words, kind="", anchor="start", turned=None, color=None):
        more = f' class="{kind}"' if kind else ""
        if anchor != "start":
            more += f' text-anchor="{anchor}"'
        if turned is not None:
            more += f' transform="rotate({turned} {x:.1f} {y:.1f})"'
        if color:
            more += f' style="fill:{color}"'
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, kind="l", width=1):
        self.parts.append(f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke-width="{width:g}"/>')

    def rect(self, x, y, width, height, fill=None, kind=None, title=None, radius=0):
        look = (f' fill="{fill}"' if fill else "") + (f' class="{kind}"' if kind else "") + (f' rx="{radius:g}"' if radius else "")
        end = f"><title>{escape(title)}</title></rect>" if title else "/>"
        self.parts.append(f'<rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}"{look}{end}')

    def add(self, part):
        self.parts.append(part)

    def __str__(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"


class Scale:
    """From values to pixels, with ticks."""

    def __init__(self, low, high, begin, end, log=False):
        self.log, self.begin, self.end = log, begin, end
        self.low, self.high = (math.log2(low), math.log2(high)) if log else (low, high)
        if self.low == self.high:
            self.low, self.high = self.low - 1, self.high + 1

    def __call__(self, value):
        at = math.log2(value) if self.log else value
        return self.begin + (at - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self, about):
        if self.log:
            step = max(1, math.ceil((self.high - self.low) / about))
            return [2.0 ** n for n in range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1, step)]
        step = nice((self.high - self.low) / about)
        first = math.ceil(self.low / step - 1e-9)
        return [n * step for n in range(first, math.floor(self.high / step + 1e-9) + 1)]
