# SPDX-License-Identifier: Apache-2.0
"""What the copies of a host program say: their headers, and the forms in which SDKs of several years write them."""
import functools

import numpy as np

from tessera_csl import arguments
from tessera_csl.platform import Numbered


class MemcpyDataType(Numbered):
    """Size of the elements that a copy moves."""
    MEMCPY_32BIT = 0
    MEMCPY_16BIT = 1


class MemcpyOrder(Numbered):
    """Index of element i of PE (x, y): (y*w + x)*l + i, or y + x*h + i*h*w."""
    ROW_MAJOR = 0
    COL_MAJOR = 1


class SymbolHandle(int):
    """What get_id() returns: stands for an exported symbol of a program, by its number."""

    def __new__(cls, number, symbols):
        handle = super().__new__(cls, number)
        handle._symbols = symbols
        return handle

    def symbol_in(self, program):
        """The symbol, which must be one of `program`."""
        if self._symbols != program["symbols"]:
            raise ValueError(f"the handle of '{self._symbols[self]['name']}' is of another program")
        return self._symbols[self]


def takes_old_form(copy):
    """Also accepts copies as SDK 0.6 writes them: all by position, whether it is a stream after the two arrays, and a number
    without meaning and whether the call blocks at the end."""
    @functools.wraps(copy)
    def call(self, *given, **named):
        if len(given) > 2 and isinstance(given[2], (bool, np.bool_)):
            if not 8 <= len(given) <= 10 or not all(isinstance(flag, (bool, np.bool_, int)) for flag in given[9:]):
                raise TypeError(f"{copy.__name__} by position takes (to, from, streaming, px, py, w, h, elements, number, nonblock), "
                                f"not {len(given)} arguments")
            named = dict({"streaming": bool(given[2])}, **({"nonblock": bool(given[9])} if len(given) > 9 else {}), **named)
            given = given[:2] + given[3:8]
        return copy(self, *given, **named)
    return call


def header_of(command, program, target, region, elements, streaming, data_type, order):
    """The header of a copy or a stream, checked against the program."""
    if not isinstance(data_type, MemcpyDataType):
        raise TypeError(f"data_type is {data_type!r}; it must be a MemcpyDataType")
    if not isinstance(order, MemcpyOrder):
        raise TypeError(f"order is {order!r}; it must be a MemcpyOrder")
    x, y, w, h = (arguments.whole(value, name) for value, name in zip(region, ("px", "py", "w", "h")))
    width, height = program["size"]
    if x < 0 or y < 0 or w < 1 or h < 1 or x + w > width or y + h > height:
        raise ValueError(f"the region of {w} x {h} PEs from ({x}, {y}) does not lie in the program, which has "
                         f"{width} x {height} PEs")
    if arguments.whole(elements, "elem_per_pe") < 1:
        raise ValueError(f"elem_per_pe is {elements}; it must be 1 or more")
    header = {"cmd": command, "region": [x, y, w, h], "elements": int(elements), 
              "order": "row" if order is MemcpyOrder.ROW_MAJOR else "column",
              "bits": 32 if data_type is MemcpyDataType.MEMCPY_32BIT else 16}
    return dict(header, **_target(command, program, target, streaming))


def words_of(header):
    """Words that the host sends or receives."""
    _, _, w, h = header["region"]
    columns, rows = header.get("strides", (1, 1))
    w, h = 1 + (w - 1) // columns, 1 + (h - 1) // rows
    pes = {"row": h, "column": w}.get(header.get("broadcast"), w * h)
    return pes * header["elements"]


def _target(command, program, target, streaming):
    number = arguments.whole(target, f"the color or symbol of memcpy_{command}")
    if streaming:
        if not 0 <= number <= 23:
            raise ValueError(f"memcpy_{command} with streaming=True takes a color; {number} is none")
        known = [color for color in range(24) if program["streams"][command == "d2h"] >> color & 1]
        if number not in known:
            name = f"MEMCPY{command.upper()}_k"
            raise ValueError(f"the program gives <memcpy/get_params> no color {number} as {name}; it gives "
                             + (", ".join(map(str, known)) or "none"))
        return {"color": number}
    if not isinstance(target, SymbolHandle):
        raise TypeError(f"memcpy_{command} with streaming=False takes what get_id() returned, not {target!r}")
    symbol = target.symbol_in(program)
    if symbol["kind"] != "variable":
        raise ValueError(f"'{symbol['name']}' is a function; memcpy_{command} takes a variable")
    return {"symbol": symbol["name"]}
