# SPDX-License-Identifier: Apache-2.0
"""SdkLayout: a program from regions of code that ports and connections join (csl.md 14).

The objects here record what a script asks for; compile() makes a CSL layout of it (placement.py) and has tessera_cslc
compile that.
"""
import operator
import os
import subprocess
from pathlib import Path

import numpy as np

from tessera_csl import initial
from tessera_csl.geometry import IntRectangle, IntVector
from tessera_csl.placement import Placement
from tessera_csl.platform import (FP16TYPE, Numbered, SdkCompileArtifacts, SdkExecutionPlatform, SdkTarget, ignore, tool)


class Edge(Numbered):
    """A side of a region."""
    TOP = 0
    BOTTOM = 1
    LEFT = 2
    RIGHT = 3


class Route(Numbered):
    """A direction of a router."""
    RAMP = 0
    EAST = 1
    WEST = 2
    NORTH = 3
    SOUTH = 4


class RoutingPosition:
    """Inputs and outputs of a color in one switch position."""

    def __init__(self):
        self._input = []
        self._output = []

    @staticmethod
    def _routes(routes):
        for route in routes:
            if not isinstance(route, Route):
                raise TypeError(f"{route!r} is no Route")
        return list(routes)

    def set_input(self, routes):
        self._input = self._routes(routes)
        return self

    def set_output(self, routes):
        self._output = self._routes(routes)
        return self

    def add_input(self, route):
        self._input += self._routes([route])
        return self

    def add_output(self, route):
        self._output += self._routes([route])
        return self

    def get_input(self):
        return list(self._input)

    def get_output(self):
        return list(self._output)

    def record(self):
        return {"rx": [route.name for route in self._input], "tx": [route.name for route in self._output]}


class EdgeRouteInfo:
    """Positions for the PEs at one edge of a region."""

    def __init__(self, edge, positions):
        self.edge = edge
        self.positions = positions


def get_edge_routing(edge, routes):
    """Routing that the PEs at an edge have instead of the painted one."""
    if not isinstance(edge, Edge):
        raise TypeError(f"{edge!r} is no Edge")
    return EdgeRouteInfo(edge, routes)


class Color:
    """A color by its name; the same name is the same color. The compiler chooses the value unless one is given."""

    def __init__(self, name, value=None, scope=None):
        self._name = name
        self._scope = scope
        self._value = None if value is None else operator.index(value)
        if value is not None and not 0 <= value <= 23:
            raise ValueError(f"the color '{name}' shall have the value {value}; a color has one of 0 to 23")

    def get_name(self):
        return self._name

    def get_local_param_name(self):
        """The parameter of a region that the color is without another name."""
        return self._name

    def get_global_name(self):
        return f"{self._scope}_{self._name}" if self._scope else self._name

    def get_value(self):
        return self._value

    def set_value(self, value):
        self._value = value


class PortHandle:
    """Where wavelets of a color enter or leave a region."""

    def __init__(self, number, region, record):
        self.number = number
        self.region = region
        self.record = record


def _positions(positions):
    if isinstance(positions, RoutingPosition):
        positions = [positions]
    for position in positions:
        if not isinstance(position, RoutingPosition):
            raise TypeError(f"{position!r} is no RoutingPosition")
    if not 1 <= len(positions) <= 4:
        raise ValueError(f"a color has 1 to 4 switch positions, not {len(positions)}")
    return [position.record() for position in positions]


def _plain(name, value):
    """A value of a parameter as JSON has it."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (float, np.floating)):
        return {"float": repr(float(value))}
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"the value of the parameter '{name}' is {value!r}; it must be a number or a color") from None


class CodeRegion:
    """A rectangle of PEs that run one file, with parameters and routes of their own."""

    def __init__(self, layout, path, name, width, height):
        self._layout = layout
        self.name, self.width, self.height = name, width, height
        self.record = {"name": name, "file": os.path.abspath(path), "size": [width, height], "place": [0, 0],
                       "params": [], "paint": [], "symbols": []}

    def color(self, name, value=None):
        """A color of this region: other regions may have another one with this name."""
        return self._layout.known(Color(name, value, self.name))

    def place(self, x, y):
        """Puts the upper left PE of the region at (x, y) of the fabric."""
        if min(x, y) < 0:
            raise ValueError(f"the region '{self.name}' cannot lie at ({x}, {y}); the fabric begins at (0, 0)")
        self.record["place"] = [operator.index(x), operator.index(y)]

    def _all(self):
        return [0, 0, self.width, self.height]

    def _rect(self, where):
        if isinstance(where, IntVector):
            rect = [where.x, where.y, 1, 1]
        elif isinstance(where, IntRectangle):
            rect = [where.upper_left.x, where.upper_left.y, where.width, where.height]
        else:
            raise TypeError(f"{where!r} is neither an IntVector nor an IntRectangle")
        x, y, w, h = rect
        if x < 0 or y < 0 or x + w > self.width or y + h > self.height:
            raise ValueError(f"{w} x {h} PEs from ({x}, {y}) do not lie in the region '{self.name}' of {self.width} x "
                             f"{self.height} PEs")
        return rect

    def _set(self, rect, arguments):
        if len(arguments) == 1:
            if not isinstance(arguments[0], Color):
                raise TypeError(f"{arguments[0]!r} is no Color; other parameters need a name and a value")
            name, value = arguments[0].get_name(), arguments[0]
        else:
            name, value = arguments
        entry = {"name": name, "rect": rect}
        if isinstance(value, Color):
            entry["color"] = self._layout.known(value).get_global_name()
        else:
            entry["value"] = _plain(name, value)
        self.record["params"].append(entry)

    def set_param_all(self, *arguments):
        """A parameter of all PEs: (name, value), or a color, which is the parameter of its name."""
        self._set(self._all(), arguments)

    def set_param(self, vector, *arguments):
        """The same for one PE."""
        self._set(self._rect(vector), arguments)

    def set_param_range(self, rectangle, *arguments):
        """The same for the PEs of a rectangle."""
        self._set(self._rect(rectangle), arguments)

    def set_symbol_all(self, symbol, data, width, height):
        """Cuts an array of `width` x `height` elements into equal blocks: the initial value of a variable of each PE."""
        data = np.ascontiguousarray(data)
        if data.dtype not in (np.int32, np.uint32, np.float32, np.int16, np.uint16):
            raise TypeError(f"the data of '{symbol}' have the type {data.dtype}; int16, uint16, int32, uint32 and float32 are "
                            "possible")
        if data.size != width * height:
            raise ValueError(f"the data of '{symbol}' have {data.size} elements, not {width} x {height}")
        if width % self.width != 0 or height % self.height != 0:
            raise ValueError(f"the data of '{symbol}', {width} x {height} elements, cannot be cut into {self.width} x "
                             f"{self.height} equal blocks")
        bits = data.view(np.uint16 if data.dtype.itemsize == 2 else np.uint32)
        blocks = bits.reshape(self.height, height // self.height, self.width, width // self.width).swapaxes(1, 2)
        self.record["symbols"].append({"name": symbol, "blocks": blocks.reshape(self.width * self.height, -1)})

    def _paint(self, rect, color, positions):
        self.record["paint"].append({"rect": rect, "color": self._layout.known(color).get_global_name(),
                                     "positions": _positions(positions)})

    def _edge(self, edge):
        return {Edge.TOP: [0, 0, self.width, 1], Edge.BOTTOM: [0, self.height - 1, self.width, 1],
                Edge.LEFT: [0, 0, 1, self.height], Edge.RIGHT: [self.width - 1, 0, 1, self.height]}[edge]

    def paint(self, coord, color, routes):
        """Routes of a color on one PE."""
        self._paint(self._rect(coord), color, routes)

    def paint_range(self, rect, color, routes):
        """Routes of a color on the PEs of a rectangle."""
        self._paint(self._rect(rect), color, routes)

    def paint_all(self, color, routes, edge_routes=()):
        """Routes of a color on all PEs; those at some edges may differ."""
        self._paint(self._all(), color, routes)
        for routing in edge_routes:
            self._paint(self._edge(routing.edge), color, routing.positions)

    def create_input_port(self, color, edge, routes, data_size, prefix=""):
        """Where `data_size` wavelets of a color enter over an edge; the routes say outputs only."""
        return self._port("in", color, edge, routes, data_size, prefix)

    def create_output_port(self, color, edge, routes, data_size, prefix=""):
        """Where `data_size` wavelets of a color leave over an edge; the routes say inputs only."""
        return self._port("out", color, edge, routes, data_size, prefix)

    def _port(self, direction, color, edge, positions, size, prefix):
        if not isinstance(edge, Edge):
            raise TypeError(f"{edge!r} is no Edge")
        positions = _positions(positions)
        given = "rx" if direction == "in" else "tx"
        if any(position[given] for position in positions):
            wrong, right = ("inputs", "outputs") if direction == "in" else ("outputs", "inputs")
            raise ValueError(f"the positions of an {direction}put port have {wrong}, which the compiler chooses; give {right} "
                             "only")
        if operator.index(size) < 1:
            raise ValueError(f"an {direction}put port of the region '{self.name}' is for {size} wavelets; it must be 1 or more")
        return self._layout.add_port(self, {
            "region": self.name, "direction": direction, "color": self._layout.known(color).get_global_name(),
            "edge": edge.name.lower(), "rect": self._edge(edge), "positions": positions, "size": operator.index(size),
            "prefix": prefix})


class SdkLayout:
    """Code regions, their ports, and what joins them."""

    def __init__(self, platform, *, msg_level="WARNING"):
        del msg_level  # says how much another simulator tells
        if isinstance(platform, (str, os.PathLike)):
            raise RuntimeError(f"a layout is not read from '{os.fspath(platform)}'; give the platform of get_platform(), or an SdkTarget, "
                               "and create its regions")
        if not isinstance(platform, (SdkExecutionPlatform, SdkTarget)):
            raise TypeError(f"{platform!r} is neither the platform of get_platform() nor an SdkTarget")
        self._target = platform if isinstance(platform, SdkTarget) else platform.target
        self._regions = {}
        self._colors = {}
        self._objects = []
        self._ports = []
        self._connections = []
        self._streams = []

    def known(self, color):
        """Takes a color up; one name has one value."""
        if not isinstance(color, Color):
            raise TypeError(f"{color!r} is no Color")
        name, value = color.get_global_name(), color.get_value()
        before = self._colors.get(name)
        if value is not None and before is not None and value != before:
            raise ValueError(f"the color '{name}' has the value {before} and shall have {value}")
        self._colors[name] = before if value is None else value
        if not any(one is color for one in self._objects):
            self._objects.append(color)
        return color

    def create_code_region(self, source, name, width, height):
        """A rectangle of PEs that run the file `source`."""
        if name in self._regions:
            raise ValueError(f"there is a code region '{name}' already")
        if not Path(source).is_file():
            raise ValueError(f"the code region '{name}' has the file '{source}', which does not exist")
        if width < 1 or height < 1:
            raise ValueError(f"the code region '{name}' has {width} x {height} PEs")
        self._regions[name] = CodeRegion(self, source, name, operator.index(width), operator.index(height))
        return self._regions[name]

    def add_port(self, region, record):
        """Takes a port up; color and prefix tell the ports of a region apart."""
        for port in self._ports:
            if port.region is region and all(port.record[key] == record[key] for key in ("color", "prefix", "direction")):
                raise ValueError(f"the region '{region.name}' has an {record['direction']}put port of color "
                                 f"'{record['color']}' with the prefix '{record['prefix']}' already")
        self._ports.append(PortHandle(len(self._ports), region, record))
        return self._ports[-1]

    @staticmethod
    def _direction(port, direction):
        if not isinstance(port, PortHandle) or port.record["direction"] != direction:
            raise TypeError(f"an {direction}put port is needed here")

    def _check_free(self, port, takes_connections):
        """A port has one stream or connections; wavelets enter an input port from one place."""
        has_stream = any(stream["port"] == port.number for stream in self._streams)
        is_connected = any(port.number in pair for pair in self._connections)
        if has_stream or (is_connected and not takes_connections):
            raise ValueError(f"the {port.record['direction']}put port of color '{port.record['color']}' has a "
                             f"{'stream' if has_stream else 'connection'} already")

    def connect(self, tx, rx):
        """Joins two ports: both colors become one, and the compiler finds a path."""
        self._direction(tx, "out")
        self._direction(rx, "in")
        self._check_free(tx, True)
        self._check_free(rx, False)
        width, height = tx.record["rect"][2:]
        if tx.record["size"] != rx.record["size"]:
            raise ValueError(f"the ports that are connected have the sizes {tx.record['size']} and "
                             f"{rx.record['size']}; they must be equal")
        if width * height != rx.record["rect"][2] * rx.record["rect"][3]:
            raise ValueError(f"the ports of the regions '{tx.region.name}' and '{rx.region.name}' are connected and "
                             "lie on different numbers of PEs")
        self._connections.append([tx.number, rx.number])

    def create_input_stream(self, port, io_loc=None, io_buffer_size=1024):
        """A stream of the host to an input port of one PE; returns its name."""
        self._direction(port, "in")
        return self._stream(port, io_loc, io_buffer_size)

    def create_output_stream(self, port, io_loc=None, io_buffer_size=1024):
        """A stream from an output port of one PE to the host; returns its name."""
        self._direction(port, "out")
        return self._stream(port, io_loc, io_buffer_size)

    def _stream(self, port, io_loc, io_buffer_size):
        del io_buffer_size  # streams are not bounded
        self._check_free(port, False)
        record = port.record
        if record["rect"][2:] != [1, 1]:
            raise ValueError(f"the port of the region '{port.region.name}' lies on {record['rect'][2]} x {record['rect'][3]} "
                             "PEs; a stream needs a port on one PE")
        color = record["color"].removeprefix(port.region.name + "_")
        name = f"{port.region.name}_{color}{record['prefix']}"
        entry = {"name": name, "port": port.number, "direction": record["direction"]}
        if io_loc is not None:
            entry["location"] = [operator.index(io_loc.x), operator.index(io_loc.y)]
        self._streams.append(entry)
        return name

    def create_input_stream_from_loc(self, loc, color, prefix=""):
        """A stream of the host to a PE whose region routes the color itself: not modelled."""
        del loc, color, prefix
        raise RuntimeError("streams by location are not modelled; give the region a port, with create_input_port, and use "
                           "create_input_stream")

    def create_output_stream_from_loc(self, loc, color, prefix=""):
        """The same from a PE."""
        del loc, color, prefix
        raise RuntimeError("streams by location are not modelled; give the region a port, with create_output_port, and use "
                           "create_output_stream")

    @staticmethod
    def _stack(name, regions, origin, y, step):
        """Places regions after each other, from `origin` or else from where the first one lies."""
        regions = list(regions)
        if not regions:
            raise ValueError(f"{name} takes one region at least")
        if isinstance(origin, IntVector):
            where = [origin.x, origin.y]
        elif origin is None and y is None:
            where = list(regions[0].record["place"])
        else:
            where = [operator.index(origin or 0), operator.index(y or 0)]
        for region in regions:
            region.place(*where)
            where = [place + size for place, size in zip(where, step(region))]
        return sum(sum(step(region)) for region in regions)

    def hstack(self, children, origin=None, y=None):
        """Places regions side by side, the first one at `origin` if it is given. Returns their width."""
        return self._stack("hstack", children, origin, y, lambda region: (region.width, 0))

    def vstack(self, children, origin=None, y=None):
        """Places regions below each other, the first one at `origin` if it is given. Returns their height."""
        return self._stack("vstack", children, origin, y, lambda region: (0, region.height))

    def record(self):
        """What the script has asked for."""
        return {"regions": [region.record for region in self._regions.values()],
                "colors": [{"name": name, "value": value} for name, value in self._colors.items()],
                "ports": [port.record for port in self._ports], "connections": self._connections,
                "streams": self._streams}

    def compile(self, out_prefix="out", libs=(), cslc_prefix="", save_port_map=False, f16_type=FP16TYPE.F16, **unknown):
        """Compiles into the folder `out_prefix`; RuntimeError with the compiler's messages if that fails.

        `libs` are folders of modules, `f16_type` is the format of 16-bit floats.
        """
        del cslc_prefix, save_port_map  # names another compiler; the folder has the ports
        ignore("compile", unknown)
        if isinstance(libs, (str, os.PathLike)) or not all(isinstance(one, (str, os.PathLike)) for one in libs):
            raise TypeError(f"libs is {libs!r}; it must be a list of folders")
        if not isinstance(f16_type, FP16TYPE):
            raise TypeError(f"f16_type is {f16_type!r}; it must be an FP16TYPE")
        placement = Placement(self.record())
        folder = Path(out_prefix)
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "sdk_layout.csl"
        file.write_text(placement.text(), encoding="utf-8")
        command = [tool("tessera_cslc"), str(file), f"--arch={self._target.name.lower()}", "-o", str(folder),
                   f"--fp16-format={f16_type.name.lower()}", *(f"--import-path={os.fspath(one)}" for one in libs),
                   f"--fabric-dims={placement.width},{placement.height}", *placement.stream_options()]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"the layout cannot be compiled: {done.stderr.strip()}")
        initial.write(folder, [region.record for region in self._regions.values()])
        for color in self._objects:
            color.set_value(placement.value_of(color.get_global_name()))
        return SdkCompileArtifacts(folder)
