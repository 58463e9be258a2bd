# SPDX-License-Identifier: Apache-2.0
"""Points and rectangles of the grid of PEs."""
from dataclasses import dataclass


@dataclass(frozen=True)
class IntVector:
    """A point of the grid."""
    x: int
    y: int

    def __add__(self, other):
        return IntVector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return IntVector(self.x - other.x, self.y - other.y)


@dataclass(frozen=True, init=False)
class IntRectangle:
    """A rectangle from its upper left PE to the PE after its lower right one, as published programs have it. By name it also takes
    `origin` and `dims`, the arguments of the documents, of which the second one is the size."""
    upper_left: IntVector
    lower_right: IntVector

    def __init__(self, upper_left=None, lower_right=None, *, origin=None, dims=None):
        first = upper_left if origin is None else origin
        end = lower_right if dims is None else first + dims
        if first is None or end is None:
            raise TypeError("a rectangle has two corners, or origin and dims")
        object.__setattr__(self, "upper_left", first)
        object.__setattr__(self, "lower_right", end)
        if self.width < 1 or self.height < 1:
            raise ValueError(f"the rectangle from {self.upper_left} to {self.lower_right} has no PE; "
                             "the second corner lies outside of it")

    @property
    def width(self):
        return self.lower_right.x - self.upper_left.x

    @property
    def height(self):
        return self.lower_right.y - self.upper_left.y
