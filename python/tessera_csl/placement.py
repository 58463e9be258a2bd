# SPDX-License-Identifier: Apache-2.0
"""From an SdkLayout to the layout block of a CSL program (csl.md 14): values for colors, and routes around the regions.

Everything is decided in the order in which the script asks for it, so that the same script gives the same program.
"""
import functools
import re
from collections import deque
from pathlib import Path

STEPS = {"WEST": (-1, 0), "EAST": (1, 0), "NORTH": (0, -1), "SOUTH": (0, 1)}
OPPOSITE = {"WEST": "EAST", "EAST": "WEST", "NORTH": "SOUTH", "SOUTH": "NORTH"}
EDGES = {"left": "WEST", "right": "EAST", "top": "NORTH", "bottom": "SOUTH"}
# Values that the compiler may give; the last color is reserved.
COLORS = 23


@functools.cache
def _text(file):
    return Path(file).read_text(encoding="utf-8")


@functools.cache
def _is_number(file, name):
    """Whether the file declares a parameter as an integer; asked for each PE."""
    return re.search(rf"^\s*param\s+{re.escape(name)}\s*:\s*[iu]\d+", _text(file), re.MULTILINE) is not None


def _beside(tile, direction):
    return tile[0] + STEPS[direction][0], tile[1] + STEPS[direction][1]


def _tiles(rect, place=(0, 0)):
    x, y, w, h = rect
    return [(place[0] + x + i, place[1] + y + j) for j in range(h) for i in range(w)]


class Placement:
    """Where the code lies, how each router is set, and at which links streams of the host enter and leave."""

    def __init__(self, record):
        self._record = record
        self._regions = {region["name"]: region for region in record["regions"]}
        self.code = {}     # tile -> region
        self.params = {}   # tile -> {name: value or ("color", group)}
        self.routes = {}   # group of colors -> {tile: positions}
        self.streams = []  # (name, direction, tile, side, group)
        self._group_of = {color["name"]: color["name"] for color in record["colors"]}
        self._place_code()
        self._join_colors()
        self._paint()
        for connection in record["connections"]:
            self._connect(*(record["ports"][number] for number in connection))
        for stream in record["streams"]:
            self._attach(stream, record["ports"][stream["port"]])
        self.values = self._values()

    def _place_code(self):
        for region in self._record["regions"]:
            for tile in _tiles([0, 0, *region["size"]], region["place"]):
                if min(tile) < 0:
                    raise ValueError(f"the region '{region['name']}' begins at {tuple(region['place'])}, outside of the fabric")
                if tile in self.code:
                    raise ValueError(f"the regions '{self.code[tile]['name']}' and '{region['name']}' both have the PE {tile}")
                self.code[tile] = region
        # One free column and row beside the regions, so that a path leads around each of them.
        locations = [stream["location"] for stream in self._record["streams"] if "location" in stream]
        self.width = max([x + 2 for x, _ in self.code] + [x + 1 for x, _ in locations])
        self.height = max([y + 2 for _, y in self.code] + [y + 1 for _, y in locations])

    def _join_colors(self):
        for out_port, in_port in self._record["connections"]:
            kept, joined = (self._group_of[self._record["ports"][number]["color"]] for number in (out_port, in_port))
            for name, group in self._group_of.items():
                if group == joined:
                    self._group_of[name] = kept
        self.routes = {group: {} for group in self._group_of.values()}

    def _paint(self):
        for region in self._record["regions"]:
            for entry in region["params"]:
                for tile in _tiles(entry["rect"], region["place"]):
                    value = ("color", self._group_of[entry["color"]]) if "color" in entry else entry["value"]
                    self.params.setdefault(tile, {})[entry["name"]] = value
            for entry in region["paint"]:
                for tile in _tiles(entry["rect"], region["place"]):
                    self.routes[self._group_of[entry["color"]]][tile] = entry["positions"]

    def _port_tiles(self, port):
        return _tiles(port["rect"], self._regions[port["region"]]["place"])

    def _set_port(self, port, tile, side):
        """The side that a port leaves out leads along the path."""
        missing = "rx" if port["direction"] == "in" else "tx"
        positions = [dict(position, **{missing: position[missing] or [side]}) for position in port["positions"]]
        self.routes[self._group_of[port["color"]]][tile] = positions

    def _connect(self, out_port, in_port):
        pairs = list(zip(self._port_tiles(out_port), self._port_tiles(in_port)))
        for start, end in pairs:
            path = self._path(self._group_of[out_port["color"]], start, end, out_port, in_port)
            self._set_port(out_port, start, path[0])
            self._set_port(in_port, end, OPPOSITE[path[-1]])
            self._lay(self._group_of[out_port["color"]], start, path)

    def _lay(self, group, start, path):
        """Routes along the directions `path` on the tiles between its ends."""
        tile = start
        for before, after in zip(path, path[1:]):
            tile = _beside(tile, before)
            self.routes[group][tile] = [{"rx": [OPPOSITE[before]], "tx": [after]}]

    def _is_free(self, group, tile):
        return (0 <= tile[0] < self.width and 0 <= tile[1] < self.height and tile not in self.code and
                tile not in self.routes[group])

    def _path(self, group, start, end, out_port, in_port):
        """Directions of a shortest way between two ports, over their edges or else over any side."""
        first, last = EDGES[out_port["edge"]], OPPOSITE[EDGES[in_port["edge"]]]
        for allowed_first, allowed_last in (([first], [last]), ([first], STEPS), (STEPS, [last]), (STEPS, STEPS)):
            path = self._search(group, start, lambda tile, step, lasts=allowed_last: _beside(tile, step) == end and step in lasts,
                                allowed_first)
            if path is not None:
                return path
        raise ValueError(f"there is no free path from the region '{out_port['region']}' at PE {start} to the region "
                         f"'{in_port['region']}' at PE {end}")

    def _search(self, group, start, arrives, first):
        """Breadth first; arrives(tile, step) says that the step from the tile is the last one."""
        queue, seen = deque([(start, [])]), {start}
        while queue:
            tile, path = queue.popleft()
            for step in (STEPS if path else first):
                if arrives(tile, step):
                    return path + [step]
                after = _beside(tile, step)
                if after not in seen and self._is_free(group, after):
                    seen.add(after)
                    queue.append((after, path + [step]))
        return None

    def _attach(self, stream, port):
        """A path from a port to the rim: the nearest tile there, or the one that the script names."""
        group, (start,) = self._group_of[port["color"]], self._port_tiles(port)
        wanted = stream.get("location")

        def leaves(tile, step):
            x, y = _beside(tile, step)
            return (not (0 <= x < self.width and 0 <= y < self.height)) and (wanted is None or list(tile) == wanted)

        path = self._search(group, start, leaves, [EDGES[port["edge"]]]) or self._search(group, start, leaves, STEPS)
        if path is None:
            raise ValueError(f"there is no free path from the region '{port['region']}' at PE {start} to the rim of the fabric")
        self._set_port(port, start, path[0])
        rim = start
        for step in path[:-1]:
            rim = _beside(rim, step)
        if port["direction"] == "out":
            self._lay(group, start, path)
        else:
            self._lay(group, _beside(rim, path[-1]), [OPPOSITE[step] for step in reversed(path)])
        self.streams.append((stream["name"], port["direction"], rim, path[-1], group))

    def _values(self):
        """The smallest value for each group that no other group on its tiles has."""
        tiles = {group: set(routes) for group, routes in self.routes.items()}
        for tile, params in self.params.items():
            for value in params.values():
                if isinstance(value, tuple):
                    tiles[value[1]].add(tile)
        values = {}
        for color in self._record["colors"]:
            group, value = self._group_of[color["name"]], color["value"]
            if value is not None and values.setdefault(group, value) != value:
                raise ValueError(f"a connection joins colors with the values {values[group]} and {value}")
        for group, its_tiles in tiles.items():
            taken = {values[other] for other in values if other != group and not tiles[other].isdisjoint(its_tiles)}
            if values.get(group) in taken:
                raise ValueError(f"two colors on one PE have the value {values[group]}; one of them is '{group}'")
            if group not in values:
                free = [value for value in range(COLORS) if value not in taken]
                if not free:
                    raise ValueError(f"there is no value for the color '{group}': its PEs use all {COLORS}")
                values[group] = free[0]
        return values

    def value_of(self, color):
        """The value of a color by its name."""
        return self.values[self._group_of[color]]

    def text(self):
        """The layout block."""
        lines = ["// Written by SdkLayout.compile().", "layout {", f"  @set_rectangle({self.width}, {self.height});"]
        for tile in _tiles([0, 0, self.width, self.height]):
            if tile in self.code:
                file = self.code[tile]["file"]
                params = ", ".join(f".{name} = {self._literal(file, name, value)}"
                                   for name, value in self.params.get(tile, {}).items())
                lines.append(f"  @set_tile_code({tile[0]}, {tile[1]}, \"{file}\", .{{ {params} }});")
            else:
                lines.append(f"  @set_tile_code({tile[0]}, {tile[1]}, \"<empty>\");")
        for group, routes in self.routes.items():
            for (x, y), positions in routes.items():
                lines.append(f"  @set_color_config({x}, {y}, @get_color({self.values[group]}), {_config(positions)});")
        return "\n".join(lines) + "\n}\n"

    def _literal(self, file, name, value):
        if isinstance(value, tuple):  # programs of SDK 2.10 declare such parameters as numbers
            number = self.values[value[1]]
            return str(number) if _is_number(file, name) else f"@get_color({number})"
        if isinstance(value, dict):
            return value["float"]
        return str(value).lower()  # true, false

    def stream_options(self):
        """Options of tessera_cslc for the streams of the host."""
        return [f"--host-stream={name}:{direction}:{x},{y}:{side}:{self.values[group]}"
                for name, direction, (x, y), side, group in self.streams]


def _sides(position, names):
    return ", ".join(f".{name} = .{{ {', '.join(position[name])} }}" for name in names)


def _config(positions):
    """Switch positions say what changes; each holds the sides that the one before had."""
    parts = [f".routes = .{{ {_sides(positions[0], ('rx', 'tx'))} }}"]
    switches = []
    for number, (before, position) in enumerate(zip(positions, positions[1:]), 1):
        changed = [name for name in ("rx", "tx") if position[name] != before[name]] or ["tx"]
        switches.append(f".pos{number} = .{{ {_sides(position, changed)} }}")
    if switches:
        parts.append(f".switches = .{{ {', '.join(switches)} }}")
    return f".{{ {', '.join(parts)} }}"
