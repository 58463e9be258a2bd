# SPDX-License-Identifier: Apache-2.0
"""Port maps of host programs of SDK 0.4 to 0.9: which element of a tensor lies at which place of which PE.

    { NAME[i=0:7][j=0:3] -> [PE[j // 2, i // 4] -> index[i % 4, j % 2]] }

Ranges have both ends; [j=0] and [0] are ranges of one, and one bracket may have several. The elements of a PE lie in the order of their index, the
last part fastest. A PE next to the program, as PE[-1, 0], stands for the edge that a stream of CSELFRunner crosses.
"""
import ast
import operator
import re

import numpy as np

from .arrays import elements_in

_MAP = re.compile(r"\{\s*(\w+)((?:\s*\[[^\]]*\])+)\s*->\s*\[\s*PE\s*\[([^\]]*)\]\s*->\s*index\s*\[([^\]]*)\]\s*\]\s*\}")
_RANGE = re.compile(r"\s*(?:(\w+)\s*=)?\s*([^:=]+)(?::(.+))?")
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Div: operator.floordiv, ast.Mod: operator.mod,
              ast.USub: operator.neg}


def _value(text, names):
    """A whole number, or an array of them, from + - * // % and names; `a mod b` and `floor(a / b)` are other forms of two of them."""
    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and node.id in names:
            return names[node.id]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "floor" and len(node.args) == 1:
            return value(node.args[0])
        if isinstance(node, (ast.BinOp, ast.UnaryOp)) and type(node.op) in _OPERATORS:
            operands = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.operand]
            return _OPERATORS[type(node.op)](*map(value, operands))
        raise ValueError(f"'{text}' is no expression of whole numbers, + - * // % and " + (", ".join(names) or "no names"))
    try:
        return value(ast.parse(re.sub(r"\bmod\b", "%", text).strip(), mode="eval").body)
    except SyntaxError:
        raise ValueError(f"'{text}' is no expression of a port map") from None


class Elements:
    """The elements of a port map in the order of their tensor: `name`, `shape`, and for each the PE `x`, `y` and the parts of its index."""

    def __init__(self, text):
        found = _MAP.fullmatch(" ".join(text.split()))
        if found is None:
            raise ValueError(f"'{text}' is no port map; one is {{ NAME[i=0:7] -> [PE[i // 4, 0] -> index[i % 4]] }}")
        self.name = found[1]
        ranges = [_RANGE.fullmatch(part) for part in re.sub(r"\]\s*\[", ",", found[2].strip())[1:-1].split(",")]
        if not all(part and (part[1] or part[2].strip().isdigit()) for part in ranges):
            raise ValueError(f"the ranges of a port map are [NAME=FIRST:LAST], not {found[2].strip()}")
        bounds = [(part[1], _value(part[2], {}), _value(part[3] or part[2], {})) for part in ranges]
        for name, first, last in bounds:
            if first < 0 or last < first:
                raise ValueError(f"the range {name}={first}:{last} of a port map has no elements")
        self.shape = tuple(last - first + 1 for _, first, last in bounds)
        grids = np.indices(self.shape)
        names = {name: grid.ravel() + first for (name, first, _), grid in zip(bounds, grids) if name}
        count = int(np.prod(self.shape))
        place = [np.broadcast_to(_value(part, names), count) for part in found[3].split(",")]
        if len(place) != 2:
            raise ValueError(f"PE has two coordinates in a port map, not '{found[3]}'")
        self.x, self.y = place
        self.index = [np.broadcast_to(_value(part, names), count) for part in found[4].split(",")]

    def of_places(self):
        """Pairs of a PE (x, y) and the numbers of its elements in the tensor, in the order of their index."""
        order = np.lexsort((*reversed(self.index), self.y, self.x))
        x, y = self.x[order], self.y[order]
        begins = np.flatnonzero(np.r_[True, (np.diff(x) != 0) | (np.diff(y) != 0)])
        for first, numbers in zip(begins, np.split(order, begins[1:])):
            yield (int(x[first]), int(y[first])), numbers


class PortMap:
    """A port map, and where each element of its tensor lies in the array of a copy in row-major order."""

    def __init__(self, text):
        found = Elements(text)
        self.shape, place, index = found.shape, (found.x, found.y), found.index
        count = int(np.prod(self.shape))
        if min(part.min() for part in (*place, *index)) < 0:
            raise ValueError("a port map of a copy has no PE and no index below 0")
        self.x, self.y = int(place[0].min()), int(place[1].min())
        self.width, self.height = (int(part.max()) - least + 1 for part, least in zip(place, (self.x, self.y)))
        element = np.zeros(count, np.int64)
        for part in index:
            element = element * (int(part.max()) + 1) + part
        self.elements = int(np.prod([int(part.max()) + 1 for part in index]))
        self.places = ((place[1] - self.y) * self.width + (place[0] - self.x)) * self.elements + element

    @property
    def region(self):
        """px, py, w, h and elements of a PE, as a copy takes them."""
        return self.x, self.y, self.width, self.height, self.elements

    @property
    def size(self):
        """Elements of the array of the copy."""
        return self.width * self.height * self.elements


def _words(dtype):
    """The type of the array of a copy: a word for each element."""
    dtype = np.dtype(dtype)
    if dtype.itemsize not in (2, 4) or dtype.kind not in "iuf":
        raise ValueError(f"a copy moves elements of 16 or 32 bits, not {dtype}")
    return dtype if dtype.itemsize == 4 else np.dtype(np.uint32)


def convert_input_tensor(portmap, np_array):
    """(px, py, w, h, elements, data) of a copy to the device in row-major order. PEs that get fewer elements get zeros."""
    found, array = PortMap(portmap), np.asarray(np_array)
    if array.shape != found.shape and array.size != int(np.prod(found.shape)):
        raise ValueError(f"the port map has the shape {found.shape}, the array {array.shape}")
    words = _words(array.dtype)
    values = array.ravel().astype(array.dtype.newbyteorder("="), copy=False)
    data = np.zeros(found.size, words.newbyteorder("="))
    data[found.places] = values if words.itemsize == array.dtype.itemsize else values.view(np.uint16)
    return (*found.region, data)


def prepare_output_tensor(portmap, dtype):
    """(px, py, w, h, elements, data) of a copy from the device, which fills `data`."""
    found = PortMap(portmap)
    return (*found.region, np.zeros(found.size, _words(dtype)))


def format_output_tensor(portmap, dtype, data):
    """The tensor that a copy from the device has brought."""
    found, dtype = PortMap(portmap), np.dtype(dtype)
    words = np.asarray(data).ravel()
    if words.size != found.size:
        raise ValueError(f"the port map takes {found.size} words, not {words.size}")
    return elements_in(words[found.places], dtype).reshape(found.shape)
